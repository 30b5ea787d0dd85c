/*
 * term_look: how a cell of the grid looks in ncurses: its characters, attributes and colours.
 *
 * Characters: a cluster is drawn only where it is certain how wide terminals draw it.  One that
 * the C library, whose widths ncurses uses, gives another width than util/cluster.h becomes
 * U+FFFD, and a flag becomes its two letters.  Without UTF-8 everything becomes ASCII.
 *
 * Colours: ncurses draws 24-bit ones only for "-direct" terminal types, which hardly anyone's
 * TERM is set to.  So each colour of a theme is given to ncurses as a placeholder, a number of
 * the 256-colour palette, and ik_term_put_direct() replaces it in what ncurses wrote.
 *
 * May include: <curses.h>, util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_LOOK_H
#define IK_TUI_TERM_TERM_LOOK_H

#include <wchar.h>

#define NCURSES_NOMACROS
#include <curses.h>

#include "tui/term/cells.h"
#include "tui/term/theme.h"
#include "util/buf.h"

/* What ncurses draws a style with. */
struct ik_term_look {
	attr_t attributes;
	short pair; /* of colours */
};

/* Set the look of each style, and ncurses' colour pairs; own: ncurses can draw the terminal's own
 * foreground and background. */
void ik_term_looks_make(const struct ik_theme *theme, enum ik_colour_depth colours, bool own,
	struct ik_term_look ret_looks[IK_STYLE_COUNT]);

#define IK_TERM_CELL_MOST 2 /* ncurses cells that one cell can become */

/*
 * Make what ncurses draws for a cell; returns the number of its cells, 0 for the second half of
 * a wide cluster. corner: the cell touches the last two columns of the last row. ncurses fills
 * these by inserting characters or with line wrap off, which spoils clusters that are wide or
 * combined, so a wide one becomes blanks and a combined one its base.
 */
int ik_term_cell_make(const struct ik_cell *cell, const struct ik_term_look *look, bool utf8,
	bool corner, cchar_t ret_cells[IK_TERM_CELL_MOST]);

/* Append ncurses' bytes with each placeholder ("38;5;N", "48;5;N") replaced by its colour in
 * the theme ("38;2;R;G;B"). */
void ik_term_put_direct(const struct ik_theme *theme, const char *bytes, struct ik_buf *out);

#endif
