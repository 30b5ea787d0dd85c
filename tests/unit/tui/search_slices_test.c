/* One block of many megabytes is looked through in slices, from either end. */
#include "tui/scrollback/scrollback_search.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tui/scrollback/search_text.h"
#include "util/limits.h"

#define COLUMNS 40
#define ROWS 10

struct large {
	struct ik_scrollback *scrollback;
	struct ik_search *search;
};

/* A block of lines of 16 bytes: every step-th of them has what is looked for. */
static struct large large_new(size_t lines, size_t step)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	struct ik_block *block = ik_block_new(IK_BLOCK_COMMAND, true);
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(64));
	for (size_t i = 0; i < lines; i++)
		ik_buf_puts(&text, i % step == step - 1 ? "a line, a f\xC3\xBCnd\n" : "a line of words\n");
	ik_block_append(block, text.data, text.length);
	ik_block_finish(block);
	ik_buf_done(&text);
	ik_scrollback_add(large.scrollback, block);
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback);
	return large;
}

static void large_free(struct large *large)
{
	ik_search_free(large->search);
	ik_scrollback_free(large->scrollback);
}

/* Work until the place is shown; in how many slices. */
static size_t seek(struct large *large)
{
	size_t slices = 0;
	for (; ik_search_state(large->search).seeking; slices++)
		(void)ik_search_work(large->search);
	return slices;
}

static void count(struct large *large)
{
	while (ik_search_working(large->search))
		(void)ik_search_work(large->search);
}

Test(search_slices, what_stands_far_away_is_found_slice_by_slice)
{
	struct large large = large_new(1000000, 999999);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	/* Upwards: in the last line but one. */
	cr_assert_leq(seek(&large), 2);
	cr_assert(ik_search_state(large.search).found);
	/* And around, through all of it, to where it was. */
	ik_search_step(large.search, -1);
	cr_assert_gt(seek(&large), 3);
	cr_assert(ik_search_state(large.search).found);
	ik_search_step(large.search, 1);
	cr_assert_gt(seek(&large), 3);
	cr_assert(ik_search_state(large.search).found);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).total, 1);
	ik_search_set(large.search, "nowhere", 7);
	cr_assert_gt(seek(&large), 3);
	cr_assert_not(ik_search_state(large.search).found);
	large_free(&large);
}

/* The pattern stands once, at a place: it is found from either end, from that one not at once. */
static void is_found_at(size_t length, size_t place, int direction)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	struct ik_block *block = ik_block_new(IK_BLOCK_COMMAND, true);
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(64));
	while (text.length < length)
		ik_buf_puts(&text, "a line of words\n");
	memcpy(text.data + place, "f\xC3\xBCnd", 5);
	ik_block_append(block, text.data, text.length);
	ik_block_finish(block);
	ik_buf_done(&text);
	ik_scrollback_add(large.scrollback, block);
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	size_t upwards = seek(&large);
	cr_assert(ik_search_state(large.search).found, "upwards, at %zu", place);
	ik_search_set_in(large.search, "f\xC3\xBCnd", 5, 0);
	size_t downwards = seek(&large);
	cr_assert(ik_search_state(large.search).found, "downwards, at %zu", place);
	cr_assert_gt(direction > 0 ? downwards : upwards, 1, "at %zu", place);
	large_free(&large);
}

Test(search_slices, nothing_is_lost_where_slices_meet)
{
	/* The first slice upwards has windows of 4 KiB, 16 KiB, ... 4 MiB, of a text whose last
	 * line feed is not shown; one downwards has 4 MB and what a find may need behind. */
	const size_t length = 7000000, upwards = 4096 * 1365 + 1, downwards = 4000000;
	for (size_t shift = 1; shift <= 6; shift += 2)
		is_found_at(length, length - upwards - shift, -1);
	for (size_t shift = 12; shift <= 18; shift += 3)
		is_found_at(length, downwards + shift, 1);
}

Test(search_slices, a_key_that_is_held_gets_there)
{
	struct large large = large_new(1000000, 400000);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	(void)seek(&large);
	size_t before = ik_scrollback_place(large.scrollback).offset;
	/* Each press comes before the step of the one before it is at its end. */
	int presses = 0;
	while (presses < 20 && ik_scrollback_place(large.scrollback).offset == before) {
		ik_search_step(large.search, -1);
		presses++;
	}
	cr_assert_gt(presses, 2);
	cr_assert_lt(ik_scrollback_place(large.scrollback).offset, before);
	large_free(&large);
}
