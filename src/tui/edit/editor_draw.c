#include "tui/edit/editor_private.h"

#include <stdio.h>
#include <string.h>

#include "tui/text/quantity.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define TAB_WIDTH 4
#define TAB_MARK "\xE2\x86\x92   " /* an arrow and blanks */
#define ARROW_LENGTH 3

/* What is wide enough for a prompt beside some text. */
#define PROMPT_ROOM 6

/* Walking along the rows of a text at a width. */
struct layout {
	const struct ik_editor *editor;
	int width;
	struct ik_buf shown; /* of the piece that was looked at last */
};

/* A cluster, a tab or a fold as it is drawn. */
struct editor_draw_piece {
	size_t length; /* bytes of the text */
	const char *shown;
	size_t shown_length;
	int width;
	enum ik_style style;
};

static struct layout layout_begin(const struct ik_editor *editor, int width)
{
	struct layout layout = { .editor = editor, .width = width > 1 ? width : 1 };

	ik_buf_init(&layout.shown, IK_KIB(4));
	return layout;
}

static void layout_end(struct layout *layout)
{
	ik_buf_done(&layout->shown);
}

/* Append a number with commas between thousands. */
static void put_grouped(struct ik_buf *out, size_t number)
{
	char digits[32];
	int count = snprintf(digits, sizeof(digits), "%zu", number);

	for (int i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			ik_buf_putc(out, ',');
		ik_buf_putc(out, digits[i]);
	}
}

/* Write the mark that a fold shows as. */
static void put_fold(struct ik_buf *out, const struct fold *fold)
{
	struct ik_buf lines, size;

	ik_buf_init(&lines, 64);
	ik_buf_init(&size, 64);
	put_grouped(&lines, fold->lines);
	ik_size_text(&size, fold->length);
	ik_buf_printf(out, ngettext("[pasted %s line, %s]", "[pasted %s lines, %s]", fold->lines),
		lines.data, size.data);
	ik_buf_done(&size);
	ik_buf_done(&lines);
}

/* The piece at position, drawn from column on. */
static struct editor_draw_piece piece_at(struct layout *layout, size_t position, int column)
{
	const struct ik_editor *editor = layout->editor;
	const char *text = editor->text.data + position;
	struct editor_draw_piece piece = {
		.length = 1, .shown = text, .shown_length = 1, .width = 1, .style = IK_STYLE_NORMAL
	};
	const struct fold *fold = ik_fold_at(editor, position);
	bool next_ascii = position + 1 == editor->text.length || (unsigned char)text[1] < 0x80;

	if (!fold && *text >= 0x20 && *text < 0x7F && next_ascii)
		return piece;
	if (!fold && *text == '\t') {
		piece.style = IK_STYLE_DIM;
		piece.shown = TAB_MARK;
		piece.width = TAB_WIDTH - column % TAB_WIDTH;
		if (piece.width > layout->width)
			piece.width = layout->width;
		piece.shown_length = (size_t)(ARROW_LENGTH + piece.width - 1);
		return piece;
	}
	struct ik_cluster cluster = { .length = 0 };

	if (!fold)
		cluster = ik_cluster_next(text, ik_fold_behind(editor, position) - position);
	if (!fold && ik_sanitize_is_clean(text, cluster.length)) {
		piece.length = piece.shown_length = cluster.length;
		piece.width = cluster.width < layout->width ? cluster.width : layout->width;
		return piece;
	}
	ik_buf_clear(&layout->shown);
	piece.length = fold ? fold->length : cluster.length;
	if (fold)
		put_fold(&layout->shown, fold);
	else
		ik_sanitize_line(&layout->shown, text, piece.length);
	piece.shown = layout->shown.data;
	piece.shown_length = layout->shown.length;
	piece.width = (int)ik_utf8_width(piece.shown, piece.shown_length);
	piece.style = IK_STYLE_DIM;
	if (piece.width > layout->width)
		piece.width = layout->width;
	return piece;
}

/* Does a line end, or the text, at position? */
static bool is_end(const struct ik_editor *editor, size_t position)
{
	return position >= editor->text.length ||
		(editor->text.data[position] == '\n' && !ik_fold_at(editor, position));
}

/* Lay out the row that begins at start. */
static struct editor_row make_row(struct layout *layout, size_t start)
{
	struct editor_row row = { .start = start, .end = start };
	int column = 0;

