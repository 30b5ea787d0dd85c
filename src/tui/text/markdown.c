#include "tui/text/markdown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <md4c.h>

#include "tui/text/code_colour.h"
#include "tui/text/markdown_source.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"
#include "util/utf8.h"

#define FLOW_DEPTH 32 /* limit of visibly nested quotes and lists */
#define MARK_BYTES 24 /* limit of a list item's mark */
#define ENTITY_MOST 8 /* limit of an entity's name, in bytes */
#define CODEPOINT_LAST 0x10FFFF
#define LISTS 32         /* limit of nested numbered lists */
#define TABLE_COLUMNS 64 /* a wider table is laid out as plain text */
#define GIVE_UP (-1)     /* result of a callback: md4c continues after any other value */
#define BETWEEN 3        /* columns between two cells: a bar with a blank on each side */
#define COLUMN_LEAST 6   /* in narrower cells, each letter would be on its own line */
#define FLAGS \
	(MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS | \
		MD_FLAG_NOHTML)

/* ---- styled text, wrapped after the marks of quotes and lists ---- */

/* A piece of collected text in one style, either copied from the source or added. */
struct flow_piece {
	uint32_t start;  /* in text */
	uint32_t source; /* unless it was added */
	uint8_t style;
	bool added;
};

/* A quote, an item of a list or code around the current text. */
struct flow_frame {
	int columns;
	const char *bar; /* before each line, or NULL */
	bool mark_due;   /* drawn on the next line */
	char mark[MARK_BYTES];
};

/* Text of a paragraph, a cell or the like, collected from the parser. */
struct flow {
	struct ik_lines *lines;
	int columns;
	int prose;     /* columns that text may take; code and tables may take all */
	size_t source; /* how much of the source is laid out */
	struct ik_buf text;
	struct flow_piece *pieces;
	size_t count;
	struct flow_frame frames[FLOW_DEPTH];
	size_t depth;
};

static void flow_clear(struct flow *flow)
{
	ik_buf_clear(&flow->text);
	flow->count = 0;
}

/* Append text in a style; source is its place in the source, or IK_MARKDOWN_NOWHERE. */
static void flow_add(struct flow *flow, const char *text, size_t length, size_t source,
	enum ik_style style)
{
	if (length == 0)
		return;
	bool added = source == IK_MARKDOWN_NOWHERE;
	size_t start = flow->text.length;
	ik_buf_append(&flow->text, text, length);
	if (flow->count > 0) {
		const struct flow_piece *last = &flow->pieces[flow->count - 1];

		if (last->added == added && last->style == style &&
			(added || last->source + (start - last->start) == source))
			return;
	}
	flow->pieces = ik_alloc_more(flow->pieces, flow->count, sizeof(*flow->pieces));
	flow->pieces[flow->count++] = (struct flow_piece){
		.start = (uint32_t)start,
		.source = (uint32_t)source,
		.style = (uint8_t)style,
		.added = added,
	};
}

/* Append a tab: as blanks in code (the parser has already expanded those at the start of a
 * line), else as one blank. */
static void flow_tab(struct flow *flow, bool code, enum ik_style style)
{
	static const char blanks[IK_CODE_TAB_COLUMNS + 1] = "    ";
	size_t count = 1;

	if (code) {
		size_t start = ik_line_begin(flow->text.data, 0, flow->text.length);

		count = IK_CODE_TAB_COLUMNS -
			ik_utf8_width(flow->text.data + start, flow->text.length - start) % IK_CODE_TAB_COLUMNS;
	}
	flow_add(flow, blanks, count, IK_MARKDOWN_NOWHERE, style);
}

/* Return the length of an HTML line break at the start of a text, or 0. */
static size_t break_length(const char *text, size_t length)
{
	static const char *const breaks[] = { "<br>", "<br/>", "<br />" };

	for (size_t i = 0; i < sizeof(breaks) / sizeof(*breaks); i++) {
		size_t size = strlen(breaks[i]);

		if (size <= length && strncasecmp(text, breaks[i], size) == 0)
			return size;
	}
	return 0;
}

/* Return the position of the next tab, or of the next HTML line break ("<br>") at or after
 * breaks, or `length` if there is neither. *ret_length is its length, or 0. */
static size_t flow_special(const char *text, size_t length, size_t breaks, size_t *ret_length)
{
	const char *tab = memchr(text, '\t', length);
	size_t end = tab ? (size_t)(tab - text) : length;
	const char *at = text + breaks;

	*ret_length = tab ? 1 : 0;
	while (at < text + end && (at = memchr(at, '<', (size_t)(text + end - at)))) {
		size_t size = break_length(at, (size_t)(text + length - at));

		if (size > 0) {
			*ret_length = size;
			return (size_t)(at - text);
		}
		at++;
	}
	return end;
}

/* Return the width of the widest line in bytes [start, end) of the flow. */
static int flow_width(const struct flow *flow, size_t start, size_t end)
{
	int widest = 0;

	while (start < end) {
		size_t line_end = ik_line_end(flow->text.data, start, end);
		int width = (int)ik_utf8_width(flow->text.data + start, line_end - start);

		widest = width > widest ? width : widest;
		start = line_end + 1;
	}
	return widest;
}

/* Return the width of all frames. */
static int indentation(const struct flow *flow)
{
	int columns = 0;

	for (size_t i = 0; i < flow->depth && i < FLOW_DEPTH; i++)
		columns += flow->frames[i].columns;
	return columns;
}

