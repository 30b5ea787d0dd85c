/*
 * glob: match text against a pattern with * ? [set] and \.
 *
 * Pure.  May include: util.
 */
#ifndef IK_GUARD_GLOB_H
#define IK_GUARD_GLOB_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Does the glob match all of text? * matches any characters, ? one character, [a-z] one of a set
 * ([!a-z] or [^a-z]: one not in it); \ makes the next character ordinary, and so is a [ without a
 * ]. barred (may be NULL) lists bytes that * ? and sets do not match. Takes at most the product of
 * the lengths in time.
 */
bool ik_glob_match(const char *glob, const char *text, size_t length, const char *barred);

/* Append a glob that matches this text only. */
void ik_glob_escape(struct ik_buf *out, const char *text, size_t length);

#endif
