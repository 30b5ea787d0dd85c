/*
 * term_shape: what is drawn of a cell at its place on the screen.
 *
 * A cluster to which the C library gives another width than we do becomes U+FFFD,
 * without UTF-8 all is ASCII, and the last two cells of the last row are drawn more
 * simply (tui/term/term.h).
 *
 * Pure, but for the C library's locale.  May include: util, tui/term/cells.h, tui/term/ascii.h.
 */
#ifndef IK_TUI_TERM_TERM_SHAPE_H
#define IK_TUI_TERM_TERM_SHAPE_H

#include <stdbool.h>
#include <wchar.h>

#include "tui/term/cells.h"

#define IK_SHAPE_CHARACTERS 5 /* as many as a curses cell holds */

struct ik_shape {
	wchar_t text[IK_SHAPE_CHARACTERS + 1];
	int width;
};

/* The cells, and what the screen is like that they are drawn on. */
struct ik_shape_grid {
	const struct ik_cells *cells;
	int rows, columns; /* of the screen; cells may have more or fewer */
	bool margin_off;   /* lines can be kept from wrapping while the corner is drawn */
};

/* The cell to draw at a place, and how many times beside each other: 0 (nothing, as for
 * the second half of a wide cluster), 1 or 2. */
int ik_shape_place(const struct ik_shape_grid *grid, int row, int column, struct ik_cell *ret_cell);

/* What is drawn of a cell, beside each other: 1 or 2. utf8: the terminal shows more than
 * ASCII. */
int ik_shape_of(const struct ik_cell *cell, bool utf8, struct ik_shape ret_shapes[2]);

#endif