/* Return the columns left for text inside the frames; of a width, what they leave of it. */
static int room_within(const struct flow *flow, int columns)
{
	int room = columns - indentation(flow);

	return room > 0 ? room : 1;
}

static int flow_room(const struct flow *flow)
{
	return room_within(flow, flow->prose);
}

/* Begin a quote, code or a list item: it has a bar before each line, or a mark before the first.
 * Frames take at most half of the width; beyond that, the mark becomes part of the text. */
static void flow_push(struct flow *flow, const char *bar, const char *mark)
{
	if (flow->depth >= FLOW_DEPTH) {
		flow->depth++; /* it has no frame of its own */
		return;
	}
	size_t length = mark ? strlen(mark) : 0;
	int columns = mark ? (int)ik_utf8_width(mark, length) : 2;
	bool fits = indentation(flow) + columns <= flow->prose / 2;
	struct flow_frame *frame = &flow->frames[flow->depth++];
	*frame = (struct flow_frame){ .bar = bar, .columns = fits ? columns : 0 };
	if (mark && !fits)
		flow_add(flow, mark, length, IK_MARKDOWN_NOWHERE, IK_STYLE_DIM);
	if (!mark || !fits)
		return;
	frame->mark_due = true;
	(void)snprintf(frame->mark, sizeof(frame->mark), "%s", mark);
}

/* Begin a line with its bars and marks; return the column after them. */
static int flow_line(struct flow *flow, size_t source)
{
	int column = 0;

	if (source > flow->source)
		flow->source = source;
	ik_lines_add(flow->lines, flow->source);
	for (size_t i = 0; i < flow->depth && i < FLOW_DEPTH; i++) {
		struct flow_frame *frame = &flow->frames[i];

		if (frame->bar && frame->columns > 0) {
			ik_lines_add_own(flow->lines, frame->bar, strlen(frame->bar), column, IK_STYLE_FRAME);
		} else if (frame->mark_due) {
			ik_lines_add_own(flow->lines, frame->mark, strlen(frame->mark), column, IK_STYLE_DIM);
			frame->mark_due = false;
		}
		column += frame->columns;
	}
	return column;
}

static void flow_pop(struct flow *flow)
{
	if (flow->depth > 0 && flow->depth-- > FLOW_DEPTH)
		return;
	if (flow->frames[flow->depth].mark_due) { /* an empty item */
		flow->depth++;
		flow_line(flow, flow->source);
		flow->depth--;
	}
}

static size_t piece_at(const struct flow *flow, size_t position)
{
	return ik_text_item_at(flow->pieces, flow->count, sizeof(*flow->pieces), position);
}

/* Return the source of the byte at a position of the flow, or of the next byte that has one. */
static size_t flow_source(const struct flow *flow, size_t position)
{
	for (size_t i = piece_at(flow, position); i < flow->count; i++) {
		const struct flow_piece *piece = &flow->pieces[i];

		if (!piece->added)
			return piece->source + (position > piece->start ? position - piece->start : 0);
	}
	return flow->source;
}

/* Add bytes [start, end) of the flow to the current line, at a column. */
static void flow_runs(struct flow *flow, size_t start, size_t end, int column)
{
	for (size_t i = piece_at(flow, start); start < end && i < flow->count; i++) {
		const struct flow_piece *piece = &flow->pieces[i];
		size_t stop = i + 1 < flow->count ? flow->pieces[i + 1].start : flow->text.length;

		if (stop > end)
			stop = end;
		enum ik_style style = (enum ik_style)piece->style;

		if (piece->added)
			ik_lines_add_own(flow->lines, flow->text.data + start, stop - start, column, style);
		else
			ik_lines_add_run(flow->lines, piece->source + (start - piece->start), stop - start,
				column, style);
		if (stop < end)
			column += (int)ik_utf8_width(flow->text.data + start, stop - start);
		start = stop;
	}
}

/* Lay out bytes [start, end) of the flow, wrapped between words. */
static void flow_wrap(struct flow *flow, size_t start, size_t end)
{
	size_t first = start;

	do {
		struct ik_row row = ik_wrap_row(flow->text.data + start, end - start, flow_room(flow));
		int column = flow_line(flow, flow_source(flow, start));

		if (start > first)
			ik_lines_continue(flow->lines);
		flow_runs(flow, start, start + row.shown, column);
		start += row.taken;
	} while (start < end);
}

/* Return the end of a row of code: the last cluster that leaves room for the mark. */
static size_t code_row(const char *text, size_t length, int room)
{
	size_t width;

	if (ik_utf8_fit(text, length, (size_t)room, &width) == length)
		return length;
	size_t end = ik_utf8_fit(text, length, room > 1 ? (size_t)room - 1 : 1, NULL);

	return end > 0 ? end : ik_cluster_next(text, length).length;
}

/* Put the language's name at the right end of a row of code, if the code, which takes so many
 * columns, leaves room for it. */
static bool put_language(struct flow *flow, int column, int taken, const struct ik_buf *name)
{
	int at = flow_room(flow) - (int)ik_utf8_width(name->data, name->length);
	bool fits = taken + BETWEEN <= at;

	if (fits)
		ik_lines_add_own(flow->lines, name->data, name->length, column + at, IK_STYLE_FRAME);
	return fits;
}

