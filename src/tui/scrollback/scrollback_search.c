#include "tui/scrollback/scrollback_search.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/search_private.h"
#include "util/alloc.h"
#include "util/utf8.h"

/* What a slice of work may cost, in bytes of text that is only looked through: some
 * milliseconds. What is laid out for it, or looked at at all, costs more. */
#define SLICE_BYTES 4000000
#define LAYOUT_COST 60
#define SOURCE_COST 20000 /* of a section that is read as it is written */
#define BLOCK_COST 200
#define CHUNK 1000000        /* of a large text that is looked through at once */
#define NUMBER_BYTES 1000000 /* of text before the place that is counted for its number */

size_t ik_search_reach(const struct ik_search *search)
{
	return search->needle.count * 4;
}

struct ik_search *ik_search_new(struct ik_scrollback *scrollback)
{
	struct ik_search *search = ik_alloc(sizeof(*search));

	search->scrollback = scrollback;
	ik_needle_init(&search->needle, "", 0);
	ik_search_text_init(&search->text);
	ik_search_text_init(&search->painted_text);
	search->way = -1;
	scrollback->search = search;
	ik_search_begin(search);
	return search;
}

struct ik_search *ik_search_free(struct ik_search *search)
{
	if (!search)
		return NULL;
	search->scrollback->search = NULL;
	ik_needle_done(&search->needle);
	ik_needle_done(&search->word);
	ik_search_text_done(&search->text);
	ik_search_text_done(&search->painted_text);
	free(search->marks);
	free(search);
	return NULL;
}

/* The number behind the last block. */
static int64_t end_number(const struct ik_search *search)
{
	return search->scrollback->first_number + (int64_t)search->scrollback->count;
}

/* Where the window ends: what is found first is above it. Downwards: where it begins. */
static struct ik_found_place window_edge(const struct ik_search *search)
{
	struct ik_scrollback *scrollback = search->scrollback;

	if (scrollback->count == 0)
		return (struct ik_found_place){ .block = scrollback->first_number };
	struct ik_scrollback_place row = ik_scrollback_window(scrollback);
	bool down = search->way > 0;
	size_t rows = down ? 0 : scrollback->rows > 0 ? (size_t)scrollback->rows : 1;
	bool more = ik_place_down(scrollback, &row, rows) == rows;
	struct ik_block *block = ik_scrollback_prepared(scrollback, row.block);
	struct ik_found_place place = {
		.block = scrollback->first_number + (int64_t)row.block,
		.offset = down ? 0 : SIZE_MAX,
	};
	uint32_t gap = row.section == 0 ? ik_scrollback_gap(scrollback, row.block) : 0;

	if (ik_search_is_laid_out(block))
		place.unit = row.section;
	else if (more && !block->folded)
		place.offset = row.line < gap
			? 0
			: ik_scrollback_lines(scrollback, block, row.section)->lines[row.line - gap].source;
	return place;
}

void ik_search_downwards(struct ik_search *search)
{
	search->way = 1;
	search->origin = window_edge(search);
}

void ik_search_begin(struct ik_search *search)
{
	search->back = ik_scrollback_place(search->scrollback);
	search->origin = window_edge(search);
}

/* The block that was opened for the place that was shown is folded again. */
static void close_opened(struct ik_search *search)
{
	struct ik_block *block = ik_search_block(search, search->current.block);

	if (search->opened && block)
		ik_scrollback_fold(search->scrollback,
			(size_t)(search->current.block - search->scrollback->first_number), true);
	search->opened = false;
}

void ik_search_back(struct ik_search *search)
{
	close_opened(search);
	ik_scrollback_go(search->scrollback, search->back);
}

/* Look for a place from there on. */
static void seek(struct ik_search *search, struct ik_found_place from, int direction)
{
	search->seeking = search->needle.length > 0 && search->scrollback->count > 0;
	search->at = search->start = from;
	search->direction = direction;
	search->inside = false;
	search->entered = INT64_MIN;
	search->wrapped = search->in_block = false;
}

/* All counting begins anew. */
static void forget_counts(struct ik_search *search)
{
	search->generation++;
	search->low = search->high = end_number(search);
	search->counting = (struct ik_found_place){ .block = INT64_MIN };
	search->total = search->number = search->partly = 0;
}

void ik_search_restart(struct ik_search *search)
{
	bool found = search->found;

	search->found = search->opened = false;
	forget_counts(search);
	search->origin = window_edge(search);
	if (found)
		seek(search, search->origin, search->way);
}

