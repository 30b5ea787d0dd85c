#include "agent/slots.h"

#include <criterion/criterion.h>

static int begun, owner;

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
		slot[i] = (struct ik_slot){.begin = begin, .arg = &names[i], .owner = &owner};
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
		slot[i] = (struct ik_slot){.begin = begin, .arg = &names[i], .owner = &owner};
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

/* Two sessions have as many calls as they like; the one call of a third is next, and then they
 * take turns. */
Test(slots, go_to_who_holds_the_fewest)
{
	static int owners[3];
	int names[] = {1, 2, 3, 4, 5, 6, 7, 8};
	const int whose[] = {0, 0, 0, 0, 1, 1, 1, 2};
	struct ik_slot slot[8];
	struct ik_slots *slots = ik_slots_new(2);
	int i;

	for (i = 0; i < 8; i++) {
		slot[i] = (struct ik_slot){.begin = begin, .arg = &names[i], .owner = &owners[whose[i]]};
		cr_assert_eq(ik_slots_take(slots, &slot[i]), i < 2);
	}
	ik_slots_give_back(slots, &slot[0]);
	cr_assert_eq(begun, 5, "%d", begun);
	ik_slots_give_back(slots, &slot[1]);
	cr_assert_eq(begun, 53, "%d", begun);
	ik_slots_give_back(slots, &slot[2]);
	cr_assert_eq(begun, 534, "%d", begun);
	ik_slots_give_back(slots, &slot[3]);
	cr_assert_eq(begun, 5348, "%d", begun);
	ik_slots_give_back(slots, &slot[4]);
	cr_assert_eq(begun, 53486, "%d", begun);
	ik_slots_give_back(slots, &slot[5]);
	ik_slots_give_back(slots, &slot[7]);
	cr_assert_eq(begun, 534867, "%d", begun);
	ik_slots_give_back(slots, &slot[6]);
	ik_slots_free(slots);
}
