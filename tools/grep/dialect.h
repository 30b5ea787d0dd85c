/*
 * dialect: patterns as people and models write them, as POSIX expressions.
 *
 * A POSIX extended regular expression stays as it is.  What other dialects
 * have beyond it is written out, with the meaning that ripgrep gives it:
 *
 *     \d \D \s \S        decimal digits, white space, of all scripts in UTF-8
 *     \t \r \f \v \a \xHH \x{H} \uHHHH \A \z
 *     (?:x) (?<n>x) (?P<n>x) (?i) (?-i) (?i:x)
 *     *? +? ?? {n,m}?    lines match alike whether the match is long or short
 *     [\w.-] [ \t] [^\]]  escapes in a bracket that has such a class, \t \r \n \f
 *                         \v or \]; a backslash in any other stands for itself,
 *                         as POSIX has it
 *
 * \w \W \b \B are the C library's already.  Refused, since it cannot be
 * written out: lookaround, back-references, line feeds, escapes that nobody
 * knows.
 *
 * May include: util, tools/grep/syntax.h.
 */
#ifndef IK_TOOLS_GREP_DIALECT_H
#define IK_TOOLS_GREP_DIALECT_H

#include "util/buf.h"
#include "util/err.h"

/*
 * Append pattern to out as a POSIX expression for the locale that is set;
 * ignore_case: as if it began with (?i). A sentence in *error when it is
 * refused. What is no valid expression is left to regcomp() to refuse.
 */
enum ik_status dialect_translate(const char *pattern, bool ignore_case, struct ik_buf *out,
	struct ik_error *error) IK_MUST_USE;

/* What to write instead of a pattern that was refused, here or by regcomp(), with that
 * sentence; NULL if the sentence says enough. */
const char *dialect_hint(const char *pattern, const char *sentence);

#endif
