#include "tui/term/cells.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/buf.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/utf8.h"

#define ELLIPSIS "\xE2\x80\xA6" /* U+2026 */
#define CELL_CHARACTERS 5       /* limit of a curses cell */
#define LABEL_BYTES 4000        /* limit of a label, which is wider than any terminal by then */

/* A cluster as drawn, which may differ from the text. */
struct glyph {
	const char *text;
	size_t length;   /* bytes drawn */
	size_t consumed; /* bytes of the text */
	int width;
};

static const struct ik_cell blank_cell = { .text = " ", .length = 1, .width = 1 };

/* Would a terminal act on this character? */
static bool is_control(uint32_t codepoint)
{
	return codepoint < 0x20 || (codepoint >= 0x7F && codepoint < 0xA0);
}

/* Return the first cluster of a text as it is drawn. */
static struct glyph glyph_next(const char *text, size_t length)
{
	uint32_t codepoint;
	int base = ik_utf8_decode(text, length, &codepoint);

	if (base <= 0 || is_control(codepoint))
		return (struct glyph){ IK_UTF8_REPLACEMENT, strlen(IK_UTF8_REPLACEMENT),
			base > 0 ? (size_t)base : 1, 1 };
	struct ik_cluster cluster = ik_cluster_next(text, length);
	size_t drawn = cluster.drawn_length;

	if (drawn > IK_CELL_BYTES || ik_utf8_count(text, drawn) > CELL_CHARACTERS)
		drawn = (size_t)base;
	return (struct glyph){ text, drawn, cluster.length, cluster.width };
}

/* Return a cell, which must be in the grid. */
static struct ik_cell *cell_at(struct ik_cells *cells, int row, int column)
{
	return &cells->cells[(size_t)row * (size_t)cells->columns + (size_t)column];
}

/* Clip a rectangle to the grid; return false if nothing is left. */
static bool clip(const struct ik_cells *cells, struct ik_rectangle *area)
{
	long top = area->row, left = area->column;
	long bottom = top + area->rows, right = left + area->columns;

	if (top < 0)
		top = 0;
	if (left < 0)
		left = 0;
	if (bottom > cells->rows)
		bottom = cells->rows;
	if (right > cells->columns)
		right = cells->columns;
	if (top >= bottom || left >= right)
		return false;
	*area = (struct ik_rectangle){ (int)top, (int)left, (int)(bottom - top), (int)(right - left) };
	return true;
}

/* Turn a cell into a blank of the same style. */
static void make_blank(struct ik_cell *cell)
{
	uint8_t style = cell->style;

	*cell = blank_cell;
	cell->style = style;
}

/* Blank the halves of wide clusters that would be left at the edges when [column, column + width)
 * is overwritten. */
static void split_edges(struct ik_cells *cells, int row, int column, int width)
{
	if (column > 0 && cell_at(cells, row, column)->width == 0)
		make_blank(cell_at(cells, row, column - 1));
	int after = column + width;

	if (after < cells->columns && cell_at(cells, row, after)->width == 0)
		make_blank(cell_at(cells, row, after));
}

/* Put a cluster into one or two cells, which must be in the grid. */
static void put(struct ik_cells *cells, int row, int column, enum ik_style style, const char *text,
	size_t length, int width)
{
	split_edges(cells, row, column, width);
	struct ik_cell *cell = cell_at(cells, row, column);
	*cell = (struct ik_cell){
		.length = (uint8_t)length, .width = (uint8_t)width, .style = (uint8_t)style
	};
	memcpy(cell->text, text, length);
	if (width == 2)
		cell[1] = (struct ik_cell){ .style = (uint8_t)style };
}

void ik_cells_put(struct ik_cells *cells, int row, int column, const struct ik_cell *cell)
{
	if (row < 0 || row >= cells->rows || column < 0 || column >= cells->columns)
		return;
	split_edges(cells, row, column, 1);
	*cell_at(cells, row, column) = *cell;
}

void ik_cells_show(struct ik_cells *cells, const struct ik_drawing *drawing)
{
	for (size_t i = 0; i < cells->drawing_count; i++)
		if (cells->drawings[i] == drawing)
			return;
	if (cells->drawing_count < IK_CELLS_DRAWINGS)
		cells->drawings[cells->drawing_count++] = drawing;
}

void ik_cells_init(struct ik_cells *cells)
{
	*cells = (struct ik_cells){ .cursor_row = -1 };
}

void ik_cells_done(struct ik_cells *cells)
{
	free(cells->cells);
	ik_cells_init(cells);
}

