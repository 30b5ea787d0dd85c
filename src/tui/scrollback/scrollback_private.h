/*
 * scrollback_private: the state of a scrollback and the ways through its rows,
 * shared by the files that are it: scrollback.c (blocks, the window),
 * scrollback_select.c (the block with the mark, folding, questions),
 * scrollback_mark.c (what the mouse marks),
 * scrollback_search.c and search_text.c (what is looked for).
 */
#ifndef IK_TUI_SCROLLBACK_SCROLLBACK_PRIVATE_H
#define IK_TUI_SCROLLBACK_SCROLLBACK_PRIVATE_H

#include "tui/scrollback/scrollback.h"

struct ik_search;

/* A cell of a row: line counts from the block's first (-1: the blank row before it). */
struct ik_mark {
	int64_t number; /* of the block */
	uint32_t section;
	int64_t line;
	int column;
};

struct ik_scrollback {
	struct ik_block **slots; /* blocks are slots[first] .. slots[first + count - 1] */
	size_t first, count, capacity;
	int64_t first_number; /* a block's number is this plus its index */
	int rows, columns;
	bool follow;
	bool from_start; /* it is but a page to be read from its start */
	/* The first row of the window, while it does not follow. */
	int64_t top_number;
	uint32_t top_offset;
	uint32_t top_repeat; /* rows of the same place before it */
	bool top_gap;        /* the blank row before that block */
	/* What was the end when the window left it. */
	int64_t seen_number;
	size_t seen_length;
	/* The block with the mark. */
	bool selecting;
	int64_t selected;         /* its number */
	struct ik_rectangle area; /* where it was drawn last */
	/* What is marked: between two cells, in any order, both included. */
	bool marking, marked;
	int marked_columns; /* the width it was marked at */
	struct ik_mark mark_anchor, mark_head;
	/* Numbers of the blocks that may be laid out because they were drawn. */
	int64_t laid_first, laid_behind;
	struct ik_search *search; /* whose finds are shown; NULL: none. Not owned */
};

/* A row: line counts from the first row of the section, the blank row before a
 * block included. */
struct ik_scrollback_place {
	size_t block;
	uint32_t section;
	uint32_t line;
};

/* The block, its text and sections up to date. */
struct ik_block *ik_scrollback_prepared(const struct ik_scrollback *scrollback, size_t index);
/* The lines of a section of a prepared block. */
const struct ik_lines *ik_scrollback_lines(const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t section);
/* Columns before the text of a block. */
int ik_scrollback_gutter(const struct ik_scrollback *scrollback, const struct ik_block *block);
/* Show in a row that was drawn what of it is marked. */
void ik_mark_paint(const struct ik_scrollback *scrollback, struct ik_scrollback_place place,
	struct ik_cells *cells, struct ik_rectangle text_area, int row);
/* Blank rows before a block. */
uint32_t ik_scrollback_gap(const struct ik_scrollback *scrollback, size_t index);

/* Move down or up by at most rows; returns by how many. */
size_t ik_place_down(const struct ik_scrollback *scrollback, struct ik_scrollback_place *place,
	size_t rows);
size_t ik_place_up(const struct ik_scrollback *scrollback, struct ik_scrollback_place *place,
	size_t rows);

/* The first row of the window; there must be a block. */
struct ik_scrollback_place ik_scrollback_window(struct ik_scrollback *scrollback);
/* Let the window begin at a row, from now on wherever the end is. */
void ik_scrollback_show(struct ik_scrollback *scrollback, struct ik_scrollback_place place);
/* Is a row in the window? */
bool ik_scrollback_in_window(struct ik_scrollback *scrollback, struct ik_scrollback_place place);
/* Move the window, if it must be moved, so that a row is in it, at row number wanted then. */
void ik_scrollback_reveal(struct ik_scrollback *scrollback, struct ik_scrollback_place place,
	int wanted);

#endif
