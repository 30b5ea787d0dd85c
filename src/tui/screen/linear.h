/*
 * linear: the screen as lines that only ever follow each other, for screen
 * readers, braille displays and terminals that can do nothing else.
 *
 * What was written stays as it is; only the last line, in which the user writes,
 * changes.  No frames, no colours, no times that count: what begins and ends is said
 * in words.  Of panes, questions and the help each line is written when they open,
 * later those that are new; what is selected begins with "*".  Lines end between words.
 *
 * Draws nothing itself: it is given the screen, drawn into cells, and writes what is
 * new in it.  May include: util, tui.
 */
#ifndef IK_TUI_SCREEN_LINEAR_H
#define IK_TUI_SCREEN_LINEAR_H

#include "tui/screen/screen.h"
#include "tui/term/cells.h"
#include "util/buf.h"

struct ik_linear;

/* ansi: the terminal can erase to the end of a line and move to the right; without
 * it (TERM=dumb) the last line is written again as another. */
struct ik_linear *ik_linear_new(bool utf8, bool ansi);
struct ik_linear *ik_linear_free(struct ik_linear *linear);

/* What to write to begin and to end. */
const char *ik_linear_enter(const struct ik_linear *linear);
const char *ik_linear_leave(const struct ik_linear *linear);

/* The size for which the screen is to be made on a terminal of that one. */
void ik_linear_size(int *rows, int *columns);

/* Append what brings the terminal up to date with the screen, as it was just drawn
 * into cells. */
void ik_linear_frame(struct ik_linear *linear, struct ik_screen *screen,
	const struct ik_cells *cells, struct ik_buf *out);

/* It is another conversation's turn to be written: go on after what was written of before,
 * whose last line is left, and which has nothing to say meanwhile. */
void ik_linear_take_over(struct ik_linear *linear, struct ik_linear *before);

/* Say how things stand, and write the last line again (Ctrl-L, after a stop). */
void ik_linear_again(struct ik_linear *linear);

#endif
