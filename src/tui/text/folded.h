/*
 * folded: how something that is folded is laid out: a row that says what it
 * is, cut where it must be so that the facts at its end stay, and what else is
 * shown of it as plain text below.  Where the head may take several rows
 * (head_rows) it is wrapped, and what is left out is counted.
 *
 * Also how much of a long text is shown, and what says that there is more.
 *
 * May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_FOLDED_H
#define IK_TUI_TEXT_FOLDED_H

#include "tui/text/wrap.h"

/* Of the first line of a text, [0, head) says what it is, the rest of it are facts. */
extern const struct ik_renderer ik_renderer_folded;

/* Return how many bytes the first lines of a text take, of long lines about most_bytes; *ret_hidden
 * is the number of lines after them. */
size_t ik_folded_size(const char *text, size_t length, size_t lines, size_t most_bytes,
	size_t *ret_hidden);

/* Append "… 12 more lines". */
void ik_folded_put_mark(struct ik_buf *out, size_t lines);

#endif
