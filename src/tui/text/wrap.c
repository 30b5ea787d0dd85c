#include "tui/text/wrap.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/text.h"
#include "util/utf8.h"

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* Return how many columns a blank takes at column. */
static int blank_width(char byte, int column)
{
	return byte == '\t' ? IK_TAB_COLUMNS - column % IK_TAB_COLUMNS : 1;
}

/* Return a row that a blank at position overflows: the blanks go with the break. */
static struct ik_row row_before_blanks(const char *text, size_t length, size_t position)
{
	struct ik_row row = { .shown = position, .taken = position };

	while (row.taken < length && is_blank(text[row.taken]))
		row.taken++;
	if (row.taken < length && text[row.taken] == '\n')
		row.taken++;
	return row;
}

struct ik_row ik_wrap_row(const char *text, size_t length, int columns)
{
	struct ik_row breaking = { 0, 0 }; /* the last place where the row may end */
	bool word_seen = false;
	int column = 0;
	size_t position = 0;

	while (position < length) {
		char byte = text[position];

		if (byte == '\n')
			return (struct ik_row){ position, position + 1 };
		if (is_blank(byte)) {
			int width = blank_width(byte, column);

			if (column + width > columns && position > 0)
				return row_before_blanks(text, length, position);
			if (word_seen) {
				if (breaking.taken != position)
					breaking.shown = position;
				breaking.taken = position + 1;
			}
			column += width;
			position++;
			continue;
		}
		struct ik_cluster cluster = ik_cluster_next(text + position, length - position);
		bool wide = cluster.width == 2;

		if (wide && word_seen && breaking.taken != position)
			breaking = (struct ik_row){ position, position };
		if (column + cluster.width > columns && position > 0) {
			if (breaking.taken > 0)
				return breaking;
			return (struct ik_row){ position, position };
		}
		word_seen = true;
		column += cluster.width;
		position += cluster.length;
		if (wide)
			breaking = (struct ik_row){ position, position };
	}
	return (struct ik_row){ length, length };
}

void ik_lines_done(struct ik_lines *lines)
{
	free(lines->lines);
	free(lines->runs);
	free(lines->added);
	*lines = (struct ik_lines){ 0 };
}

void ik_lines_clear(struct ik_lines *lines)
{
	lines->count = 0;
	lines->run_count = 0;
	lines->added_length = 0;
}

void ik_lines_add(struct ik_lines *lines, size_t source)
{
	lines->lines = ik_alloc_more(lines->lines, lines->count, sizeof(*lines->lines));
	lines->lines[lines->count++] = (struct ik_line){ .source = (uint32_t)source,
		.run = lines->run_count & 0x7fffffff };
}

void ik_lines_continue(struct ik_lines *lines)
{
	lines->lines[lines->count - 1].continues = 1;
}

void ik_lines_add_run(struct ik_lines *lines, size_t offset, size_t length, int column,
	enum ik_style style)
{
	lines->runs = ik_alloc_more(lines->runs, lines->run_count, sizeof(*lines->runs));
	lines->runs[lines->run_count++] = (struct ik_text_run){
		.offset = (uint32_t)offset,
		.length = (uint32_t)length,
		.column = (uint16_t)column,
		.style = (uint8_t)style,
	};
}

void ik_lines_add_own(struct ik_lines *lines, const char *text, size_t length, int column,
	enum ik_style style)
{
	uint32_t offset = lines->added_length;

	if (length > lines->added_capacity - offset) {
		lines->added_capacity = lines->added_capacity * 2 + (uint32_t)length;
		lines->added = ik_alloc_array(lines->added, lines->added_capacity, 1);
	}
	if (length > 0)
		memcpy(lines->added + offset, text, length);
	lines->added_length += (uint32_t)length;
	ik_lines_add_run(lines, offset, length, column, style);
	lines->runs[lines->run_count - 1].added = true;
}

const struct ik_text_run *ik_lines_runs(const struct ik_lines *lines, uint32_t line,
	uint32_t *ret_count)
{
	uint32_t first = lines->lines[line].run;
	uint32_t end = line + 1 < lines->count ? lines->lines[line + 1].run : lines->run_count;

	*ret_count = end - first;
	return lines->runs ? lines->runs + first : NULL;
}

uint32_t ik_lines_find(const struct ik_lines *lines, size_t source)
{
	return (uint32_t)ik_text_item_at(lines->lines, lines->count, sizeof(*lines->lines), source);
}

