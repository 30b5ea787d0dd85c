/*
 * background_text: what tools left running, as /background tells it.
 *
 * May include: everything.
 */
#ifndef IK_COMMANDS_BACKGROUND_TEXT_H
#define IK_COMMANDS_BACKGROUND_TEXT_H

#include "conversation/conversation.h"
#include "loop/loop.h"
#include "util/buf.h"

/*
 * Append the answer to /background with these words behind it: nothing (the list: each
 * process with the call that it comes from), "end" (all are told to end) or "end PID".
 */
void ik_background_text(struct ik_loop *loop, const struct ik_conversation *conversation,
	const char *words, struct ik_buf *out);

#endif
