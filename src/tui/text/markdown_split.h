/*
 * markdown_split: where a growing Markdown text may be cut into sections, and
 * how its open end is shown while it is incomplete.
 *
 * Read line by line: a cut depends on nothing behind the line that it stands
 * before, so a text is cut in the same places however it arrives.  Cuts are
 * before a block at the outermost level behind a blank line; where a list, a
 * table or a code block is long, also between two of its items, rows or lines.
 *
 * Pure.  May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_SPLIT_H
#define IK_TUI_TEXT_MARKDOWN_SPLIT_H

#include "tui/text/wrap.h"
#include "util/buf.h"

/* What a section begins in the middle of: ik_carry.kind. */
enum ik_markdown_carry {
	IK_MARKDOWN_NOTHING,
	IK_MARKDOWN_CODE,  /* a fenced block whose fence stands at origin */
	IK_MARKDOWN_TABLE, /* a table whose head stands at origin */
	IK_MARKDOWN_LINE   /* a line too long for one section */
};

/* As split of struct ik_renderer. */
size_t ik_markdown_split(const char *text, size_t start, size_t length, struct ik_carry *carry);

/*
 * Of a text that grows, so much (0: nothing) from start on that is laid out the same whatever
 * comes, as if it were a section: whole blocks, lines of code; *carry as with split.
 */
size_t ik_markdown_settle(const char *text, size_t start, size_t end, struct ik_carry *carry);

/*
 * The same of the lines of a paragraph at start, in which nothing is marked: they stay as they
 * are unless what follows makes something else of the whole paragraph.  Does what stands behind
 * such lines, from start on, leave them what they are?
 */
size_t ik_markdown_settle_lines(const char *text, size_t start, size_t end);
bool ik_markdown_is_settled(const char *text, size_t start, size_t end);

/* Of what settled (struct ik_lines): whole blocks, and behind them lines of a paragraph. */
enum { IK_SETTLED_BLOCKS, IK_SETTLED_LINES };

/* Keep the lines of what settled before; *part, a copy of the request, becomes what follows. */
void ik_markdown_keep_settled(const struct ik_render *request, struct ik_lines *lines,
	struct ik_render *part);

/* Does code at the end of a section go on in the next? */
bool ik_markdown_goes_on(const struct ik_render *request);

/*
 * Append the section as the parser is to see it: with a length of its own as
 * long as the text goes, so that a place in it is a place in the text, but
 * - before it the opening line or the head that it continues (*ret_before
 *   bytes; what begins at *ret_origin in the text);
 * - link definitions are no definitions, nor links, so that none of them is swallowed;
 * - of a text that still grows, marks at the end that may yet become anything
 *   are held back, and spans that are open are closed.
 * *ret_until gets the end of what is shown, in the text.
 */
void ik_markdown_prepare(const struct ik_render *request, struct ik_buf *out, size_t *ret_before,
	size_t *ret_origin, size_t *ret_until);

#endif
