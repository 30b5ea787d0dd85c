#include "tui/term/term_shape.h"

#include "tui/term/ascii.h"
#include "util/utf8.h"

/*
 * The characters of a cell, at most as many as a curses cell holds; 0 when the
 * C library, by whose widths ncurses goes, sees another width than we do: what
 * is not certain is not drawn.
 */
static int wide_text(const struct ik_cell *cell, wchar_t wide[IK_SHAPE_CHARACTERS + 1])
{
	int count = 0;

	for (size_t at = 0; at < cell->length && count < IK_SHAPE_CHARACTERS;) {
		uint32_t codepoint;
		int bytes = ik_utf8_decode(cell->text + at, cell->length - at, &codepoint);

		if (bytes <= 0)
			return 0;
		int width = wcwidth((wchar_t)codepoint);

		if (count == 0 && width != cell->width)
			return 0;
		if (count > 0 && width != 0)
			break;
		wide[count++] = (wchar_t)codepoint;
		at += (size_t)bytes;
	}
	wide[count] = L'\0';
	return count;
}

/* The letters of a flag (two regional indicators), whose width terminals and C
 * libraries disagree about; false when it is none. */
static bool flag_letters(const struct ik_cell *cell, char letters[2])
{
	const size_t each = 4; /* bytes of U+1F1E6 to U+1F1FF */
	uint32_t codepoint;

	if (cell->width != 2 || cell->length != 2 * each)
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (ik_utf8_decode(cell->text + i * each, each, &codepoint) != (int)each ||
			codepoint < 0x1F1E6 || codepoint > 0x1F1FF)
			return false;
		letters[i] = (char)('A' + (codepoint - 0x1F1E6));
	}
	return true;
}

int ik_shape_of(const struct ik_cell *cell, bool utf8, struct ik_shape ret_shapes[2])
{
	char letters[2];

	ret_shapes[0] = (struct ik_shape){ .text = { (unsigned char)cell->text[0] },
		.width = cell->width };
	if (cell->length == 1 && cell->text[0] >= 0x20 && cell->text[0] < 0x7F)
		return 1;
	if (utf8 && wide_text(cell, ret_shapes[0].text) > 0)
		return 1;
	ret_shapes[0] = (struct ik_shape){
		.text = { utf8 ? 0xFFFD : (wchar_t)(unsigned char)ik_ascii_for(cell->text, cell->length) },
		.width = 1
	};
	if (cell->width != 2)
		return 1;
	ret_shapes[1] = (struct ik_shape){ .text = { L' ' }, .width = 1 };
	if (flag_letters(cell, letters)) {
		ret_shapes[0].text[0] = (wchar_t)letters[0];
		ret_shapes[1].text[0] = (wchar_t)letters[1];
	}
	return 2;
}

/*
 * ncurses fills the last cell of the screen without the line wrap that would
 * scroll it: by turning wrapping off, or by inserting the characters before it.
 * Either spoils what is wide or combined there, so that is drawn more simply.
 */
static bool is_spoilt_wide(const struct ik_shape_grid *grid, const struct ik_cell *cell, int column)
{
	int behind = grid->columns - column - cell->width;

	return cell->width == 2 && (behind == 0 || (behind == 1 && !grid->margin_off));
}

int ik_shape_place(const struct ik_shape_grid *grid, int row, int column, struct ik_cell *ret_cell)
{
	const struct ik_cell *cell = ik_cells_at(grid->cells, row, column);
	bool bottom = row == grid->rows - 1;

	if (cell->width == 0 || column + cell->width > grid->columns ||
		column + cell->width > grid->cells->columns)
		return 0;
	*ret_cell = *cell;
	if (bottom && is_spoilt_wide(grid, cell, column)) {
		*ret_cell = (struct ik_cell){ .text = " ", .length = 1, .width = 1, .style = cell->style };
		return 2;
	}
	if (bottom && column >= grid->columns - 2) {
		uint32_t base;
		int bytes = ik_utf8_decode(cell->text, cell->length, &base);

		ret_cell->length = bytes > 0 ? (uint8_t)bytes : cell->length;
	}
	return 1;
}
