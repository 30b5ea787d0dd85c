/*
 * code_colour: the styles of a line of code in the languages that models write
 * most: keywords, literals, comments; and of the lines of a diff.
 *
 * Each line is judged by itself, so that code looks the same while it arrives,
 * wherever it is cut, and at the end.  So only those lines of a multi-line
 * comment or string are recognised that look like one.
 * May include: util, tui/term, tui/text.
 */
#ifndef IK_TUI_TEXT_CODE_COLOUR_H
#define IK_TUI_TEXT_CODE_COLOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/term/cells.h"

struct ik_code_language;

/* Return the language named by the first word after a fence, in any case, or NULL if it isn't
 * known. Static. */
const struct ik_code_language *ik_code_language(const char *name, size_t length);

/* Is it a diff, whose lines are judged by their first byte? Accepts NULL. */
bool ik_code_is_diff(const struct ik_code_language *language);

/* Return the number of bytes with the same style from `at` (below length) on, at least one, and
 * the style. language may be NULL. */
size_t ik_code_run(const struct ik_code_language *language, const char *line, size_t length,
	size_t at, enum ik_style *ret_style);

#endif
