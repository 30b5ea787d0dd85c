#include "tui/scrollback/scrollback.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/shown_text.h"
#include "util/alloc.h"

#define GUTTER 2
#define GUTTER_LEAST 12 /* a window narrower than this has no room for marks */
/* How much text may be laid out to count rows that are not shown. */
#define COUNT_BYTES (16 * IK_SECTION_MAX)
#define COUNT_BLOCK 8u /* the work for a block is like that for so much text */
/* Blocks this far from what was drawn last stay laid out. */
#define LAID_BEYOND 16

/* A cell of a row, which is found again when blocks come and go before it. */
struct mark {
	int64_t number; /* of the block */
	uint32_t section, line;
	int column;
};

struct ik_scrollback {
	struct ik_block **blocks;
	size_t count, capacity;
	int64_t first_number; /* a block's number is this plus its index */
	int rows, columns;
	struct ik_scroll_place top; /* the first row of the window, unless that is at the end */
	bool top_gap;               /* the blank row before that block */
	/* The end when the window left it. */
	int64_t seen_number;
	size_t seen_length;
	/* The block with the mark. */
	bool selecting;
	int64_t selected;         /* its number */
	struct ik_rectangle area; /* where it was drawn last */
	/* The selection: between two cells, in any order, both included. */
	bool marking, marked;
	int marked_columns; /* the width it was marked at */
	struct mark mark_anchor, mark_head;
	/* What the next frame shows, whatever its size. */
	bool holding;
	int64_t held_number;
	size_t held_offset;
	/* Numbers of the blocks that may be laid out because they were drawn. */
	int64_t laid_first, laid_end;
};

struct ik_scrollback *ik_scrollback_new(void)
{
	struct ik_scrollback *scrollback = ik_alloc(sizeof(*scrollback));

	scrollback->columns = 1; /* until it is drawn: sections without lines have a width of 0 */
	scrollback->top.at_end = true;
	return scrollback;
}

struct ik_scrollback *ik_scrollback_free(struct ik_scrollback *scrollback)
{
	if (!scrollback)
		return NULL;
	ik_scrollback_clear(scrollback);
	free(scrollback->blocks);
	free(scrollback);
	return NULL;
}

void ik_scrollback_clear(struct ik_scrollback *scrollback)
{
	for (size_t i = 0; i < scrollback->count; i++)
		ik_block_free(scrollback->blocks[i]);
	scrollback->count = 0;
	scrollback->first_number = 0;
	scrollback->laid_first = scrollback->laid_end = 0;
	scrollback->top.at_end = true;
	scrollback->selecting = false;
	ik_scrollback_mark_end(scrollback);
}

static void reserve(struct ik_scrollback *scrollback, size_t more)
{
	size_t wanted = scrollback->count + more;

	if (wanted <= scrollback->capacity)
		return;
	scrollback->capacity = wanted + wanted / 2 + 16;
	scrollback->blocks = ik_alloc_array(scrollback->blocks, scrollback->capacity,
		sizeof(*scrollback->blocks));
}

void ik_scrollback_add(struct ik_scrollback *scrollback, struct ik_block *block)
{
	reserve(scrollback, 1);
	scrollback->blocks[scrollback->count++] = block;
}

void ik_scrollback_prepend(struct ik_scrollback *scrollback, struct ik_block *const *blocks,
	size_t count)
{
	size_t size = sizeof(*scrollback->blocks);

	if (count == 0)
		return;
	reserve(scrollback, count);
	memmove(scrollback->blocks + count, scrollback->blocks, scrollback->count * size);
	memcpy(scrollback->blocks, blocks, count * size);
	scrollback->count += count;
	scrollback->first_number -= (int64_t)count;
}

size_t ik_scrollback_count(const struct ik_scrollback *scrollback)
{
	return scrollback->count;
}

int64_t ik_scrollback_number(const struct ik_scrollback *scrollback, size_t index)
{
	return scrollback->first_number + (int64_t)index;
}

size_t ik_scrollback_index(const struct ik_scrollback *scrollback, int64_t number)
{
	int64_t first = scrollback->first_number;

	return number >= first && number < first + (int64_t)scrollback->count ? (size_t)(number - first)
																		  : scrollback->count;
}

struct ik_block *ik_scrollback_at(const struct ik_scrollback *scrollback, size_t index)
{
	return scrollback->blocks[index];
}

struct ik_block *ik_scrollback_last(const struct ik_scrollback *scrollback)
{
	return scrollback->count > 0 ? ik_scrollback_at(scrollback, scrollback->count - 1) : NULL;
}