void ik_lines_draw(const struct ik_lines *lines, uint32_t line, const char *text,
	struct ik_cells *cells, struct ik_rectangle area, int row)
{
	uint32_t count;
	const struct ik_text_run *runs = ik_lines_runs(lines, line, &count);

	for (uint32_t i = 0; i < count; i++)
		ik_cells_text(cells, area, row, area.column + runs[i].column, (enum ik_style)runs[i].style,
			(runs[i].added ? lines->added : text) + runs[i].offset, runs[i].length);
}

/* Return the style of the byte at offset, and where the next style begins. */
static enum ik_style style_at(const struct ik_render *request, size_t offset, size_t *ret_end)
{
	if (offset < request->head) {
		*ret_end = request->head;
		return request->head_style;
	}
	if (offset < request->tail) {
		*ret_end = request->tail;
		return request->style;
	}
	*ret_end = SIZE_MAX;
	return request->tail_style;
}

/* Add the runs of one row: cut at tabs and where the style changes. */
static void add_row_runs(struct ik_lines *lines, const struct ik_render *request, size_t start,
	size_t end, int column)
{
	while (start < end) {
		if (request->text[start] == '\t') {
			column += blank_width('\t', column);
			start++;
			continue;
		}
		size_t stop;
		enum ik_style style = style_at(request, start, &stop);

		if (stop > end)
			stop = end;
		const char *tab = memchr(request->text + start, '\t', stop - start);

		if (tab)
			stop = (size_t)(tab - request->text);
		ik_lines_add_run(lines, start, stop - start, column, style);
		if (stop < end)
			column += (int)ik_utf8_width(request->text + start, stop - start);
		start = stop;
	}
}

/* Does so far an indentation leave enough of the row for words? */
static bool leaves_room(const struct ik_render *request, int column)
{
	return column * 5 <= request->columns * 3;
}

/* Return the indentation of a row that continues a line of a table: the column after the gap
 * that ends its first cell, or the line's own where there is none, or where it is far. */
static int table_hang(const struct ik_render *request, size_t position)
{
	size_t least = position > IK_TABLE_LINE ? position - IK_TABLE_LINE : 0;
	size_t start = ik_line_begin(request->text, least, position);

	if (start > 0 && request->text[start - 1] != '\n')
		return 0;
	const char *line = request->text + start;
	size_t length = position - start, indent = 0;

	for (; indent < length && line[indent] == ' '; indent++)
		;
	for (size_t i = indent; i + 2 < length; i++) {
		if (line[i] != ' ' || line[i + 1] != ' ')
			continue;
		for (; i < length && line[i] == ' '; i++)
			;
		int column = (int)ik_utf8_width(line, i);

		return i < length && leaves_room(request, column) ? column : (int)indent;
	}
	return (int)indent;
}

/* Return the indentation of a row that begins at position, inside a line. */
static int indentation(const struct ik_render *request, size_t position)
{
	int hang = request->hang == IK_HANG_TABLE ? table_hang(request, position) : request->hang;

	return leaves_room(request, hang) ? hang : 0;
}

static void render_row(const struct ik_render *request, struct ik_lines *lines, size_t *position)
{
	bool continues = *position > 0 && request->text[*position - 1] != '\n';
	int indent = continues ? indentation(request, *position) : 0;
	struct ik_row row = ik_wrap_row(request->text + *position, request->end - *position,
		request->prose - indent);

	ik_lines_add(lines, *position);
	if (continues)
		ik_lines_continue(lines);
	add_row_runs(lines, request, *position, *position + row.shown, indent);
	*position += row.taken;
}

static void render_plain(const struct ik_render *request, struct ik_lines *lines)
{
	size_t position = request->start;

	do
		render_row(request, lines, &position);
	while (position < request->end);
}

enum ik_style ik_diff_style(char first)
{
	switch (first) {
	case '+':
		return IK_STYLE_GOOD;
	case '-':
		return IK_STYLE_BAD;
	case '@':
		return IK_STYLE_DIM;
	default:
		return IK_STYLE_NORMAL;
	}
}

/* Return how many bytes of a line of a diff are its number, with the blanks around it; 0: it has none. */
static size_t number_length(const char *line, size_t length)
{
	size_t blanks = 0, digits;

	while (blanks < length && line[blanks] == ' ')
		blanks++;
	for (digits = blanks; digits < length && line[digits] >= '0' && line[digits] <= '9'; digits++)
		;
	if (digits == blanks || digits + 1 >= length || line[digits] != ' ' ||
		!strchr("+- ", line[digits + 1]))
		return 0;
	return digits + 1;
}

