#include "util/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <criterion/criterion.h>

Test(alloc, gives_zeroed_memory_also_of_no_size)
{
	volatile size_t none = 0; /* compilers warn of a plain one */
	char *memory = ik_alloc(100);

	for (int i = 0; i < 100; i++)
		cr_assert_eq(memory[i], 0);
	free(memory);
	memory = ik_alloc(none);
	cr_assert_not_null(memory);
	free(memory);
}

Test(alloc, copies_strings)
{
	char *copy = ik_strdup("caf\xc3\xa9");
	char *part = ik_strndup("a\0b", 3);

	cr_assert_str_eq(copy, "caf\xc3\xa9");
	cr_assert_arr_eq(part, "a\0b\0", 4);
	free(copy);
	free(part);
}

Test(alloc, formats)
{
	char *text = ik_format("%s-%d", "x", 7);

	cr_assert_str_eq(text, "x-7");
	free(text);
}

/* An array that grows by one element at a time, and now and then is shorter again. */
Test(alloc, makes_room_for_more)
{
	size_t *numbers = NULL, count = 0;

	for (size_t i = 0; i < 10000; i++) {
		numbers = ik_alloc_more(numbers, count, sizeof(*numbers));
		numbers[count] = count;
		count++;
		cr_assert_eq(numbers[count / 2], count / 2);
		if (i % 700 == 699)
			count /= 3;
	}
	free(numbers);
}

static void leave_with_7(void)
{
	_exit(7);
}

Test(alloc, overflow_runs_the_hook, .exit_code = 7)
{
	ik_alloc_set_hook(leave_with_7);
	free(ik_alloc_array(NULL, SIZE_MAX / 2, 4));
}

static void return_again(void)
{
}

Test(alloc, ends_after_a_hook_that_returns, .exit_code = 1)
{
	ik_alloc_set_hook(return_again);
	free(ik_alloc_array(NULL, SIZE_MAX / 2, 4));
}
