/*
 * glob: text against a pattern with * ? [set] and \.
 *
 * Pure.  May include: util.
 */
#ifndef IK_GUARD_GLOB_H
#define IK_GUARD_GLOB_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Does all of text match? * is any characters, ? one character, [a-z] one of a
 * set ([!a-z] or [^a-z]: one not in it), \ takes the meaning from the next; a [
 * without its ] is itself. barred (may be NULL) lists bytes that * ? and sets
 * do not match. Time: at most the product of the lengths.
 */
bool ik_glob_match(const char *glob, const char *text, size_t length, const char *barred);

/* Append a glob that text alone matches. */
void ik_glob_escape(struct ik_buf *out, const char *text, size_t length);

#endif
