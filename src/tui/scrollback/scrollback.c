#include "tui/scrollback/scrollback.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/scrollback_private.h"
#include "tui/scrollback/scrollback_search.h"
#include "util/alloc.h"

#define GUTTER 2
#define GUTTER_LEAST 12 /* a window narrower than this has no room for marks */
/* How much text may be laid out to count rows that nobody sees. */
#define COUNT_BYTES (16 * IK_SECTION_MAX)
#define COUNT_BLOCK 8u /* so much text is like the work for a block that has none */
/* Blocks so far from what was drawn last stay laid out. */
#define LAID_BEYOND 16

struct ik_scrollback *ik_scrollback_new(void)
{
	struct ik_scrollback *scrollback = ik_alloc(sizeof(*scrollback));

	scrollback->follow = true;
	return scrollback;
}

struct ik_scrollback *ik_scrollback_free(struct ik_scrollback *scrollback)
{
	if (!scrollback)
		return NULL;
	ik_scrollback_clear(scrollback);
	free(scrollback->slots);
	free(scrollback);
	return NULL;
}

void ik_scrollback_clear(struct ik_scrollback *scrollback)
{
	for (size_t i = 0; i < scrollback->count; i++)
		ik_block_free(scrollback->slots[scrollback->first + i]);
	scrollback->first = scrollback->capacity / 4;
	scrollback->count = 0;
	scrollback->first_number = 0;
	scrollback->laid_first = scrollback->laid_behind = 0;
	scrollback->follow = true;
	scrollback->from_start = false;
	scrollback->selecting = false;
	ik_scrollback_mark_end(scrollback);
}

/* Make room for so many blocks before and behind those that are there. */
static void reserve(struct ik_scrollback *scrollback, size_t before, size_t behind)
{
	size_t end = scrollback->first + scrollback->count;

	if (before <= scrollback->first && behind <= scrollback->capacity - end)
		return;
	size_t wanted = scrollback->count + before + behind;
	size_t capacity = wanted + wanted / 2 + 16;
	size_t spare = capacity - wanted;
	size_t first = before + (before > 0 ? spare : 0);
	struct ik_block **slots = ik_alloc_array(NULL, capacity, sizeof(struct ik_block *));

	if (scrollback->count > 0)
		memcpy(slots + first, scrollback->slots + scrollback->first,
			scrollback->count * sizeof(struct ik_block *));
	free(scrollback->slots);
	scrollback->slots = slots;
	scrollback->first = first;
	scrollback->capacity = capacity;
}

void ik_scrollback_add(struct ik_scrollback *scrollback, struct ik_block *block)
{
	reserve(scrollback, 0, 1);
	if (scrollback->from_start)
		scrollback->follow = true;
	scrollback->from_start = scrollback->count == 0 && block->kind == IK_BLOCK_WELCOME;
	scrollback->slots[scrollback->first + scrollback->count++] = block;
}

void ik_scrollback_prepend(struct ik_scrollback *scrollback, struct ik_block *const *blocks,
	size_t count)
{
	if (count == 0)
		return;
	reserve(scrollback, count, 0);
	scrollback->first -= count;
	scrollback->count += count;
	scrollback->first_number -= (int64_t)count;
	memcpy(scrollback->slots + scrollback->first, blocks, count * sizeof(struct ik_block *));
}

void ik_scrollback_drop_first(struct ik_scrollback *scrollback)
{
	if (scrollback->count == 0)
		return;
	if (scrollback->from_start)
		ik_scrollback_bottom(scrollback);
	ik_block_free(scrollback->slots[scrollback->first]);
	scrollback->first++;
	scrollback->count--;
	scrollback->first_number++;
}

size_t ik_scrollback_count(const struct ik_scrollback *scrollback)
{
	return scrollback->count;
}

struct ik_block *ik_scrollback_at(const struct ik_scrollback *scrollback, size_t index)
{
	return scrollback->slots[scrollback->first + index];
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

int ik_scrollback_gutter(const struct ik_scrollback *scrollback, const struct ik_block *block)
{
	bool wanted = ik_block_look(block->kind)->gutter;

	return wanted && scrollback->columns >= GUTTER_LEAST ? GUTTER : 0;
}

struct ik_block *ik_scrollback_prepared(const struct ik_scrollback *scrollback, size_t index)
{
	struct ik_block *block = ik_scrollback_at(scrollback, index);

