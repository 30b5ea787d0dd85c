/*
 * shown_text: the lines of a section as text in one piece, for what searches and copies them.
 *
 * Without frames.  Lines follow each other with line feeds, except that a line which was only
 * wrapped is one line again.  What is blank in a line is the blanks or tabs that were written
 * there, or else as many blanks as are shown.
 *
 * Owns the buffers.  May include: util, tui/scrollback/block.h.
 */
#ifndef IK_TUI_SCROLLBACK_SHOWN_TEXT_H
#define IK_TUI_SCROLLBACK_SHOWN_TEXT_H

#include "tui/scrollback/block.h"

/* The text shown from a cell on, without a gap. An empty piece precedes those of a line. */
struct ik_shown_piece {
	uint32_t start, length; /* in the text */
	uint32_t source;        /* in the block's text; of what isn't there, where its line begins */
	uint32_t line;
	int column;
};

struct ik_shown_text {
	struct ik_buf text;
	struct ik_shown_piece *pieces;
	size_t count;
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

/* Return where the text begins that is shown from a cell on, or ends that is shown up to one. */
size_t ik_shown_from(const struct ik_shown_text *shown, struct ik_shown_cell cell);
size_t ik_shown_until(const struct ik_shown_text *shown, struct ik_shown_cell cell);

/* Find the first and the last cell of the word (a path, an address) at a cell. Return false if
 * there is no word. */
bool ik_shown_word(const struct ik_shown_text *shown, struct ik_shown_cell cell,
	struct ik_shown_cell *ret_first, struct ik_shown_cell *ret_last);

/* Return the column after the last run of a line. */
int ik_shown_line_end(const struct ik_block *block, const struct ik_lines *lines, uint32_t line);

#endif
