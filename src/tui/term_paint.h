/*
 * term_paint: a whole frame as bytes, without ncurses.
 *
 * For the first frame: ncurses takes longer to begin than such a frame takes to be
 * drawn.  Only for terminals that take the control sequences of ECMA-48 and xterm's
 * colours, and whose cursor stays in the last column until more comes.
 *
 * Pure.  May include: util, tui/term_shape.h, tui/theme.h, tui/colour.h.
 */
#ifndef IK_TUI_TERM_PAINT_H
#define IK_TUI_TERM_PAINT_H

#include "tui/term_shape.h"
#include "tui/theme.h"
#include "util/buf.h"

struct ik_paint {
	const struct ik_theme *theme;
	enum ik_colour_depth colours;
	uint8_t attributes; /* that the terminal has: enum IK_ATTRIBUTE_... */
	const char *normal; /* what takes all attributes back */
	bool utf8;
};

/* Clear the screen, draw all of the grid and put the cursor there; attributes are
 * left as normal. */
void ik_paint_frame(const struct ik_paint *paint, const struct ik_shape_grid *grid,
	int cursor_row, int cursor_column, struct ik_buf *out);

#endif
