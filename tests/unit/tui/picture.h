/*
 * picture: a grid of cells as text, so that a test shows what it expects.
 *
 * One line a row, blanks at its end cut; the second half of a wide cluster is
 * left out, so that a picture reads as it looks.
 */
#ifndef IK_TEST_PICTURE_H
#define IK_TEST_PICTURE_H

#include "tui/term/cells.h"

/* The picture; valid until the next call. Checks the grid's invariants. */
const char *picture_of(const struct ik_cells *cells);

/* Fail with both pictures unless cells look like expected. */
#define PICTURE_IS(cells, expected) \
	do { \
		const char *picture_ = picture_of(cells); \
		cr_assert(strcmp(picture_, expected) == 0, "expected:\n%s\ngot:\n%s", expected, picture_); \
	} while (0)

/* Does a row of the picture contain that text? */
bool picture_has(const struct ik_cells *cells, const char *text);

/* The style of the cell at the first place where text stands; -1: nowhere. */
int picture_style(const struct ik_cells *cells, const char *text);

#endif
