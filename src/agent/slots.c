#include "agent/slots.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_slots {
	int free;
	bool shut;
	struct ik_slot *first, **end; /* that wait */
	struct ik_slot *held;
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

/* Give a slot out. */
static void hold(struct ik_slots *slots, struct ik_slot *slot)
{
	slot->held = true;
	slot->next = slots->held;
	slots->held = slot;
}

bool ik_slots_take(struct ik_slots *slots, struct ik_slot *slot)
{
	if (slots->free > 0 && !slots->shut) {
		slots->free--;
		hold(slots, slot);
		return true;
	}
	slot->held = false;
	slot->waiting = true;
	slot->next = NULL;
	*slots->end = slot;
	slots->end = &slot->next;
	return false;
}

/* Count the slots that an owner holds. */
static int count_held(const struct ik_slots *slots, const void *owner)
{
	const struct ik_slot *slot;
	int count = 0;

	for (slot = slots->held; slot; slot = slot->next)
		count += slot->owner == owner;
	return count;
}

/* Find the next waiting one. */
static struct ik_slot *choose(const struct ik_slots *slots)
{
	struct ik_slot *slot = slots->first, *best = slot;
	int least = count_held(slots, slot->owner);

	for (; slot && least > 0; slot = slot->next) {
		int count = slot->owner != best->owner ? count_held(slots, slot->owner) : least;

		if (count < least) {
			least = count;
			best = slot;
		}
	}
	return best;
}

/* Remove one from those that wait. */
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

/* Remove one from those that are held. */
static void let_go(struct ik_slots *slots, struct ik_slot *slot)
{
	struct ik_slot **place = &slots->held;

	while (*place != slot)
		place = &(*place)->next;
	*place = slot->next;
	slot->held = false;
}

void ik_slots_give_back(struct ik_slots *slots, struct ik_slot *slot)
{
	if (slot->waiting) {
		leave(slots, slot);
	} else if (slot->held) {
		let_go(slots, slot);
		if (slots->first && !slots->shut) {
			struct ik_slot *next = choose(slots);

			leave(slots, next);
			hold(slots, next);
			next->begin(next->arg);
		} else {
			slots->free++;
		}
	}
}