void ik_scrollback_resize(struct ik_scrollback *scrollback, int rows, int columns)
{
	scrollback->rows = rows > 0 ? rows : 0;
	scrollback->columns = columns > 0 ? columns : 1;
}

int ik_scrollback_rows(const struct ik_scrollback *scrollback)
{
	return scrollback->rows;
}

int ik_scrollback_gutter(const struct ik_scrollback *scrollback, const struct ik_block *block)
{
	bool wanted = ik_block_look(block->kind)->gutter;

	if (!wanted || scrollback->columns < GUTTER_LEAST)
		return 0;
	return block->call && block->call->nested ? 2 * GUTTER : GUTTER;
}

struct ik_block *ik_scrollback_prepared(const struct ik_scrollback *scrollback, size_t index)
{
	struct ik_block *block = ik_scrollback_at(scrollback, index);

	ik_block_prepare(block);
	return block;
}

/* Return the first of the lines that begin where this one does: what a renderer adds (a frame, a
 * rule) has no place of its own in the text. */
static uint32_t first_at(const struct ik_lines *lines, uint32_t line)
{
	while (line > 0 && lines->lines[line - 1].source == lines->lines[line].source)
		line--;
	return line;
}

const struct ik_lines *ik_scrollback_lines(const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t section)
{
	return ik_block_lines(block, section,
		scrollback->columns - ik_scrollback_gutter(scrollback, block));
}

/* Return the number of blank rows before a block: 0 before the first one and within a group. */
static uint32_t gap_before(const struct ik_scrollback *scrollback, size_t index)
{
	if (index == 0)
		return 0;
	const struct ik_block *block = ik_scrollback_at(scrollback, index);
	const struct ik_block *before = ik_scrollback_at(scrollback, index - 1);

	if ((ik_block_is_row(block) && ik_block_is_row(before)) || block->kind == IK_BLOCK_PICTURE ||
		(block->call && block->call->nested && before->call))
		return 0;
	enum ik_block_kind kind = block->kind;
	enum ik_block_kind previous = before->kind;
	bool joins = ik_block_look(kind)->joins && ik_block_look(previous)->joins;

	return !joins || kind == IK_BLOCK_HEADING;
}

/* Return how many of a section's rows are blank ones before its block. */
static uint32_t row_gap(const struct ik_scrollback *scrollback, struct ik_scroll_row row)
{
	return row.section == 0 ? gap_before(scrollback, row.block) : 0;
}

struct ik_scroll_row ik_scrollback_row(const struct ik_scrollback *scrollback, size_t index,
	uint32_t section, uint32_t line)
{
	struct ik_scroll_row row = { .block = index, .section = section };

	row.line = row_gap(scrollback, row) + line;
	return row;
}

/* Return the rows of a section, with the blank row before its block. */
static uint32_t section_rows(const struct ik_scrollback *scrollback, size_t index, uint32_t section)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, index);
	uint32_t gap = section == 0 ? gap_before(scrollback, index) : 0;

	return gap + ik_scrollback_lines(scrollback, block, section)->count;
}

size_t ik_scrollback_down(const struct ik_scrollback *scrollback, struct ik_scroll_row *place,
	size_t rows)
{
	size_t moved = 0;

	while (moved < rows) {
		uint32_t height = section_rows(scrollback, place->block, place->section);
		size_t left = height - 1 - place->line;

		if (left >= rows - moved) {
			place->line += (uint32_t)(rows - moved);
			return rows;
		}
		struct ik_scroll_row next = { place->block, place->section + 1, 0 };

		if (next.section == ik_scrollback_at(scrollback, place->block)->section_count)
			next = (struct ik_scroll_row){ place->block + 1, 0, 0 };
		moved += left;
		place->line = height - 1;
		if (next.block == scrollback->count)
			break;
		*place = next;
		moved++;
	}
	return moved;
}

/* Move up by at most this many rows and return by how many. */
static size_t move_up(const struct ik_scrollback *scrollback, struct ik_scroll_row *place,
	size_t rows)
{
	size_t moved = 0;

	while (moved < rows) {
		if (place->line >= rows - moved) {
			place->line -= (uint32_t)(rows - moved);
			return rows;
		}
		moved += place->line;
		place->line = 0;
		if (place->section > 0) {
			place->section--;
		} else if (place->block > 0) {
			place->block--;
			place->section = ik_scrollback_prepared(scrollback, place->block)->section_count - 1;
		} else {
			break;
		}
		place->line = section_rows(scrollback, place->block, place->section) - 1;
		moved++;
	}
	return moved;
}

