/*
 * term_paint: a whole frame, or a few cells, as bytes, without ncurses.
 *
 * For the first frame: ncurses takes longer to begin than such a frame takes to be
 * drawn.  And for what a key changes: on its way through ncurses that touches so much
 * memory, which is cold after a rest, that it takes twice as long.  Only for terminals that
 * take the control sequences of ECMA-48 and xterm's colours, and whose cursor stays in the
 * last column until more comes.
 *
 * Pure.  May include: util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_PAINT_H
#define IK_TUI_TERM_TERM_PAINT_H

#include "tui/term/term_changes.h"
#include "tui/term/term_shape.h"
#include "tui/term/theme.h"
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
void ik_paint_frame(const struct ik_paint *paint, const struct ik_shape_grid *grid, int cursor_row,
	int cursor_column, struct ik_buf *out);

/* Where the cursor is. */
struct ik_paint_cursor {
	int row, column; /* row -1: nobody knows */
};

/* Draw runs of cells, whole clusters, over what is shown, with the cursor going from one
 * place to another; attributes are normal before and behind it. */
void ik_paint_runs(const struct ik_paint *paint, const struct ik_shape_grid *grid,
	const struct ik_changed_run *runs, int count, struct ik_paint_cursor from,
	struct ik_paint_cursor to, struct ik_buf *out);

#endif