	while (!is_end(layout->editor, row.end)) {
		struct editor_draw_piece piece = piece_at(layout, row.end, column);

		row.seen = row.end + piece.length;
		if (column > 0 && column + piece.width > layout->width)
			return row;
		column += piece.width;
		row.end += piece.length;
	}
	row.last = true;
	row.seen = row.end;
	return row;
}

/* The row that begins at start. */
static struct editor_row row_at(struct layout *layout, size_t start)
{
	struct rows *rows = layout->editor->rows;
	const struct editor_row *known = ik_rows_find(rows, layout->width, start);

	if (known)
		return *known;
	struct editor_row row = make_row(layout, start);
	ik_rows_keep(rows, &row);
	return row;
}

/* The row behind another; false when it is the last. */
static bool row_behind(struct layout *layout, const struct editor_row *row,
	struct editor_row *ret_row)
{
	if (row->last && row->end >= layout->editor->text.length)
		return false;
	*ret_row = row_at(layout, row->last ? row->end + 1 : row->end);
	return true;
}

/* The row that a position is in. */
static struct editor_row row_of(struct layout *layout, size_t position)
{
	size_t line = ik_text_line_start(layout->editor, position);
	const struct editor_row *known = ik_rows_find_before(layout->editor->rows, layout->width, line,
		position);
	struct editor_row row = known ? *known : row_at(layout, line);

	while (position >= row.end && !row.last)
		row = row_at(layout, row.end);
	return row;
}

/* The row before the one that begins at start; false when that is the first. */
static bool row_before(struct layout *layout, size_t start, struct editor_row *ret_row)
{
	if (start == 0)
		return false;
	*ret_row = row_of(layout, ik_text_previous(layout->editor, start));
	return true;
}

/* Column of a position within its row. */
static int column_of(struct layout *layout, const struct editor_row *row, size_t position)
{
	int column = 0;

	for (size_t at = row->start; at < row->end;) {
		struct editor_draw_piece piece = piece_at(layout, at, column);

		at += piece.length;
		if (at > position)
			break;
		column += piece.width;
	}
	return column;
}

/* Position in a row that is nearest to a column from the left. */
static size_t position_at(struct layout *layout, const struct editor_row *row, int goal)
{
	size_t at = row->start, kept = row->start;
	int column = 0;

	while (at < row->end) {
		struct editor_draw_piece piece = piece_at(layout, at, column);

		kept = at;
		if (column + piece.width > goal)
			return at;
		column += piece.width;
		at += piece.length;
	}
	/* The end of a row that goes on is the start of the next. */
	return row->last ? at : kept;
}

bool ik_editor_vertical(struct ik_editor *editor, int direction, bool keep_goal)
{
	struct layout layout = layout_begin(editor, editor->width ? editor->width : 1 << 20);
	struct editor_row here = row_of(&layout, editor->cursor), there;
	bool found = direction < 0 ? row_before(&layout, here.start, &there)
							   : row_behind(&layout, &here, &there);

	if (found) {
		if (!keep_goal)
			editor->goal = column_of(&layout, &here, editor->cursor);
		editor->cursor = position_at(&layout, &there, editor->goal);
	}
	layout_end(&layout);
	return found;
}

void ik_editor_click(struct ik_editor *editor, int row, int column)
{
	if (editor->width == 0 || row < editor->drawn_row)
		return;
	struct layout layout = layout_begin(editor, editor->width);
	struct editor_row there = row_of(&layout, editor->top);

	for (int i = editor->drawn_row; i < row && row_behind(&layout, &there, &there); i++)
		;
	int goal = column > editor->drawn_column ? column - editor->drawn_column : 0;
	editor->cursor = position_at(&layout, &there, goal);
	editor->selecting = false;
	editor->chain = CHAIN_NONE;
	layout_end(&layout);
}

int ik_editor_height(const struct ik_editor *editor, int columns)
{
	struct layout layout = layout_begin(editor, columns - 1);
	struct editor_row row = row_at(&layout, 0);
	int height = 1;

	while (height < IK_EDITOR_HEIGHT_MAX && row_behind(&layout, &row, &row))
		height++;
	layout_end(&layout);
	return height;
}

/* Scroll so that the cursor's row is seen and no row stays empty for nothing. */
static struct editor_row scroll(struct layout *layout, struct ik_editor *editor, int rows)
{
	size_t length = editor->text.length;
	struct editor_row top = row_of(layout, editor->top < length ? editor->top : length);
	struct editor_row cursor = row_of(layout, editor->cursor), row, before;
	int below = 0;

