/*
 * commands: the small commands that need no screen.  Each is stored with its output.
 *
 * line is the command as it was typed, argument what follows its name.  May include: all but the
 * front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_H
#define IK_COMMANDS_COMMANDS_H

#include "core/core.h"

/* /tool [NAME | --all] */
void ik_command_tool(struct ik_core *core, const char *line, const char *argument);
/* /run TOOL JSON */
void ik_command_run(struct ik_core *core, const char *line, const char *argument);
/* /background [end [PID]] */
void ik_command_background(struct ik_core *core, const char *line, const char *argument);
/* /usage, /system, /compact [WORDS] */
void ik_command_usage(struct ik_core *core, const char *line, const char *argument);
void ik_command_system(struct ik_core *core, const char *line, const char *argument);
void ik_command_compact(struct ik_core *core, const char *line, const char *argument);
/* /title [TEXT]: the store reads the title from the event of the command. */
void ik_command_title(struct ik_core *core, const char *line, const char *argument);

/* Answer the line that started a scan of the tools, in its session. */
void ik_command_refreshed(struct ik_session *session, const char *line,
	const struct ik_registry *registry);

#endif
