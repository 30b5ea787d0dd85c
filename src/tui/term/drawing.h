/*
 * drawing: a picture as this terminal shows it, in cells like everything else, so that it scrolls,
 * is covered and comes back as text does.
 *
 * Where the terminal draws no pictures, each cell is a half block in two colours.  For kitty's
 * graphics protocol a cell is the placeholder of its part of a picture that was sent before.  Of
 * sixels, cells are blanks; tui/term/term.c draws a line again when some of them were written.
 *
 * Sources: https://sw.kovidgoyal.net/kitty/graphics-protocol/#unicode-placeholders
 * Pure.  May include: util, tui/term/cells.h.
 */
#ifndef IK_TUI_TERM_DRAWING_H
#define IK_TUI_TERM_DRAWING_H

#include "tui/term/cells.h"
#include "util/buf.h"

enum ik_drawing_way {
	IK_DRAWING_NONE,  /* pictures are not shown */
	IK_DRAWING_CELLS, /* six bytes for each cell: the RGB of its upper and lower half */
	IK_DRAWING_KITTY, /* a PNG file, which the terminal scales */
	IK_DRAWING_SIXEL  /* for each line a sequence of sixels, which ends in ESC \ */
};

/* The limit of kitty's placeholders is above it. */
#define IK_DRAWING_MOST 64 /* columns, and rows */

struct ik_drawing {
	enum ik_drawing_way way;
	uint32_t id;       /* of 24 bits, not 0; never that of another drawing */
	int columns, rows; /* in cells */
	const char *bytes;
	size_t length;
};

/* Draw a line (from 0) of it into a row of area. */
void ik_drawing_draw(const struct ik_drawing *drawing, int line, struct ik_cells *cells,
	struct ik_rectangle area, int row);

/* Append what the terminal has to get once before the cells. */
void ik_drawing_send(const struct ik_drawing *drawing, struct ik_buf *out);

/* Append what has the terminal delete one. */
void ik_drawing_forget(uint32_t id, struct ik_buf *out);

/* Is text nothing but sequences of sixels? A broken picture may have done anything to the program
 * that made it. */
bool ik_drawing_is_sixels(const char *text);

/* Return the sixels of a line. */
const char *ik_drawing_line(const struct ik_drawing *drawing, int line, size_t *ret_length);

#endif
