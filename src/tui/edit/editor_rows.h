/*
 * editor_rows: the rows of a text that were laid out before, so that a frame does
 * not lay out a long text again for each question about it.
 *
 * May include: util.
 */
#ifndef IK_TUI_EDIT_EDITOR_ROWS_H
#define IK_TUI_EDIT_EDITOR_ROWS_H

#include <stdbool.h>
#include <stddef.h>

/* What one row on screen shows. */
struct editor_row {
	size_t start, end;
	bool last;   /* of its line: a line end or the end of the text follows */
	size_t seen; /* it holds as long as nothing changes up to here */
};

/* Rows that were laid out at a width, by their starts, not always all of them. */
struct rows {
	struct editor_row *at;
	size_t count, capacity;
	int width;
};

/* Return the row at a width that begins at start, or the last that begins at or before position
 * but not before least; NULL: none is known. Valid until the next of these calls. */
const struct editor_row *ik_rows_find(struct rows *rows, int width, size_t start);
const struct editor_row *ik_rows_find_before(struct rows *rows, int width, size_t least,
	size_t position);
/* Keep a row. */
void ik_rows_keep(struct rows *rows, const struct editor_row *row);
/* Forget the rows that a change at position affects. */
void ik_rows_changed(struct rows *rows, size_t position);
struct rows *ik_rows_free(struct rows *rows);

#endif
