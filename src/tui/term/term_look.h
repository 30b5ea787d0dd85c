/*
 * term_look: how each style of a theme looks on this terminal, as ncurses' attributes and
 * colour pair.
 *
 * ncurses draws 24-bit colours only for "-direct" terminal types, which hardly anyone's TERM is
 * set to.  So each colour of a theme is given to ncurses as a placeholder, a number of the
 * 256-colour palette, and ik_term_put_direct() replaces it by the colour in what ncurses wrote.
 *
 * May include: <curses.h>, util, tui/term/theme.h, tui/term/colour.h.
 */
#ifndef IK_TUI_TERM_TERM_LOOK_H
#define IK_TUI_TERM_TERM_LOOK_H

#define NCURSES_NOMACROS
#include <curses.h>

#include "tui/term/theme.h"
#include "util/buf.h"

struct ik_term_look {
	attr_t attributes;
	short pair;
};

/* Set the look of each style, and ncurses' colour pairs. default_colours: ncurses can draw the
 * terminal's own foreground and background. */
void ik_term_looks_make(const struct ik_theme *theme, enum ik_colour_depth colours,
	bool default_colours, struct ik_term_look ret_looks[IK_STYLE_COUNT]);

/* Append ncurses' bytes with each placeholder ("38;5;N", "48;5;N") replaced by its colour in
 * the theme ("38;2;R;G;B"). */
void ik_term_put_direct(const struct ik_theme *theme, const char *bytes, struct ik_buf *out);

#endif