	ik_block_prepare(block);
	return block;
}

/* The first of the lines that begin where this one does: what a renderer adds
 * (a frame, a rule) has no place of its own in the text. */
static uint32_t first_at(const struct ik_lines *lines, uint32_t line)
{
	while (line > 0 && lines->lines[line - 1].source == lines->lines[line].source)
		line--;
	return line;
}

/* The line at a place in the text, so many behind the first there. */
static uint32_t line_at(const struct ik_lines *lines, uint32_t offset, uint32_t repeat)
{
	uint32_t last = ik_lines_find(lines, offset);
	uint32_t first = first_at(lines, last);

	return last - first > repeat ? first + repeat : last;
}

const struct ik_lines *ik_scrollback_lines(const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t section)
{
	return ik_block_lines(block, section,
		scrollback->columns - ik_scrollback_gutter(scrollback, block));
}

/* None before the first, none within a group. */
uint32_t ik_scrollback_gap(const struct ik_scrollback *scrollback, size_t index)
{
	if (index == 0)
		return 0;
	const struct ik_block *block = ik_scrollback_at(scrollback, index);
	const struct ik_block *before = ik_scrollback_at(scrollback, index - 1);

	if (ik_block_is_row(block) && ik_block_is_row(before))
		return 0;
	enum ik_block_kind kind = block->kind;
	enum ik_block_kind previous = before->kind;
	bool joins = ik_block_look(kind)->joins && ik_block_look(previous)->joins;

	return !joins || kind == IK_BLOCK_HEADING;
}

/* Rows of a section, with the blank row before its block. */
static uint32_t section_rows(const struct ik_scrollback *scrollback, size_t index, uint32_t section)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, index);
	uint32_t gap = section == 0 ? ik_scrollback_gap(scrollback, index) : 0;

	return gap + ik_scrollback_lines(scrollback, block, section)->count;
}

size_t ik_place_down(const struct ik_scrollback *scrollback, struct ik_scrollback_place *place,
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
		struct ik_scrollback_place next = { place->block, place->section + 1, 0 };

		if (next.section == ik_scrollback_at(scrollback, place->block)->section_count)
			next = (struct ik_scrollback_place){ place->block + 1, 0, 0 };
		moved += left;
		place->line = height - 1;
		if (next.block == scrollback->count)
			break;
		*place = next;
		moved++;
	}
	return moved;
}

size_t ik_place_up(const struct ik_scrollback *scrollback, struct ik_scrollback_place *place,
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

/* The very last row; there must be a block. */
static struct ik_scrollback_place last_row(const struct ik_scrollback *scrollback)
{
	struct ik_scrollback_place place = { .block = scrollback->count - 1 };

	place.section = ik_scrollback_prepared(scrollback, place.block)->section_count - 1;
	place.line = section_rows(scrollback, place.block, place.section) - 1;
	return place;
}

/* The row that the window was left at. */
static struct ik_scrollback_place anchored_row(const struct ik_scrollback *scrollback)
{
	int64_t index = scrollback->top_number - scrollback->first_number;
	struct ik_scrollback_place place = { 0 };

	if (index < 0)
		return place;
	if (index >= (int64_t)scrollback->count)
		return last_row(scrollback);
	place.block = (size_t)index;
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);
	place.section = ik_block_section_at(block, scrollback->top_offset);
	if (place.section == 0 && scrollback->top_gap)
		return place;
	place.line = line_at(ik_scrollback_lines(scrollback, block, place.section),
		scrollback->top_offset, scrollback->top_repeat);
	if (place.section == 0)
		place.line += ik_scrollback_gap(scrollback, place.block);
	return place;
}

/* Leave the window at a row. */
static void anchor(struct ik_scrollback *scrollback, struct ik_scrollback_place place)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);
	uint32_t gap = place.section == 0 ? ik_scrollback_gap(scrollback, place.block) : 0;
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, place.section);

	scrollback->top_number = scrollback->first_number + (int64_t)place.block;
	scrollback->top_gap = place.line < gap;
	scrollback->top_offset = place.line < gap ? 0 : lines->lines[place.line - gap].source;
	scrollback->top_repeat = place.line < gap
		? 0
		: place.line - gap - first_at(lines, place.line - gap);
}

/* Where the window begins when its last row is the last of all. */
static struct ik_scrollback_place end_top(const struct ik_scrollback *scrollback)
{
	struct ik_scrollback_place place = last_row(scrollback);

	ik_place_up(scrollback, &place, scrollback->rows > 0 ? (size_t)scrollback->rows - 1 : 0);
	return place;
}

