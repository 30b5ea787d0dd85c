/*
 * slots: how many calls of models run at once, counted over all sessions of the program.
 *
 * Who finds none free waits.  The next that is free goes to the owner that holds the fewest,
 * of several such to the one that has waited longest: with many calls of one session waiting,
 * the only call of another is next.
 * Shared by the sessions that were made with it, which outlive their calls in it.
 *
 * May include: util.
 */
#ifndef IK_AGENT_SLOTS_H
#define IK_AGENT_SLOTS_H

#include <stdbool.h>

struct ik_slots;

/* One that waits for a slot, a member of what it is for. begin is called once it has one,
 * inside ik_slots_give_back() of another. */
struct ik_slot {
	struct ik_slot *next; /* that waits, or is held; private, as what is below arg */
	const void *owner;    /* whose it is: whatever tells sessions apart */
	void (*begin)(void *arg);
	void *arg;
	bool held, waiting;
};

/* At least one at once. */
struct ik_slots *ik_slots_new(int count);
/* No slot is held any more. Takes NULL, returns NULL. */
struct ik_slots *ik_slots_free(struct ik_slots *slots);

/* From here on nothing begins: what waits goes on waiting, the program ends. */
void ik_slots_shut(struct ik_slots *slots);

/* Take a slot: true: it is held; false: begin is called when it is. */
bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot);
/* The slot is not held, and not waited for, any more; also where it was neither. */
void ik_slots_give_back(struct ik_slots *slots, struct ik_slot *slot);

#endif