/* Lay out the text of the flow as code: line by line, wrapped anywhere, with marked breaks. name:
 * the language, for the first row with room, or empty. */
static void flow_code(struct flow *flow, const struct ik_buf *name)
{
	const char *text = flow->text.data;
	size_t start = 0, end = flow->text.length;
	int room = room_within(flow, flow->columns);
	bool named = name->length == 0;

	do {
		size_t line_end = ik_line_end(text, start, end), first = start;

		do {
			size_t stop = start + code_row(text + start, line_end - start, room);
			int column = flow_line(flow, flow_source(flow, start));

			if (start > first)
				ik_lines_continue(flow->lines);
			flow_runs(flow, start, stop, column);
			if (stop < line_end && room > 1)
				ik_lines_add_own(flow->lines, "↩", strlen("↩"), column + room - 1, IK_STYLE_FRAME);
			else if (!named)
				named = put_language(flow, column, (int)ik_utf8_width(text + start, stop - start),
					name);
			start = stop;
		} while (start < line_end);
		start = line_end + 1;
	} while (start < end);
}

/* Add a line of a repeated character. */
static void flow_rule(struct flow *flow, const char *character, int columns)
{
	int column = flow_line(flow, flow->source);
	struct ik_buf rule;

	ik_buf_init(&rule, IK_KIB(64));
	for (int drawn = 0; drawn < columns; drawn++)
		ik_buf_puts(&rule, character);
	ik_lines_add_own(flow->lines, rule.data, rule.length, column, IK_STYLE_FRAME);
	ik_buf_done(&rule);
}

/* ---- a section ---- */

/* Bytes [start, end) of the flow. */
struct table_cell {
	uint32_t start, end;
	MD_ALIGN align;
};

/* Cells row by row; the first row is the head. */
struct markdown_table {
	struct table_cell *cells;
	size_t count;
	size_t columns;
};

/* The parser's progress in a section. The parser doesn't report blank lines and lines that only
 * have marks. */
struct markdown_cursor {
	const char *text;
	size_t start, until; /* the section */
	size_t at;           /* after the parser's last output */
	bool moved;          /* the parser has produced output */
};

/* A section during parsing. */
struct page {
	const struct ik_render *request;
	struct ik_markdown_source source;
	struct markdown_cursor cursor;
	struct flow flow;
	struct markdown_table table;
	int open[MD_SPAN_U + 1]; /* number of open spans, by type */
	bool head;               /* in the table's head */
	unsigned heading;        /* level of the open heading, or 0 */
	bool in_table, in_code;
	bool continued; /* continues a block whose start is already drawn */
	bool indented;  /* the indentation of the current line of code is added */
	const struct ik_code_language *language; /* of the code; NULL if unknown */
	bool delete_due;
	size_t delete_length; /* length of the marks around struck text */
	size_t cell_start, link_start;
	struct ik_buf address;
	struct {
		char delimiter; /* after the number; 0: none has one */
		unsigned number;
	} lists[LISTS];
	size_t list_depth;
};

/* ---- tables: in columns, or as "label: value" lines if columns don't fit ---- */

static void table_add(struct markdown_table *table, size_t start, size_t end, MD_ALIGN align)
{
	table->cells = ik_alloc_more(table->cells, table->count, sizeof(*table->cells));
	table->cells[table->count++] = (struct table_cell){
		.start = (uint32_t)start, .end = (uint32_t)end, .align = align
	};
}

static const struct table_cell *cell_at(const struct markdown_table *table, size_t row,
	size_t column)
{
	return &table->cells[row * table->columns + column];
}

/* Set the width of each column; return false if columns don't fit. */
static bool make_widths(const struct markdown_table *table, const struct flow *flow, int *widths)
{
	int room = room_within(flow, flow->columns) - BETWEEN * ((int)table->columns - 1), total = 0;

	for (size_t i = 0; i < table->columns; i++)
		widths[i] = 1;
	for (size_t i = 0; i < table->count; i++) {
		int width = flow_width(flow, table->cells[i].start, table->cells[i].end);

		if (width > widths[i % table->columns])
			widths[i % table->columns] = width;
	}
	for (size_t i = 0; i < table->columns; i++)
		total += widths[i];
	if (total <= room)
		return true;
	if (room < (int)table->columns * COLUMN_LEAST)
		return false;
	total = 0;
	for (size_t i = 0; i < table->columns; i++) {
		widths[i] = widths[i] < room ? widths[i] : room;
		total += widths[i];
	}
	/* Narrow columns keep their width; the others share the rest. */
	for (; total > room; total--) {
		int *widest = widths;

		for (size_t i = 1; i < table->columns; i++)
			if (widths[i] > *widest)
				widest = &widths[i];
		--*widest;
	}
	return true;
}

/* Draw bars, or the rule's crossings, between the columns of the current line. */
static void draw_bars(const struct markdown_table *table, struct flow *flow, const int *widths,
	int column)
{
	for (size_t i = 0; i + 1 < table->columns; i++) {
		column += widths[i];
		ik_lines_add_own(flow->lines, "│", strlen("│"), column + 1, IK_STYLE_FRAME);
		column += BETWEEN;
	}
}

