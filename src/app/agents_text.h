/*
 * agents_text: the conversations of the program in words: the list of /agents, and
 * what one is told of another (/join).
 *
 * May include: all.
 */
#ifndef IK_APP_AGENTS_TEXT_H
#define IK_APP_AGENTS_TEXT_H

#include "app/chat_agents.h"

/* Append a line for each: state, title, turns, tokens, cost. */
void ik_agents_text_list(const struct ik_chat *chat, struct ik_buf *out);

/* Append what a child did and what it said last, and words behind it ("": none), as a message
 * for the model of another. False: it has not said anything yet. */
bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out);

#endif