static struct ik_scroll_row last_row_of(const struct ik_scrollback *scrollback, size_t index)
{
	struct ik_scroll_row row = { .block = index };

	row.section = ik_scrollback_prepared(scrollback, index)->section_count - 1;
	row.line = section_rows(scrollback, index, row.section) - 1;
	return row;
}

/* Return the row of a place in the text of a block, this many rows after the first there. */
static struct ik_scroll_row row_of_offset(const struct ik_scrollback *scrollback, size_t index,
	size_t offset, uint32_t repeat)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, index);
	uint32_t section = ik_block_section_at(block, offset);
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, section);

	uint32_t last = ik_lines_find(lines, offset), first = first_at(lines, last);

	return ik_scrollback_row(scrollback, index, section,
		last - first > repeat ? first + repeat : last);
}

/* Return the row that the window was left at. */
static struct ik_scroll_row anchored_row(const struct ik_scrollback *scrollback)
{
	size_t index = ik_scrollback_index(scrollback, scrollback->top.block);

	if (scrollback->top.block < scrollback->first_number)
		return (struct ik_scroll_row){ 0 };
	if (index == scrollback->count)
		return last_row_of(scrollback, scrollback->count - 1);
	if (scrollback->top_gap)
		return (struct ik_scroll_row){ .block = index };
	return row_of_offset(scrollback, index, scrollback->top.offset, scrollback->top.repeat);
}

/* Let the window begin at a row, from now on wherever the end is. */
static void show(struct ik_scrollback *scrollback, struct ik_scroll_row row)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, row.block);
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, row.section);
	uint32_t gap = row_gap(scrollback, row);

	if (scrollback->top.at_end) {
		scrollback->seen_number = ik_scrollback_number(scrollback, scrollback->count) - 1;
		scrollback->seen_length = ik_scrollback_last(scrollback)->length;
	}
	scrollback->top = (struct ik_scroll_place){ .block = ik_scrollback_number(scrollback,
													row.block) };
	scrollback->top_gap = row.line < gap;
	if (scrollback->top_gap)
		return;
	scrollback->top.offset = lines->lines[row.line - gap].source;
	scrollback->top.repeat = row.line - gap - first_at(lines, row.line - gap);
}

/* Return the first row of the window. One that reaches the end follows it. */
struct ik_scroll_row ik_scrollback_window(struct ik_scrollback *scrollback)
{
	size_t rows = scrollback->rows > 0 ? (size_t)scrollback->rows : 1;
	struct ik_scroll_row place;

	if (!scrollback->top.at_end) {
		place = anchored_row(scrollback);
		struct ik_scroll_row bottom = place;

		if (ik_scrollback_down(scrollback, &bottom, rows) == rows)
			return place;
		scrollback->top.at_end = true;
	}
	place = last_row_of(scrollback, scrollback->count - 1);
	move_up(scrollback, &place, rows - 1);
	return place;
}

bool ik_scrollback_in_window(struct ik_scrollback *scrollback, struct ik_scroll_row place)
{
	struct ik_scroll_row row = ik_scrollback_window(scrollback);

	for (int i = 0; i < scrollback->rows; i++) {
		if (row.block == place.block && row.section == place.section && row.line == place.line)
			return true;
		if (ik_scrollback_down(scrollback, &row, 1) == 0)
			break;
	}
	return false;
}

/* Move the window, if it must be moved, so that a row is in it, at row number wanted then. */
static void reveal(struct ik_scrollback *scrollback, struct ik_scroll_row place, int wanted)
{
	if (ik_scrollback_in_window(scrollback, place))
		return;
	move_up(scrollback, &place, wanted > 0 ? (size_t)wanted : 0);
	show(scrollback, place);
}

void ik_scrollback_reveal(struct ik_scrollback *scrollback, struct ik_scroll_row row)
{
	reveal(scrollback, row, scrollback->rows / 3);
}

void ik_scrollback_scroll(struct ik_scrollback *scrollback, int rows)
{
	if (scrollback->count == 0 || rows == 0)
		return;
	struct ik_scroll_row place = ik_scrollback_window(scrollback);

	if (rows > 0) {
		if (scrollback->top.at_end)
			return;
		ik_scrollback_down(scrollback, &place, (size_t)rows);
	} else {
		if (move_up(scrollback, &place, (size_t)-rows) == 0)
			return;
	}
	show(scrollback, place);
}

void ik_scrollback_page(struct ik_scrollback *scrollback, int pages)
{
	int step = scrollback->rows > 1 ? scrollback->rows - 1 : 1;

	ik_scrollback_scroll(scrollback, pages * step);
}

