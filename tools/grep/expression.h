/*
 * expression: search many lines at once for a regular expression, with PCRE2.
 *
 * Its JIT compiler makes machine code that searches a whole block.  Where backtracking explodes,
 * its other algorithm, which follows all alternatives at the same time, judges line by line.
 *
 * May include: util, tools/grep/dialect.h, <pcre2.h> in expression.c.
 */
#ifndef IK_TOOLS_GREP_EXPRESSION_H
#define IK_TOOLS_GREP_EXPRESSION_H

#include "util/err.h"

#include <stdbool.h>

struct expression;

/* Compile a pattern (see dialect.h) for the current locale. NULL with a sentence if it is not a
 * valid expression, or too complex; *ret_hint then says what to write instead (NULL: nothing). */
struct expression *expression_new(const char *pattern, bool ignore_case, struct ik_error *error,
	const char **ret_hint);

/* Return a place in the first matching line of [text, end), or NULL. text is at the
 * start of a line, and the byte before end is a line feed. */
const char *expression_find(struct expression *expression, const char *text, const char *end);

/* Returns NULL. Takes NULL. */
struct expression *expression_free(struct expression *expression);

#endif