void ik_search_set(struct ik_search *search, const char *pattern, size_t length)
{
	ik_needle_done(&search->needle);
	ik_needle_done(&search->word);
	ik_needle_init(&search->needle, pattern, length);
	search->has_word = ik_needle_word(&search->needle, &search->word);
	search->phrase = ik_phrase_of(&search->needle, search->has_word ? &search->word : NULL);
	forget_counts(search);
	close_opened(search);
	search->found = false;
	seek(search, search->origin, search->way);
}

void ik_search_set_in(struct ik_search *search, const char *pattern, size_t length, size_t index)
{
	ik_search_set(search, pattern, length);
	ik_search_begin(search);
	seek(search,
		(struct ik_found_place){ .block = search->scrollback->first_number + (int64_t)index }, 1);
	search->in_block = true;
}

/* The first place at or behind search->at of the unit that is looked at; SIZE_MAX: none before
 * *ret_stop, where one goes on. */
static size_t find_first(const struct ik_search *search, size_t *ret_stop, size_t *ret_length)
{
	const struct ik_search_text *text = &search->text;
	size_t from = search->at.offset, stop = text->length, reach = ik_search_reach(search);

	if (stop - from > SLICE_BYTES + reach)
		stop = from + SLICE_BYTES + reach;
	size_t found = ik_needle_find(&search->needle, text->text, stop, from, ret_length);
	*ret_stop = stop < text->length ? stop - reach : stop;
	while (*ret_stop < text->length && ik_utf8_is_continuation(text->text[*ret_stop]))
		++*ret_stop;
	return found;
}

/* The last place in [0, before) of the unit that is looked at; SIZE_MAX: none that ends behind
 * *ret_stop, where one goes on. Windows that grow are looked through from behind. */
static size_t find_last(const struct ik_search *search, size_t before, size_t *ret_stop,
	size_t *ret_length)
{
	const struct ik_search_text *text = &search->text;
	size_t reach = ik_search_reach(search);

	*ret_stop = 0;
	for (size_t window = 4096, end = before; end > 0; window *= 4) {
		size_t start = end > window ? end - window : 0;

		while (start > 0 && ik_utf8_is_continuation(text->text[start]))
			start--;
		size_t stop = end + reach < text->length ? end + reach : text->length;
		size_t last = SIZE_MAX, length, found;
		struct ik_needle_scan scan;
		ik_needle_begin(&scan, &search->needle, text->text, stop, start);
		while ((found = ik_needle_next(&scan, &length)) < end && found + length <= before) {
			last = found;
			*ret_length = length;
		}
		if (last != SIZE_MAX)
			return last;
		end = start;
		if (start > 0 && before - start >= SLICE_BYTES + reach) {
			/* What begins before it may end behind it. */
			*ret_stop = start + reach;
			while (ik_utf8_is_continuation(text->text[*ret_stop]))
				++*ret_stop;
			break;
		}
	}
	return SIZE_MAX;
}

/* What laying out that much of a block costs; with it goes what its links name. */
static size_t layout_cost(const struct ik_block *block, size_t length)
{
	return (length + block->learnt.text.length) * LAYOUT_COST;
}

/* A place in the unit at search->at, in the direction; false: none. */
static bool find_in_unit(struct ik_search *search, struct ik_block *block, size_t *cost)
{
	size_t found;

	search->inside = false;
	if (ik_search_excludes_unit(&search->phrase, &search->needle,
			search->has_word ? &search->word : NULL, block, search->at.unit)) {
		*cost += SOURCE_COST;
		return false;
	}
	ik_search_text_fill(&search->text, search->scrollback, block, search->at.unit, true);
	size_t length = search->text.length;

	if (search->at.offset > length)
		search->at.offset = length;
	size_t from = search->at.offset, stop;

	if (search->direction > 0)
		found = find_first(search, &stop, &search->current_length);
	else
		found = find_last(search, from, &stop, &search->current_length);
	*cost += search->text.flat ? layout_cost(block, length)
		: stop > from          ? stop - from
							   : from - stop;
	search->inside = found == SIZE_MAX && stop != (search->direction > 0 ? length : 0);
	search->at.offset = found != SIZE_MAX ? found : stop;
	return found != SIZE_MAX;
}

/* To the next block; false: all have been looked at. */
static bool next_block(struct ik_search *search)
{
	int64_t first = search->scrollback->first_number, end = end_number(search);
	int64_t next = search->at.block + search->direction;

	if (search->wrapped && search->at.block == search->start.block)
		return false;
	if (next < first || next >= end) {
		if (search->wrapped)
			return false;
		search->wrapped = true;
		next = next < first ? end - 1 : first;
	}
	search->inside = false;
	search->at = (struct ik_found_place){
		.block = next,
		.unit = search->direction > 0 ? 0 : UINT32_MAX,
		.offset = search->direction > 0 ? 0 : SIZE_MAX,
	};
	return true;
}

