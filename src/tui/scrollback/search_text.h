/*
 * search_text: the text of a block as it is searched: what is shown of it once it
 * is open.
 *
 * Most blocks are one piece, whose places are those of its text.  What is laid
 * out as Markdown is searched as it is shown, section by section: the runs of its
 * lines one behind the other, lines that were only wrapped joined again.
 *
 * Owns the buffers.  May include: util, tui/scrollback/scrollback_private.h.
 */
#ifndef IK_TUI_SCROLLBACK_SEARCH_TEXT_H
#define IK_TUI_SCROLLBACK_SEARCH_TEXT_H

#include "tui/scrollback/scrollback_private.h"
#include "tui/text/search_markup.h"
#include "util/needle.h"

/* A run of a line, and where it stands in what is searched. */
struct ik_search_piece {
	uint32_t start, length;
	uint32_t line, run;
};

struct ik_search_text {
	const char *text;
	size_t length;
	bool flat;         /* made of lines: pieces say of which */
	struct ik_buf buf; /* where it is not the block's own */
	struct ik_search_piece *pieces;
	size_t count, capacity;
};

void ik_search_text_init(struct ik_search_text *text);
void ik_search_text_done(struct ik_search_text *text);

/* Is what is shown of it another text than its own? */
bool ik_search_is_laid_out(const struct ik_block *block);

/* How many pieces a block has: 1, or its sections. It is prepared then. */
uint32_t ik_search_units(struct ik_block *block);

/* The unit of a block of a scrollback; what had to be laid out for it, and was not before,
 * is forgotten again if forget. */
void ik_search_text_fill(struct ik_search_text *text, const struct ik_scrollback *scrollback,
	struct ik_block *block, uint32_t unit, bool forget);

/* Surely nothing in the block, or in the unit of it: told by its source alone. word: of the
 * needle (ik_needle_word()), NULL where it has none; phrase: of both. */
bool ik_search_excludes(const struct ik_phrase *phrase, const struct ik_needle *word,
	const struct ik_block *block);
bool ik_search_excludes_unit(const struct ik_phrase *phrase, const struct ik_needle *needle,
	const struct ik_needle *word, const struct ik_block *block, uint32_t unit);

/* Is a unit that is laid out shown as it is written? Then as much is found in its source,
 * *ret_length bytes from the returned place on; else NULL. */
const char *ik_search_source(const struct ik_block *block, uint32_t unit, size_t *ret_length);

/* The line of a unit's section at a place of its text. */
uint32_t ik_search_text_line(const struct ik_search_text *text, size_t offset);

#endif
