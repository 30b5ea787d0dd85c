/*
 * scrollback: blocks from top to bottom, and a window on them.
 *
 * The window follows the end while it is at the end; scrolled away from it,
 * it stays with the text it shows (a block and a place in its source), also
 * over a resize and while older blocks are put in front.  Only what the window
 * shows is laid out.
 *
 * Serves the chat as well as the text parts of panes.
 * Owns its blocks.  May include: util, tui/scrollback, tui/term.
 */
#ifndef IK_TUI_SCROLLBACK_SCROLLBACK_H
#define IK_TUI_SCROLLBACK_SCROLLBACK_H

#include "tui/scrollback/block.h"

struct ik_scrollback;

struct ik_scrollback *ik_scrollback_new(void);
struct ik_scrollback *ik_scrollback_free(struct ik_scrollback *scrollback);

/* Forget all blocks; at the end again. */
void ik_scrollback_clear(struct ik_scrollback *scrollback);

/* Add a block at the end, or several, in order, before all others. Takes ownership. */
void ik_scrollback_add(struct ik_scrollback *scrollback, struct ik_block *block);
void ik_scrollback_prepend(struct ik_scrollback *scrollback, struct ik_block *const *blocks,
	size_t count);

size_t ik_scrollback_count(const struct ik_scrollback *scrollback);
struct ik_block *ik_scrollback_at(const struct ik_scrollback *scrollback, size_t index);
struct ik_block *ik_scrollback_last(const struct ik_scrollback *scrollback); /* or NULL */

/* A block's number stays the same while blocks come and go before it. Return the block's index, or
 * the count of blocks if it is gone. */
int64_t ik_scrollback_number(const struct ik_scrollback *scrollback, size_t index);
size_t ik_scrollback_index(const struct ik_scrollback *scrollback, int64_t number);

/* The size of the window, in cells; what draws calls this first. */
void ik_scrollback_resize(struct ik_scrollback *scrollback, int rows, int columns);
int ik_scrollback_rows(const struct ik_scrollback *scrollback);

/* Move the window down (rows > 0) or up. A page keeps one row of the old one. */
void ik_scrollback_scroll(struct ik_scrollback *scrollback, int rows);
void ik_scrollback_page(struct ik_scrollback *scrollback, int pages);
void ik_scrollback_half(struct ik_scrollback *scrollback, int halves); /* of the window */
void ik_scrollback_top(struct ik_scrollback *scrollback);
void ik_scrollback_bottom(struct ik_scrollback *scrollback);

/* Is the end in the window? */
bool ik_scrollback_at_end(struct ik_scrollback *scrollback);
/* Rows below the window, counted no further than most. */
size_t ik_scrollback_rows_below(struct ik_scrollback *scrollback, size_t most);
/* Return the number of rows added below since the window left the end. Counting stops after a
 * limited amount of work: *ret_more then says that there are more. */
size_t ik_scrollback_new_rows(struct ik_scrollback *scrollback, bool *ret_more);

/* A place that outlives ik_scrollback_clear() when the same blocks come back. */
struct ik_scroll_place {
	bool at_end;
	int64_t block;
	uint32_t offset, repeat;
};
struct ik_scroll_place ik_scrollback_place(const struct ik_scrollback *scrollback);
void ik_scrollback_go(struct ik_scrollback *scrollback, struct ik_scroll_place place);

/*
 * Rows, for what marks something in them.
 */

/* A row: line counts from the first row of the section, which includes the blank row before a
 * block. */
struct ik_scroll_row {
	size_t block;
	uint32_t section;
	uint32_t line;
};

/* Return the block, its text and sections up to date; the lines of a section of such a block; the
 * row of a line of it. */
struct ik_block *ik_scrollback_prepared(const struct ik_scrollback *scrollback, size_t index);
const struct ik_lines *ik_scrollback_lines(const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t section);
struct ik_scroll_row ik_scrollback_row(const struct ik_scrollback *scrollback, size_t index,
	uint32_t section, uint32_t line);
/* Return the number of columns before the text of a block. */
int ik_scrollback_gutter(const struct ik_scrollback *scrollback, const struct ik_block *block);