static void draw_rule(const struct markdown_table *table, struct flow *flow, const int *widths)
{
	int column = flow_line(flow, flow->source);
	struct ik_buf rule;

	ik_buf_init(&rule, SIZE_MAX / 2);
	for (size_t i = 0; i < table->columns; i++) {
		for (int j = 0; j < widths[i]; j++)
			ik_buf_puts(&rule, "─");
		if (i + 1 < table->columns)
			ik_buf_puts(&rule, "─┼─");
	}
	ik_lines_add_own(flow->lines, rule.data, rule.length, column, IK_STYLE_FRAME);
	ik_buf_done(&rule);
}

/* Draw a row, with as many lines as its tallest cell. */
static void draw_row(const struct markdown_table *table, struct flow *flow, const int *widths,
	size_t row)
{
	size_t at[TABLE_COLUMNS];
	bool more = true;

	for (size_t i = 0; i < table->columns; i++)
		at[i] = cell_at(table, row, i)->start;
	while (more) {
		int column = flow_line(flow, flow_source(flow, at[0]));

		draw_bars(table, flow, widths, column);
		more = false;
		for (size_t i = 0; i < table->columns; i++) {
			const struct table_cell *cell = cell_at(table, row, i);
			struct ik_row taken = ik_wrap_row(flow->text.data + at[i], cell->end - at[i],
				widths[i]);
			int spare = widths[i] - flow_width(flow, at[i], at[i] + taken.shown);
			int indent = cell->align == MD_ALIGN_RIGHT ? spare
				: cell->align == MD_ALIGN_CENTER       ? spare / 2
													   : 0;

			flow_runs(flow, at[i], at[i] + taken.shown, column + (indent > 0 ? indent : 0));
			at[i] += taken.taken;
			more |= at[i] < cell->end;
			column += widths[i] + BETWEEN;
		}
	}
}

/* Draw one cell as "label: value". */
static void draw_pair(const struct markdown_table *table, struct flow *flow, size_t row, size_t i)
{
	const struct table_cell *label = cell_at(table, 0, i);
	const struct table_cell *value = cell_at(table, row, i);

	if (label->start == label->end) {
		flow_wrap(flow, value->start, value->end);
		return;
	}
	int room = flow_room(flow);
	int width = flow_width(flow, label->start, label->end) + 2;

	if (width + flow_width(flow, value->start, value->end) > room ||
		memchr(flow->text.data + value->start, '\n', value->end - value->start)) {
		flow_wrap(flow, label->start, label->end);
		flow_wrap(flow, value->start, value->end);
		return;
	}
	int column = flow_line(flow, flow_source(flow, value->start));
	flow_runs(flow, label->start, label->end, column);
	ik_lines_add_own(flow->lines, ":", 1, column + width - 2, IK_STYLE_DIM);
	flow_runs(flow, value->start, value->end, column + width);
}

/* Draw the rows as lists, with a short rule between them. */
static void draw_pairs(const struct markdown_table *table, struct flow *flow, bool continued)
{
	size_t rows = table->count / table->columns;

	if (rows == 1 && !continued)
		for (size_t i = 0; i < table->columns; i++)
			flow_wrap(flow, cell_at(table, 0, i)->start, cell_at(table, 0, i)->end);
	for (size_t row = 1; row < rows; row++) {
		if (row > 1 || continued)
			flow_rule(flow, "─", 3);
		for (size_t i = 0; i < table->columns; i++)
			draw_pair(table, flow, row, i);
	}
}

/* Draw a table, or further rows of one. */
static void draw_table(const struct markdown_table *table, struct flow *flow, bool continued)
{
	int widths[TABLE_COLUMNS];

	if (table->columns == 0 || table->count < table->columns)
		return;
	if (!make_widths(table, flow, widths)) {
		draw_pairs(table, flow, continued);
		return;
	}
	if (!continued) {
		draw_row(table, flow, widths, 0);
		draw_rule(table, flow, widths);
	}
	for (size_t row = 1; row < table->count / table->columns; row++)
		draw_row(table, flow, widths, row);
}

/* ---- what the parser doesn't report ---- */

static size_t line_end(const struct markdown_cursor *cursor, size_t position)
{
	return ik_line_end(cursor->text, position, cursor->until);
}

/* Return the first byte of the line at position after blanks and quote marks. */
static size_t line_content(const struct markdown_cursor *cursor, size_t position)
{
	while (position < cursor->until && strchr(" \t>", cursor->text[position]))
		position++;
	return position;
}

static bool line_is_blank(const struct markdown_cursor *cursor, size_t position)
{
	position = line_content(cursor, position);
	return position >= cursor->until || cursor->text[position] == '\n';
}

/* Return the next line that isn't empty. */
static size_t next_line(const struct markdown_cursor *cursor)
{
	size_t position = cursor->at;

	if (cursor->moved)
		position = line_end(cursor, position) + 1;
	while (position < cursor->until && line_is_blank(cursor, position))
		position = line_end(cursor, position) + 1;
	return position;
}

static void cursor_move(struct markdown_cursor *cursor, size_t position)
{
	if (position > cursor->at)
		cursor->at = position;
	cursor->moved = true;
}

static void cursor_next_line(struct markdown_cursor *cursor)
{
	cursor->at = line_end(cursor, cursor->at) + 1;
}

static void cursor_skip_line(struct markdown_cursor *cursor)
{
	cursor->at = line_end(cursor, next_line(cursor));
	cursor->moved = true;
}

