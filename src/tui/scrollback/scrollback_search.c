#include "tui/scrollback/scrollback_search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/shown_text.h"
#include "tui/text/markdown.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/needle.h"

/* What a slice of work may cost, in bytes of text that is only looked through: a few
 * milliseconds. What has to be made or laid out for it, or looked at at all, costs more. */
#define SLICE_BYTES 4000000
#define FILL_COST 4
#define LAYOUT_COST 40
#define BLOCK_COST 200
#define LINE_BYTES 400u /* of a longer line what is around the place */
#define BEFORE_BYTES 100u

/* Something that was found, or where a look for it begins: matches of a section are counted from
 * 0. */
struct found_place {
	int64_t block; /* its number */
	uint32_t section;
	size_t match;
};

struct ik_search {
	struct ik_scrollback *scrollback;
	struct ik_needle needle, word;
	bool has_word;
	uint32_t generation;       /* what block->found belongs to */
	struct ik_shown_text text; /* of the section that is looked at */
	struct ik_buf bare;        /* the same without markup */

	struct ik_scroll_place back; /* the window at the beginning, */
	int64_t origin;              /* and the block at its edge, */
	size_t origin_offset;        /* and the place in its text; SIZE_MAX: its end */

	int way; /* in which a first place is looked for: -1 upwards, 1 down */
	bool seeking;
	bool in_block; /* for a place in this block only */
	int direction;
	struct found_place at; /* downwards the first that may be it, upwards the one after it */
	int64_t start;
	bool wrapped;

	bool found;
	struct found_place current;
	bool opened; /* its block was folded before */
	size_t number;

	int64_t low, high;           /* blocks with these numbers, and between, are counted */
	struct found_place counting; /* where to resume; match: what was counted in the block */
	size_t partly;               /* calls of them that printed more than is searched */
	size_t total;
};

struct ik_search *ik_search_new(struct ik_scrollback *scrollback)
{
	struct ik_search *search = ik_alloc(sizeof(*search));

	search->scrollback = scrollback;
	ik_needle_init(&search->needle, "", 0);
	ik_shown_text_init(&search->text);
	ik_buf_init(&search->bare, SIZE_MAX / 2);
	search->way = -1;
	ik_search_begin(search);
	return search;
}

struct ik_search *ik_search_free(struct ik_search *search)
{
	if (!search)
		return NULL;
	ik_needle_done(&search->needle);
	ik_needle_done(&search->word);
	ik_shown_text_done(&search->text);
	ik_buf_done(&search->bare);
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

/* Return the block with that number; NULL: there is none. */
static struct ik_block *block_of(const struct ik_search *search, int64_t number)
{
	size_t index = ik_scrollback_index(search->scrollback, number);

