/* What the mouse marks: from cell to cell, in the rows that are shown; and what of it is
 * text. */
#include "tui/scrollback/scrollback_private.h"

#include <limits.h>
#include <string.h>

#include "tui/text/wrap.h"
#include "util/cluster.h"
#include "util/limits.h"

#define WORD_LINES 1000 /* that a word goes on over, above and below where it is marked */

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

/* The row of a place, at a column of its text. */
static struct ik_mark mark_of(const struct ik_scrollback *scrollback,
	struct ik_scrollback_place place, int column)
{
	uint32_t gap = place.section == 0 ? ik_scrollback_gap(scrollback, place.block) : 0;

	return (struct ik_mark){
		.number = scrollback->first_number + (int64_t)place.block,
		.section = place.section,
		.line = (int64_t)place.line - gap,
		.column = column,
	};
}

/* The place of a row that is marked; false: it is there no more. */
static bool place_of(const struct ik_scrollback *scrollback, const struct ik_mark *mark,
	struct ik_scrollback_place *ret_place)
{
	int64_t index = mark->number - scrollback->first_number;

	if (index < 0 || index >= (int64_t)scrollback->count)
		return false;
	struct ik_block *block = ik_scrollback_prepared(scrollback, (size_t)index);
	uint32_t gap = mark->section == 0 ? ik_scrollback_gap(scrollback, (size_t)index) : 0;

	if (mark->section >= block->section_count || mark->line + gap < 0 ||
		mark->line >= ik_scrollback_lines(scrollback, block, mark->section)->count)
		return false;
	*ret_place = (struct ik_scrollback_place){
		.block = (size_t)index, .section = mark->section, .line = (uint32_t)(mark->line + gap)
	};
	return true;
}

/* Which row comes first: below, at or above 0. */
static int compare_rows(const struct ik_mark *a, const struct ik_mark *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Is something marked, at this width? Its ends, in order. */
static bool ends(const struct ik_scrollback *scrollback, struct ik_mark *ret_first,
	struct ik_mark *ret_last)
{
	int order = compare_rows(&scrollback->mark_anchor, &scrollback->mark_head);

	if (!scrollback->marked || scrollback->marked_columns != scrollback->columns)
		return false;
	if (order == 0)
		order = scrollback->mark_anchor.column - scrollback->mark_head.column;
	*ret_first = order <= 0 ? scrollback->mark_anchor : scrollback->mark_head;
	*ret_last = order <= 0 ? scrollback->mark_head : scrollback->mark_anchor;
	return true;
}

/* The columns of a row that are marked: from the first to before the second. */
static bool marked_part(const struct ik_mark *row, const struct ik_mark *first,
	const struct ik_mark *last, int *ret_from, int *ret_to)
{
	int to_first = compare_rows(row, first), to_last = compare_rows(row, last);

	*ret_from = to_first == 0 ? first->column : 0;
	*ret_to = to_last == 0 ? last->column + 1 : INT_MAX;
	return to_first >= 0 && to_last <= 0;
}

/* The line that is shown in a row; NULL: the blank row before a block. */
static const struct ik_lines *line_of(const struct ik_scrollback *scrollback,
	struct ik_scrollback_place place, struct ik_block **ret_block, uint32_t *ret_line)
{
	uint32_t gap = place.section == 0 ? ik_scrollback_gap(scrollback, place.block) : 0;

	*ret_block = ik_scrollback_prepared(scrollback, place.block);
	*ret_line = place.line - gap;
	return place.line < gap ? NULL : ik_scrollback_lines(scrollback, *ret_block, place.section);
}

static const char *run_text(const struct ik_block *block, const struct ik_lines *lines,
	const struct ik_text_run *run)
{
	return (run->added ? lines->added : block->text) + run->offset;
}

static bool is_frame(const struct ik_text_run *run)
{
	return run->added && run->style == IK_STYLE_FRAME;
}

/* The column behind the last run. */
static int line_end(const struct ik_block *block, const struct ik_lines *lines, uint32_t line)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);

	if (count == 0)
		return 0;
	const struct ik_text_run *last = &runs[count - 1];

	return last->column + (int)ik_utf8_width(run_text(block, lines, last), last->length);
}

