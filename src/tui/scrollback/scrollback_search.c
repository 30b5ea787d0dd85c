#include "tui/scrollback/scrollback_search.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/shown_text.h"
#include "tui/text/markdown.h"
#include "tui/text/needle.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/cluster.h"
#include "util/text.h"

#define SLICE_US 4000   /* of work, after which a key may have its turn */
#define LINE_BYTES 400u /* of a longer line what is around the place */
#define BEFORE_BYTES 100u
#define BLOCK_END UINT32_MAX /* as a section: after the last one */

/* Something that was found, or a place between two: the matches of a section are counted from 0. */
struct found_place {
	int64_t block; /* its number */
	uint32_t section, match;
};

struct found_list {
	struct found_place *places;
	size_t count;
};

struct ik_search {
	struct ik_scrollback *scrollback;
	struct ik_needle needle;
	struct ik_shown_text text; /* of the section that was looked at last */

	int way;                     /* direction of the search for a first place: -1 up, 1 down */
	struct ik_scroll_place back; /* the window at the beginning, */
	int64_t origin;              /* and the block at its edge, */
	size_t origin_offset;        /* and the place in its text; SIZE_MAX: its end */

	/* All is searched from there outwards.  A place that was found has a number: from 0 on down
	 * from there, from -1 on up. */
	struct found_list above, below;
	struct found_place up,
		down; /* the sections before the first, and from the second on, still have to be searched */
	int64_t skipped; /* the first block that was skipped because it still changed; or none */

	bool seeking;
	bool in_block; /* for a place in the block of the origin only */
	int direction;
	ptrdiff_t wanted;
	bool wrapped;

	bool found; /* a place is shown: */
	ptrdiff_t current;
	struct found_place place;
	bool opened; /* its block was folded before */
};

struct ik_search *ik_search_new(struct ik_scrollback *scrollback, bool downwards)
{
	struct ik_search *search = ik_alloc(sizeof(*search));

	search->scrollback = scrollback;
	ik_needle_init(&search->needle, "", 0);
	ik_shown_text_init(&search->text);
	search->way = downwards ? 1 : -1;
	ik_search_begin(search);
	return search;
}

struct ik_search *ik_search_free(struct ik_search *search)
{
	if (!search)
		return NULL;
	ik_needle_done(&search->needle);
	ik_shown_text_done(&search->text);
	free(search->above.places);
	free(search->below.places);
	free(search);
	return NULL;
}

/* Return the numbers of the first block, and after the last. */
static int64_t first_number(const struct ik_search *search)
{
	return ik_scrollback_number(search->scrollback, 0);
}

static int64_t end_number(const struct ik_search *search)
{
	return ik_scrollback_number(search->scrollback, ik_scrollback_count(search->scrollback));
}

static struct ik_block *block_of(const struct ik_search *search, int64_t number)
{
	size_t index = ik_scrollback_index(search->scrollback, number);

	return index < ik_scrollback_count(search->scrollback)
		? ik_scrollback_at(search->scrollback, index)
		: NULL;
}

/* ---- what is in a section ---- */

/* Lay out a section of a block that is prepared and open, and make its text. forget: drop the
 * layout afterwards if it was not there before. */
static void fill_text(struct ik_search *search, struct ik_block *block, uint32_t section,
	bool forget)
{
	bool made = block->sections[section].columns != 0;

	ik_shown_text_fill(&search->text, block,
		ik_scrollback_lines(search->scrollback, block, section));
	if (forget && !made)
		ik_block_forget_lines(block, section);
}

/* Find a match in the text that was made last; its end, or SIZE_MAX: there are fewer. */
static size_t find_match(const struct ik_search *search, size_t match, size_t *ret_start)
{
	const struct ik_buf *text = &search->text.text;
	size_t end = 0, length = 0;

	do {
		*ret_start = ik_needle_find(&search->needle, text->data, text->length, end, &length);
		end = *ret_start + length;
	} while (*ret_start != SIZE_MAX && match-- > 0);
	return *ret_start == SIZE_MAX ? SIZE_MAX : end;
}

static void add_place(struct found_list *list, int64_t block, uint32_t section, size_t match)
{
	list->places = ik_alloc_more(list->places, list->count, sizeof(*list->places));
	list->places[list->count++] = (struct found_place){ block, section, (uint32_t)match };
}

