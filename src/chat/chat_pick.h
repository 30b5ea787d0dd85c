/*
 * chat_pick: lists to pick from where a command needs a choice: a message to go back to or to fork
 * after, an agent.
 *
 * A pick becomes the command line that you could have typed.
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

/* Open a list in the shown agent; words follow the number in the command line. */
void ik_chat_pick(struct ik_chat *chat, enum ik_picking what, const char *words);

/* An agent's messages, or the agents, have changed: update its list if that is open. */
void ik_chat_pick_again(struct ik_agent *agent);

#endif
