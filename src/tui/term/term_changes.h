/*
 * term_changes: what differs between the frame that is wanted and the one that is shown.
 *
 * Where the grids have not the same size, only what both have is compared.  Rows before the
 * wanted frame's changed_from are taken to be what is shown.
 *
 * Pure.  May include: tui/term/cells.h.
 */
#ifndef IK_TUI_TERM_TERM_CHANGES_H
#define IK_TUI_TERM_TERM_CHANGES_H

#include "tui/term/cells.h"

/* Rows first to last are what was shown so many rows further down, and what comes after it. */
struct ik_move {
	int first, last, rows;
	int changed_first, changed_end; /* rows outside of these are as they are shown */
};

/* The part of a text that grows, and has moved up in a window; rows 0: none has that is worth
 * it. The last row of all never takes part. */
struct ik_move ik_changes_move(const struct ik_cells *wanted, const struct ik_cells *shown);

/* Cells of a row, from first to before end. */
struct ik_changed_run {
	int row, first, end;
};

/* The runs of cells that differ, one in a row, from above; -1 where there are more runs than
 * most, or more cells in them, or the grids have not the same size. */
int ik_changes_few(const struct ik_cells *wanted, const struct ik_cells *shown,
	struct ik_changed_run *ret_runs, int most, int cells);

/* Does a row differ? Then the cells from *ret_first to before *ret_end do, in whole clusters of
 * both frames. */
bool ik_changes_in_row(const struct ik_cells *wanted, const struct ik_cells *shown, int row,
	int *ret_first, int *ret_end);

#endif
