/*
 * term: a grid of cells to a terminal's bytes, by ncurses.  The only file that
 * knows ncurses.
 *
 * ncurses writes into a memory file; the bytes of each frame are handed to a
 * function.  So nothing here ever blocks on a terminal, and nothing reads one.
 * One terminal at a time: ncurses mixes up two whose sizes change.
 *
 * What is drawn is what all agree on: a cluster to which the C library gives
 * another width than util/utf8.h shows as U+FFFD, and in the last two cells of
 * the last row, which ncurses fills by inserting, what is wide shows as blanks
 * and what is combined as its base.
 *
 * May include: util, tui/term/cells.h, tui/term/theme.h, tui/term/colour.h.
 */
#ifndef IK_TUI_TERM_TERM_H
#define IK_TUI_TERM_TERM_H

#include "tui/term/cells.h"
#include "tui/term/theme.h"
#include "util/buf.h"

struct ik_term;

struct ik_term_options {
	const char *type;             /* TERM; NULL or "": an error in words */
	bool utf8;                    /* else everything is drawn in ASCII */
	enum ik_colour_depth colours; /* at most; the terminal may have fewer */
	const struct ik_theme *theme;
	int rows, columns;
};

/* Fails in words for "dumb" and for what terminfo does not know; common terminals
 * whose own entry is not installed are known by their family. utf8 counts only
 * where the C library's locale (the app calls setlocale) is of UTF-8 too. */
struct ik_term *ik_term_new(const struct ik_term_options *options, struct ik_error *error);
struct ik_term *ik_term_free(struct ik_term *term);

/* What to write to enter the full screen (alternate screen, bracketed paste,
 * keypad, ...) and what undoes it; valid while term lives. */
const char *ik_term_enter(const struct ik_term *term);
const char *ik_term_leave(const struct ik_term *term);

void ik_term_resize(struct ik_term *term, int rows, int columns);

/* The next frame repaints every cell (after a suspend, Ctrl-L). */
void ik_term_invalidate(struct ik_term *term);

/*
 * Append to out the bytes that bring the terminal from the last frame to this
 * one, with the cursor at (row, column) or hidden (row < 0). Nothing changed:
 * nothing is appended.
 */
void ik_term_frame(struct ik_term *term, const struct ik_cells *cells, int cursor_row,
	int cursor_column, struct ik_buf *out);

/* Do what was put off for that, once the bytes are on their way. */
void ik_term_settle(struct ik_term *term);

/* Look different from the next frame on, which repaints every cell. */
void ik_term_set_theme(struct ik_term *term, const struct ik_theme *theme);

/* Is it one of those that answer queries, or else ignore them? */
bool ik_term_answers(const struct ik_term *term);

/* Colours the terminal type says it has, or COLORTERM (NULL: not said) on top of 256;
 * NO_COLOR is the caller's to ask. */
enum ik_colour_depth ik_term_colours(const char *type, const char *colorterm);

/* The type as which one is drawn that is not installed; NULL: it is, or there is none. */
const char *ik_term_missing(const char *type);

#endif