	return index < ik_scrollback_count(search->scrollback)
		? ik_scrollback_at(search->scrollback, index)
		: NULL;
}

/* ---- what is in a section ---- */

static bool lacks(const struct ik_needle *word, const char *text, size_t length)
{
	size_t bytes;

	return ik_needle_find(word, text, length, 0, &bytes) == SIZE_MAX;
}

/* Return whether the word may be in a section once it is laid out. Markup within a word is gone
 * then; entities and the addresses of links are other text. */
static bool may_show(struct ik_search *search, const struct ik_block *block,
	const struct ik_section *section)
{
	static const bool is_mark[UCHAR_MAX + 1] = {
		['*'] = true,
		['<'] = true,
		['>'] = true,
		['\\'] = true,
		['_'] = true,
		['`'] = true,
		['~'] = true,
	};
	const char *text = block->text + section->start;
	size_t length = section->end - section->start;

	if (!search->has_word || !lacks(&search->word, text, length))
		return true;
	if (block->renderer != &ik_renderer_markdown)
		return false;
	if (memchr(text, '&', length) || memchr(text, '[', length))
		return true;
	ik_buf_clear(&search->bare);
	char *bare = ik_buf_reserve(&search->bare, length);
	size_t count = 0;

	for (size_t i = 0; bare && i < length; i++) {
		bare[count] = text[i];
		count += !is_mark[(unsigned char)text[i]];
	}
	return !bare || !lacks(&search->word, bare, count);
}

/* Lay out a section of a block that is prepared and open, and make its text. What was not laid
 * out before is forgotten again if forget. */
static void fill_text(struct ik_search *search, struct ik_block *block, uint32_t section,
	bool forget)
{
	bool made = block->sections[section].columns != 0;

	ik_shown_text_fill(&search->text, block,
		ik_scrollback_lines(search->scrollback, block, section));
	if (forget && !made)
		ik_block_forget_lines(block, section);
}

/* Return how often a section has it. */
static size_t count_section(struct ik_search *search, struct ik_block *block, uint32_t index,
	size_t *cost)
{
	const struct ik_section *section = &block->sections[index];
	size_t length = section->end - section->start;

	*cost += length * 2;
	if (!may_show(search, block, section))
		return 0;
	*cost += (length + block->learnt.text.length) * LAYOUT_COST;
	fill_text(search, block, index, true);
	return ik_needle_count(&search->needle, search->text.text.data, search->text.text.length);
}

/* Find a match in the text that was made last; its end, or SIZE_MAX: there are fewer. */
static size_t find_match(const struct ik_search *search, size_t match, size_t *ret_start)
{
	const struct ik_buf *text = &search->text.text;
	struct ik_needle_scan scan;
	size_t length;

	ik_needle_begin(&scan, &search->needle, text->data, text->length, 0);
	do
		*ret_start = ik_needle_next(&scan, &length);
	while (*ret_start != SIZE_MAX && match-- > 0);
	return *ret_start == SIZE_MAX ? SIZE_MAX : *ret_start + length;
}

/* A folded block is searched as if it were open. */
struct open_block {
	struct ik_block *block;
	bool was_folded, was_filled;
};

static struct open_block open_block(struct ik_block *block, size_t *cost)
{
	struct open_block open = { .block = block,
		.was_folded = ik_block_foldable(block) && block->folded,
		.was_filled = block->filled };

	*cost += BLOCK_COST;
	if (open.was_folded)
		ik_block_fold(block, false);
	bool made = block->filled;