static void cursor_leave_code(struct markdown_cursor *cursor, char fence)
{
	size_t closing = line_content(cursor, cursor->at); /* of the line after the code */

	if (fence && closing < cursor->until && cursor->text[closing] == fence)
		cursor->at = line_end(cursor, closing);
	else if (cursor->at > cursor->start)
		cursor->at--;
	cursor->moved = true;
}

static char cursor_line_starts(const struct markdown_cursor *cursor)
{
	size_t start = line_content(cursor, ik_line_begin(cursor->text, cursor->start, cursor->at));

	return start < cursor->until ? cursor->text[start] : '\0';
}

static bool cursor_gap(struct markdown_cursor *cursor)
{
	if (cursor->moved) {
		size_t next = line_end(cursor, cursor->at) + 1;
		bool gap = next < cursor->until && line_is_blank(cursor, next);

		if (gap)
			cursor->at = next_line(cursor) - 1;
		return gap;
	}
	size_t position = cursor->start;

	if (position == 0 || cursor->text[--position] != '\n')
		return false;
	while (position > 0 && strchr(" \t>", cursor->text[position - 1]))
		position--;
	return position == 0 || cursor->text[position - 1] == '\n';
}

/* ---- entities ---- */

/* Names of common characters in prose, each followed by its character, with blanks around all. */
static const char entities[] =
	" amp & lt < gt > quot \" apos ' nbsp \u00A0 ensp \u2002 emsp \u2003 thinsp \u2009 "
	"copy © reg ® trade ™ sect § para ¶ deg ° plusmn ± times × divide ÷ micro µ "
	"middot · bull • hellip … ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ "
	"ldquo “ rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › larr ← uarr ↑ "
	"rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ euro € pound £ yen ¥ cent ¢ "
	"frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ ne ≠ le ≤ ge ≥ asymp ≈ "
	"infin ∞ sum ∑ prod ∏ radic √ minus − forall ∀ exist ∃ isin ∈ and ∧ "
	"or ∨ alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ "
	"omega ω Delta Δ Sigma Σ Omega Ω check ✓ cross ✗ auml ä ouml ö uuml ü Auml Ä "
	"Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ lbrace { "
	"rbrace } lbrack [ rbrack ] vert | ast * lowbar _ grave ` num # bsol \\ dollar $ "
	"percnt % star ☆ ";

/* Parse "&#10;" or "&#xA;". */
static bool read_number(const char *text, uint32_t *ret_codepoint)
{
	bool hexadecimal = (text[2] | 0x20) == 'x';
	char *end;
	unsigned long value = strtoul(text + (hexadecimal ? 3 : 2), &end, hexadecimal ? 16 : 10);

	*ret_codepoint = value <= CODEPOINT_LAST ? (uint32_t)value : 0;
	return *end == ';';
}

/* Append the character for "&...;", sanitised, or the text itself if it is unknown. */
static void decode_entity(struct ik_buf *out, const char *text, size_t length)
{
	uint32_t codepoint;
	char bytes[4];

	if (length > 3 && text[1] == '#' && read_number(text, &codepoint)) {
		int size = codepoint > 0 ? ik_utf8_encode(codepoint, bytes) : 0;

		if (size > 0)
			ik_sanitize_line(out, bytes, (size_t)size);
		else
			ik_buf_puts(out, "\uFFFD");
		return;
	}
	char name[ENTITY_MOST + 3];
	size_t size = length - strlen("&;");
	const char *found = NULL;

	if (size > 0 && size <= ENTITY_MOST) {
		(void)snprintf(name, sizeof(name), " %.*s ", (int)size, text + 1);
		found = strstr(entities, name);
	}
	if (found)
		ik_buf_append(out, found + size + 2, strcspn(found + size + 2, " "));
	else
		ik_buf_append(out, text, length);
}

/* ---- blocks and spans ---- */

/* Begin a block, after a blank line if the text has one. */
static void separate(struct page *page)
{
	bool first = page->flow.lines->count == 0;

	page->continued = false;
	if (cursor_gap(&page->cursor) && (page->cursor.moved || first))
		flow_line(&page->flow, page->flow.source);
}

static enum ik_style style_here(const struct page *page)
{
	if (page->open[MD_SPAN_A] + page->open[MD_SPAN_IMG] > 0)
		return IK_STYLE_LINK;
	if (page->open[MD_SPAN_DEL] > 0)
		return IK_STYLE_DIM;
	if (page->heading > 0)
		return IK_STYLE_BOLD;
	if (page->open[MD_SPAN_CODE] > 0)
		return IK_STYLE_CODE;
	if (page->open[MD_SPAN_STRONG] > 0 || page->head)
		return IK_STYLE_BOLD;
	return page->open[MD_SPAN_EM] > 0 ? IK_STYLE_EMPHASIS : page->request->style;
}

static void add_own(struct page *page, const char *text, size_t length, enum ik_style style)
{
	flow_add(&page->flow, text, length, IK_MARKDOWN_NOWHERE, style);
}