void ik_scrollback_half(struct ik_scrollback *scrollback, int halves)
{
	int step = scrollback->rows > 3 ? scrollback->rows / 2 : 1;

	ik_scrollback_scroll(scrollback, halves * step);
}

void ik_scrollback_top(struct ik_scrollback *scrollback)
{
	if (scrollback->count == 0)
		return;
	ik_scrollback_scroll(scrollback, -1);
	if (scrollback->top.at_end)
		return; /* all of it is in the window */
	show(scrollback, (struct ik_scroll_row){ 0 });
}

void ik_scrollback_bottom(struct ik_scrollback *scrollback)
{
	scrollback->top.at_end = true;
}

bool ik_scrollback_at_end(struct ik_scrollback *scrollback)
{
	if (!scrollback->top.at_end && scrollback->count > 0)
		ik_scrollback_window(scrollback);
	return scrollback->top.at_end;
}

size_t ik_scrollback_rows_below(struct ik_scrollback *scrollback, size_t most)
{
	if (scrollback->count == 0 || ik_scrollback_at_end(scrollback))
		return 0;
	struct ik_scroll_row place = ik_scrollback_window(scrollback);
	size_t shown = scrollback->rows > 0 ? (size_t)scrollback->rows - 1 : 0;

	return ik_scrollback_down(scrollback, &place, shown + most) - shown;
}

size_t ik_scrollback_new_rows(struct ik_scrollback *scrollback, bool *ret_more)
{
	size_t rows = 0, looked_at = 0;
	int64_t seen = scrollback->seen_number - scrollback->first_number;

	*ret_more = false;
	if (scrollback->top.at_end)
		return 0;
	for (size_t i = seen > 0 ? (size_t)seen : 0; i < scrollback->count; i++) {
		struct ik_block *block = ik_scrollback_prepared(scrollback, i);
		size_t offset = (int64_t)i == seen ? scrollback->seen_length : 0;

		if ((int64_t)i == seen && offset >= block->length)
			continue;
		for (uint32_t s = ik_block_section_at(block, offset); s < block->section_count; s++) {
			/* Lines that are laid out already count, too, so that the same text always gives the
			 * same number. */
			looked_at += block->sections[s].end - block->sections[s].start + COUNT_BLOCK;
			*ret_more = looked_at > COUNT_BYTES;
			if (*ret_more)
				return rows;
			const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, s);
			uint32_t line = ik_lines_find(lines, offset);

			rows += lines->count - line - (lines->lines[line].source < offset);
		}
	}
	return rows;
}

struct ik_scroll_place ik_scrollback_place(const struct ik_scrollback *scrollback)
{
	return scrollback->top;
}

void ik_scrollback_go(struct ik_scrollback *scrollback, struct ik_scroll_place place)
{
	scrollback->top = place;
	scrollback->top.at_end |= scrollback->count == 0;
	scrollback->top_gap = false;
}

/* ---- the block with the mark, folding, questions ---- */

size_t ik_scrollback_selected_index(const struct ik_scrollback *scrollback)
{
	return scrollback->selecting ? ik_scrollback_index(scrollback, scrollback->selected)
								 : scrollback->count;
}

struct ik_block *ik_scrollback_selected(const struct ik_scrollback *scrollback)
{
	size_t index = ik_scrollback_selected_index(scrollback);

	return index < scrollback->count ? ik_scrollback_at(scrollback, index) : NULL;
}

/* Return the first row of a block, after the blank one. */
static struct ik_scroll_row first_row(const struct ik_scrollback *scrollback, size_t index)
{
	return ik_scrollback_row(scrollback, index, 0, 0);
}

/* Return which row comes first: below 0 for a, 0 for the same, above 0 for b. */
static int compare_rows(struct ik_scroll_row a, struct ik_scroll_row b)
{
	if (a.block != b.block)
		return a.block < b.block ? -1 : 1;
	if (a.section != b.section)
		return a.section < b.section ? -1 : 1;
	return (a.line > b.line) - (a.line < b.line);
}

static struct ik_scroll_row window_end(struct ik_scrollback *scrollback)
{
	struct ik_scroll_row place = ik_scrollback_window(scrollback);

	ik_scrollback_down(scrollback, &place, scrollback->rows > 1 ? (size_t)scrollback->rows - 1 : 0);
	return place;
}

void ik_scrollback_select(struct ik_scrollback *scrollback, bool on)
{
	if (!on || scrollback->count == 0) {
		scrollback->selecting = false;
		return;
	}
	size_t index = ik_scrollback_selected_index(scrollback);
	struct ik_scroll_row top = ik_scrollback_window(scrollback), end = window_end(scrollback);

	if (index < top.block || index > end.block)
		ik_scrollback_select_at(scrollback, end.block, true);
}

