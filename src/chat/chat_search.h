/*
 * chat_search: the words that a person looks for in all sessions, for the pane of an agent's
 * screen: a moment after they were typed, with snippets made in slices, again by itself while
 * the index is not done.
 *
 * Owned by the agent; answers come to its screen.  May include: all.
 */
#ifndef IK_CHAT_CHAT_SEARCH_H
#define IK_CHAT_CHAT_SEARCH_H

#include "chat/chat_agents.h"

struct ik_chat_search;

/* As struct ik_sessions_source has it. */
void ik_chat_search_ask(struct ik_agent *agent, const char *words, bool here, bool writing,
	bool first);
/* Nothing is looked for any more. */
void ik_chat_search_stop(struct ik_agent *agent);
/* Takes NULL, returns NULL. */
struct ik_chat_search *ik_chat_search_free(struct ik_chat_search *search);

#endif
