/* The block with the mark: choosing it, opening and closing it, going from question to
 * question. */
#include "tui/scrollback/scrollback_private.h"

#include "util/text.h"

/* The index of the block with the mark; count where there is none. */
static size_t selected(const struct ik_scrollback *scrollback)
{
	int64_t index = scrollback->selected - scrollback->first_number;
	bool there = scrollback->selecting && index >= 0 && index < (int64_t)scrollback->count;

	return there ? (size_t)index : scrollback->count;
}

struct ik_block *ik_scrollback_selected(const struct ik_scrollback *scrollback)
{
	size_t index = selected(scrollback);

	return index < scrollback->count ? ik_scrollback_at(scrollback, index) : NULL;
}

/* Put the mark on a block. */
static void select_block(struct ik_scrollback *scrollback, size_t index)
{
	scrollback->selecting = true;
	scrollback->selected = scrollback->first_number + (int64_t)index;
}

/* The first row of a block, behind the blank one. */
static struct ik_scrollback_place first_row(const struct ik_scrollback *scrollback, size_t index)
{
	return (struct ik_scrollback_place){ .block = index,
		.line = ik_scrollback_gap(scrollback, index) };
}

/* Is the row of a place above that of the other? */
static bool is_before(struct ik_scrollback_place a, struct ik_scrollback_place b)
{
	if (a.block != b.block)
		return a.block < b.block;
	return a.section != b.section ? a.section < b.section : a.line < b.line;
}

/* The last row of the window. */
static struct ik_scrollback_place window_end(struct ik_scrollback *scrollback)
{
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);

	ik_place_down(scrollback, &place, scrollback->rows > 1 ? (size_t)scrollback->rows - 1 : 0);
	return place;
}

void ik_scrollback_select(struct ik_scrollback *scrollback, bool on)
{
	if (!on || scrollback->count == 0) {
		scrollback->selecting = false;
		return;
	}
	size_t index = selected(scrollback);
	struct ik_scrollback_place top = ik_scrollback_window(scrollback), end = window_end(scrollback);

	if (index < top.block || index > end.block)
		select_block(scrollback, end.block);
}

void ik_scrollback_select_at(struct ik_scrollback *scrollback, size_t index, bool on)
{
	select_block(scrollback, index);
	scrollback->selecting = on;
}

size_t ik_scrollback_selected_index(const struct ik_scrollback *scrollback)
{
	return selected(scrollback);
}

void ik_scrollback_show_selected(struct ik_scrollback *scrollback)
{
	size_t index = selected(scrollback);

	if (index >= scrollback->count)
		return;
	struct ik_scrollback_place row = first_row(scrollback, index),
							   top = ik_scrollback_window(scrollback);
	if (index == top.block)
		return; /* it begins above, and goes on in the window */
	ik_scrollback_reveal(scrollback, row, is_before(row, top) ? 0 : scrollback->rows - 1);
}

void ik_scrollback_keep(struct ik_scrollback *scrollback)
{
	if (scrollback->count > 0)
		ik_scrollback_show(scrollback, ik_scrollback_window(scrollback));
}

/* The last row of a block. */
static struct ik_scrollback_place last_row(const struct ik_scrollback *scrollback, size_t index)
{
	struct ik_scrollback_place place = { .block = index };
	struct ik_block *block = ik_scrollback_prepared(scrollback, index);

	place.section = block->section_count - 1;
	uint32_t gap = place.section == 0 ? ik_scrollback_gap(scrollback, index) : 0;
	place.line = gap + ik_scrollback_lines(scrollback, block, place.section)->count - 1;
	return place;
}

void ik_scrollback_step(struct ik_scrollback *scrollback, int direction)
{
	size_t index = selected(scrollback);

	if (scrollback->count == 0)
		return;
	struct ik_scrollback_place top = ik_scrollback_window(scrollback), end = window_end(scrollback);

	if (index < top.block || index > end.block) {
		ik_scrollback_select(scrollback, true);
		return;
	}
	/* What of it is out of the window is seen before another has its turn. */
	if (direction < 0 && is_before(first_row(scrollback, index), top)) {
		ik_scrollback_scroll(scrollback, -1);
	} else if (direction > 0 && is_before(end, last_row(scrollback, index))) {
		ik_scrollback_scroll(scrollback, 1);
	} else if (direction < 0 && index > 0) {
		select_block(scrollback, index - 1);
		ik_scrollback_reveal(scrollback, last_row(scrollback, index - 1), 0);
	} else if (direction > 0 && index + 1 < scrollback->count) {
		select_block(scrollback, index + 1);
		ik_scrollback_reveal(scrollback, first_row(scrollback, index + 1), scrollback->rows - 1);
	}
}

void ik_scrollback_fold(struct ik_scrollback *scrollback, size_t index, bool folded)
{
	struct ik_block *block = ik_scrollback_at(scrollback, index);

	if (!ik_block_foldable(block) || block->folded == folded)
		return;
	/* What is above the block stays where it is; the block's first row, if it is out of
	 * the window, comes into it. */
	ik_scrollback_mark_end(scrollback);
	struct ik_scrollback_place top = ik_scrollback_window(scrollback);

	if (top.block == index)
		top = (struct ik_scrollback_place){ .block = index };
	bool was_following = scrollback->follow;
	ik_scrollback_show(scrollback, top);
	ik_block_fold(block, folded);
	if (was_following && folded)
		ik_scrollback_bottom(scrollback);
}

bool ik_scrollback_open(struct ik_scrollback *scrollback)
{
	size_t index = selected(scrollback);

	if (index >= scrollback->count || !ik_block_foldable(ik_scrollback_at(scrollback, index)))
		return false;
	ik_scrollback_fold(scrollback, index, !ik_scrollback_at(scrollback, index)->folded);
	return true;
}

bool ik_scrollback_click(struct ik_scrollback *scrollback, int row)
{
	if (row < 0 || row >= scrollback->rows || scrollback->count == 0)
		return false;
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);

	if (ik_place_down(scrollback, &place, (size_t)row) < (size_t)row)
		return false;
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);

	if (place.section == 0 && place.line < ik_scrollback_gap(scrollback, place.block))
		return false; /* the blank row between two */
	select_block(scrollback, place.block);
	bool first = place.section == 0 && place.line == ik_scrollback_gap(scrollback, place.block);

	if (!ik_block_foldable(block) || (!block->folded && !first))
		return false;
	ik_scrollback_fold(scrollback, place.block, !block->folded);
	return true;
}

bool ik_scrollback_question(struct ik_scrollback *scrollback, int direction)
{
	if (scrollback->count == 0)
		return false;
	struct ik_scrollback_place top = ik_scrollback_window(scrollback);
	size_t index = top.block;
	bool at_mark = scrollback->selecting && scrollback->follow;

	if (at_mark && selected(scrollback) < scrollback->count)
		index = selected(scrollback);
	else if (direction < 0 && is_before(first_row(scrollback, index), top))
		index++; /* its beginning is above the window */
	for (;;) {
		if (direction < 0 ? index == 0 : index + 1 >= scrollback->count)
			return false;
		index = direction < 0 ? index - 1 : index + 1;
		if (ik_scrollback_at(scrollback, index)->kind == IK_BLOCK_USER)
			break;
	}
	select_block(scrollback, index);
	ik_scrollback_show(scrollback, first_row(scrollback, index));
	return true;
}
