/*
 * utf8: strict UTF-8.
 *
 * As in RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. Unicode properties of
 * characters are in util/cluster.h.
 *
 * Pure. May include: libc, util/err.h, util/buf.h.
 */
#ifndef IK_UTIL_UTF8_H
#define IK_UTIL_UTF8_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last code point. */
#define IK_UTF8_MAX 0x10ffff

/* U+FFFD, which replaces invalid bytes. */
#define IK_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Is it the second, third or fourth byte of a character? */
static inline bool ik_utf8_is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Return the number of characters; text is valid UTF-8. */
size_t ik_utf8_count(const char *text, size_t length);

/*
 * Decode the character at bytes (length > 0). Return its byte count (1 to 4) and set
 * *ret_codepoint; 0 if the bytes are invalid, -1 if they are a valid beginning that ends too early.
 */
int ik_utf8_decode(const char *bytes, size_t length, uint32_t *ret_codepoint);

/* Return how many bytes (>= 1) to skip after ik_utf8_decode() returned 0 or -1: the maximal subpart
 * (Unicode 15, section 3.9), which becomes one U+FFFD. */
size_t ik_utf8_bad(const char *bytes, size_t length);

/* Encode a character, without a NUL. Return the byte count, or 0 if codepoint is not a
 * character. */
int ik_utf8_encode(uint32_t codepoint, char out[4]);

/* Return the length of the longest valid prefix: length if all of it is valid. */
size_t ik_utf8_valid_prefix(const char *bytes, size_t length);

/* Append bytes with every invalid sequence replaced by U+FFFD, one for each maximal subpart
 * (Unicode 15, section 3.9). NULs are kept. */
void ik_utf8_repair(struct ik_buf *out, const char *bytes, size_t length);

/* Return the largest cut <= limit that splits no character (text is valid UTF-8). */
size_t ik_utf8_cut(const char *text, size_t length, size_t limit);

#endif