void ik_scrollback_select_at(struct ik_scrollback *scrollback, size_t index, bool on)
{
	scrollback->selecting = on;
	scrollback->selected = ik_scrollback_number(scrollback, index);
}

void ik_scrollback_show_selected(struct ik_scrollback *scrollback)
{
	size_t index = ik_scrollback_selected_index(scrollback);

	if (index >= scrollback->count)
		return;
	struct ik_scroll_row row = first_row(scrollback, index), top = ik_scrollback_window(scrollback);

	if (index == top.block)
		return; /* it begins above, and continues in the window */
	reveal(scrollback, row, compare_rows(row, top) < 0 ? 0 : scrollback->rows - 1);
}

void ik_scrollback_keep(struct ik_scrollback *scrollback)
{
	if (scrollback->count > 0)
		show(scrollback, ik_scrollback_window(scrollback));
}

void ik_scrollback_step(struct ik_scrollback *scrollback, int direction)
{
	size_t index = ik_scrollback_selected_index(scrollback);

	if (scrollback->count == 0)
		return;
	struct ik_scroll_row top = ik_scrollback_window(scrollback), end = window_end(scrollback);

	if (index < top.block || index > end.block) {
		ik_scrollback_select(scrollback, true);
		return;
	}
	/* The part of it outside the window is shown before another block is. */
	if (direction < 0 && compare_rows(first_row(scrollback, index), top) < 0) {
		ik_scrollback_scroll(scrollback, -1);
	} else if (direction > 0 && compare_rows(end, last_row_of(scrollback, index)) < 0) {
		ik_scrollback_scroll(scrollback, 1);
	} else if (direction < 0 && index > 0) {
		ik_scrollback_select_at(scrollback, index - 1, true);
		reveal(scrollback, last_row_of(scrollback, index - 1), 0);
	} else if (direction > 0 && index + 1 < scrollback->count) {
		ik_scrollback_select_at(scrollback, index + 1, true);
		reveal(scrollback, first_row(scrollback, index + 1), scrollback->rows - 1);
	}
}

/* Move the window down so that all of a block is in it, or as much as there is room for. */
static void show_whole(struct ik_scrollback *scrollback, size_t index)
{
	struct ik_scroll_row first = first_row(scrollback, index), top = last_row_of(scrollback, index);

	if (compare_rows(window_end(scrollback), top) >= 0)
		return;
	move_up(scrollback, &top, scrollback->rows > 1 ? (size_t)scrollback->rows - 1 : 0);
	show(scrollback, compare_rows(first, top) < 0 ? first : top);
}

void ik_scrollback_fold(struct ik_scrollback *scrollback, size_t index, bool folded)
{
	struct ik_block *block = ik_scrollback_at(scrollback, index);

	if (!ik_block_foldable(block) || block->folded == folded)
		return;
	/* The rows above the block stay in place; if the block's first row is outside the window,
	 * scroll to it. */
	ik_scrollback_mark_end(scrollback);
	struct ik_scroll_row top = ik_scrollback_window(scrollback);

	if (top.block == index)
		top = (struct ik_scroll_row){ .block = index };
	bool was_following = scrollback->top.at_end;
	show(scrollback, top);
	ik_block_fold(block, folded);
	if (was_following && folded)
		ik_scrollback_bottom(scrollback);
	else if (!folded)
		show_whole(scrollback, index);
}

bool ik_scrollback_open(struct ik_scrollback *scrollback)
{
	size_t index = ik_scrollback_selected_index(scrollback);

	if (index >= scrollback->count || !ik_block_foldable(ik_scrollback_at(scrollback, index)))
		return false;
	ik_scrollback_fold(scrollback, index, !ik_scrollback_at(scrollback, index)->folded);
	return true;
}

bool ik_scrollback_click(struct ik_scrollback *scrollback, int row)
{
	if (row < 0 || row >= scrollback->rows || scrollback->count == 0)
		return false;
	struct ik_scroll_row place = ik_scrollback_window(scrollback);

	if (ik_scrollback_down(scrollback, &place, (size_t)row) < (size_t)row)
		return false;
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);

	uint32_t gap = row_gap(scrollback, place);

	if (place.line < gap)
		return false; /* the blank row between two */
	ik_scrollback_select_at(scrollback, place.block, true);
	bool first = place.section == 0 && place.line == gap;

	if (!ik_block_foldable(block) || (!block->folded && !first))
		return false;
	ik_scrollback_fold(scrollback, place.block, !block->folded);
	return true;
}

