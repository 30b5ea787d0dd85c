/*
 * agents_text: the conversations of the program in words: how each stands, and what one is
 * told of another (/join).
 *
 * May include: all.
 */
#ifndef IK_CHAT_AGENTS_TEXT_H
#define IK_CHAT_AGENTS_TEXT_H

#include "chat/chat_agents.h"

/* Append how it stands, in a word or two. */
void ik_agents_text_state(const struct ik_agent *agent, struct ik_buf *out);
/* What it is about; new memory. */
char *ik_agents_text_title(const struct ik_agent *agent);
/* Append turns, tokens, cost and parent, then its task and its last reply. */
void ik_agents_text_facts(const struct ik_agent *agent, struct ik_buf *out);

/* Append what a child did and what it said last, and words behind it ("": none), as a message
 * for the model of another. False: it has not said anything yet. */
bool ik_agents_text_join(const struct ik_agent *child, const char *words, struct ik_buf *out);

#endif
