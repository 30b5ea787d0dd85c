/* One block of many megabytes is looked through in slices, from either end. */
#include "tui/scrollback/scrollback_search.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tui/text/markdown.h"
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
	struct ik_block *block = ik_block_new(IK_BLOCK_COMMAND);
	struct ik_buf text;
	ik_buf_init(&text, IK_MIB(64));
	for (size_t i = 0; i < lines; i++)
		ik_buf_puts(&text, i % step == step - 1 ? "a line, a f\xC3\xBCnd\n" : "a line of words\n");
	ik_block_set_renderer(block, &ik_renderer_diff); /* of plain text the search would be quick */
	ik_block_append(block, text.data, text.length);
	ik_block_finish(block);
	ik_buf_done(&text);
	ik_scrollback_add(large.scrollback, block);
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback, false);
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
	ik_search_step(large.search, 1); /* all is known now */
	cr_assert_leq(seek(&large), 1);
	cr_assert(ik_search_state(large.search).found);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).total, 1);
	ik_search_set(large.search, "nowhere", 7);
	cr_assert_gt(seek(&large), 3);
	cr_assert_not(ik_search_state(large.search).found);
	large_free(&large);
}

/* The pattern is there once, at a place: it is found from either end. */
static void is_found_at(struct ik_buf *text, size_t place)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	struct ik_block *block = ik_block_new(IK_BLOCK_COMMAND);
	char kept[5];
	memcpy(kept, text->data + place, 5);
	memcpy(text->data + place, "f\xC3\xBCnd", 5);
	ik_block_append(block, text->data, text->length);
	ik_block_finish(block);
	memcpy(text->data + place, kept, 5);
	ik_scrollback_add(large.scrollback, block);
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback, false);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	(void)seek(&large);
	cr_assert(ik_search_state(large.search).found, "upwards, at %zu", place);
	ik_search_set_in(large.search, "f\xC3\xBCnd", 5, 0);
	(void)seek(&large);
	cr_assert(ik_search_state(large.search).found, "downwards, at %zu", place);
	large_free(&large);
}

Test(search_slices, nothing_is_lost_where_sections_meet)
{
	struct ik_buf lines, line;
	ik_buf_init(&lines, IK_MIB(1));
	ik_buf_init(&line, IK_MIB(1));
	while (lines.length < 100000) {
		ik_buf_puts(&lines, "a line of words\n");
		ik_buf_puts(&line, "a line of words ");
	}
	for (size_t i = 1; i < 6; i++) {
		is_found_at(&lines, i * IK_SECTION_MAX - 6);
		is_found_at(&lines, i * IK_SECTION_MAX);
		is_found_at(&line, i * IK_SECTION_MAX - 2);
	}
	ik_buf_done(&lines);
	ik_buf_done(&line);
}

Test(search_slices, a_fence_of_many_megabytes_is_no_slice)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
	ik_block_set_renderer(block, &ik_renderer_markdown);
	ik_block_append(block, "```\n", 4);
	for (size_t i = 0; i < 200000; i++)
		ik_block_append(block, "a line of words\n", 16);
	ik_block_append(block, "f\xC3\xBCnd\n", 6);
	ik_block_finish(block);
	ik_scrollback_add(large.scrollback, block);
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback, false);
	ik_search_set_in(large.search, "f\xC3\xBCnd", 5, 0);
	cr_assert_gt(seek(&large), 3);
	cr_assert(ik_search_state(large.search).found);
	large_free(&large);
}

Test(search_slices, what_changes_is_searched_once_it_is_complete)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	struct ik_block *blocks[3];
	for (size_t i = 0; i < 3; i++) {
		blocks[i] = ik_block_new(IK_BLOCK_ASSISTANT);
		ik_block_append(blocks[i], "found", 5);
		if (i != 1)
			ik_block_finish(blocks[i]);
		ik_scrollback_add(large.scrollback, blocks[i]);
	}
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback, false);
	ik_search_set(large.search, "found", 5);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).total, 2);
	cr_assert_eq(ik_search_state(large.search).number, 2);
	ik_search_step(large.search, -1);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).number, 1);
	ik_block_append(blocks[1], " found", 6);
	ik_block_finish(blocks[1]);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).total, 4);
	cr_assert_eq(ik_search_state(large.search).number, 1);
	ik_search_step(large.search, -1);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).number, 4);
	large_free(&large);
}

Test(search_slices, where_nothing_is_nothing_is_to_be_searched)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	large.search = ik_search_new(large.scrollback, false);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	cr_assert_not(ik_search_working(large.search));
	cr_assert_not(ik_search_work(large.search));
	ik_search_restart(large.search);
	cr_assert_not(ik_search_working(large.search));
	large_free(&large);
}

Test(search_slices, a_place_in_a_block_that_changes_is_looked_for_nowhere_else)
{
	struct large large = {.scrollback = ik_scrollback_new()};
	for (size_t i = 0; i < 2; i++) {
		struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
		ik_block_append(block, "found", 5);
		if (i == 0)
			ik_block_finish(block);
		ik_scrollback_add(large.scrollback, block);
	}
	ik_scrollback_resize(large.scrollback, ROWS, COLUMNS);
	large.search = ik_search_new(large.scrollback, false);
	ik_search_set_in(large.search, "found", 5, 1);
	count(&large);
	cr_assert_not(ik_search_state(large.search).found);
	large_free(&large);
}

Test(search_slices, a_key_that_is_held_gets_there)
{
	struct large large = large_new(1000000, 400000);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	(void)seek(&large);
	size_t before = ik_scrollback_place(large.scrollback).offset;
	/* Each press comes before the step of the one before it is at its end. */
	int presses = 0;
	while (presses < 1000 && ik_scrollback_place(large.scrollback).offset == before) {
		ik_search_step(large.search, -1);
		presses++;
	}
	cr_assert_gt(presses, 2);
	cr_assert_lt(ik_scrollback_place(large.scrollback).offset, before);
	large_free(&large);
}

Test(search_slices, what_was_found_may_be_folded_while_the_rest_is_counted)
{
	struct large large = large_new(1000000, 400000);
	struct ik_block *block = ik_block_new(IK_BLOCK_THINKING);
	for (size_t i = 0; i < 5 * IK_SECTION_MAX / 16; i++)
		ik_block_append(block, "a line of words\n", 16);
	ik_block_append(block, "f\xC3\xBCnd", 5);
	ik_block_finish(block);
	ik_scrollback_add(large.scrollback, block);
	ik_search_begin(large.search);
	ik_search_set(large.search, "f\xC3\xBCnd", 5);
	(void)seek(&large);
	cr_assert(ik_search_state(large.search).found);
	cr_assert_not(ik_search_state(large.search).counted);
	ik_scrollback_fold(large.scrollback, 1, true);
	count(&large);
	cr_assert_eq(ik_search_state(large.search).total, 3);
	cr_assert_eq(ik_search_state(large.search).number, 0);
	large_free(&large);
}