/* Is it known without laying it out that a section has no match? What is shown is the text as it
 * is, or without markup; only of an entity, of a link to a definition, and of the head of a table
 * that the section continues, letters are shown that aren't in it. */
static bool has_none(const struct ik_search *search, const struct ik_block *block,
	const struct ik_section *section)
{
	const char *text = block->text + section->start;
	size_t length = section->end - section->start, found;

	if (block->folded)
		return false;
	if (block->renderer == &ik_renderer_plain)
		return ik_needle_find(&search->needle, text, length, 0, &found) == SIZE_MAX;
	return block->renderer == &ik_renderer_markdown && section->opener == section->start &&
		block->learnt.length == 0 && !memchr(text, '&', length) &&
		!ik_needle_may_show(&search->needle, text, length);
}

/* Add a section's matches: those before that one above the origin, the others below it. */
static void take_section(struct ik_search *search, int64_t number, uint32_t section, size_t first)
{
	const struct ik_buf *text = &search->text.text;
	struct ik_block *block = block_of(search, number);

	if (has_none(search, block, &block->sections[section]))
		return;
	fill_text(search, block, section, true);
	size_t count = ik_needle_count(&search->needle, text->data, text->length);

	for (size_t match = first < count ? first : count; match > 0; match--)
		add_place(&search->above, number, section, match - 1);
	for (size_t match = first; match < count; match++)
		add_place(&search->below, number, section, match);
}

/* ---- searching ---- */

static void begin_at(struct ik_search *search, struct found_place place)
{
	search->above.count = search->below.count = 0;
	search->skipped = INT64_MAX;
	search->up = search->down = place;
	if (place.section == BLOCK_END)
		search->down = (struct found_place){ .block = place.block + 1 };
	if (place.match == 0)
		return;
	take_section(search, place.block, place.section, place.match);
	search->down.section++;
}

static bool is_changing(const struct ik_block *block)
{
	return block->growing ||
		(block->call && block->call->stage != IK_STAGE_OK && block->call->stage != IK_STAGE_FAILED);
}

/* Is all searched in a direction, but for a last block that changes? */
static bool is_complete(const struct ik_search *search, bool down)
{
	int64_t first = first_number(search), end = end_number(search);

	if (first == end || !down)
		return first == end || search->up.block < first;
	return search->down.block >= end ||
		(search->down.block == end - 1 && is_changing(block_of(search, end - 1)));
}

static bool has_more(const struct ik_search *search)
{
	const struct ik_block *skipped = block_of(search, search->skipped);

	return search->needle.length > 0 &&
		(!is_complete(search, false) || !is_complete(search, true) ||
			(skipped && !is_changing(skipped)));
}

/* Search the next block in a direction until that time. A folded one is searched as if it were
 * open. */
static void search_block(struct ik_search *search, bool down, int64_t until_us)
{
	struct found_place *at = down ? &search->down : &search->up;
	struct ik_block *block = block_of(search, at->block);
	bool changing = is_changing(block), fold = ik_block_foldable(block) && block->folded;
	bool filled = block->filled;

	if (changing && at->block < search->skipped)
		search->skipped = at->block;
	if (fold && !changing)
		ik_block_fold(block, false);
	ik_block_prepare(block);
	uint32_t count = changing ? 0 : block->section_count;

	if (at->section > count)
		at->section = count;
	while (down ? at->section < count : at->section > 0) {
		uint32_t section = down ? at->section++ : --at->section;

		take_section(search, at->block, section, down ? 0 : SIZE_MAX);
		if (ik_clock_us() >= until_us)
			break;
	}
	if (down && at->section == count)
		*at = (struct found_place){ .block = at->block + 1 };
	else if (!down && at->section == 0)
		*at = (struct found_place){ .block = at->block - 1, .section = BLOCK_END };
	if (fold && !changing)
		ik_block_fold(block, true);
	if (fold && filled)
		ik_block_prepare(block);
}

/* ---- where to begin ---- */