/* A window that reaches the end follows it. */
struct ik_scrollback_place ik_scrollback_window(struct ik_scrollback *scrollback)
{
	if (scrollback->from_start && scrollback->follow)
		ik_scrollback_show(scrollback, (struct ik_scrollback_place){ 0 });
	if (!scrollback->follow) {
		struct ik_scrollback_place place = anchored_row(scrollback);
		struct ik_scrollback_place bottom = place;
		size_t below = scrollback->rows > 0 ? (size_t)scrollback->rows : 1;

		if (ik_place_down(scrollback, &bottom, below) == below)
			return place;
		scrollback->follow = true;
	}
	return end_top(scrollback);
}

void ik_scrollback_show(struct ik_scrollback *scrollback, struct ik_scrollback_place place)
{
	if (scrollback->follow) {
		scrollback->seen_number = scrollback->first_number + (int64_t)scrollback->count - 1;
		scrollback->seen_length = ik_scrollback_last(scrollback)->length;
	}
	scrollback->follow = false;
	anchor(scrollback, place);
}

bool ik_scrollback_in_window(struct ik_scrollback *scrollback, struct ik_scrollback_place place)
{
	struct ik_scrollback_place row = ik_scrollback_window(scrollback);

	for (int i = 0; i < scrollback->rows; i++) {
		if (row.block == place.block && row.section == place.section && row.line == place.line)
			return true;
		if (ik_place_down(scrollback, &row, 1) == 0)
			break;
	}
	return false;
}

void ik_scrollback_reveal(struct ik_scrollback *scrollback, struct ik_scrollback_place place,
	int wanted)
{
	if (ik_scrollback_in_window(scrollback, place))
		return;
	ik_place_up(scrollback, &place, wanted > 0 ? (size_t)wanted : 0);
	ik_scrollback_show(scrollback, place);
}

void ik_scrollback_scroll(struct ik_scrollback *scrollback, int rows)
{
	if (scrollback->count == 0 || rows == 0)
		return;
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);
	scrollback->from_start = false;
	if (rows > 0) {
		if (scrollback->follow)
			return;
		ik_place_down(scrollback, &place, (size_t)rows);
	} else {
		if (ik_place_up(scrollback, &place, (size_t)-rows) == 0)
			return;
	}
	ik_scrollback_show(scrollback, place);
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
	if (scrollback->follow)
		return; /* all of it is in the window */
	anchor(scrollback, (struct ik_scrollback_place){ 0 });
}

void ik_scrollback_bottom(struct ik_scrollback *scrollback)
{
	scrollback->follow = true;
	scrollback->from_start = false;
}

bool ik_scrollback_at_end(struct ik_scrollback *scrollback)
{
	if (!scrollback->follow && scrollback->count > 0)
		ik_scrollback_window(scrollback);
	return scrollback->follow;
}

size_t ik_scrollback_rows_below(struct ik_scrollback *scrollback, size_t most)
{
	if (scrollback->count == 0 || ik_scrollback_at_end(scrollback))
		return 0;
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);
	size_t shown = scrollback->rows > 0 ? (size_t)scrollback->rows - 1 : 0;

	return ik_place_down(scrollback, &place, shown + most) - shown;
}

/* Rows of a section from offset on; false: budget, the text that may still be laid out for it,
 * is used up. */
static bool rows_from(const struct ik_scrollback *scrollback, struct ik_block *block,
	uint32_t index, size_t offset, size_t *budget, size_t *rows)
{
	const struct ik_section *section = &block->sections[index];
	int columns = scrollback->columns - ik_scrollback_gutter(scrollback, block);
	size_t size = section->end - section->start;

	if (size > *budget)
		return false;
	/* What is laid out already counts, too: the same text always gives the same number. */
	*budget -= size;
	const struct ik_lines *lines = ik_block_lines(block, index, columns);
	uint32_t line = ik_lines_find(lines, offset);

	if (offset > section->start && lines->lines[line].source < offset)
		line++;
	*rows += lines->count - line;
	return true;
}

size_t ik_scrollback_new_rows(struct ik_scrollback *scrollback, bool *ret_more)
{
	*ret_more = false;
	if (scrollback->follow || scrollback->count == 0)
		return 0;
	size_t budget = COUNT_BYTES;
	size_t rows = 0;
	int64_t seen = scrollback->seen_number - scrollback->first_number;

	for (size_t i = seen > 0 ? (size_t)seen : 0; i < scrollback->count && !*ret_more; i++) {
		*ret_more = budget < COUNT_BLOCK;
		if (*ret_more)
			break;
		budget -= COUNT_BLOCK;
		struct ik_block *block = ik_scrollback_prepared(scrollback, i);
		size_t offset = (int64_t)i == seen ? scrollback->seen_length : 0;

		if ((int64_t)i == seen && offset >= block->length)
			continue;
		uint32_t s = ik_block_section_at(block, offset);

		while (s < block->section_count && rows_from(scrollback, block, s, offset, &budget, &rows))
			s++;
		*ret_more = s < block->section_count;
	}
	return rows;
}