/* Lay out a section of a diff; it may begin inside a line. */
static void render_diff(const struct ik_render *request, struct ik_lines *lines)
{
	size_t position = request->start;
	size_t start = ik_line_begin(request->text, 0, position);

	do {
		struct ik_render line = *request;
		size_t number;

		if (position > 0 && request->text[position - 1] == '\n')
			start = position;
		number = number_length(request->text + start, request->end - start);
		if (start > request->head || request->head == 0) {
			line.style = ik_diff_style(request->text[start + number]);
			line.hang = (int)number + 2;
		}
		if (number > 0) {
			line.head = start + number;
			line.head_style = IK_STYLE_DIM;
		}
		render_row(&line, lines, &position);
	} while (position < request->end);
}

/* ---- tables ---- */

bool ik_is_bar(const char *text)
{
	/* U+2581 to U+258F: the blocks, and their eighths */
	return memcmp(text, "\xe2\x96\x81", 3) >= 0 && memcmp(text, "\xe2\x96\x8f", 3) <= 0;
}

void ik_table_put(struct ik_buf *out, const char *rows, size_t columns)
{
	while (*rows) {
		size_t length = strcspn(rows, "\t"), words = length + strspn(rows + length, "\t");
		size_t end = words + strcspn(rows + words, "\n");
		char *name = ik_strndup(rows, length);

		ik_buf_puts(out, "  ");
		ik_utf8_put_cell(out, name, columns);
		if (ik_utf8_width(name, length) > columns)
			ik_buf_printf(out, "\n  %*s", (int)columns, "");
		ik_buf_printf(out, "  %.*s\n", (int)(end - words), rows + words);
		rows += end + (rows[end] == '\n');
		free(name);
	}
}

#define FIGURES_MOST 8 /* columns of numbers */

/* Return the next cell of a row, without its tab; false at the end of the line. */
static bool next_cell(const char **at, const char **ret_cell, size_t *ret_length)
{
	if (**at == '\n' || **at == '\0')
		return false;
	*at += **at == '\t';
	*ret_cell = *at;
	*ret_length = strcspn(*at, "\t\n");
	*at += *ret_length;
	return true;
}

/* Is a cell a bar, or nothing? */
static bool is_bar(const char *cell, size_t length)
{
	return length == 0 || (length >= 3 && ik_is_bar(cell));
}

static void measure_figures(const char *at, size_t widths[FIGURES_MOST])
{
	const char *cell;
	size_t length;

	for (; *at; at += *at == '\n')
		if (at[strcspn(at, "\t\n")] != '\t')
			at += strcspn(at, "\n");
		else
			for (size_t i = 0; next_cell(&at, &cell, &length); i++) {
				size_t width = is_bar(cell, length) ? 0 : ik_utf8_width(cell, length);

				if (i < FIGURES_MOST && width > widths[i])
					widths[i] = width;
			}
}

void ik_figures_put(struct ik_buf *out, const char *rows)
{
	size_t widths[FIGURES_MOST] = { 0 }, length;
	const char *cell;

	measure_figures(rows, widths);
	for (const char *at = rows; *at; at += *at == '\n') {
		bool row = at[strcspn(at, "\t\n")] == '\t';

		for (size_t i = 0; next_cell(&at, &cell, &length); i++) {
			size_t width = ik_utf8_width(cell, length), room = i < FIGURES_MOST ? widths[i] : 0;
			bool bar = is_bar(cell, length) && *at != '\t';
			int blanks = row && room > width && !bar ? (int)(room - width) : 0;

			if (i == 0)
				ik_buf_printf(out, "%s%.*s%*s", row ? "  " : "", (int)length, cell, blanks, "");
			else if (!bar || length > 0)
				ik_buf_printf(out, "  %*s%.*s", blanks, "", (int)length, cell);
		}
		ik_buf_putc(out, '\n');
	}
}

void ik_bar_put(struct ik_buf *out, double part, int columns)
{
	int eighths = (int)(part * columns * 8 + 0.5);

	if (part > 0 && eighths == 0)
		eighths = 1;
	for (; eighths >= 8; eighths -= 8)
		ik_buf_puts(out, "\xe2\x96\x88");
	if (eighths > 0)
		ik_buf_printf(out, "\xe2\x96%c", 0x90 - eighths); /* U+258F is one eighth */
}

/* Return where the bar begins in [start, end), or end. */
static size_t find_bar(const char *text, size_t start, size_t end)
{
	for (; start + 3 <= end; start++)
		if (ik_is_bar(text + start))
			return start;
	return end;
}