/* Is it known that nothing is in it? */
static bool is_empty(const struct ik_search *search, const struct ik_block *block)
{
	return block->found_by == search->generation && block->found == 0 && !block->growing &&
		!block->call;
}

/* Is it so large that one look at all of it would be too long a slice? */
static bool is_large(const struct ik_block *block)
{
	size_t length = block->call ? ik_call_envelope_size(block->call)
		: block->filled         ? block->full_length
								: 0;

	return length > SLICE_BYTES * 2;
}

/* Look through the block at search->at from the unit there on. */
static bool find_in_block(struct ik_search *search, struct ik_block *block, size_t *cost)
{
	*cost += BLOCK_COST;
	if (is_empty(search, block))
		return false;
	bool entered = search->entered == search->at.block;
	search->entered = search->at.block;
	search->inside = false;
	if (!entered && !is_large(block) &&
		ik_search_excludes(&search->phrase, search->has_word ? &search->word : NULL, block)) {
		*cost += block->filled ? block->full_length
			: block->message   ? block->message->content_length
							   : 0;
		if (!block->growing && !block->call) {
			block->found = 0; /* counting need not look at it again */
			block->found_by = search->generation;
		}
		return false;
	}
	uint32_t units = ik_search_units(block);

	if (search->at.unit >= units)
		search->at.unit = units - 1;
	for (;;) {
		if (find_in_unit(search, block, cost))
			return true;
		if (search->inside)
			return false;
		if (search->direction > 0 ? search->at.unit + 1 >= units : search->at.unit == 0)
			return false;
		search->at.unit += search->direction > 0 ? 1 : UINT32_MAX;
		search->at.offset = search->direction > 0 ? 0 : SIZE_MAX;
		if (*cost >= SLICE_BYTES)
			return false;
	}
}

/* Has a block been left in the middle, for the next slice? */
static bool is_unfinished(const struct ik_search *search, struct ik_block *block, size_t cost)
{
	if (search->inside)
		return true;
	if (cost < SLICE_BYTES || is_empty(search, block))
		return false;
	bool fresh = search->at.offset == (search->direction > 0 ? 0 : SIZE_MAX);

	return fresh && ik_search_units(block) > 1;
}

void ik_search_select(struct ik_search *search)
{
	if (search->found && ik_search_block(search, search->current.block))
		ik_scrollback_select_at(search->scrollback,
			(size_t)(search->current.block - search->scrollback->first_number), true);
}

/* Which of all it is, where that is cheap to say. */
static void find_number(struct ik_search *search)
{
	size_t number = 1;
	struct ik_block *block = ik_search_block(search, search->current.block);

	search->number = 0;
	if (!search->found || !block || search->low > search->scrollback->first_number)
		return;
	for (int64_t i = search->scrollback->first_number; i < search->current.block; i++)
		if (ik_search_block(search, i)->found_by == search->generation)
			number += ik_search_block(search, i)->found;
	size_t cost = 0;

	for (uint32_t unit = 0; unit <= search->current.unit; unit++) {
		ik_search_text_fill(&search->text, search->scrollback, block, unit, true);
		size_t length = search->text.length;

		if (unit == search->current.unit && search->current.offset < length)
			length = search->current.offset;
		cost += length * (search->text.flat ? LAYOUT_COST / 4 : 1);
		if (cost > NUMBER_BYTES)
			return;
		number += ik_needle_count(&search->needle, search->text.text, length);
	}
	search->number = number;
}

/* A place was found at search->at. */
static void take_found(struct ik_search *search)
{
	struct ik_found_place old = search->current;
	bool had = search->found;
	size_t number = search->number;

	search->seeking = false;
	if (had && old.block != search->at.block)
		close_opened(search);
	search->found = true;
	search->current = search->at;
	ik_search_show(search);
	if (had && number > 0 && search->total > 0 && !search->wrapped)
		search->number = search->direction > 0 ? number + 1 : number - 1;
	else if (had && number > 0 && search->wrapped)
		search->number = search->direction > 0 ? 1 : search->total;
	else
		find_number(search);
}

