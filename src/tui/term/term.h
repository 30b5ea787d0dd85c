/*
 * term: draws a grid of cells on a terminal with ncurses.
 *
 * ncurses finds what changed since the last frame and writes it into a memory
 * file.  The caller gets the bytes of each frame and writes them when the
 * terminal accepts them, so nothing here ever blocks on a terminal.  Nothing
 * here reads from one either: for keys see tui/term/input.h.
 *
 * Characters: a cluster is drawn only if it is certain how wide terminals draw
 * it.  If the C library, whose widths ncurses uses, disagrees with
 * util/cluster.h about its width, it becomes U+FFFD, and a flag becomes its two
 * letters.  Without UTF-8 everything becomes ASCII.
 *
 * Colours: ncurses draws 24-bit ones only for "-direct" terminal types, which
 * hardly any TERM names.  So each colour of a theme is passed to ncurses as a
 * placeholder, a number of the 256-colour palette, which is then replaced in
 * ncurses' output.
 *
 * Pictures: a cell with colours of its own is passed to ncurses as a character
 * of Unicode's last plane, which stands for its place on the screen and is then
 * replaced in ncurses' output by the cell.  So ncurses moves, covers and repaints
 * parts of pictures as it does text.  Such characters in texts are not drawn.
 *
 * Only one terminal can be open at a time, because ncurses has one current
 * screen.
 * May include: <curses.h>, util, tui/term.
 */
#ifndef IK_TUI_TERM_TERM_H
#define IK_TUI_TERM_TERM_H

#include "tui/term/cells.h"
#include "tui/term/theme.h"
#include "util/buf.h"

struct ik_term;

struct ik_term_options {
	const char *type;             /* TERM; NULL or "" is an error */
	enum ik_colour_depth colours; /* limit; the terminal may have fewer */
	const struct ik_theme *theme;
	int rows, columns;
	bool direct; /* COLORTERM promises 24-bit colours, even if terminfo doesn't */
};

/* Start drawing, in ASCII unless the locale is UTF-8. Fails with a sentence for "dumb" and for
 * types that terminfo does not know, except for common ones, which are drawn as another type. */
struct ik_term *ik_term_new(const struct ik_term_options *options, struct ik_error *error);
struct ik_term *ik_term_free(struct ik_term *term);

void ik_term_resize(struct ik_term *term, int rows, int columns); /* both at least 1 */

/* Repaint every cell in the next frame, after a suspend or for Ctrl-L. */
void ik_term_invalidate(struct ik_term *term);

/* Switch to another theme, which repaints every cell in the next frame. */
void ik_term_set_theme(struct ik_term *term, const struct ik_theme *theme);

/*
 * Append to out the bytes that update the terminal from the last frame to this
 * one; nothing if they are equal. cells has the terminal's size.
 */
void ik_term_frame(struct ik_term *term, const struct ik_cells *cells, struct ik_buf *out);

/* Does the terminal answer queries, or at least ignore them? */
bool ik_term_answers(const struct ik_term *term);

/* Return the colours in use: the terminal's, limited by the options. */
enum ik_colour_depth ik_term_colours(const struct ik_term *term);

/* Return the substitute type in use if the terminal's own is not installed, else NULL. */
const char *ik_term_drawn_as(const struct ik_term *term);

/*
 * The terminal's modes in the full screen.
 *
 * The mouse: xterm's modes 1000 (buttons and wheel), 1002 (motion while a
 * button is down) and 1006 (coordinates without a limit).
 *
 * The keyboard: the first flag of kitty's protocol, if the terminal reports
 * that it supports it, and xterm's modifyOtherKeys 1, for Shift-Enter and the
 * like.
 *
 * Focus: xterm's mode 1004.  The title, and progress: see tui/term/osc.h.
 */
struct ik_term_modes {
	enum ik_cursor cursor;
	bool mouse;
	bool keyboard; /* kitty's protocol */
	bool focus;    /* reports of focus */
	bool title;    /* to be restored when we leave */
	bool progress; /* to be off when we leave */
	bool pictures; /* of kitty's graphics protocol, to be deleted when we leave */
};

/* Return what to write to enter the full screen with these modes, to leave it, and to switch
 * modes, as new strings. Terminals that may not know the modes (ik_term_answers()) are not
 * switched. */
char *ik_term_modes_enter(const struct ik_term *term, struct ik_term_modes modes);
char *ik_term_modes_leave(const struct ik_term *term, struct ik_term_modes modes);
char *ik_term_modes_change(const struct ik_term *term, struct ik_term_modes from,
	struct ik_term_modes to);

#endif
