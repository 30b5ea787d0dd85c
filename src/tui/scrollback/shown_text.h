/*
 * shown_text: the lines of a section as text: in one piece, for what searches them, and a line
 * at a time, for what copies them.
 *
 * In one piece, lines follow each other with line feeds between them, except that a line which
 * was only wrapped is one line again.  A place in it is a byte; pieces say which run shows it.
 *
 * Owns the buffers.  May include: util, tui/scrollback/block.h.
 */
#ifndef IK_TUI_SCROLLBACK_SHOWN_TEXT_H
#define IK_TUI_SCROLLBACK_SHOWN_TEXT_H

#include "tui/scrollback/block.h"

/* A run of a line. */
struct ik_shown_piece {
	uint32_t start, length; /* in the text */
	uint32_t line, run;     /* run: index in the lines' runs */
	int column;
};

struct ik_shown_text {
	struct ik_buf text;
	struct ik_shown_piece *pieces;
	size_t count, capacity;
};

struct ik_shown_cell {
	uint32_t line;
	int column;
};

void ik_shown_text_init(struct ik_shown_text *shown);
void ik_shown_text_done(struct ik_shown_text *shown);

/* Make it the text of a section with these lines. */
void ik_shown_text_fill(struct ik_shown_text *shown, const struct ik_block *block,
	const struct ik_lines *lines);

/* Return the piece that holds the byte at offset, or the last one before it; there must be one. */
const struct ik_shown_piece *ik_shown_piece_at(const struct ik_shown_text *shown, size_t offset);

/* Find the first and the last cell of the word at a cell (a path, an address); false: there is
 * none. */
bool ik_shown_word(const struct ik_shown_text *shown, struct ik_shown_cell cell,
	struct ik_shown_cell *ret_first, struct ik_shown_cell *ret_last);

/* Return the column after the last run of a line. */
int ik_shown_line_end(const struct ik_block *block, const struct ik_lines *lines, uint32_t line);

/* Append the clusters of a line that are in these columns; false: it only has a frame. */
bool ik_shown_put_line(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	int from, int to, struct ik_buf *out);
/* Append the blanks that had no room where a line was broken for the next one, which begins at
 * this place of the block's text. */
void ik_shown_put_seam(const struct ik_block *block, const struct ik_lines *lines, uint32_t line,
	size_t next, struct ik_buf *out);

#endif
