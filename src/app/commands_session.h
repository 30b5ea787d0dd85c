/*
 * commands_session: the commands about stored sessions: /sessions, /resume, /title.
 *
 * May include: all.
 */
#ifndef IK_APP_COMMANDS_SESSION_H
#define IK_APP_COMMANDS_SESSION_H

#include "app/commands.h"

/* What a conversation is called now ("": nothing yet); new memory. */
char *ik_command_present_title(const struct ik_conversation *conversation);

enum ik_command_effect ik_command_sessions(struct ik_core *core, const char *line,
	const char *rest);
enum ik_command_effect ik_command_resume(struct ik_core *core, const char *line, const char *rest);
/* /title TEXT is kept as the event that it is: the store reads the title from it. */
enum ik_command_effect ik_command_title(struct ik_core *core, const char *line, const char *rest);

/* /fork, /rewind [N]: a session that has this one's events, all of them or those before the
 * Nth last message of the person, by reference. */
enum ik_command_effect ik_command_fork(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_rewind(struct ik_core *core, const char *line, const char *rest);

#endif
