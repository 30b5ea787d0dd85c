/*
 * commands_model: /model and /provider.
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_MODEL_H
#define IK_COMMANDS_COMMANDS_MODEL_H

#include "core/core.h"

/* /model [NAME]. Return whether the provider is being asked: its answer follows. */
bool ik_command_model(struct ik_core *core, const char *line, const char *argument);
/* /provider [NAME] */
void ik_command_provider(struct ik_core *core, const char *line, const char *argument);

#endif