	ik_block_prepare(block);
	if (!made)
		*cost += block->length * FILL_COST;
	return open;
}

static void close_block(struct open_block open)
{
	if (open.was_folded)
		ik_block_fold(open.block, true);
	if (open.was_folded && open.was_filled)
		ik_block_prepare(open.block);
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

void ik_search_downwards(struct ik_search *search)
{
	search->way = 1;
	set_origin(search);
}

void ik_search_begin(struct ik_search *search)
{
	search->back = ik_scrollback_place(search->scrollback);
	set_origin(search);
}

/* Fold the block that was opened for the place that was shown. */
static void fold_opened(struct ik_search *search)
{
	if (search->opened && block_of(search, search->current.block))
		ik_scrollback_fold(search->scrollback,
			ik_scrollback_index(search->scrollback, search->current.block), true);
	search->opened = false;
}

void ik_search_back(struct ik_search *search)
{
	fold_opened(search);
	ik_scrollback_go(search->scrollback, search->back);
}

/* Look for a place from there on. */
static void seek(struct ik_search *search, struct found_place from, int direction)
{
	search->seeking = search->needle.length > 0 && ik_scrollback_count(search->scrollback) > 0;
	search->at = from;
	search->start = from.block;
	search->direction = direction;
	search->wrapped = search->in_block = false;
}

/* Look for a place from the origin on. */
static void seek_from_origin(struct ik_search *search, int direction)
{
	struct ik_block *block = block_of(search, search->origin);
	struct found_place from = { .block = search->origin };

	if (block && search->origin_offset == SIZE_MAX) {
		from.section = UINT32_MAX;
		from.match = SIZE_MAX;
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
	seek(search, from, direction);
}

/* Begin counting again. */
static void forget_counts(struct ik_search *search)
{
	search->generation++;
	search->low = search->high = end_number(search);
	search->counting = (struct found_place){ .block = INT64_MIN };
	search->total = search->number = search->partly = 0;
}

void ik_search_restart(struct ik_search *search)
{
	bool found = search->found;

	search->found = search->opened = false;
	forget_counts(search);
	set_origin(search);
	if (found)
		seek_from_origin(search, search->way);
}

void ik_search_set(struct ik_search *search, const char *pattern, size_t length)
{
	ik_needle_done(&search->needle);
	ik_needle_done(&search->word);
	ik_needle_init(&search->needle, pattern, length);
	search->has_word = ik_needle_word(&search->needle, &search->word);
	forget_counts(search);
	fold_opened(search);
	search->found = false;
	seek_from_origin(search, search->way);
}

void ik_search_set_in(struct ik_search *search, const char *pattern, size_t length, size_t index)
{
	ik_search_set(search, pattern, length);
	ik_search_begin(search);
	seek(search, (struct found_place){ .block = ik_scrollback_number(search->scrollback, index) },
		1);
	search->in_block = true;
}

/* ---- seeking ---- */

/* Was the block counted, and has none? */
static bool is_empty(const struct ik_search *search, const struct ik_block *block)
{
	return block->found_by == search->generation && block->found == 0 && !block->growing;
}

/* Look through a block from search->at on. *ret_found: there is a match, and search->at is it.
 * Return false if the slice ended within the block. */
static bool seek_in_block(struct ik_search *search, struct ik_block *block, size_t *cost,
	bool *ret_found)
{
	struct found_place *at = &search->at;
	bool down = search->direction > 0, done = false;

	*ret_found = false;
	if (is_empty(search, block))
		return true;
	struct open_block open = open_block(block, cost);

	if (at->section >= block->section_count)
		at->section = block->section_count - 1;
	do {
		size_t count = count_section(search, block, at->section, cost);

		if (down ? at->match < count : at->match > 0 && count > 0) {
			if (!down)
				at->match = (at->match < count ? at->match : count) - 1;
			*ret_found = true;
		} else if (down ? at->section + 1 == block->section_count : at->section == 0) {
			done = true;
		} else {
			at->section += down ? 1 : UINT32_MAX;
			at->match = down ? 0 : SIZE_MAX;
		}
	} while (!done && !*ret_found && *cost < SLICE_BYTES);
	close_block(open);
	return done || *ret_found;
}

/* Go to the next block; false: all have been looked at. */
static bool next_block(struct ik_search *search)
{
	int64_t first = first_number(search), end = end_number(search);
	int64_t next = search->at.block + search->direction;

	if (search->wrapped && (search->at.block == search->start || next < first || next >= end))
		return false;
	if (next < first || next >= end) {
		search->wrapped = true;
		next = next < first ? end - 1 : first;
	}
	search->at = (struct found_place){ .block = next };
	if (search->direction < 0) {
		search->at.section = UINT32_MAX;
		search->at.match = SIZE_MAX;
	}
	return true;
}

/* Return the block of the place that is shown, prepared; NULL: it is gone, or folded. */
static struct ik_block *current_block(const struct ik_search *search)
{
	struct ik_block *block = search->found ? block_of(search, search->current.block) : NULL;

	if (!block || (ik_block_foldable(block) && block->folded))
		return NULL;
	ik_block_prepare(block);
	return search->current.section < block->section_count ? block : NULL;
}

/* Find out which of all it is, if that is cheap. */
static void find_number(struct ik_search *search)
{
	struct ik_block *block = current_block(search);
	size_t number = search->current.match + 1, cost = 0;

	search->number = 0;
	if (!block || search->low > first_number(search))
		return;
	for (int64_t i = first_number(search); i < search->current.block; i++)
		if (block_of(search, i)->found_by == search->generation)
			number += block_of(search, i)->found;
	for (uint32_t section = 0; section < search->current.section; section++) {
		number += count_section(search, block, section, &cost);
		if (cost > SLICE_BYTES)
			return;
	}
	search->number = number;
}

/* Find the text of the place that is shown; its block is open. False: it is gone. */
static bool find_current(struct ik_search *search, size_t *ret_start)
{
	struct ik_block *block = current_block(search);

	if (!block)
		return false;
	fill_text(search, block, search->current.section, false);
	return find_match(search, search->current.match, ret_start) != SIZE_MAX;
}

/* Bring the place that was found into the window. */
static void show_current(struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;
	struct ik_block *block = block_of(search, search->current.block);
	size_t index = ik_scrollback_index(scrollback, search->current.block), start;

	if (ik_block_foldable(block) && block->folded) {
		ik_scrollback_fold(scrollback, index, false);
		search->opened = true;
	}
	if (find_current(search, &start))
		ik_scrollback_reveal(scrollback,
			ik_scrollback_row(scrollback, index, search->current.section,
				ik_shown_piece_at(&search->text, start)->line));
	ik_search_select(search);
}

/* Show the place that was found, search->at. */
static void take_found(struct ik_search *search)
{
	search->seeking = false;
	if (search->found && search->current.block != search->at.block)
		fold_opened(search);
	search->found = true;
	search->current = search->at;
	show_current(search);
	find_number(search);
}

/* Continue to look for the place to show; true: what is shown has changed. */
static bool work_seek(struct ik_search *search, size_t *cost)
{
	bool found;

	while (*cost < SLICE_BYTES) {
		struct ik_block *block = block_of(search, search->at.block);

		if (block && !seek_in_block(search, block, cost, &found))
			return false;
		if (block && found) {
			take_found(search);
			return true;
		}
		if (!block || search->in_block || !next_block(search)) {
			search->seeking = search->wrapped = false;
			return true;
		}
	}
	return false;
}

void ik_search_step(struct ik_search *search, int direction)
{
	size_t cost = 0;

	if (search->seeking)
		work_seek(search, &cost); /* the step before this one */
	if (search->seeking && search->direction == direction)
		return; /* a key that is held must not send it back to where it began */
	struct found_place from = search->current;

	if (search->found) {
		from.match += direction > 0;
		seek(search, from, direction);
		return;
	}
	set_origin(search);
	seek_from_origin(search, direction);
}

void ik_search_select(struct ik_search *search)
{
	if (search->found && block_of(search, search->current.block))
		ik_scrollback_select_at(search->scrollback,
			ik_scrollback_index(search->scrollback, search->current.block), true);
}

/* ---- counting ---- */

/* Count in a block from search->counting on; false: the slice ended within it. */
static bool count_block(struct ik_search *search, struct ik_block *block, size_t *cost)
{
	struct found_place *at = &search->counting;

	if (is_empty(search, block))
		return true;
	struct open_block open = open_block(block, cost);

	if (at->section >= block->section_count)
		at->section = block->section_count - 1; /* its text has become shorter since */
	do
		at->match += count_section(search, block, at->section++, cost);
	while (at->section < block->section_count && *cost < SLICE_BYTES);
	bool done = at->section >= block->section_count;

	close_block(open);
	return done;
}

/* Does what it shows still change? */
static bool is_changing(const struct ik_block *block)
{
	return block->growing ||
		(block->call && block->call->stage != IK_STAGE_OK && block->call->stage != IK_STAGE_FAILED);
}

/* Are there blocks to be counted? */
static bool must_count(const struct ik_search *search)
{
	if (search->needle.length == 0)
		return false;
	if (search->low > first_number(search))
		return true;
	struct ik_block *next = block_of(search, search->high);

	return next && !is_changing(next);
}

/* Continue counting, blocks that came at the end first; true: something was counted. */
static bool work_count(struct ik_search *search, size_t *cost)
{
	bool any = false;

	while (*cost < SLICE_BYTES && must_count(search)) {
		struct ik_block *next = block_of(search, search->high);
		bool up = next && !is_changing(next);
		int64_t number = up ? search->high : search->low - 1;
		struct ik_block *block = block_of(search, number);

		any = true;
		if (search->counting.block != number)
			search->counting = (struct found_place){ .block = number };
		if (!count_block(search, block, cost))
			break;
		block->found = (uint32_t)search->counting.match;
		block->found_by = search->generation;
		search->total += search->counting.match;
		search->partly += block->call && ik_call_has_more(block->call);
		search->counting.block = INT64_MIN;
		search->high += up;
		search->low -= !up;
		if (!must_count(search) && (!up || search->number == 0))
			find_number(search);
	}
	return any;
}

bool ik_search_work(struct ik_search *search)
{
	size_t cost = 0;
	bool changed = false;

	if (search->seeking)
		changed = work_seek(search, &cost);
	if (!search->seeking && must_count(search))
		changed |= work_count(search, &cost);
	return changed;
}

bool ik_search_working(const struct ik_search *search)
{
	return search->seeking || must_count(search);
}

struct ik_search_state ik_search_state(const struct ik_search *search)
{
	int64_t left = search->low - first_number(search);
	int64_t all = (int64_t)ik_scrollback_count(search->scrollback);

	return (struct ik_search_state){
		.on = search->needle.length > 0,
		.seeking = search->seeking,
		.found = search->found,
		.wrapped = search->wrapped && search->found,
		.counted = left <= 0,
		.total = search->total,
		.partly = search->partly,
		.number = search->number,
		.percent = all > 0 ? (int)((all - (left < all ? left : all)) * 100 / all) : 100,
	};
}

/* ---- showing ---- */

bool ik_search_put_line(struct ik_search *search, struct ik_buf *out)
{
	const struct ik_buf *shown = &search->text.text;
	const char *text, *feed;
	size_t place;

	if (!find_current(search, &place))
		return false;
	text = shown->data;
	feed = memrchr(text, '\n', place);
	size_t start = feed ? (size_t)(feed - text) + 1 : 0;
	feed = memchr(text + place, '\n', shown->length - place);
	size_t end = feed ? (size_t)(feed - text) : shown->length;

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
	size_t index = ik_scrollback_index(scrollback, search->current.block);
	uint32_t section = search->current.section;
	const struct ik_lines *lines = ik_scrollback_lines(scrollback,
		ik_scrollback_at(scrollback, index), section);
	const struct ik_text_run *run = &lines->runs[piece->run];

	if (ik_scrollback_in_window(scrollback,
			ik_scrollback_row(scrollback, index, section, piece->line)))
		ik_scrollback_hold(scrollback, index,
			run->added ? lines->lines[piece->line].source : run->offset + start - piece->start);
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
	const struct found_place *current = &search->current;
	struct ik_needle_scan scan;
	size_t start, length;
	bool current_here = search->found && !block->folded && current->section == place.section &&
		current->block == ik_scrollback_number(search->scrollback, place.block);

	if (block->folded && !block->call)
		return; /* a label isn't searched */
	fill_text(search, block, place.section, false);
	area.columns -= ik_scrollback_gutter(search->scrollback, block);
	area.column += ik_scrollback_gutter(search->scrollback, block);
	ik_needle_begin(&scan, &search->needle, search->text.text.data, search->text.text.length, 0);
	for (size_t i = 0; (start = ik_needle_next(&scan, &length)) != SIZE_MAX; i++)
		paint_match(search, start, start + length,
			current_here && i == current->match ? IK_STYLE_MATCH_CURRENT : IK_STYLE_MATCH, cells,
			area, row);
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
