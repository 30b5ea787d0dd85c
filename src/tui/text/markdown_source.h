/*
 * markdown_source: cuts a growing Markdown text into sections, and prepares a
 * section for the parser.
 *
 * Sections are cut between outermost blocks, after a blank line.  Long blocks
 * are also cut inside, so that a growing one isn't laid out whole each time: a
 * paragraph, a fence or a table between two lines, a list between two items.  A
 * section that begins inside a fence or a table is passed to the parser after
 * the lines that open it.  A cut depends on nothing after the next line, so a
 * text is cut in the same places however it arrives.
 *
 * Owns the parser's copy.  May include: util, tui/text/wrap.h.
 */
#ifndef IK_TUI_TEXT_MARKDOWN_SOURCE_H
#define IK_TUI_TEXT_MARKDOWN_SOURCE_H

#include "tui/text/wrap.h"
#include "util/buf.h"

/* Find the next cut, as split of struct ik_renderer. */
size_t ik_markdown_split(const char *text, size_t start, size_t length, size_t *opener);

/* Find the last code block between fences, as it is written, or the open one at the end. Return false if
 * there is none. */
bool ik_markdown_last_code(const char *text, size_t length, const char **ret_code,
	size_t *ret_length);

/* A line "[label]: ..." that may be a link definition. */
struct ik_reference {
	const char *line; /* starts at the bracket */
	size_t label;     /* length of the label */
};

/* Find the first one at or after position and move position past it; return false if there is
 * none. */
bool ik_reference_next(const char *text, size_t length, size_t *position,
	struct ik_reference *ret_reference);

#define IK_MARKDOWN_NOWHERE SIZE_MAX /* not in the source */
#define IK_DELIMITER_CELLS 128       /* limit for widened cells in a section */

/*
 * A section as passed to the parser. It is as long as the text, so that positions correspond, but
 * - the definitions of all sections come first, and its own definitions are shown as text;
 * - then come the lines that open the block it continues;
 * - cells of the row under a table's head are widened to the three characters that md4c requires
 *   (GitHub's rules, and models, accept one);
 * - in a growing text, marks at the end whose meaning is still open are held back, and open spans
 *   are closed.
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

/* Return the position in the request's text of bytes from the parser, or IK_MARKDOWN_NOWHERE. */
size_t ik_markdown_source_place(const struct ik_markdown_source *source, const char *bytes);

#endif