/* Go on looking for the place to show. */
static bool work_seek(struct ik_search *search, size_t *cost)
{
	while (*cost < SLICE_BYTES) {
		struct ik_block *block = ik_search_block(search, search->at.block);

		if (!block) {
			search->seeking = false;
			return true;
		}
		if (find_in_block(search, block, cost)) {
			take_found(search);
			return true;
		}
		if (is_unfinished(search, block, *cost))
			return false;
		if (search->in_block || !next_block(search)) {
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
	struct ik_found_place from = search->current;

	if (!search->found)
		from = window_edge(search);
	else if (direction > 0)
		from.offset += search->current_length;
	seek(search, from, direction);
}

/* Count on in the unit that is looked at, a stretch of it; true: it is done. */
static bool count_unit(struct ik_search *search, size_t *cost)
{
	const struct ik_search_text *text = &search->text;
	size_t reach = ik_search_reach(search), length, found;

	while (search->counting.offset < text->length && *cost < SLICE_BYTES) {
		size_t from = search->counting.offset;
		size_t stop = text->length - from > CHUNK ? from + CHUNK : text->length;
		struct ik_needle_scan scan;

		ik_needle_begin(&scan, &search->needle, text->text, stop, from);
		while ((found = ik_needle_next(&scan, &length)) != SIZE_MAX) {
			search->counting_found++;
			from = found + length;
		}
		*cost += stop - search->counting.offset;
		size_t next = stop == text->length ? stop : stop - reach;

		while (next < stop && ik_utf8_is_continuation(text->text[next]))
			next++;
		search->counting.offset = from > next ? from : next;
	}
	return search->counting.offset >= text->length;
}

/* Count what is in a block; true: it is done. */
static bool count_block(struct ik_search *search, int64_t number, size_t *cost)
{
	struct ik_block *block = ik_search_block(search, number);
	const struct ik_needle *word = search->has_word ? &search->word : NULL;

	if (search->counting.block != number) {
		search->counting = (struct ik_found_place){ .block = number };
		search->counting_found = 0;
		*cost += BLOCK_COST;
		if (is_empty(search, block))
			return true;
		if (!is_large(block) && ik_search_excludes(&search->phrase, word, block)) {
			*cost += block->filled ? block->full_length
				: block->message   ? block->message->content_length
								   : 0;
			return true;
		}
	}
	for (uint32_t units = ik_search_units(block); search->counting.unit < units;) {
		if (*cost >= SLICE_BYTES)
			return false;
		size_t length;
		const char *source = ik_search_is_laid_out(block)
			? ik_search_source(block, search->counting.unit, &length)
			: NULL;
		if (source) {
			*cost += SOURCE_COST;
			search->counting_found += ik_needle_count(&search->needle, source, length);
		} else if (ik_search_excludes_unit(&search->phrase, &search->needle, word, block,
					   search->counting.unit)) {
			*cost += SOURCE_COST;
		} else {
			ik_search_text_fill(&search->text, search->scrollback, block, search->counting.unit,
				true);
			if (search->text.flat)
				*cost += layout_cost(block, search->text.length);
			else if (block->call)
				*cost += search->text.length * 4;
			if (search->text.flat || block->call)
				search->counting_found += ik_needle_count(&search->needle, search->text.text,
					search->text.length);
			else if (!count_unit(search, cost))
				return false;
		}
		search->counting.unit++;
		search->counting.offset = 0;
	}
	return true;
}

/* Does what it shows still change? */
static bool is_open(const struct ik_block *block)
{
	return block->growing ||
		(block->call && block->call->stage != IK_STAGE_OK && block->call->stage != IK_STAGE_FAILED);
}

/* Are there blocks to be counted? */
static bool must_count(const struct ik_search *search)
{
	if (search->needle.length == 0)
		return false;
	if (search->low > search->scrollback->first_number)
		return true;
	struct ik_block *next = ik_search_block(search, search->high);

	return next && !is_open(next);
}

/* Go on counting, blocks that came at the end first. */
static bool work_count(struct ik_search *search, size_t *cost)
{
	bool any = false;

	while (*cost < SLICE_BYTES && must_count(search)) {
		struct ik_block *next = ik_search_block(search, search->high);
		bool up = next && !is_open(next);
		int64_t number = up ? search->high : search->low - 1;

		if (!count_block(search, number, cost))
			return true;
		struct ik_block *block = ik_search_block(search, number);
		block->found = (uint32_t)search->counting_found;
		block->found_by = search->generation;
		search->total += search->counting_found;
		search->partly += block->call && ik_call_has_more(block->call);
		search->counting.block = INT64_MIN;
		if (up)
			search->high++;
		else
			search->low--;
		any = true;
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
	const struct ik_scrollback *scrollback = search->scrollback;
	int64_t left = search->low - scrollback->first_number;
	int64_t all = (int64_t)scrollback->count;

	return (struct ik_search_state){
		.on = search->needle.length > 0,
		.seeking = search->seeking,
		.found = search->found,
		.wrapped = search->wrapped && search->found,
		.counted = search->low <= scrollback->first_number,
		.total = search->total,
		.partly = search->partly,
		.number = search->number,
		.percent = all > 0 ? (int)((all - (left < all ? left : all)) * 100 / all) : 100,
	};
}