/* Return the styles of [start, end), a line or its part of one of the tables side by side. */
static struct ik_render styles_of(const struct ik_render *request, size_t start, size_t end,
	bool heading)
{
	struct ik_render part = *request;
	const char *text = request->text, *gap;
	size_t name = start;

	while (end > start && text[end - 1] == ' ')
		end--;
	for (; name < end && text[name] == ' '; name++)
		;
	gap = memmem(text + name, end - name, "  ", 2);
	part.head = start;
	part.head_style = IK_STYLE_CODE;
	part.tail = find_bar(text, start, end);
	part.tail_style = IK_STYLE_ACCENT;
	if (gap && name >= start + 2 && (size_t)(gap - text) < part.tail)
		part.head = (size_t)(gap - text);
	else if (heading && !gap && name == start)
		part.style = IK_STYLE_BOLD;
	return part;
}

/* Add the runs of a row, [start, stop) of the line [line, end), from a column on. */
static void add_table_runs(struct ik_lines *lines, const struct ik_render *request, size_t line,
	size_t end, size_t start, size_t stop, int column)
{
	const size_t divider = strlen(IK_DIVIDER);
	bool heading = end + 2 < request->end && memcmp(request->text + end + 1, "  ", 2) == 0;

	while (line < end) {
		const char *found = memmem(request->text + line, end - line, IK_DIVIDER, divider);
		size_t part_end = found ? (size_t)(found - request->text) : end;
		size_t from = line > start ? line : start, to = part_end < stop ? part_end : stop;

		heading = heading || found;
		if (from < to) {
			struct ik_render styles = styles_of(request, line, part_end, heading);

			add_row_runs(lines, &styles, from, to, column);
			column += (int)ik_utf8_width(request->text + from, to - from);
		}
		line = part_end;
		if (found && line >= start && line < stop) {
			ik_lines_add_own(lines, IK_DIVIDER, divider, column, IK_STYLE_FRAME);
			column += 2;
		}
		line += found ? divider + 1 : 0;
	}
}

/* Lay out one row at *position of the line [line, end). */
static void render_table_row(const struct ik_render *request, struct ik_lines *lines, size_t line,
	size_t end, size_t *position)
{
	int indent = *position > line ? indentation(request, *position) : 0;
	/* Tables side by side were laid out for all columns. */
	bool beside = memmem(request->text + line, end - line, IK_DIVIDER, strlen(IK_DIVIDER));
	int columns = (beside ? request->columns : request->prose) - indent;
	struct ik_row row = ik_wrap_row(request->text + *position, request->end - *position, columns);
	size_t bar = find_bar(request->text, line, end);

	if (bar < end && bar <= *position + row.taken) {
		row.shown = ik_utf8_fit(request->text + *position, end - *position, (size_t)columns, NULL);
		row.taken = end + (end < request->end) - *position;
	}
	ik_lines_add(lines, *position);
	if (*position > line)
		ik_lines_continue(lines);
	add_table_runs(lines, request, line, end, *position, *position + row.shown, indent);
	*position += row.taken;
}

/* Lay out a section of tables; what is before its head and after its tail isn't one. */
static void render_table(const struct ik_render *request, struct ik_lines *lines)
{
	size_t position = request->start;
	size_t line = ik_line_begin(request->text, 0, position);

	do {
		if (position > 0 && request->text[position - 1] == '\n')
			line = position;
		if (line < request->head || line >= request->tail || position == request->end)
			render_row(request, lines, &position);
		else
			render_table_row(request, lines, line, ik_line_end(request->text, line, request->end),
				&position);
	} while (position < request->end);
}

size_t ik_plain_split(const char *text, size_t start, size_t length, size_t *opener)
{
	size_t size = 0;

	text += start;
	length -= start;
	if (length > IK_SECTION_MAX) {
		size_t most = length < IK_LINE_MAX ? length : IK_LINE_MAX, end = ik_line_end(text, 0, most);

		size = ik_line_begin(text, 0, IK_SECTION_MAX);
		if (size == 0 && end < most)
			size = (end + 1) % length;
		else if (size == 0 && length > IK_LINE_MAX)
			size = ik_utf8_cut(text, length, IK_LINE_MAX);
	}
	*opener = start + size;
	return size;
}

const struct ik_renderer ik_renderer_plain = { .split = ik_plain_split, .render = render_plain };
const struct ik_renderer ik_renderer_diff = { .split = ik_plain_split, .render = render_diff };
const struct ik_renderer ik_renderer_table = { .split = ik_plain_split, .render = render_table };
