#include "tui/edit/editor_rows.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* More than a screen shows; then they are forgotten and found anew. */
#define MOST 512

/* Forget all when they are of another width. */
static void set_width(struct rows *rows, int width)
{
	if (rows->width == width)
		return;
	rows->width = width;
	rows->count = 0;
}

/* How many begin at or before position. */
static size_t count_to(const struct rows *rows, size_t position)
{
	size_t low = 0, high = rows->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows->at[middle].start <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct editor_row *ik_rows_find_before(struct rows *rows, int width, size_t least,
	size_t position)
{
	set_width(rows, width);
	size_t count = count_to(rows, position);

	return count > 0 && rows->at[count - 1].start >= least ? &rows->at[count - 1] : NULL;
}

const struct editor_row *ik_rows_find(struct rows *rows, int width, size_t start)
{
	return ik_rows_find_before(rows, width, start, start);
}

void ik_rows_keep(struct rows *rows, const struct editor_row *row)
{
	if (rows->count == MOST)
		rows->count = 0;
	size_t index = count_to(rows, row->start);

	if (rows->count == rows->capacity) {
		rows->capacity = rows->capacity ? rows->capacity * 2 : 16;
		rows->at = ik_alloc_array(rows->at, rows->capacity, sizeof(*rows->at));
	}
	memmove(rows->at + index + 1, rows->at + index, (rows->count - index) * sizeof(*rows->at));
	rows->at[index] = *row;
	rows->count++;
}

void ik_rows_changed(struct rows *rows, size_t position)
{
	while (rows->count > 0 && rows->at[rows->count - 1].seen >= position)
		rows->count--;
}

struct rows *ik_rows_free(struct rows *rows)
{
	if (rows)
		free(rows->at);
	free(rows);
	return NULL;
}
