/*
 * chat_pick: lists from which a person chooses where a command could do with several: a message
 * to go back to or to fork behind, an agent.
 *
 * What is chosen becomes the command line that a person could have typed.
 * May include: all.
 */
#ifndef IK_CHAT_CHAT_PICK_H
#define IK_CHAT_CHAT_PICK_H

struct ik_agent;
struct ik_chat;

enum ik_picking {
	IK_PICKING_NOTHING,
	IK_PICKING_REWIND, /* a message: "/rewind N" */
	IK_PICKING_FORK,   /* "/fork N" */
	IK_PICKING_JOIN,   /* another agent: "/join N WORDS" */
	IK_PICKING_AGENT   /* any agent: "/agents N" */
};

/* Let the person choose in the agent that is shown; words: what stands behind the number. */
void ik_chat_pick(struct ik_chat *chat, enum ik_picking what, const char *words);

/* Its messages, or agents, are others now: an agent whose list is open is shown them. */
void ik_chat_pick_again(struct ik_agent *agent);

#endif
