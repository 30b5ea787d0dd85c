#include "picture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static char picture[1 << 20];

/* Append one row; returns the new end. */
static size_t put_row(const struct ik_cells *cells, int row, size_t used)
{
	size_t end = used; /* behind the last cell that is not blank */
	for (int column = 0; column < cells->columns; column++) {
		const struct ik_cell *cell = ik_cells_at(cells, row, column);
		if (cell->width == 0) {
			cr_assert(column > 0 && ik_cells_at(cells, row, column - 1)->width == 2);
			continue;
		}
		cr_assert(cell->length > 0 && used + cell->length + 2 < sizeof picture);
		memcpy(picture + used, cell->text, cell->length);
		used += cell->length;
		if (cell->length != 1 || cell->text[0] != ' ')
			end = used;
	}
	return end;
}

const char *picture_of(const struct ik_cells *cells)
{
	size_t used = 0;
	for (int row = 0; row < cells->rows; row++) {
		used = put_row(cells, row, used);
		picture[used++] = '\n';
	}
	picture[used] = '\0';
	return picture;
}

bool picture_has(const struct ik_cells *cells, const char *text)
{
	return strstr(picture_of(cells), text) != NULL;
}

int picture_style(const struct ik_cells *cells, const char *text)
{
	for (int row = 0; row < cells->rows; row++) {
		for (int column = 0; column < cells->columns; column++) {
			size_t length = strlen(text);
			size_t seen = 0;
			for (int i = column; i < cells->columns && seen < length; i++) {
				const struct ik_cell *cell = ik_cells_at(cells, row, i);
				if (seen + cell->length > length
					|| memcmp(text + seen, cell->text, cell->length) != 0)
					break;
				seen += cell->length;
			}
			if (seen == length)
				return ik_cells_at(cells, row, column)->style;
		}
	}
	return -1;
}
