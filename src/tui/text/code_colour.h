/*
 * code_colour: what the parts of a line of code look like, in the languages that models write
 * most: keywords, literals, comments; and the lines of a diff.
 *
 * A line is judged by itself, so that code looks the same while it arrives, where it is cut
 * and when it is there: of a comment or a string over several lines only those are known
 * that show it.  May include: util, tui/term, tui/text.
 */
#ifndef IK_TUI_TEXT_CODE_COLOUR_H
#define IK_TUI_TEXT_CODE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/term/cells.h"

struct ik_code_language;

/* Return the language that the first word after a fence names, whatever its case; NULL: it isn't
 * known. Static. */
const struct ik_code_language *ik_code_language(const char *name, size_t length);

/* Is it a diff, whose lines are judged by their first byte? NULL is none. */
bool ik_code_is_diff(const struct ik_code_language *language);

/* The bytes from `at` (below length) on that look the same, at least one, and how; language
 * may be NULL. */
size_t ik_code_run(const struct ik_code_language *language, const char *line, size_t length,
	size_t at, enum ik_style *ret_style);

#endif
