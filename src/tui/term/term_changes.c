#include "tui/term/term_changes.h"

#include <string.h>

#define MOVED_LEAST 4 /* rows that are worth moving */

/* The cells of a row. */
static const struct ik_cell *row_of(const struct ik_cells *cells, int row)
{
	return cells->cells + (size_t)row * (size_t)cells->columns;
}

/* Are rows of two grids of one width the same? */
static bool is_same(const struct ik_cells *one, int row, const struct ik_cells *other, int there)
{
	return memcmp(row_of(one, row), row_of(other, there),
			   (size_t)one->columns * sizeof(*one->cells)) == 0;
}

/* How many rows from first on are what is shown so many rows below. */
static int count_moved(const struct ik_cells *wanted, const struct ik_cells *shown, int first,
	int rows)
{
	int row = first;

	while (row + rows < shown->rows - 1 && is_same(wanted, row, shown, row + rows))
		row++;
	return row - first;
}

struct ik_move ik_changes_move(const struct ik_cells *wanted, const struct ik_cells *shown)
{
	struct ik_move move = { .changed_first = wanted->changed_from, .changed_end = wanted->rows };

	if (wanted->rows != shown->rows || wanted->columns != shown->columns)
		return move;
	int first = wanted->changed_from, last = shown->rows - 1, most = MOVED_LEAST;
	first += count_moved(wanted, shown, first, 0);
	while (last - first >= MOVED_LEAST && is_same(wanted, last, shown, last))
		last--;
	move.changed_first = first;
	move.changed_end = last + 1;
	if (last - first < MOVED_LEAST)
		return move; /* few rows are new in any case */
	for (int rows = 1; first + rows + most < shown->rows; rows++) {
		int moved = count_moved(wanted, shown, first, rows);

		if (moved > most) {
			most = moved;
			move.first = first;
			move.last = first + moved + rows - 1;
			move.rows = rows;
			/* What comes from below the last one is not what is shown there. */
			move.changed_end = move.last < last ? last + 1 : move.last + 1;
		}
	}
	return move;
}

bool ik_changes_in_row(const struct ik_cells *wanted, const struct ik_cells *shown, int row,
	int *ret_first, int *ret_end)
{
	const struct ik_cell *new = row_of(wanted, row), *old = row_of(shown, row);
	int columns = wanted->columns < shown->columns ? wanted->columns : shown->columns;
	int first = 0, end = columns;

	if (memcmp(new, old, (size_t)columns * sizeof(*new)) == 0)
		return false;
	while (memcmp(new + first, old + first, sizeof(*new)) == 0)
		first++;
	while (memcmp(new + end - 1, old + end - 1, sizeof(*new)) == 0)
		end--;
	while (first > 0 && (new[first].width == 0 || old[first].width == 0))
		first--;
	while (end < columns && (new[end].width == 0 || old[end].width == 0))
		end++;
	*ret_first = first;
	*ret_end = end;
	return true;
}

int ik_changes_few(const struct ik_cells *wanted, const struct ik_cells *shown,
	struct ik_changed_run *ret_runs, int most, int cells)
{
	int count = 0;

	if (wanted->rows != shown->rows || wanted->columns != shown->columns)
		return -1;
	for (int row = wanted->changed_from; row < wanted->rows; row++) {
		struct ik_changed_run run = { .row = row };

		if (!ik_changes_in_row(wanted, shown, row, &run.first, &run.end))
			continue;
		cells -= run.end - run.first;
		if (count == most || cells < 0)
			return -1;
		ret_runs[count++] = run;
	}
	return count;
}
