/*
 * linear: the screen as a sequence of lines, for screen readers, braille
 * displays and dumb terminals.
 *
 * Written lines never change; only the last line, in which the user types,
 * does.  There are no frames, colours or running clocks: the start and end of
 * things are announced in words.  The lines of panes, questions and help are
 * written when they open, then only the new ones; the selected line begins with
 * "*".  Lines wrap between words.
 *
 * Draws nothing itself: it is given the screen as drawn into cells, and writes
 * what is new.
 * May include: util, tui.
 */
#ifndef IK_TUI_SCREEN_LINEAR_H
#define IK_TUI_SCREEN_LINEAR_H

#include "tui/screen/screen.h"
#include "tui/term/cells.h"
#include "util/buf.h"

struct ik_linear;

/* ansi: the terminal can erase to the end of the line and move right. Without it (TERM=dumb), a
 * changed last line is written again as a new line. marks: it understands those of
 * tui/term/osc.h. */
struct ik_linear *ik_linear_new(bool utf8, bool ansi, bool marks);
struct ik_linear *ik_linear_free(struct ik_linear *linear);

/* Return what to write at the start and at the end. */
const char *ik_linear_enter(const struct ik_linear *linear);
const char *ik_linear_leave(const struct ik_linear *linear);

/* Replace the size of the terminal with the size for the screen: its rows are as many as what is
 * written when a pane opens may need. */
void ik_linear_size(int *rows, int *columns);

/* Append the bytes that update the terminal to the screen, as just drawn into cells. */
void ik_linear_frame(struct ik_linear *linear, struct ik_screen *screen,
	const struct ik_cells *cells, struct ik_buf *out);

/* Write another conversation from now on, after the output of `before`, whose last line is
 * replaced and which writes nothing meanwhile. */
void ik_linear_take_over(struct ik_linear *linear, struct ik_linear *before);

/* Write the current state and the last line again (Ctrl-L, after a stop). */
void ik_linear_again(struct ik_linear *linear);

#endif
