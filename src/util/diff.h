/*
 * diff: compare two texts line by line, for people to read.
 *
 * Eugene W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), after removing what
 * both texts have in common at start and end. Where they differ so much that it would take long,
 * the whole range counts as replaced.
 *
 * Pure. May include: util.
 */
#ifndef IK_UTIL_DIFF_H
#define IK_UTIL_DIFF_H

#include "util/buf.h"

/*
 * Append the differences as hunks: "@@ -4,7 +4,8 @@", then lines that begin with "-", "+" or " "
 * (three lines of context). Append nothing if the texts are equal. most limits the lines appended;
 * return how many more there would be.
 */
size_t ik_diff_lines(struct ik_buf *out, const char *old_text, size_t old_length,
	const char *new_text, size_t new_length, size_t most_lines);

#endif