struct ik_scroll_place ik_scrollback_place(const struct ik_scrollback *scrollback)
{
	return (struct ik_scroll_place){
		.at_end = scrollback->follow,
		.block = scrollback->top_number,
		.offset = scrollback->top_offset,
		.repeat = scrollback->top_repeat,
	};
}

void ik_scrollback_go(struct ik_scrollback *scrollback, struct ik_scroll_place place)
{
	scrollback->follow = place.at_end || scrollback->count == 0;
	scrollback->top_number = place.block;
	scrollback->top_offset = place.offset;
	scrollback->top_repeat = place.repeat;
	scrollback->top_gap = false;
}

/* Draw one row of a block. */
static void draw_row(const struct ik_scrollback *scrollback, struct ik_scrollback_place place,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	struct ik_block *block = ik_scrollback_prepared(scrollback, place.block);
	uint32_t gap = place.section == 0 ? ik_scrollback_gap(scrollback, place.block) : 0;

	if (place.line < gap)
		return;
	uint32_t line = place.line - gap;
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, place.section);
	int indent = ik_scrollback_gutter(scrollback, block);
	bool selected = scrollback->selecting &&
		scrollback->selected == scrollback->first_number + (int64_t)place.block;
	if (selected && indent > 0) {
		const char *bar = block->utf8 ? "▌" : "|";

		ik_cells_text(cells, area, row, area.column + 1, IK_STYLE_FRAME_FOCUS, bar, strlen(bar));
	}
	if (indent > 0 && place.section == 0 && line == 0) {
		enum ik_style style;
		const char *mark = ik_block_mark(block, &style);

		ik_cells_text(cells, area, row, area.column, style, mark, strlen(mark));
	}
	struct ik_rectangle text_area = area;
	text_area.column += indent;
	text_area.columns -= indent;
	ik_lines_draw(lines, line, block->text, cells, text_area, row);
	if (selected && indent == 0)
		ik_cells_restyle(cells, (struct ik_rectangle){ row, area.column, 1, area.columns },
			IK_STYLE_SELECTION);
	if (scrollback->search)
		ik_search_paint(scrollback->search, place.block, place.section, line, cells, text_area,
			row);
	ik_mark_paint(scrollback, place, cells, text_area, row);
}

/* Give back the lines of the blocks with these numbers. */
static void forget_lines(struct ik_scrollback *scrollback, int64_t first, int64_t behind)
{
	int64_t end = scrollback->first_number + (int64_t)scrollback->count;

	if (first < scrollback->first_number)
		first = scrollback->first_number;
	for (; first < behind && first < end; first++) {
		struct ik_block *block = ik_scrollback_at(scrollback,
			(size_t)(first - scrollback->first_number));

		for (uint32_t section = 0; section < block->section_count; section++)
			ik_block_forget_lines(block, section);
	}
}

/* Of a long session only what is near the window stays laid out: its lines take as much
 * memory as its text. The window shows the blocks from this index to that. */
static void forget_far_lines(struct ik_scrollback *scrollback, size_t first, size_t last)
{
	int64_t near_first = scrollback->first_number + (int64_t)first - LAID_BEYOND;
	int64_t near_behind = scrollback->first_number + (int64_t)last + 1 + LAID_BEYOND;

	if (scrollback->laid_first < near_first)
		forget_lines(scrollback, scrollback->laid_first,
			near_first < scrollback->laid_behind ? near_first : scrollback->laid_behind);
	if (scrollback->laid_behind > near_behind)
		forget_lines(scrollback,
			near_behind > scrollback->laid_first ? near_behind : scrollback->laid_first,
			scrollback->laid_behind);
	scrollback->laid_first = near_first;
	scrollback->laid_behind = near_behind;
}

void ik_scrollback_draw(struct ik_scrollback *scrollback, struct ik_cells *cells,
	struct ik_rectangle area)
{
	scrollback->area = area;
	if (scrollback->count == 0 || area.rows <= 0)
		return;
	if (scrollback->search)
		ik_search_frame(scrollback->search);
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);
	size_t first = place.block;

	for (int row = 0; row < area.rows; row++) {
		draw_row(scrollback, place, cells, area, area.row + row);
		if (ik_place_down(scrollback, &place, 1) == 0)
			break;
	}
	forget_far_lines(scrollback, first, place.block);
}