void ik_mark_paint(const struct ik_scrollback *scrollback, struct ik_scrollback_place place,
	struct ik_cells *cells, struct ik_rectangle text_area, int row)
{
	struct ik_mark first, last, here = mark_of(scrollback, place, 0);
	struct ik_block *block;
	uint32_t line;
	int from, to;

	if (!ends(scrollback, &first, &last) || !marked_part(&here, &first, &last, &from, &to))
		return;
	const struct ik_lines *lines = line_of(scrollback, place, &block, &line);
	int end = lines ? line_end(block, lines, line) : 0;
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

/* The row that is shown in a row of the area, and the column in its text; the last one for
 * what is below all text. */
static struct ik_scrollback_place place_at(struct ik_scrollback *scrollback, int row, int column,
	int *ret_column)
{
	struct ik_scrollback_place place = ik_scrollback_window(scrollback);
	int down = row - scrollback->area.row;
	bool beneath = ik_place_down(scrollback, &place, (size_t)down) < (size_t)down;
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
	struct ik_scrollback_place place = place_at(scrollback, row, column, &at);
	scrollback->mark_anchor = mark_of(scrollback, place, at);
	scrollback->marked_columns = scrollback->columns;
	scrollback->marking = true;
}

/* Is the cell that the mark began at in the first row of the window? */
static bool begins_in_first_row(struct ik_scrollback *scrollback)
{
	struct ik_mark first = mark_of(scrollback, ik_scrollback_window(scrollback), 0);

	return compare_rows(&scrollback->mark_anchor, &first) == 0;
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
	struct ik_scrollback_place place = place_at(scrollback, row, column, &at);
	scrollback->mark_head = mark_of(scrollback, place, at);
	scrollback->marked = true;
}

/* A cell of the lines of a section. */
struct spot {
	uint32_t line;
	int column;
};

/* A word while it is read. */
struct word {
	struct spot start, end; /* end: behind it */
	struct spot last;       /* its last cell, without the stops of a sentence */
	bool any, address;      /* address: it has :// in it */
	int open;               /* brackets of an address */
	char before[2];         /* its last two bytes */
};

static bool is_before_spot(struct spot a, struct spot b)
{
	return a.line != b.line ? a.line < b.line : a.column < b.column;
}

static bool covers(const struct word *word, struct spot spot)
{
	return word->any && !is_before_spot(spot, word->start) && is_before_spot(spot, word->end);
}

/* Does a word go on with that cluster? */
static bool is_of_word(const struct word *word, const char *text, size_t length)
{
	char byte = text[0];

	if (length > 1 || (unsigned char)byte >= 0x80)
		return true;
	if (word->address && byte && strchr("(,;!$*'", byte))
		return true;
	if (byte == ')')
		return word->open > 0;
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
		(byte >= 'A' && byte <= 'Z') || (byte && strchr("_-./~@%+#?&=:", byte));
}

/* Take a cluster that is of the word. */
static void add_to_word(struct word *word, char byte, struct spot at, int width)
{
	if (!word->any)
		*word = (struct word){ .start = at, .any = true };
	word->end = (struct spot){ at.line, at.column + width };
	word->address = word->address ||
		(byte == '/' && word->before[0] == ':' && word->before[1] == '/');
	word->open += byte == '(' ? 1 : byte == ')' ? -1 : 0;
	bool is_first = at.line == word->start.line && at.column == word->start.column;

	if (is_first || !strchr(".:?,;!", byte))
		word->last = (struct spot){ at.line, at.column + width - 1 };
	word->before[0] = word->before[1];
	word->before[1] = byte;
}

/* Where in the text that ends which a line shows. */
static size_t source_end(const struct ik_lines *lines, uint32_t line)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	size_t end = lines->lines[line].source;

