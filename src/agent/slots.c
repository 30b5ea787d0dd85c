#include "agent/slots.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_slots {
	int free;
	bool shut;
	struct ik_slot *first, **end; /* those that wait */
};

struct ik_slots *ik_slots_new(int count)
{
	struct ik_slots *slots = ik_alloc(sizeof(*slots));

	slots->free = count > 1 ? count : 1;
	slots->end = &slots->first;
	return slots;
}

struct ik_slots *ik_slots_free(struct ik_slots *slots)
{
	free(slots);
	return NULL;
}

void ik_slots_shut(struct ik_slots *slots)
{
	slots->shut = true;
}

bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot)
{
	slot->held = slots->free > 0 && !slots->shut;
	if (slot->held) {
		slots->free--;
		return true;
	}
	slot->waiting = true;
	slot->next = NULL;
	*slots->end = slot;
	slots->end = &slot->next;
	return false;
}

/* The first that waits has it now. */
static void pass_on(struct ik_slots *slots)
{
	struct ik_slot *slot = slots->first;

	slots->first = slot->next;
	if (slots->first == NULL)
		slots->end = &slots->first;
	slot->waiting = false;
	slot->held = true;
	slot->begin(slot->arg);
}

/* It waits no more. */
static void leave(struct ik_slots *slots, struct ik_slot *slot)
{
	struct ik_slot **place = &slots->first;

	while (*place != slot)
		place = &(*place)->next;
	*place = slot->next;
	if (slots->end == &slot->next)
		slots->end = place;
	slot->waiting = false;
}

void ik_slots_give_back(struct ik_slots *slots, struct ik_slot *slot)
{
	if (slot->waiting) {
		leave(slots, slot);
	} else if (slot->held) {
		slot->held = false;
		if (slots->first != NULL && !slots->shut)
			pass_on(slots);
		else
			slots->free++;
	}
}
