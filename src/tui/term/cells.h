/*
 * cells: the grid that panes draw into.
 *
 * A cell holds one grapheme cluster and its style; a wide cluster takes two
 * cells.  Sanitise text before drawing it; remaining control characters are
 * drawn as U+FFFD.  Drawing is clipped to the grid and to a rectangle.
 *
 * Pure, owns the grid.  May include: util.
 */
#ifndef IK_TUI_TERM_CELLS_H
#define IK_TUI_TERM_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of a text; the theme defines its look, under these names in lower case. */
enum ik_style {
	IK_STYLE_NORMAL,
	IK_STYLE_DIM,  /* hints, times, comments in code, the status bar */
	IK_STYLE_BOLD, /* headings, keys, what is strong */
	IK_STYLE_EMPHASIS,
	IK_STYLE_THINKING,
	IK_STYLE_USER,    /* the user's messages, the prompt's mark */
	IK_STYLE_ACCENT,  /* what has focus, is at work or new */
	IK_STYLE_CODE,    /* in prose; calls; strings and numbers in a block of code */
	IK_STYLE_KEYWORD, /* in a block of code */
	IK_STYLE_OUTPUT,  /* of tools and commands, notices */
	IK_STYLE_GOOD,    /* what is done, added lines */
	IK_STYLE_BAD,     /* what failed, removed lines */
	IK_STYLE_WARNING, /* what needs attention */
	IK_STYLE_FRAME,
	IK_STYLE_SELECTION, /* of a list, of text; the current match */
	IK_STYLE_LINK,
	IK_STYLE_MATCH, /* of a search */
	IK_STYLE_COUNT
};

/* Shapes of the cursor. */
enum ik_cursor { IK_CURSOR_USUAL, IK_CURSOR_BLOCK, IK_CURSOR_BAR };

#define IK_CELL_BYTES 20 /* limit of a drawn cluster: 5 characters of 4 bytes */

/* Colours of a cell's own, as a part of a picture has them. SIXEL: they are no colours, but the
 * number of a drawing, and the line and column in it. */
enum { IK_CELL_FRONT = 1, IK_CELL_BACK = 2, IK_CELL_SIXEL = 4 };

struct ik_cell {
	char text[IK_CELL_BYTES];
	uint8_t length; /* bytes; 0 for the second half of a wide cluster */
	uint8_t width;  /* 1 or 2; 0 for the second half */
	uint8_t style;
	uint8_t own;               /* which of these it has in place of the style's look; 0: none */
	uint8_t front[3], back[3]; /* RGB */
};

struct ik_drawing;
#define IK_CELLS_DRAWINGS 16 /* more are not shown at a time */

struct ik_cells {
	int rows;
	int columns;
	int cursor_row, cursor_column; /* cursor_row is -1 if the cursor is hidden */
	struct ik_cell *cells;         /* rows * columns */
	/* Drawings (tui/term/drawing.h) of which there are cells; borrowed until the next fill. */
	const struct ik_drawing *drawings[IK_CELLS_DRAWINGS];
	size_t drawing_count;
};

struct ik_rectangle {
	int row, column, rows, columns;
};

void ik_cells_init(struct ik_cells *cells);
void ik_cells_done(struct ik_cells *cells);
/* Make the grid rows x columns and blank, without a cursor. */
void ik_cells_resize(struct ik_cells *cells, int rows, int columns);

/* Fill an area with blanks, or with a character of one column. */
void ik_cells_fill(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style);
void ik_cells_fill_with(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style,
	const char *character);

/* Draw text from (row, column) to the right, up to the right edge of area. A wide cluster that does
 * not fit is drawn as a blank, clusters without a width are dropped. Returns the column after the
 * last cell drawn. */
int ik_cells_text(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style style, const char *text, size_t length);

/* Draw a NUL-terminated text from any source. It is sanitised here, and cut with an ellipsis if
 * it does not fit. */
int ik_cells_label(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style style, const char *text);

/* Draw hints as a label: "F1 help  F2 tools", the first word of each in the style of keys. Returns
 * as above. */
int ik_cells_hints(struct ik_cells *cells, struct ik_rectangle area, int row, int column,
	enum ik_style key, enum ik_style style, const char *text);

/* Put a cell of one column, unless it is outside. */
void ik_cells_put(struct ik_cells *cells, int row, int column, const struct ik_cell *cell);
/* Note that a drawing is shown. */
void ik_cells_show(struct ik_cells *cells, const struct ik_drawing *drawing);

/* Show the cursor at a cell; row -1 hides it. */
void ik_cells_set_cursor(struct ik_cells *cells, int row, int column);

const struct ik_cell *ik_cells_at(const struct ik_cells *cells, int row, int column);
void ik_cells_restyle(struct ik_cells *cells, struct ik_rectangle area, enum ik_style style);

#endif
