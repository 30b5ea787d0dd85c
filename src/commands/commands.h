/*
 * commands: what a line that begins with "/" does, one table.
 *
 * Help, completion and the page of keys are made from the table.  None of the
 * commands needs the provider; each is stored with its output.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMMANDS_H
#define IK_COMMANDS_COMMANDS_H

#include "core/command.h"

/* The table; NULL at the end. */
const struct ik_command *ik_command_at(size_t index);

/* Is this line a command? ("/" and a letter; "//" begins a message.) */
bool ik_command_is(const char *line);

/* Do it. Unknown ones are answered with the nearest. */
enum ik_command_effect ik_command_run(struct ik_core *core, const char *line);

/* Store and tell the end of a refresh that line began in a session. */
void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry);

#endif