static void add_text(struct page *page, const char *text, size_t length, enum ik_style style)
{
	size_t source = ik_markdown_source_place(&page->source, text);

	if (source != IK_MARKDOWN_NOWHERE) {
		if (source >= page->cursor.until)
			return;
		if (length > page->cursor.until - source)
			length = page->cursor.until - source;
		if (page->delete_due) {
			const char *after = page->request->text + source;
			bool one = source > 0 && after[-1] == '~' && (source == 1 || after[-2] != '~');

			page->delete_length = one ? 1 : 2;
			add_own(page, "~~", page->delete_length, style);
			page->delete_due = false;
		}
		if (source >= page->request->start)
			cursor_move(&page->cursor, source + length);
	}
	/* Tables need the HTML line break, unless its bracket is escaped. */
	bool breaks = !page->in_code && page->open[MD_SPAN_CODE] == 0;
	size_t first = source != IK_MARKDOWN_NOWHERE && source > 0 &&
			page->request->text[source - 1] == '\\'
		? 1
		: 0;
	while (length > 0) {
		size_t skipped, piece = flow_special(text, length, breaks ? first : length, &skipped);

		flow_add(&page->flow, text, piece, source, style);
		if (skipped > 0 && text[piece] == '\t')
			flow_tab(&page->flow, page->in_code, style);
		else if (skipped > 0)
			add_own(page, "\n", 1, style);
		piece += skipped;
		text += piece;
		length -= piece;
		first = 0;
		if (source != IK_MARKDOWN_NOWHERE)
			source += piece;
	}
}

/* Lay out the collected text of a paragraph, a heading or an item. */
static void flush(struct page *page)
{
	struct flow *flow = &page->flow;

	if (!page->in_table && !page->in_code && flow->text.length > 0) {
		flow_wrap(flow, 0, flow->text.length);
		flow_clear(flow);
	}
}

/* Read the address of a link: bytes of the text, with entities decoded. */
static void read_address(struct page *page, const MD_ATTRIBUTE *attribute)
{
	ik_buf_clear(&page->address);
	for (unsigned i = 0; attribute->size > 0 && attribute->substr_offsets[i] < attribute->size;
		 i++) {
		const char *text = attribute->text + attribute->substr_offsets[i];
		size_t length = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];
		size_t source = ik_markdown_source_place(&page->source, text);
		/* What completes a growing text is only in the parser's copy. */
		bool written = source != IK_MARKDOWN_NOWHERE && source < page->cursor.until &&
			length <= page->cursor.until - source;
		if (attribute->substr_types[i] == MD_TEXT_ENTITY)
			decode_entity(&page->address, text, length);
		else
			ik_buf_append(&page->address, written ? page->request->text + source : text, length);
	}
}

/* Add the address after the text of a link, unless they are equal. */
static void add_address(struct page *page)
{
	const struct ik_buf *text = &page->flow.text, *address = &page->address;
	size_t shown = text->length - page->link_start;
	size_t scheme = shown < address->length ? address->length - shown : 0;
	bool mail = scheme == strlen("mailto:") && memcmp(address->data, "mailto:", scheme) == 0;
	bool equal = shown + scheme == address->length && (scheme == 0 || mail) &&
		memcmp(text->data + page->link_start, address->data + scheme, shown) == 0;

	if (equal || address->length == 0)
		return;
	if (shown > 0)
		add_own(page, " (", 2, IK_STYLE_DIM);
	add_own(page, address->data, address->length, IK_STYLE_DIM);
	if (shown > 0)
		add_own(page, ")", 1, IK_STYLE_DIM);
}

/* Begin a list; numbers is NULL if it has none. */
static void enter_list(struct page *page, const MD_BLOCK_OL_DETAIL *numbers)
{
	if (page->list_depth < LISTS) {
		page->lists[page->list_depth].number = numbers ? numbers->start : 0;
		page->lists[page->list_depth].delimiter = numbers ? numbers->mark_delimiter : '\0';
	}
	page->list_depth++;
}

/* Begin an item with its number, its box or a bullet for its depth. */
static void enter_item(struct page *page, const MD_BLOCK_LI_DETAIL *item)
{
	static const char *const bullets[] = { "• ", "◦ ", "▪ " };
	size_t list = page->list_depth > LISTS ? LISTS - 1 : page->list_depth - 1;
	struct ik_buf mark;

	ik_buf_init(&mark, IK_KIB(1));
	separate(page);
	if (page->lists[list].delimiter)
		ik_buf_printf(&mark, "%u%c ", page->lists[list].number++, page->lists[list].delimiter);
	else if (!item->is_task)
		ik_buf_puts(&mark, bullets[(page->list_depth - 1) % 3]);
	if (item->is_task)
		ik_buf_puts(&mark, item->task_mark == ' ' ? "☐ " : "☑ ");
	flow_push(&page->flow, NULL, mark.data);
	ik_buf_done(&mark);
}

/* Begin code: all its lines have a bar, and the first with room for it names its language. */
static void enter_code(struct page *page, const MD_BLOCK_CODE_DETAIL *code)
{
	page->in_code = true;
	page->language = ik_code_language(code->lang.text, code->lang.size);
	ik_buf_clear(&page->address);
	if (!page->continued) {
		separate(page);
		if (code->fence_char) {
			cursor_skip_line(&page->cursor);
			cursor_next_line(&page->cursor);
		}
		read_address(page, &code->lang);
	}
	flow_push(&page->flow, "▎", NULL);
}

static void leave_code(struct page *page, const MD_BLOCK_CODE_DETAIL *code)
{
	if (!page->continued || page->flow.text.length > 0)
		flow_code(&page->flow, &page->address);
	flow_clear(&page->flow);
	flow_pop(&page->flow);
	page->in_code = page->continued = false;
	cursor_leave_code(&page->cursor, code->fence_char);
}