bool ik_scrollback_question(struct ik_scrollback *scrollback, int direction)
{
	if (scrollback->count == 0)
		return false;
	struct ik_scroll_row top = ik_scrollback_window(scrollback);
	size_t index = top.block;
	bool at_mark = scrollback->selecting && scrollback->top.at_end;

	if (at_mark && ik_scrollback_selected_index(scrollback) < scrollback->count)
		index = ik_scrollback_selected_index(scrollback);
	else if (direction < 0 && compare_rows(first_row(scrollback, index), top) < 0)
		index++; /* its beginning is above the window */
	for (;;) {
		if (direction < 0 ? index == 0 : index + 1 >= scrollback->count)
			return false;
		index = direction < 0 ? index - 1 : index + 1;
		if (ik_scrollback_at(scrollback, index)->kind == IK_BLOCK_USER)
			break;
	}
	ik_scrollback_select_at(scrollback, index, true);
	show(scrollback, first_row(scrollback, index));
	return true;
}

/* ---- what the mouse marks ---- */

struct ik_rectangle ik_scrollback_area(const struct ik_scrollback *scrollback)
{
	return scrollback->area;
}

bool ik_scrollback_is_at(const struct ik_scrollback *scrollback, int row, int column)
{
	const struct ik_rectangle *area = &scrollback->area;

	return row >= area->row && row < area->row + area->rows && column >= area->column &&
		column < area->column + area->columns;
}

void ik_scrollback_hide(struct ik_scrollback *scrollback)
{
	scrollback->area = (struct ik_rectangle){ .rows = 0 };
}

void ik_scrollback_mark_end(struct ik_scrollback *scrollback)
{
	scrollback->marking = scrollback->marked = false;
}

static struct mark mark_of(const struct ik_scrollback *scrollback, struct ik_scroll_row place,
	int column)
{
	int64_t number = ik_scrollback_number(scrollback, place.block);

	return (struct mark){ number, place.section, place.line, column };
}

/* Return the row of a mark; the row after the last if its block is gone. */
static struct ik_scroll_row row_of_mark(const struct ik_scrollback *scrollback,
	const struct mark *mark)
{
	return (struct ik_scroll_row){ ik_scrollback_index(scrollback, mark->number), mark->section,
		mark->line };
}

/* Is something marked, at this width? Its ends, in order. */
static bool ends(const struct ik_scrollback *scrollback, struct mark *ret_first,
	struct mark *ret_last)
{
	const struct mark *anchor = &scrollback->mark_anchor, *head = &scrollback->mark_head;
	int order = compare_rows(row_of_mark(scrollback, anchor), row_of_mark(scrollback, head));

	if (!scrollback->marked || scrollback->marked_columns != scrollback->columns)
		return false;
	if (order == 0)
		order = anchor->column - head->column;
	*ret_first = order <= 0 ? *anchor : *head;
	*ret_last = order <= 0 ? *head : *anchor;
	return true;
}

/* Find the selected columns of a row, from the first to before the second. Return false if none is
 * selected. */
static bool marked_part(const struct ik_scrollback *scrollback, struct ik_scroll_row row,
	int *ret_from, int *ret_to)
{
	struct mark first, last;

	if (!ends(scrollback, &first, &last))
		return false;
	int to_first = compare_rows(row, row_of_mark(scrollback, &first));
	int to_last = compare_rows(row, row_of_mark(scrollback, &last));

	*ret_from = to_first == 0 ? first.column : 0;
	*ret_to = to_last == 0 ? last.column + 1 : INT_MAX;
	return to_first >= 0 && to_last <= 0;
}

/* Show in a row that was drawn what of it is marked. */
static void paint_mark(const struct ik_scrollback *scrollback, struct ik_scroll_row place,
	struct ik_cells *cells, struct ik_rectangle text_area, int row)
{
	uint32_t gap = row_gap(scrollback, place);
	int from, to;

	if (place.line < gap || !marked_part(scrollback, place, &from, &to))
		return;
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, place.section);
	int end = ik_shown_line_end(block, lines, place.line - gap);

	to = to < end ? to : end;
	/* Both halves of a wide cluster. */
	if (from > 0 && ik_cells_at(cells, row, text_area.column + from)->width == 0)
		from--;
	if (ik_cells_at(cells, row, text_area.column + to)->width == 0)
		to++;
	to = to < text_area.columns ? to : text_area.columns;
	if (from < to)
		ik_cells_restyle(cells, (struct ik_rectangle){ row, text_area.column + from, 1, to - from },
			IK_STYLE_SELECTION);
}