/* Remember where the window ends: what is found first is above it. Downwards: where it begins. */
static void set_origin(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;

	search->origin = first_number(search);
	search->origin_offset = 0;
	if (ik_scrollback_count(scrollback) == 0)
		return;
	struct ik_scroll_row row = ik_scrollback_window(scrollback), first;
	bool down = search->way > 0;
	size_t rows = ik_scrollback_rows(scrollback) > 0 ? (size_t)ik_scrollback_rows(scrollback) : 1;
	bool more = down || ik_scrollback_down(scrollback, &row, rows) == rows;
	struct ik_block *block = ik_scrollback_prepared(scrollback, row.block);

	search->origin = ik_scrollback_number(scrollback, row.block);
	first = ik_scrollback_row(scrollback, row.block, row.section, 0);
	if (block->folded || !more)
		search->origin_offset = down ? 0 : SIZE_MAX;
	else if (row.line >= first.line)
		search->origin_offset = ik_scrollback_lines(scrollback, block, row.section)
									->lines[row.line - first.line]
									.source;
}

void ik_search_begin(struct ik_search *search)
{
	search->back = ik_scrollback_place(search->scrollback);
	set_origin(search);
}

/* Fold the block that was opened for the place that was shown. */
static void fold_opened(struct ik_search *search)
{
	if (search->opened && block_of(search, search->place.block))
		ik_scrollback_fold(search->scrollback,
			ik_scrollback_index(search->scrollback, search->place.block), true);
	search->opened = false;
}

void ik_search_back(struct ik_search *search)
{
	fold_opened(search);
	ik_scrollback_go(search->scrollback, search->back);
}

static void seek(struct ik_search *search, ptrdiff_t wanted, int direction)
{
	search->seeking = search->needle.length > 0 && ik_scrollback_count(search->scrollback) > 0;
	search->wanted = wanted;
	search->direction = direction;
	search->wrapped = search->in_block = false;
}

static void begin_at_origin(struct ik_search *search)
{
	struct ik_block *block = block_of(search, search->origin);
	struct found_place from = { .block = search->origin };

	if (block && search->origin_offset == SIZE_MAX) {
		from.section = BLOCK_END;
	} else if (block && search->needle.length > 0 && search->origin_offset > 0) {
		ik_block_prepare(block);
		from.section = ik_block_section_at(block, search->origin_offset);
		fill_text(search, block, from.section, false);
		const struct ik_lines *lines = ik_scrollback_lines(search->scrollback, block, from.section);
		uint32_t line = ik_lines_find(lines, search->origin_offset);
		size_t start;

		while (find_match(search, from.match, &start) != SIZE_MAX &&
			ik_shown_piece_at(&search->text, start)->line < line)
			from.match++;
	}
	begin_at(search, from);
}

/* Search again from the origin on, for the first place in a direction. */
static void seek_from_origin(struct ik_search *search, int direction)
{
	begin_at_origin(search);
	seek(search, direction > 0 ? 0 : -1, direction);
}

void ik_search_restart(struct ik_search *search)
{
	bool found = search->found;

	search->found = search->opened = false;
	set_origin(search);
	if (found)
		seek_from_origin(search, search->way);
	else
		begin_at_origin(search);
}

void ik_search_set(struct ik_search *search, const char *pattern, size_t length)
{
	ik_needle_done(&search->needle);
	ik_needle_init(&search->needle, pattern, length);
	fold_opened(search);
	search->found = false;
	seek_from_origin(search, search->way);
}

void ik_search_set_in(struct ik_search *search, const char *pattern, size_t length, size_t index)
{
	ik_search_set(search, pattern, length);
	ik_search_begin(search);
	search->origin = ik_scrollback_number(search->scrollback, index);
	search->origin_offset = 0;
	seek_from_origin(search, 1);
	search->in_block = true;
}

/* ---- the place that is shown ---- */

/* Return the block of the place that is shown, prepared; NULL: it is gone, or folded. */
static struct ik_block *current_block(const struct ik_search *search)
{
	struct ik_block *block = search->found ? block_of(search, search->place.block) : NULL;

	if (!block || (ik_block_foldable(block) && block->folded))
		return NULL;
	ik_block_prepare(block);
	return search->place.section < block->section_count ? block : NULL;
}

/* Find the text of the place that is shown; its block is open. False: it is gone. */
static bool find_current(struct ik_search *search, size_t *ret_start)
{
	struct ik_block *block = current_block(search);

	if (!block)
		return false;
	fill_text(search, block, search->place.section, false);
	return find_match(search, search->place.match, ret_start) != SIZE_MAX;
}

