#include "agent/slots.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_slots {
	int free;
	bool shut;
	struct ik_slot *first, **end; /* that wait */
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

static void hold(struct ik_slot *slot)
{
	slot->held = true;
	++*slot->owner;
}

bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot)
{
	if (slots->free > 0 && !slots->shut) {
		slots->free--;
		hold(slot);
		return true;
	}
	slot->waiting = true;
	slot->next = NULL;
	*slots->end = slot;
	slots->end = &slot->next;
	return false;
}

/* Return the waiting slot that is next. */
static struct ik_slot *choose(const struct ik_slots *slots)
{
	struct ik_slot *best = slots->first;

	for (struct ik_slot *slot = best; slot; slot = slot->next)
		if (*slot->owner < *best->owner)
			best = slot;
	return best;
}

/* Remove slot from the waiting list. */
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
		--*slot->owner;
		slots->free++;
		if (slots->first && !slots->shut) {
			struct ik_slot *next = choose(slots);

			leave(slots, next);
			slots->free--;
			hold(next);
			next->begin(next->arg);
		}
	}
}
