/*
 * command: how a command answers.
 *
 * The table of commands is commands/action.h.
 *
 * May include: all but the front ends.
 */
#ifndef IK_CORE_COMMAND_H
#define IK_CORE_COMMAND_H

#include "core/core.h"

/* Store and show what a command says, less its last line feed; releases output. */
void ik_command_answer(struct ik_core *core, const char *line, struct ik_buf *output);

/* The same in a session that may not be the one in front. */
void ik_command_answer_in(struct ik_session *session, const char *line, struct ik_buf *output);

#endif
