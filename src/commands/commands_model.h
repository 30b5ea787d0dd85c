/*
 * commands_model: /model and /provider.
 *
 * May include: all.
 */
#ifndef IK_COMMANDS_COMMANDS_MODEL_H
#define IK_COMMANDS_COMMANDS_MODEL_H

#include "commands/commands.h"

enum ik_command_effect ik_command_model(struct ik_core *core, const char *line, const char *rest);
enum ik_command_effect ik_command_provider(struct ik_core *core, const char *line,
	const char *rest);

#endif
