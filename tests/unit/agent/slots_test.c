#include "agent/slots.h"

#include <criterion/criterion.h>

static int begun;

static void begin(void *arg)
{
	begun = begun * 10 + *(int *)arg;
}

Test(slots, go_to_those_that_wait_in_their_order)
{
	int names[] = {1, 2, 3, 4};
	struct ik_slot slot[4];
	struct ik_slots *slots = ik_slots_new(0);
	int i;

	for (i = 0; i < 4; i++) {
		slot[i] = (struct ik_slot){.begin = begin, .arg = &names[i]};
		cr_assert_eq(ik_slots_take(slots, &slot[i]), i == 0);
	}
	ik_slots_give_back(slots, &slot[2]); /* waits no more */
	ik_slots_give_back(slots, &slot[2]);
	ik_slots_give_back(slots, &slot[0]);
	cr_assert_eq(begun, 2);
	ik_slots_give_back(slots, &slot[3]);
	ik_slots_give_back(slots, &slot[1]);
	cr_assert_eq(begun, 2);
	cr_assert(ik_slots_take(slots, &slot[0]));
	ik_slots_give_back(slots, &slot[0]);
	ik_slots_free(slots);
}

Test(slots, that_are_shut_let_nothing_begin)
{
	int names[] = {1, 2};
	struct ik_slot slot[2];
	struct ik_slots *slots = ik_slots_new(1);
	int i;

	for (i = 0; i < 2; i++) {
		slot[i] = (struct ik_slot){.begin = begin, .arg = &names[i]};
		cr_assert_eq(ik_slots_take(slots, &slot[i]), i == 0);
	}
	ik_slots_shut(slots);
	ik_slots_give_back(slots, &slot[0]);
	cr_assert_eq(begun, 0);
	ik_slots_give_back(slots, &slot[1]);
	cr_assert_not(ik_slots_take(slots, &slot[0]));
	ik_slots_give_back(slots, &slot[0]);
	ik_slots_free(slots);
}