void ik_cells_set_cursor(struct ik_cells *cells, int row, int column)
{
	cells->cursor_row = row;
	cells->cursor_column = column;
}

void ik_cells_resize(struct ik_cells *cells, int rows, int columns)
{
	if (rows < 0)
		rows = 0;
	if (columns < 0)
		columns = 0;
	size_t count = (size_t)rows * (size_t)columns;

	if (count != (size_t)cells->rows * (size_t)cells->columns || !cells->cells)
		cells->cells = ik_alloc_array(cells->cells, count ? count : 1, sizeof(*cells->cells));
	cells->rows = rows;
	cells->columns = columns;
	ik_cells_set_cursor(cells, -1, 0);
	for (size_t i = 0; i < count; i++)
		cells->cells[i] = blank_cell;
}

void ik_cells_fill_with(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style,
	const char *character)
{
	if (!clip(cells, &area))
		return;
	struct ik_cell cell = {
		.length = (uint8_t)strlen(character), .width = 1, .style = (uint8_t)style
	};
	memcpy(cell.text, character, cell.length);

	for (int row = area.row; row < area.row + area.rows; row++) {
		split_edges(cells, row, area.column, area.columns);
		for (int column = area.column; column < area.column + area.columns; column++)
			*cell_at(cells, row, column) = cell;
	}
}

void ik_cells_fill(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style)
{
	ik_cells_fill_with(cells, area, style, " ");
}

int ik_cells_text(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style style, const char *text, size_t length)
{
	if (!clip(cells, &area) || row < area.row || row >= area.row + area.rows)
		return column;
	int right = area.column + area.columns;
	size_t at = 0;

	while (at < length && column < right) {
		struct glyph glyph = glyph_next(text + at, length - at);

		at += glyph.consumed;
		if (glyph.width <= 0)
			continue;
		if (column >= area.column && column + glyph.width <= right) {
			put(cells, row, column, style, glyph.text, glyph.length, glyph.width);
		} else {
			/* Half of a wide cluster is outside. */
			for (int part = column; part < column + glyph.width; part++)
				if (part >= area.column && part < right)
					put(cells, row, part, style, " ", 1, 1);
		}
		column += glyph.width;
	}
	return column < right ? column : right;
}

int ik_cells_label(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style style, const char *text)
{
	size_t length = strnlen(text, LABEL_BYTES), kept = 0, at = 0;
	struct ik_rectangle visible = area;
	struct ik_buf harmless;

	if (!clip(cells, &visible))
		return column;
	ik_buf_init(&harmless, IK_KIB(64));
	if (!ik_sanitize_is_clean(text, length)) {
		ik_sanitize_line(&harmless, text, length);
		text = harmless.data;
		length = harmless.length;
	}
	/* Leave one column for the ellipsis. */
	int room = visible.column + visible.columns - column, width = 0;

	while (at < length && width <= room) {
		struct glyph glyph = glyph_next(text + at, length - at);

		width += glyph.width;
		at += glyph.consumed;
		if (width < room)
			kept = at;
	}
	column = ik_cells_text(cells, area, row, column, style, text, width <= room ? length : kept);
	if (width > room)
		column = ik_cells_text(cells, area, row, column, style, ELLIPSIS, strlen(ELLIPSIS));
	ik_buf_done(&harmless);
	return column;
}

const struct ik_cell *ik_cells_at(const struct ik_cells *cells, int row, int column)
{
	if (row < 0 || column < 0 || row >= cells->rows || column >= cells->columns)
		return &blank_cell;
	return &cells->cells[(size_t)row * (size_t)cells->columns + (size_t)column];
}

void ik_cells_restyle(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style)
{
	if (!clip(cells, &area))
		return;
	for (int row = area.row; row < area.row + area.rows; row++)
		for (int column = area.column; column < area.column + area.columns; column++)
			cell_at(cells, row, column)->style = (uint8_t)style;
}

int ik_cells_hints(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style key, enum ik_style style, const char *text)
{
	int end = ik_cells_label(cells, area, row, column, style, text);
	size_t word, blanks = 2;

	for (; *text && column < end; text += word + blanks, column += (int)blanks) {
		word = strcspn(text, " ");
		int width = (int)ik_utf8_width(text, word), room = end - column;

		if (blanks > 1)
			ik_cells_restyle(cells,
				(struct ik_rectangle){ row, column, 1, width < room ? width : room }, key);
		column += width;
		blanks = strspn(text + word, " ");
	}
	return end;
}