/* End a heading; the first two levels are underlined. */
static void leave_heading(struct page *page)
{
	unsigned level = page->heading;
	int width = flow_width(&page->flow, 0, page->flow.text.length);
	int room = flow_room(&page->flow);

	flush(page);
	page->heading = 0;
	if (cursor_line_starts(&page->cursor) != '#')
		cursor_skip_line(&page->cursor); /* the line under it made it a heading */
	if (level <= 2 && width > 0)
		flow_rule(&page->flow, level == 1 ? "═" : "─", width < room ? width : room);
}

static int enter_table(struct page *page, const MD_BLOCK_TABLE_DETAIL *table)
{
	if (table->col_count > TABLE_COLUMNS)
		return GIVE_UP;
	if (!page->continued)
		separate(page);
	page->table.count = 0;
	page->table.columns = table->col_count;
	page->in_table = true;
	return 0;
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	flush(page);
	switch (type) {
	case MD_BLOCK_QUOTE:
		separate(page);
		flow_push(&page->flow, "│", NULL);
		break;
	case MD_BLOCK_UL:
	case MD_BLOCK_OL:
		enter_list(page, type == MD_BLOCK_OL ? detail : NULL);
		break;
	case MD_BLOCK_LI:
		enter_item(page, detail);
		break;
	case MD_BLOCK_HR:
		separate(page);
		cursor_skip_line(&page->cursor);
		flow_rule(&page->flow, "─", flow_room(&page->flow));
		break;
	case MD_BLOCK_H:
		separate(page);
		page->heading = ((MD_BLOCK_H_DETAIL *)detail)->level;
		break;
	case MD_BLOCK_CODE:
		enter_code(page, detail);
		break;
	case MD_BLOCK_P:
		separate(page);
		break;
	case MD_BLOCK_TABLE:
		return enter_table(page, detail);
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		page->head = type == MD_BLOCK_TH;
		page->cell_start = page->flow.text.length;
		break;
	default:
		break;
	}
	return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	switch (type) {
	case MD_BLOCK_H:
		leave_heading(page);
		break;
	case MD_BLOCK_CODE:
		leave_code(page, detail);
		break;
	case MD_BLOCK_THEAD:
		if (!page->continued)
			cursor_skip_line(&page->cursor);
		break;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		table_add(&page->table, page->cell_start, page->flow.text.length,
			((MD_BLOCK_TD_DETAIL *)detail)->align);
		page->head = false;
		break;
	case MD_BLOCK_TABLE:
		draw_table(&page->table, &page->flow, page->continued);
		flow_clear(&page->flow);
		page->in_table = page->continued = false;
		break;
	default:
		flush(page);
		break;
	}
	if (type == MD_BLOCK_QUOTE || type == MD_BLOCK_LI)
		flow_pop(&page->flow);
	if (type == MD_BLOCK_UL || type == MD_BLOCK_OL)
		page->list_depth--;
	return 0;
}

static int enter_span(MD_SPANTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	(void)detail;
	page->open[type]++;
	if (type == MD_SPAN_DEL) { /* not all terminals can strike through, so keep the marks */
		page->delete_due = true;
		page->delete_length = 2;
	} else if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
		page->link_start = page->flow.text.length;
	}
	return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *userdata)
{
	struct page *page = userdata;

	page->open[type]--;
	if (type == MD_SPAN_DEL) {
		add_own(page, "~~", page->delete_length, IK_STYLE_DIM);
		page->delete_due = false;
	} else if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
		read_address(page,
			type == MD_SPAN_A ? &((MD_SPAN_A_DETAIL *)detail)->href
							  : &((MD_SPAN_IMG_DETAIL *)detail)->src);
		add_address(page);
	}
	return 0;
}

/* Add a line of code, or its indentation. */
static void add_code(struct page *page, const char *line, size_t length)
{
	enum ik_style style;
	bool plain = page->indented && ik_code_is_diff(page->language); /* a context line */

	for (size_t at = 0, size; at < length; at += size) {
		size = ik_code_run(page->language, line, length, at, &style);
		add_text(page, line + at, size, plain ? IK_STYLE_NORMAL : style);
	}
	page->indented = ik_markdown_source_place(&page->source, line) == IK_MARKDOWN_NOWHERE;
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *userdata)
{
	struct page *page = userdata;
	enum ik_style style = page->in_code ? IK_STYLE_NORMAL : style_here(page);
	bool feed = size == 1 && *text == '\n';

	if (type == MD_TEXT_ENTITY) {
		struct ik_buf decoded;
		size_t source = ik_markdown_source_place(&page->source, text);

		if (source != IK_MARKDOWN_NOWHERE)
			cursor_move(&page->cursor, source + size);
		ik_buf_init(&decoded, IK_KIB(4));
		decode_entity(&decoded, text, size);
		add_own(page, decoded.data, decoded.length, style);
		ik_buf_done(&decoded);
	} else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		add_own(page, page->in_table ? " " : "\n", 1, style);
	} else if (page->in_code && feed) {
		add_own(page, "\n", 1, style);
		cursor_next_line(&page->cursor);
		page->indented = false;
	} else if (page->in_code) {
		add_code(page, text, size);
	} else {
		add_text(page, text, size, style);
	}
	return 0;
}