/* Return what is shown in a row of the area, and the column in its text; below all text the last
 * row. */
static struct ik_scroll_row row_at(struct ik_scrollback *scrollback, int row, int column,
	int *ret_column)
{
	struct ik_scroll_row place = ik_scrollback_window(scrollback);
	int down = row - scrollback->area.row;
	bool beneath = ik_scrollback_down(scrollback, &place, (size_t)down) < (size_t)down;
	const struct ik_block *block = ik_scrollback_at(scrollback, place.block);

	column -= scrollback->area.column + ik_scrollback_gutter(scrollback, block);
	*ret_column = beneath ? scrollback->columns : column > 0 ? column : 0;
	return place;
}

void ik_scrollback_mark_begin(struct ik_scrollback *scrollback, int row, int column)
{
	int at;

	ik_scrollback_mark_end(scrollback);
	if (scrollback->count == 0 || !ik_scrollback_is_at(scrollback, row, column))
		return;
	struct ik_scroll_row place = row_at(scrollback, row, column, &at);
	scrollback->mark_anchor = mark_of(scrollback, place, at);
	scrollback->marked_columns = scrollback->columns;
	scrollback->marking = true;
}

static bool begins_in_first_row(struct ik_scrollback *scrollback)
{
	return compare_rows(row_of_mark(scrollback, &scrollback->mark_anchor),
			   ik_scrollback_window(scrollback)) == 0;
}

void ik_scrollback_mark_to(struct ik_scrollback *scrollback, int row, int column)
{
	const struct ik_rectangle *area = &scrollback->area;
	int at;

	if (!scrollback->marking || scrollback->count == 0 || area->rows <= 0)
		return;
	if (row < area->row || (row == 0 && !begins_in_first_row(scrollback))) {
		ik_scrollback_scroll(scrollback, -1);
		row = area->row;
	} else if (row >= area->row + area->rows) {
		ik_scrollback_scroll(scrollback, 1);
		row = area->row + area->rows - 1;
	}
	struct ik_scroll_row place = row_at(scrollback, row, column, &at);
	scrollback->mark_head = mark_of(scrollback, place, at);
	scrollback->marked = true;
}

/* Make the text of a section; returns its lines. */
static const struct ik_lines *fill_text(const struct ik_scrollback *scrollback,
	struct ik_shown_text *shown, struct ik_scroll_row row)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, row.block);
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, row.section);

	ik_shown_text_fill(shown, block, lines);
	return lines;
}

bool ik_scrollback_mark_word(struct ik_scrollback *scrollback, int row, int column)
{
	struct ik_shown_cell cell, first, last;
	struct ik_shown_text shown;

	ik_scrollback_mark_begin(scrollback, row, column);
	if (!scrollback->marking)
		return false;
	struct ik_scroll_row place = row_at(scrollback, row, column, &cell.column);
	uint32_t gap = row_gap(scrollback, place);

	if (place.line < gap)
		return false;
	cell.line = place.line - gap;
	ik_shown_text_init(&shown);
	fill_text(scrollback, &shown, place);
	scrollback->marked = ik_shown_word(&shown, cell, &first, &last);
	ik_shown_text_done(&shown);
	if (!scrollback->marked)
		return false;
	place.line = first.line + gap;
	scrollback->mark_anchor = mark_of(scrollback, place, first.column);
	place.line = last.line + gap;
	scrollback->mark_head = mark_of(scrollback, place, last.column);
	return true;
}

/* Return where in the text of its section a mark begins, or ends; 0 in the blank row before it. */
static size_t marked_offset(const struct ik_shown_text *shown, const struct mark *mark,
	uint32_t gap, bool end)
{
	struct ik_shown_cell cell = { mark->line - gap, mark->column };

	if (mark->line < gap)
		return 0;
	return end ? ik_shown_until(shown, cell) : ik_shown_from(shown, cell);
}

