/*
 * commands_text: the commands that take text out of the conversation: /copy, /export.
 *
 * May include: all but the front ends.
 */
#ifndef IK_COMMANDS_COMMANDS_TEXT_H
#define IK_COMMANDS_COMMANDS_TEXT_H

#include "core/core.h"

/* /copy [N | code]: find the last reply, the Nth last, or the last code block. The text belongs
 * to the conversation. */
enum ik_status ik_command_copy(const struct ik_core *core, const char *argument,
	const char **ret_text, size_t *ret_length, struct ik_error *error) IK_MUST_USE;

/* /export [--force] [FILE] */
void ik_command_export(struct ik_core *core, const char *line, const char *argument);

#endif
