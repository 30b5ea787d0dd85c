/*
 * slots: limits how many calls of models run at once, over all sessions of the program.
 *
 * A call that finds no free slot waits.  The next free slot goes to the owner that holds the
 * fewest, then to the one that has waited longest: while many calls of one session wait, the only
 * call of another session is next.  Shared by the sessions that were made with it.
 *
 * May include: util.
 */
#ifndef IK_AGENT_SLOTS_H
#define IK_AGENT_SLOTS_H

#include <stdbool.h>

struct ik_slots;

/* A request for a slot, a member of what needs it. begin is called once it has the slot, inside
 * ik_slots_give_back() of another one. */
struct ik_slot {
	struct ik_slot *next; /* that waits; private, like the members after arg */
	int *owner;           /* how many slots one session holds; 0 at first */
	void (*begin)(void *arg);
	void *arg;
	bool held, waiting;
};

/* count: at least 1. */
struct ik_slots *ik_slots_new(int count);
/* No slot is held any more. Takes NULL, returns NULL. */
struct ik_slots *ik_slots_free(struct ik_slots *slots);

/* Start nothing more, since the program ends: what waits keeps waiting. */
void ik_slots_shut(struct ik_slots *slots);

/* Take a slot. True: it is held; false: begin is called when it is. */
bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot);
/* Give back a slot, or stop waiting for it; it may be neither held nor waited for. */
void ik_slots_give_back(struct ik_slots *slots, struct ik_slot *slot);

#endif
