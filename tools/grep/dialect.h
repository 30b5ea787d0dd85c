/*
 * dialect: rewrite patterns, as people and models write them, for PCRE2.
 *
 * A pattern is a POSIX extended regular expression as the C library reads it, and what other
 * dialects add has the meaning that ripgrep gives it:
 *
 *     \d \D \s \S         decimal digits, white space, of all scripts in UTF-8
 *     \t \r \f \v \a \xHH \x{H} \uHHHH \A \z
 *     (?:x) (?<n>x) (?P<n>x) (?i) (?-i) (?i:x) (?=x) (?!x) (?<=x) (?<!x)
 *     *? +? ?? {n,m}?     the same lines match, whether the match is long or short
 *     [\w.-] [ \t] [^\]]  escapes in a bracket with such a class, \t \r \n \f \v or \]; in any
 *                         other bracket a backslash is ordinary, as in POSIX
 *
 * Whatever the pattern, its translation matches no line feed, so that many lines can be searched at
 * once (with PCRE2_MULTILINE and without PCRE2_DOTALL).
 *
 * May include: util.
 */
#ifndef IK_TOOLS_GREP_DIALECT_H
#define IK_TOOLS_GREP_DIALECT_H

#include "util/buf.h"

/* Why a pattern cannot be used. */
struct dialect_refusal {
	const char *sentence;
	const char *hint; /* what to write instead; NULL: the sentence is enough */
};

/* Append pattern to out, translated; utf8: characters are UTF-8, otherwise single bytes. NULL, or
 * why it is refused. Other invalid expressions are left for PCRE2 to refuse. */
const struct dialect_refusal *dialect_translate(const char *pattern, bool utf8, struct ik_buf *out);

#endif