static void show_place(struct ik_search *search, struct found_place place)
{
	struct ik_scrollback *scrollback = search->scrollback;
	struct ik_block *block = block_of(search, place.block);
	size_t index = ik_scrollback_index(scrollback, place.block), start;

	if (search->found && search->place.block != place.block)
		fold_opened(search);
	search->found = true;
	search->place = place;
	if (block && ik_block_foldable(block) && block->folded) {
		ik_scrollback_fold(scrollback, index, false);
		search->opened = true;
	}
	if (find_current(search, &start))
		ik_scrollback_reveal(scrollback,
			ik_scrollback_row(scrollback, index, place.section,
				ik_shown_piece_at(&search->text, start)->line));
	ik_search_select(search);
}

/* Show the place that is wanted, or give up; false: it is not known yet. */
static bool show_wanted(struct ik_search *search)
{
	ptrdiff_t first = -(ptrdiff_t)search->above.count, end = (ptrdiff_t)search->below.count;
	bool beyond = search->wanted < first || search->wanted >= end;
	bool complete = is_complete(search, false) && is_complete(search, true);

	if (search->in_block &&
		(beyond ? complete || search->down.block > search->origin
				: search->below.places[0].block != search->origin)) {
		search->seeking = false;
		return true;
	}
	if (beyond && !complete)
		return false;
	search->seeking = false;
	if (first == end)
		return true;
	search->wrapped = beyond;
	if (beyond)
		search->wanted = search->wanted < first ? end - 1 : first;
	search->current = search->wanted;
	show_place(search,
		search->current < 0 ? search->above.places[-search->current - 1]
							: search->below.places[search->current]);
	return true;
}

/* A skipped block is complete now: search again, from the shown place. */
static void search_anew(struct ik_search *search)
{
	ptrdiff_t wanted = search->wanted - (search->found ? search->current : 0);

	if (search->found && current_block(search))
		begin_at(search, search->place);
	else
		begin_at_origin(search);
	search->wanted = wanted;
	search->current = 0;
}

bool ik_search_work(struct ik_search *search)
{
	int64_t until_us = ik_clock_us() + SLICE_US;
	const struct ik_block *skipped = block_of(search, search->skipped);
	bool changed = false;

	if (skipped && !is_changing(skipped))
		search_anew(search);
	do {
		bool down = !search->seeking || search->wanted >= 0;

		changed |= search->seeking && show_wanted(search);
		down = is_complete(search, down) ? !down : down;
		if (is_complete(search, down))
			break;
		search_block(search, down, until_us);
	} while (ik_clock_us() < until_us);
	return changed || (search->seeking && show_wanted(search));
}

bool ik_search_working(const struct ik_search *search)
{
	return search->seeking || has_more(search);
}

void ik_search_step(struct ik_search *search, int direction)
{
	if (search->seeking)
		ik_search_work(search); /* the step before this one */
	if (search->seeking && search->direction == direction)
		return; /* so that a held key does not send it back to the start */
	if (search->found) {
		seek(search, search->current + direction, direction);
	} else {
		set_origin(search);
		seek_from_origin(search, direction);
	}
}

void ik_search_select(struct ik_search *search)
{
	if (search->found && block_of(search, search->place.block))
		ik_scrollback_select_at(search->scrollback,
			ik_scrollback_index(search->scrollback, search->place.block), true);
}

struct ik_search_state ik_search_state(const struct ik_search *search)
{
	size_t all = ik_scrollback_count(search->scrollback), above = search->above.count;
	bool up = is_complete(search, false), down = is_complete(search, true);
	int64_t left = (up ? 0 : search->up.block - first_number(search) + 1) +
		(down ? 0 : end_number(search) - search->down.block);
	struct ik_search_state state = {
		.on = search->needle.length > 0,
		.seeking = search->seeking,
		.found = search->found,
		.wrapped = search->wrapped && search->found,
		.counted = up && down,
		.total = above + search->below.count,
		.percent = all > 0 ? 100 - (int)(left * 100 / (int64_t)(all + 1)) : 100,
	};

	if (up && current_block(search))
		state.number = (size_t)(search->current + (ptrdiff_t)above) + 1;
	for (size_t i = 0; state.counted && i < all; i++) {
		const struct ik_block *block = ik_scrollback_at(search->scrollback, i);

		state.partly += block->call && ik_call_has_more(block->call);
	}
	return state;
}

/* ---- showing ---- */