static void render_tail(struct page *page)
{
	const struct ik_render *request = page->request;
	size_t start = request->tail > request->start ? request->tail : request->start;

	if (request->end <= start)
		return;
	if (start < request->end && request->text[start] == '\n')
		start++;
	flow_clear(&page->flow);
	page->flow.depth = 0;
	flow_add(&page->flow, request->text + start, request->end - start, start, request->tail_style);
	flow_wrap(&page->flow, 0, page->flow.text.length);
}

static const MD_PARSER page_parser = {
	.flags = FLAGS,
	.enter_block = enter_block,
	.leave_block = leave_block,
	.enter_span = enter_span,
	.leave_span = leave_span,
	.text = on_text,
};

/* Lay out a section; return false if the parser gave up. */
static bool render_page(const struct ik_render *request, struct ik_lines *lines)
{
	struct page page = {
		.request = request,
		.continued = request->opener < request->start,
		.flow = { .lines = lines,
			.columns = request->columns,
			.prose = request->prose,
			.source = request->start },
		.cursor = { .text = request->text, .start = request->start, .at = request->start },
	};
	struct ik_buf *source = &page.source.text;
	bool parsed = true;

	ik_buf_init(&page.address, IK_LIMIT_ENVELOPE);
	ik_buf_init(&page.flow.text, IK_LIMIT_ENVELOPE);
	ik_markdown_source_init(&page.source, request);
	page.cursor.until = page.source.until;
	if (request->start < request->tail)
		parsed = ik_buf_status(source) == IK_OK && source->length <= UINT32_MAX &&
			md_parse(source->data, (MD_SIZE)source->length, &page_parser, &page) == 0;
	if (parsed)
		render_tail(&page);
	ik_buf_done(&page.flow.text);
	free(page.flow.pieces);
	free(page.table.cells);
	ik_markdown_source_done(&page.source);
	ik_buf_done(&page.address);
	return parsed;
}

static void render_markdown(const struct ik_render *request, struct ik_lines *lines)
{
	if (!render_page(request, lines)) {
		ik_lines_clear(lines);
		ik_renderer_plain.render(request, lines);
	}
	if (lines->count == 0)
		ik_lines_add(lines, request->start);
}

/* ---- link definitions ---- */

/* Lines that may define a link. Only the parser knows: it doesn't output the text of
 * definitions. */
struct candidates {
	const char *end; /* end of the text */
	struct ik_reference *lines;
	size_t count;
	size_t at; /* the first that may be in the remaining text */
};

static int ignore_block(MD_BLOCKTYPE type, void *detail, void *userdata)
{
	(void)type, (void)detail, (void)userdata;
	return 0;
}

static int ignore_span(MD_SPANTYPE type, void *detail, void *userdata)
{
	(void)type, (void)detail, (void)userdata;
	return 0;
}

static int drop_candidate(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *userdata)
{
	struct candidates *found = userdata;

	(void)type;
	if (text >= found->end) /* added by the parser */
		return 0;
	while (found->at < found->count &&
		found->lines[found->at].line + found->lines[found->at].label < text)
		found->at++;
	if (found->at < found->count && found->lines[found->at].line < text + size)
		found->lines[found->at].label = 0;
	return 0;
}

/* Append a definition as one line, if its address is simple. */
static void put_definition(struct ik_buf *out, const struct ik_reference *reference,
	const char *end)
{
	const char *address = reference->line + reference->label + strlen("[]:");

	while (address < end && strchr(" \t\n", *address))
		address++;
	bool bracket = address < end && *address == '<';

	address += bracket;
	size_t length = strcspn(address, bracket ? ">" : " \t\n"), most = (size_t)(end - address);

	length = length < most ? length : most;
	for (size_t i = 0; i < length; i++)
		if (strchr("<>\\\n", address[i]))
			return;
	if (reference->label + length + sizeof("[]: <>\n") < out->ceiling - out->length)
		ik_buf_printf(out, "%.*s: <%.*s>\n", (int)reference->label + 2, reference->line,
			(int)length, address);
}

/* Append the link definitions of a text, each as one line. */
static bool learn_markdown(struct ik_buf *learnt, const char *text, size_t length)
{
	static const MD_PARSER callbacks = {
		.flags = FLAGS,
		.enter_block = ignore_block,
		.leave_block = ignore_block,
		.enter_span = ignore_span,
		.leave_span = ignore_span,
		.text = drop_candidate,
	};
	struct candidates found = { .end = text + length };
	struct ik_buf before = *learnt;
	struct ik_reference reference;
	size_t position = 0;

	ik_buf_init(learnt, before.ceiling);
	while (length <= UINT32_MAX && ik_reference_next(text, length, &position, &reference)) {
		found.lines = ik_alloc_more(found.lines, found.count, sizeof(*found.lines));
		found.lines[found.count++] = reference;
	}
	if (found.count > 0 && md_parse(text, (MD_SIZE)length, &callbacks, &found) == 0)
		for (size_t i = 0; i < found.count; i++)
			if (found.lines[i].label > 0)
				put_definition(learnt, &found.lines[i], found.end);
	bool changed = strcmp(before.data, learnt->data) != 0;

	free(found.lines);
	ik_buf_done(&before);
	return changed;
}

const struct ik_renderer ik_renderer_markdown = {
	.split = ik_markdown_split,
	.render = render_markdown,
	.learn = learn_markdown,
};
