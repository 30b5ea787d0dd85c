/*
 * slots: limits how many tool calls run at once, across all sessions of the program.
 *
 * A call that finds no free slot waits. The next free slot goes to the owner that holds the fewest,
 * then to the call that has waited longest, so that a session with many calls does not starve one
 * with a single call. Shared by the sessions created with it.
 *
 * May include: util.
 */
#ifndef IK_AGENT_SLOTS_H
#define IK_AGENT_SLOTS_H

#include <stdbool.h>

struct ik_slots;

/* A request for a slot, embedded in the object that needs it. begin is called when the slot is
 * granted, inside ik_slots_give_back() of another slot. */
struct ik_slot {
	struct ik_slot *next; /* in the waiting list; private, like the members after arg */
	int *owner;           /* number of slots that the session holds; 0 at first */
	void (*begin)(void *arg);
	void *arg;
	bool held, waiting;
};

/* count must be at least 1. */
struct ik_slots *ik_slots_new(int count);
/* No slot may be held any more. Takes NULL. Returns NULL. */
struct ik_slots *ik_slots_free(struct ik_slots *slots);

/* Grant no more slots, since the program is exiting: waiting calls keep waiting. */
void ik_slots_shut(struct ik_slots *slots);

/* Request a slot. Return true if it is granted at once, false if begin will be called. */
bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot);
/* Release slot or stop waiting for it; does nothing if it is neither held nor waiting. */
void ik_slots_give_back(struct ik_slots *slots, struct ik_slot *slot);

#endif