	for (uint32_t i = 0; i < count; i++)
		if (!runs[i].added)
			end = (size_t)runs[i].offset + runs[i].length;
	return end;
}

/* Was there nothing at the place where the line before was broken for this one? */
static bool is_glued(const struct ik_lines *lines, uint32_t line)
{
	return line > 0 && line < lines->count && lines->lines[line].continues &&
		source_end(lines, line - 1) >= lines->lines[line].source;
}

/* Read on in a line; true: the word is done that covers the spot. */
static bool read_words(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	struct spot spot, struct word *word)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	bool goes_on = word->any && is_glued(lines, line);

	for (uint32_t i = 0; i < count; i++) {
		const char *text = run_text(block, lines, &runs[i]);
		struct ik_cluster cluster;
		struct spot at = { line, runs[i].column };

		if (is_frame(&runs[i]))
			continue;
		for (size_t done = 0; done < runs[i].length; done += cluster.length) {
			cluster = ik_cluster_next(text + done, runs[i].length - done);
			if (!goes_on && (word->end.line != line || word->end.column != at.column)) {
				if (covers(word, spot))
					return true;
				word->any = word->address = false;
				word->open = 0;
			}
			goes_on = false;
			if (is_of_word(word, text + done, cluster.length)) {
				add_to_word(word, text[done], at, cluster.width);
			} else if (covers(word, spot)) {
				return true;
			} else {
				*word = (struct word){ .end = { line, at.column + cluster.width } };
			}
			at.column += cluster.width;
		}
	}
	return false;
}

/* The word at a spot: its first and its last cell, in other lines perhaps. */
static bool word_at(const struct ik_block *block, const struct ik_lines *lines, struct spot spot,
	struct spot *ret_first, struct spot *ret_last)
{
	struct word word = { .any = false };
	uint32_t line = spot.line, end;

	while (is_glued(lines, line) && spot.line - line < WORD_LINES)
		line--;
	for (end = spot.line + 1; is_glued(lines, end) && end - spot.line < WORD_LINES;)
		end++;
	bool found = false;

	for (; line < end && !found; line++)
		found = read_words(block, lines, line, spot, &word);
	*ret_first = word.start;
	*ret_last = word.last;
	return found || covers(&word, spot);
}

bool ik_scrollback_mark_word(struct ik_scrollback *scrollback, int row, int column)
{
	struct spot spot, first, last;
	struct ik_block *block;

	ik_scrollback_mark_begin(scrollback, row, column);
	if (!scrollback->marking)
		return false;
	struct ik_scrollback_place place = place_at(scrollback, row, column, &spot.column);
	const struct ik_lines *lines = line_of(scrollback, place, &block, &spot.line);

	if (!lines || !word_at(block, lines, spot, &first, &last))
		return false;
	uint32_t gap = place.line - spot.line;
	place.line = first.line + gap;
	scrollback->mark_anchor = mark_of(scrollback, place, first.column);
	place.line = last.line + gap;
	scrollback->mark_head = mark_of(scrollback, place, last.column);
	scrollback->marked = true;
	return true;
}

/* Is there nothing but blanks? (An empty stretch is.) */
static bool is_blank(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] != ' ' && text[i] != '\t')
			return false;
	return true;
}

/* Where the blanks begin that take so many columns before a place, in the line of the text
 * that it is in; the place itself: they do not take just as many. */
static size_t indented_from(const char *text, size_t place, int columns)
{
	size_t start = place, end = place;
	int at = 0;

	while (start > 0 && place - start < IK_KIB(4) && text[start - 1] != '\n')
		start--;
	while (end > start && is_blank(text + end - 1, 1))
		end--;
	for (size_t i = start; i < place; i++)
		at += text[i] == '\t' ? IK_CODE_TAB_COLUMNS - at % IK_CODE_TAB_COLUMNS : 1;
	int until = at - columns;
	at = 0;
	for (size_t i = start; i < place; i++) {
		if (i >= end && at == until)
			return i;
		at += text[i] == '\t' ? IK_CODE_TAB_COLUMNS - at % IK_CODE_TAB_COLUMNS : 1;
	}
	return place;
}

