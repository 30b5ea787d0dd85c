/*
 * chat_children: the agents that a session had begun, when it is gone on with later.
 *
 * Once all of a restored session is there, the sessions that its "/fork PROMPT" lines name
 * are looked at, and the chat says which there are, which have not finished, and how to go
 * on with them.  Those that are at work in this program aside.
 *
 * Owns what it has read; borrows the agent.  May include: all.
 */
#ifndef IK_CHAT_CHAT_CHILDREN_H
#define IK_CHAT_CHAT_CHILDREN_H

#include "conversation/event.h"

struct ik_agent;
struct ik_chat_children;

/* The session of an agent was restored: say so as soon as it can be said. */
void ik_chat_children_look(struct ik_agent *agent);
/* Something was told in the agent. */
void ik_chat_children_event(struct ik_agent *agent, const struct ik_event *event);
/* It is not wanted any more. Takes NULL, returns NULL. */
struct ik_chat_children *ik_chat_children_free(struct ik_chat_children *children);

#endif
