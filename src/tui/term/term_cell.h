/*
 * term_cell: a cell of the grid as cells of ncurses.
 *
 * A cluster is drawn only where it is certain how wide terminals draw it.  One that the C
 * library, whose widths ncurses uses, gives another width than util/cluster.h becomes U+FFFD,
 * and a flag becomes its two letters.  Without UTF-8 everything becomes ASCII.
 *
 * May include: <curses.h>, util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_CELL_H
#define IK_TUI_TERM_TERM_CELL_H

#include <wchar.h>

#include "tui/term/cells.h"
#include "tui/term/term_look.h"

#define IK_TERM_CELL_MOST 2 /* ncurses cells that one cell can become */

/*
 * Make what ncurses draws for a cell; returns the number of its cells, 0 for the second half of
 * a wide cluster. corner: the cell touches the last two columns of the last row. ncurses fills
 * these by inserting characters or with line wrap off, which spoils clusters that are wide or
 * combined, so a wide one becomes blanks and a combined one its base.
 */
int ik_term_cell_make(const struct ik_cell *cell, const struct ik_term_look *look, bool utf8,
	bool corner, cchar_t ret_cells[IK_TERM_CELL_MOST]);

#endif
