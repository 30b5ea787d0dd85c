/*
 * commands_text: the commands that take text out of the conversation: /copy, /export.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMMANDS_TEXT_H
#define IK_COMMANDS_COMMANDS_TEXT_H

#include "commands/commands.h"

/* /copy [N | code]: the last reply, the Nth last, or the last code block. */
enum ik_command_effect ik_command_copy(struct ik_core *core, const char *line, const char *rest);

/* /export [--force] [FILE] */
enum ik_command_effect ik_command_export(struct ik_core *core, const char *line, const char *rest);

#endif