/* Append what stands between the last text and a place behind it: the blanks that were
 * written there, or else as many as are seen. */
static void put_gap(const struct ik_block *block, size_t from, size_t to, int columns,
	struct ik_buf *out)
{
	if (from == to && columns > 0) /* the parser has made blanks of tabs */
		from = indented_from(block->text, to, columns);
	if (from < to && columns > 0 && is_blank(block->text + from, to - from)) {
		ik_buf_append(out, block->text + from, to - from);
		return;
	}
	for (; columns > 0; columns--)
		ik_buf_putc(out, ' ');
}

/* Append the clusters of a line that are in these columns. False: there is but a frame in it. */
static bool put_line(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	int from, int to, struct ik_buf *out)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);
	const struct ik_line *own = &lines->lines[line];
	int end = own->continues ? -1 : from; /* columns up to here are written */
	size_t source = own->source;
	bool text = count == 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *bytes = run_text(block, lines, &runs[i]);
		int at = runs[i].column;

		if (is_frame(&runs[i])) {
			if (!text && end >= 0) /* a bar, and the blank behind it */
				end = at + (int)ik_utf8_width(bytes, runs[i].length) + 1;
			continue;
		}
		text = true;
		if (runs[i].added && is_blank(bytes, runs[i].length))
			continue; /* seen in place of a tab */
		struct ik_cluster cluster;

		for (size_t done = 0; done < runs[i].length; done += cluster.length) {
			cluster = ik_cluster_next(bytes + done, runs[i].length - done);
			if (at < to && at + cluster.width > from) {
				if (end >= 0 && at > end)
					put_gap(block, source, runs[i].added ? 0 : runs[i].offset + done, at - end,
						out);
				ik_buf_append(out, bytes + done, cluster.length);
				end = at + cluster.width;
			}
			at += cluster.width;
		}
		if (!runs[i].added)
			source = (size_t)runs[i].offset + runs[i].length;
	}
	return text;
}

/* Append what a line was broken at: the blanks that had no room. */
static void put_seam(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	size_t next, struct ik_buf *out)
{
	size_t end = source_end(lines, line);
	size_t length = next > end ? next - end : 0;
	const char *gap = block->text + end;

	if (length > 0 && is_blank(gap, length))
		ik_buf_append(out, gap, length);
	else if (length > 0 && (memchr(gap, ' ', length) || memchr(gap, '\n', length)))
		ik_buf_putc(out, ' '); /* and the signs of a markup */
}

bool ik_scrollback_marked(struct ik_scrollback *scrollback, struct ik_buf *out)
{
	struct ik_mark first, last;
	struct ik_scrollback_place place, end;
	bool due = false; /* a line feed, before the next line */

	if (!ends(scrollback, &first, &last) || !place_of(scrollback, &first, &place) ||
		!place_of(scrollback, &last, &end))
		return false;
	const struct ik_lines *before = NULL;
	uint32_t before_line = 0;

	for (;;) {
		struct ik_mark here = mark_of(scrollback, place, 0);
		struct ik_block *block;
		uint32_t line;
		int from, to;
		const struct ik_lines *lines = line_of(scrollback, place, &block, &line);

		if (!marked_part(&here, &first, &last, &from, &to))
			break;
		size_t length = out->length;

		if (due && lines && before && lines->lines[line].continues)
			put_seam(block, before, before_line, lines->lines[line].source, out);
		else if (due)
			ik_buf_putc(out, '\n');
		if (!lines || put_line(block, lines, line, from, to, out)) {
			due = true;
			before = lines;
			before_line = line;
		} else {
			ik_buf_truncate(out, length);
		}
		if (ik_buf_status(out) != IK_OK || ik_place_down(scrollback, &place, 1) == 0)
			break;
	}
	return out->length > 0;
}