bool ik_search_put_line(struct ik_search *search, struct ik_buf *out)
{
	const struct ik_buf *shown = &search->text.text;
	size_t place;

	if (!find_current(search, &place))
		return false;
	const char *text = shown->data;
	size_t start = ik_line_begin(text, 0, place), end = ik_line_end(text, place, shown->length);

	if (end - start > LINE_BYTES) {
		if (place - start > BEFORE_BYTES)
			start = ik_cluster_previous(text, place - BEFORE_BYTES);
		size_t at = start;

		while (at < end && at - start < LINE_BYTES)
			at += ik_cluster_next(text + at, end - at).length;
		end = at;
	}
	while (start < end && text[start] == ' ')
		start++;
	ik_buf_append(out, text + start, end - start);
	return true;
}

void ik_search_hold(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;
	size_t start;

	if (!find_current(search, &start))
		return;
	const struct ik_shown_piece *piece = ik_shown_piece_at(&search->text, start);
	size_t index = ik_scrollback_index(scrollback, search->place.block);

	if (ik_scrollback_in_window(scrollback,
			ik_scrollback_row(scrollback, index, search->place.section, piece->line)))
		ik_scrollback_hold(scrollback, index, piece->source + start - piece->start);
}

/* Show a match in the cells: bytes [start, end) of the text, whose line 0 is in a row. */
static void paint_match(const struct ik_search *search, size_t start, size_t end,
	enum ik_style style, struct ik_cells *cells, struct ik_rectangle area, int row)
{
	const struct ik_shown_text *shown = &search->text;
	const struct ik_shown_piece *piece = ik_shown_piece_at(shown, start);

	for (; piece < shown->pieces + shown->count && piece->start < end; piece++) {
		const char *text = shown->text.data + piece->start;
		size_t from = start > piece->start ? start - piece->start : 0, to = end - piece->start;
		int at = row + (int)piece->line, column;

		if (to > piece->length)
			to = piece->length;
		if (from >= to || at < area.row || at >= area.row + area.rows)
			continue;
		column = area.column + piece->column + (int)ik_utf8_width(text, from);
		for (int last = column + (int)ik_utf8_width(text + from, to - from);
			 column < last && column < area.column + area.columns; column++)
			if (ik_cells_at(cells, at, column)->style != IK_STYLE_SELECTION)
				ik_cells_restyle(cells, (struct ik_rectangle){ at, column, 1, 1 }, style);
	}
}

/* Show the matches of a section whose line 0 is in a row. */
static void paint_section(struct ik_search *search, struct ik_scroll_row place,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	struct ik_block *block = ik_scrollback_prepared(search->scrollback, place.block);
	const struct found_place *current = &search->place;
	const struct ik_buf *text = &search->text.text;
	size_t start, length, from = 0;
	bool current_here = search->found && !block->folded && current->section == place.section &&
		current->block == ik_scrollback_number(search->scrollback, place.block);

	if (block->folded && block->kind == IK_BLOCK_THINKING)
		return; /* a label isn't searched */
	fill_text(search, block, place.section, false);
	area.columns -= ik_scrollback_gutter(search->scrollback, block);
	area.column += ik_scrollback_gutter(search->scrollback, block);
	for (size_t i = 0; (start = ik_needle_find(&search->needle, text->data, text->length, from,
							&length)) != SIZE_MAX;
		 i++) {
		from = start + length;
		paint_match(search, start, from,
			current_here && i == current->match ? IK_STYLE_SELECTION : IK_STYLE_MATCH, cells, area,
			row);
	}
}

void ik_search_paint(struct ik_search *search, struct ik_cells *cells)
{
	struct ik_scrollback *scrollback = search->scrollback;
	struct ik_rectangle area = ik_scrollback_area(scrollback);

	if (search->needle.length == 0 || ik_scrollback_count(scrollback) == 0 || area.rows <= 0)
		return;
	struct ik_scroll_row place = ik_scrollback_window(scrollback), last = place;
	int row = area.row;
	size_t moved = 0;

	do {
		struct ik_scroll_row first = ik_scrollback_row(scrollback, place.block, place.section, 0);

		if (row == area.row || last.block != place.block || last.section != place.section)
			paint_section(search, place, cells, area, row + (int)first.line - (int)place.line);
		last = place;
		moved = ik_scrollback_down(scrollback, &place, 1);
		row++;
	} while (moved > 0 && row < area.row + area.rows);
}