	if (cursor.start < top.start)
		top = cursor;
	for (row = top; below < rows && row.start != cursor.start; below++)
		row_behind(layout, &row, &row);
	if (below >= rows) {
		top = cursor;
		for (int i = 1; i < rows && row_before(layout, top.start, &before); i++)
			top = before;
	}
	int shown = 1;

	for (row = top; shown < rows && row_behind(layout, &row, &row); shown++)
		;
	for (; shown < rows && row_before(layout, top.start, &before); shown++)
		top = before;
	editor->top = top.start;
	return top;
}

/* The style of the piece at position: what is selected stands out. */
static enum ik_style style_at(const struct ik_editor *editor, size_t position, enum ik_style style)
{
	size_t start, end;
	bool selected = ik_editor_selection(editor, &start, &end) && position >= start &&
		position < end;

	return selected ? IK_STYLE_SELECTION : style;
}

/* Pieces that are drawn as they stand in the text, side by side and in one style. */
struct run {
	const char *text;
	size_t length;
	int column, width;
	enum ik_style style;
};

/* Draw what has come together. */
static void draw_run(struct ik_cells *cells, struct ik_rectangle area, struct run *run)
{
	struct ik_rectangle place = { area.row, area.column + run->column, 1, run->width };

	if (run->length > 0)
		ik_cells_text(cells, place, place.row, place.column, run->style, run->text, run->length);
	run->length = 0;
}

/* Draw one row of text; returns the column of a position in it. */
static int draw_row(struct layout *layout, struct ik_cells *cells, struct ik_rectangle area,
	const struct editor_row *row, size_t position)
{
	struct run run = { .length = 0 };
	int column = 0, found = 0;

	for (size_t at = row->start; at < row->end;) {
		struct editor_draw_piece piece = piece_at(layout, at, column);
		enum ik_style style = style_at(layout->editor, at, piece.style);

		if (run.length == 0 || piece.shown != run.text + run.length || style != run.style) {
			draw_run(cells, area, &run);
			run = (struct run){ .text = piece.shown, .column = column, .style = style };
		}
		run.length += piece.shown_length;
		run.width = column + piece.width - run.column;
		if (ik_fold_at(layout->editor, at)) {
			struct ik_rectangle place = { area.row, area.column + column, 1, piece.width };

			ik_cells_label(cells, place, place.row, place.column, style, piece.shown);
			run.length = 0;
		} else if (piece.shown == layout->shown.data) {
			draw_run(cells, area, &run); /* the next piece is written over it */
		}
		column += piece.width;
		at += piece.length;
		if (at <= position)
			found = column;
	}
	draw_run(cells, area, &run);
	return found;
}

void ik_editor_draw(struct ik_editor *editor, struct ik_cells *cells, struct ik_rectangle area,
	const char *prompt, int *ret_row, int *ret_column)
{
	int indent = (int)ik_utf8_width(prompt, strlen(prompt));

	*ret_row = area.row;
	*ret_column = area.column;
	if (area.rows < 1 || area.columns < 1)
		return;
	if (indent + PROMPT_ROOM > area.columns)
		indent = 0;
	ik_cells_fill(cells, area, IK_STYLE_NORMAL);
	editor->width = area.columns - indent > 2 ? area.columns - indent - 1 : 1;
	struct layout layout = layout_begin(editor, editor->width);
	struct editor_row row = scroll(&layout, editor, area.rows);

	if (indent > 0 && row.start == 0)
		ik_cells_text(cells, area, area.row, area.column, IK_STYLE_PROMPT, prompt, strlen(prompt));
	editor->drawn_row = area.row;
	editor->drawn_column = area.column + indent;
	for (int i = 0; i < area.rows; i++) {
		struct ik_rectangle place = { area.row + i, area.column + indent, 1, editor->width };
		int found = draw_row(&layout, cells, place, &row, editor->cursor);

		if (editor->cursor >= row.start &&
			(editor->cursor < row.end || (row.last && editor->cursor == row.end))) {
			*ret_row = area.row + i;
			*ret_column = place.column + found;
		}
		if (!row_behind(&layout, &row, &row))
			break;
	}
	if (*ret_column >= area.column + area.columns)
		*ret_column = area.column + area.columns - 1; /* an area of one column */
	layout_end(&layout);
}
