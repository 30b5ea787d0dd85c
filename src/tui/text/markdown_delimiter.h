/*
 * markdown_delimiter: the row below the head of a table as the parser wants it.
 *
 * md4c takes no cell of fewer than three characters there; GitHub's rules, and
 * models, are content with one.  Dashes are put in, and it is remembered where,
 * so that a place in the parser's text is still one in the source.
 *
 * Pure.  May include: util.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_DELIMITER_H
#define IK_TUI_TEXT_MARKDOWN_DELIMITER_H

#include "util/buf.h"

#define IK_DELIMITER_CELLS 128 /* in one section; what is beyond stays as it is */

struct ik_delimiters {
	struct {
		size_t offset, count; /* of the dashes, in the parser's text */
	} added[IK_DELIMITER_CELLS];
	size_t count;
};

/* Widen the cells that are too narrow. */
void ik_delimiters_widen(struct ik_delimiters *delimiters, struct ik_buf *text);

/* Where a place in the text was before. */
size_t ik_delimiters_source(const struct ik_delimiters *delimiters, size_t offset);

#endif
