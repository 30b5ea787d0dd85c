/*
 * usage_text: tokens and cost in words, for /usage.
 *
 * Pure.  May include: util, conversation.
 */
#ifndef IK_COMMANDS_USAGE_TEXT_H
#define IK_COMMANDS_USAGE_TEXT_H

#include "conversation/conversation.h"

/* Append a table: the last round, the last turn, the session. */
void ik_usage_text(const struct ik_conversation *conversation, struct ik_buf *out);

#endif
