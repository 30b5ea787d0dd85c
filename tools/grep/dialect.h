/*
 * dialect: rewrite patterns, as people and models write them, as POSIX expressions.
 *
 * A POSIX extended regular expression stays as it is.  What other dialects add is expanded, with the
 * meaning that ripgrep gives it:
 *
 *     \d \D \s \S        decimal digits, white space, of all scripts in UTF-8
 *     \t \r \f \v \a \xHH \x{H} \uHHHH \A \z
 *     (?:x) (?<n>x) (?P<n>x) (?i) (?-i) (?i:x)
 *     *? +? ?? {n,m}?    the same lines match, whether the match is long or short
 *     [\w.-] [ \t] [^\]]  escapes in a bracket with such a class, \t \r \n \f \v or \]; in any
 *                         other bracket a backslash is ordinary, as in POSIX
 *
 * The C library has \w \W \b \B already.  Refused, since it cannot be expanded: lookaround,
 * back-references, line feeds, unknown escapes.
 *
 * May include: util, tools/grep/syntax.h.
 */
#ifndef IK_TOOLS_GREP_DIALECT_H
#define IK_TOOLS_GREP_DIALECT_H

#include "util/buf.h"
#include "util/err.h"

/*
 * Append pattern to out as a POSIX expression for the current locale; ignore_case: as if it began
 * with (?i). A refused pattern has a sentence in *error. Invalid expressions are left for regcomp()
 * to refuse.
 */
enum ik_status dialect_translate(const char *pattern, bool ignore_case, struct ik_buf *out,
	struct ik_error *error) IK_MUST_USE;

/* Return what to write instead of a pattern that was refused, here or by regcomp(), with that
 * sentence; NULL if the sentence is enough. */
const char *dialect_hint(const char *pattern, const char *sentence);

#endif
