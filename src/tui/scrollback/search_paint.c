/* What was found, marked where it is shown. */
#include "tui/scrollback/scrollback_search.h"

#include <stdlib.h>
#include <string.h>

#include "tui/scrollback/search_private.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/utf8.h"

/* Mark the part [start, end) of a run's text. */
static void add_mark(struct ik_search *search, const struct ik_text_run *run, uint32_t line,
	const char *text, size_t start, size_t end, bool current)
{
	if (search->mark_count == search->mark_capacity) {
		search->mark_capacity = search->mark_capacity ? search->mark_capacity * 2 : 64;
		search->marks = ik_alloc_array(search->marks, search->mark_capacity,
			sizeof(*search->marks));
	}
	search->marks[search->mark_count++] = (struct ik_search_mark){
		.line = line,
		.column = run->column + (int)ik_utf8_width(text, start),
		.columns = (int)ik_utf8_width(text + start, end - start),
		.current = current,
	};
}

/* Is what was found there what is shown of all? */
static bool is_current(const struct ik_search *search, int64_t number, uint32_t unit, size_t offset)
{
	return search->found && search->current.block == number && search->current.unit == unit &&
		search->current.offset == offset;
}

/* What was found at [found, found + length) of flat text: the pieces of it. */
static void mark_flat(struct ik_search *search, const struct ik_lines *lines, size_t found,
	size_t length, bool current)
{
	const struct ik_search_text *text = &search->painted_text;
	size_t low = 0, high = text->count;

	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (text->pieces[middle].start <= found)
			low = middle;
		else
			high = middle;
	}
	for (; low < text->count && text->pieces[low].start < found + length; low++) {
		const struct ik_search_piece *piece = &text->pieces[low];
		size_t start = found > piece->start ? found - piece->start : 0;
		size_t end = found + length - piece->start;

		if (end > piece->length)
			end = piece->length;
		if (start < end)
			add_mark(search, &lines->runs[piece->run], piece->line, text->text + piece->start,
				start, end, current);
	}
}

/* The same of the text itself: the runs that hold it. */
static void mark_plain(struct ik_search *search, const struct ik_block *block,
	const struct ik_lines *lines, size_t found, size_t length, bool current)
{
	for (uint32_t line = ik_lines_find(lines, found);
		 line < lines->count && lines->lines[line].source < found + length; line++) {
		uint32_t count;
		const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);

		for (uint32_t i = 0; i < count; i++) {
			size_t start = found > runs[i].offset ? found - runs[i].offset : 0;
			size_t end = found + length > runs[i].offset ? found + length - runs[i].offset : 0;

			if (end > runs[i].length)
				end = runs[i].length;
			if (!runs[i].added && start < end)
				add_mark(search, &runs[i], line, block->text + runs[i].offset, start, end, current);
		}
	}
}

/* Find what is to be marked in a section. */
static void make_marks(struct ik_search *search, size_t index, struct ik_block *block,
	uint32_t section)
{
	struct ik_scrollback *scrollback = search->scrollback;
	const struct ik_lines *lines = ik_scrollback_lines(scrollback, block, section);
	int64_t number = scrollback->first_number + (int64_t)index;
	bool flat = ik_search_is_laid_out(block);
	struct ik_needle_scan scan;
	size_t found, length;

	search->painted = block;
	search->painted_section = section;
	search->mark_count = search->mark_at = 0;
	if (block->folded && !block->call)
		return; /* a label is nothing that is searched */
	if (flat) {
		ik_search_text_fill(&search->painted_text, scrollback, block, section, false);
		ik_needle_begin(&scan, &search->needle, search->painted_text.text,
			search->painted_text.length, 0);
	} else {
		size_t reach = ik_search_reach(search);
		size_t from = block->sections[section].start, stop = block->sections[section].end;

		from = from > reach ? from - reach : 0;
		stop = block->length - stop > reach ? stop + reach : block->length;
		while (from > 0 && ik_utf8_is_continuation(block->text[from]))
			from--;
		ik_needle_begin(&scan, &search->needle, block->text, stop, from);
	}
	while ((found = ik_needle_next(&scan, &length)) != SIZE_MAX) {
		bool current = is_current(search, number, flat ? section : 0, found);

		if (flat)
			mark_flat(search, lines, found, length, current);
		else
			mark_plain(search, block, lines, found, length, current);
	}
}

void ik_search_paint(struct ik_search *search, size_t index, uint32_t section, uint32_t line,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	struct ik_block *block = ik_scrollback_at(search->scrollback, index);

	if (search->needle.length == 0)
		return;
	if (search->painted != block || search->painted_section != section)
		make_marks(search, index, block, section);
	while (search->mark_at < search->mark_count && search->marks[search->mark_at].line < line)
		search->mark_at++;
	for (; search->mark_at < search->mark_count && search->marks[search->mark_at].line == line;
		 search->mark_at++) {
		const struct ik_search_mark *mark = &search->marks[search->mark_at];
		struct ik_rectangle at = { row, area.column + mark->column, 1, mark->columns };

		if (mark->column >= area.columns)
			continue;
		if (at.columns > area.columns - mark->column)
			at.columns = area.columns - mark->column;
		ik_cells_restyle(cells, at, mark->current ? IK_STYLE_MATCH_CURRENT : IK_STYLE_MATCH);
	}
}
