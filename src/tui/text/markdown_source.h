/*
 * markdown_source: where a growing Markdown text is cut into sections, and a section as the
 * parser is to see it.
 *
 * Sections are cut between blocks at the outermost level, after a blank line; long blocks also
 * inside, so that one that grows isn't laid out whole each time: a paragraph, a fence or a table
 * between two lines, a list between two items.  A section that begins in a fence or in a table is
 * given to the parser after the lines that open it.  A cut depends on nothing after the line that
 * follows it, so a text is cut in the same places however it arrives.
 *
 * Owns the parser's copy.  May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_SOURCE_H
#define IK_TUI_TEXT_MARKDOWN_SOURCE_H

#include "tui/text/wrap.h"
#include "util/buf.h"

/* As split of struct ik_renderer. */
size_t ik_markdown_split(const char *text, size_t start, size_t length, size_t *opener);

/* A line "[label]: ..." that may be a link definition. */
struct ik_reference {
	const char *line; /* from the bracket on */
	size_t label;     /* length of the label */
};

/* Find the first one at or after position and move position past it; false: there is none. */
bool ik_reference_next(const char *text, size_t length, size_t *position,
	struct ik_reference *ret_reference);

#define IK_MARKDOWN_NOWHERE SIZE_MAX /* not in the source */
#define IK_DELIMITER_CELLS 128       /* widened in one section; the others stay as they are */

/*
 * A section as the parser is to see it: as long as the text, so that places correspond, but
 * - the definitions of all sections come first, and none of its own is one: it is shown;
 * - then the lines that open the block which it continues;
 * - cells of the row under a table's head are widened to the three characters that md4c wants
 *   (GitHub's rules, and models, are content with one);
 * - of a text that grows, marks at the end that may yet become anything are held back, and open
 *   spans are closed.
 */
struct ik_markdown_source {
	struct ik_buf text;
	const struct ik_render *request;
	size_t before; /* bytes before the section */
	size_t until;  /* the end of what is shown, in the request's text */
	struct {
		size_t offset, count;
	} widened[IK_DELIMITER_CELLS];
	size_t widened_count;
};

void ik_markdown_source_init(struct ik_markdown_source *source, const struct ik_render *request);
void ik_markdown_source_done(struct ik_markdown_source *source);

/* Where bytes that the parser gives are in the request's text, or IK_MARKDOWN_NOWHERE. */
size_t ik_markdown_source_place(const struct ik_markdown_source *source, const char *bytes);

#endif