bool ik_scrollback_marked(struct ik_scrollback *scrollback, struct ik_buf *out)
{
	struct mark first, last;
	struct ik_shown_text shown;
	size_t start = out->length;

	if (!ends(scrollback, &first, &last))
		return false;
	struct ik_scroll_row row = { ik_scrollback_index(scrollback, first.number), first.section, 0 };
	size_t end = ik_scrollback_index(scrollback, last.number);
	bool begins = true, is_last = false;

	ik_shown_text_init(&shown);
	while (!is_last && row.block < scrollback->count && ik_buf_status(out) == IK_OK) {
		uint32_t sections = ik_scrollback_prepared(scrollback, row.block)->section_count;
		uint32_t gap = row_gap(scrollback, row);

		if (row.section < sections) {
			const struct ik_lines *lines = fill_text(scrollback, &shown, row);

			is_last = row.block == end && row.section >= last.section;
			size_t from = begins ? marked_offset(&shown, &first, gap, false) : 0;
			size_t until = is_last ? marked_offset(&shown, &last, gap, true) : shown.text.length;
			uint32_t feeds = gap + (shown.count > 0 && !lines->lines[0].continues);

			while (!begins && until > 0 && feeds-- > 0)
				ik_buf_putc(out, '\n');
			ik_buf_append(out, shown.text.data + from, until > from ? until - from : 0);
			begins = false;
			row.section++;
		} else {
			row = (struct ik_scroll_row){ row.block + 1, 0, 0 };
			is_last = row.block > end;
		}
	}
	ik_shown_text_done(&shown);
	return out->length > start;
}

/* ---- drawing ---- */

void ik_scrollback_hold(struct ik_scrollback *scrollback, size_t index, size_t offset)
{
	if (scrollback->holding)
		return; /* of two sizes without a picture between them the first counts */
	scrollback->holding = true;
	scrollback->held_number = ik_scrollback_number(scrollback, index);
	scrollback->held_offset = offset;
}

/* Move the window to the held place, unless it shows that. */
static void show_held(struct ik_scrollback *scrollback)
{
	size_t index = ik_scrollback_index(scrollback, scrollback->held_number);

	if (scrollback->holding && index < scrollback->count)
		ik_scrollback_reveal(scrollback,
			row_of_offset(scrollback, index, scrollback->held_offset, 0));
	scrollback->holding = false;
}

static void draw_row(const struct ik_scrollback *scrollback, struct ik_scroll_row place,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);
	uint32_t gap = row_gap(scrollback, place);

	if (place.line < gap)
		return;
	uint32_t line = place.line - gap;
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, place.section);
	int indent = ik_scrollback_gutter(scrollback, block);
	bool selected = scrollback->selecting &&
		scrollback->selected == ik_scrollback_number(scrollback, place.block);
	if (selected && indent > 0)
		ik_cells_label(cells, area, row, area.column + 1, IK_STYLE_ACCENT, "▌");
	if (indent > 0 && place.section == 0 && line == 0) {
		enum ik_style style;
		const char *mark = ik_block_mark(block, &style);

		ik_cells_text(cells, area, row, area.column + indent - GUTTER, style, mark, strlen(mark));
	}
	struct ik_rectangle text_area = area;
	text_area.column += indent;
	text_area.columns -= indent;
	ik_lines_draw(lines, line, block->text, cells, text_area, row);
	ik_block_draw_picture(block, lines, line, cells, text_area, row);
	if (selected && indent == 0)
		ik_cells_restyle(cells, (struct ik_rectangle){ row, area.column, 1, area.columns },
			IK_STYLE_SELECTION);
	paint_mark(scrollback, place, cells, text_area, row);
}

/* Let only what is near the window stay laid out, of a long session: lines take as much memory as
 * their text. The window shows the blocks from this index to that. */
static void forget_far_lines(struct ik_scrollback *scrollback, size_t first, size_t last)
{
	int64_t near_first = ik_scrollback_number(scrollback, first) - LAID_BEYOND;
	int64_t near_end = ik_scrollback_number(scrollback, last) + 1 + LAID_BEYOND;

	for (int64_t number = scrollback->laid_first; number < scrollback->laid_end; number++) {
		size_t index = ik_scrollback_index(scrollback, number);

		if (index == scrollback->count || (number >= near_first && number < near_end))
			continue;
		struct ik_block *block = ik_scrollback_at(scrollback, index);

		for (uint32_t section = 0; section < block->section_count; section++)
			ik_block_forget_lines(block, section);
	}
	scrollback->laid_first = near_first;
	scrollback->laid_end = near_end;
}

void ik_scrollback_draw(struct ik_scrollback *scrollback, struct ik_cells *cells,
	struct ik_rectangle area)
{
	scrollback->area = area;
	if (scrollback->count == 0 || area.rows <= 0)
		return;
	show_held(scrollback);
	struct ik_scroll_row place = ik_scrollback_window(scrollback);
	size_t first = place.block;

	for (int row = 0; row < area.rows; row++) {
		draw_row(scrollback, place, cells, area, area.row + row);
		if (ik_scrollback_down(scrollback, &place, 1) == 0)
			break;
	}
	forget_far_lines(scrollback, first, place.block);
}
