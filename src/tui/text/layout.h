/*
 * layout: which part of the screen is where.
 *
 * Pure arithmetic, defined for every size down to 1x1: what has no room gets a
 * rectangle without cells.  May include: tui/term/cells.h.
 */
#ifndef IK_TUI_TEXT_LAYOUT_H
#define IK_TUI_TEXT_LAYOUT_H

#include "tui/term/cells.h"

#define IK_LEAST_ROWS 10
#define IK_LEAST_COLUMNS 40
#define IK_WIDE_COLUMNS 100 /* from here on a pane is beside the scrollback */
#define IK_EDITOR_ROWS 10   /* the editor grows to this, then scrolls */
#define IK_DIALOG_ROWS 12   /* a question may always have these */

struct ik_layout {
	bool too_small;                 /* one sentence instead of all this */
	struct ik_rectangle scrollback; /* no cells while a pane takes its place */
	struct ik_rectangle divider;    /* the column between scrollback and pane */
	struct ik_rectangle pane;       /* no cells without a pane */
	struct ik_rectangle dialog;     /* no cells without a question */
	struct ik_rectangle queue;      /* no cells unless messages wait */
	struct ik_rectangle rule;       /* the row over the editor */
	struct ik_rectangle editor;
	struct ik_rectangle status;
};

/* editor_rows is what the text wants; queue_rows what messages that wait are shown in;
 * dialog_rows what the question takes of the rest (at most ik_layout_dialog_rows() of it). */
struct ik_layout ik_layout_make(int rows, int columns, bool pane, int editor_rows, int queue_rows,
	int dialog_rows);

/* Return how many of the rows above the editor a question may have: enough of the
 * conversation stays to be seen, where there is enough. */
int ik_layout_dialog_rows(int rows);

#endif