/* Move down by at most this many rows and return by how many. */
size_t ik_scrollback_down(const struct ik_scrollback *scrollback, struct ik_scroll_row *row,
	size_t rows);

/* Return the first row of the window; there must be a block. */
struct ik_scroll_row ik_scrollback_window(struct ik_scrollback *scrollback);
/* Is a row in the window? */
bool ik_scrollback_in_window(struct ik_scrollback *scrollback, struct ik_scroll_row row);
/* Move the window, if it must be moved, so that a row is in it, a third from its top then. */
void ik_scrollback_reveal(struct ik_scrollback *scrollback, struct ik_scroll_row row);
/* The next picture shows this place of a block's text, whatever the window's size is then. */
void ik_scrollback_hold(struct ik_scrollback *scrollback, size_t index, size_t offset);

/*
 * One block may have the mark. on: mark the last block in the window, unless one there is marked;
 * off: unmark it.
 */
void ik_scrollback_select(struct ik_scrollback *scrollback, bool on);
/* Mark the block with that index, or none; the window stays. */
void ik_scrollback_select_at(struct ik_scrollback *scrollback, size_t index, bool on);
/* Return the index of the marked block; the number of blocks if none is marked. */
size_t ik_scrollback_selected_index(const struct ik_scrollback *scrollback);
/* Move the window, if it must be moved, so that the block with the mark is in it. */
void ik_scrollback_show_selected(struct ik_scrollback *scrollback);
/* The window stays where it is, too, when more text comes at the end that it shows. */
void ik_scrollback_keep(struct ik_scrollback *scrollback);
struct ik_block *ik_scrollback_selected(const struct ik_scrollback *scrollback); /* or NULL */
/* To the next block (direction > 0), or the one before; of one that is larger than the window
 * first to its next rows. */
void ik_scrollback_step(struct ik_scrollback *scrollback, int direction);
/* Open the marked block, or fold it. Return false if it can't be folded. */
bool ik_scrollback_open(struct ik_scrollback *scrollback);
/* The same to the block with that index. */
void ik_scrollback_fold(struct ik_scrollback *scrollback, size_t index, bool folded);
/* A click on a row of the window: the block there gets the mark; a folded one opens, and an
 * open one folds by its first row. True: it did one of both. */
bool ik_scrollback_click(struct ik_scrollback *scrollback, int row);
/* Scroll to the question before, or after, the one at the top, and mark it. Return false if there
 * is none. */
bool ik_scrollback_question(struct ik_scrollback *scrollback, int direction);

/*
 * A stretch of what is shown may be marked, from cell to cell of the grid that it was drawn
 * into: shown in reverse, until another width is drawn, or something is folded.
 */

/* The area drawn last. */
struct ik_rectangle ik_scrollback_area(const struct ik_scrollback *scrollback);
/* Is a cell in the area drawn last? Hide it: no cell is, until it is drawn again. */
bool ik_scrollback_is_at(const struct ik_scrollback *scrollback, int row, int column);
void ik_scrollback_hide(struct ik_scrollback *scrollback);
/* Begin at a cell that is in it; nothing is marked yet, nor any more. */
void ik_scrollback_mark_begin(struct ik_scrollback *scrollback, int row, int column);
/* Select up to another cell, including it. A cell above the area (or in the first row of the grid)
 * or below it scrolls by a row. */
void ik_scrollback_mark_to(struct ik_scrollback *scrollback, int row, int column);
/* Select the word at a cell (a path, an address). Return false if there is none. */
bool ik_scrollback_mark_word(struct ik_scrollback *scrollback, int row, int column);
void ik_scrollback_mark_end(struct ik_scrollback *scrollback);
/* Append what is marked, as it is shown: without frames, and what is one line as one line.
 * False: nothing is. */
bool ik_scrollback_marked(struct ik_scrollback *scrollback, struct ik_buf *out);

/* Draw into area, which has the size of the last resize and is blank. */
void ik_scrollback_draw(struct ik_scrollback *scrollback, struct ik_cells *cells,
	struct ik_rectangle area);

#endif
