/*
 * utf8: strict UTF-8.
 *
 * As in RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
 * What the Unicode tables know about characters is in util/cluster.h.
 *
 * Pure.  May include: libc, util/err.h, util/buf.h.
 */
#ifndef IK_UTIL_UTF8_H
#define IK_UTIL_UTF8_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The last code point. */
#define IK_UTF8_MAX 0x10ffff

/* U+FFFD, what stands for bytes that are no character. */
#define IK_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Is it the second, third or fourth byte of a character? */
static inline bool ik_utf8_is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * Decode the character at bytes (length > 0). Returns its byte count (1 to 4)
 * and sets *ret_codepoint; 0 when the bytes are no valid character, -1 when
 * they are a valid beginning that ends too early.
 */
int ik_utf8_decode(const char *bytes, size_t length, uint32_t *ret_codepoint);

/* Bytes (>= 1) to pass over where ik_utf8_decode() gave 0 or -1: the maximal
 * subpart (Unicode 15, section 3.9), which becomes one U+FFFD. */
size_t ik_utf8_bad(const char *bytes, size_t length);

/* Encode; returns the byte count, 0 for what is no character. No NUL is added. */
int ik_utf8_encode(uint32_t codepoint, char out[4]);

/* Length of the longest valid prefix: == length when all is valid. */
size_t ik_utf8_valid_prefix(const char *bytes, size_t length);

/* Append bytes with every invalid byte sequence as U+FFFD, one for each
 * maximal subpart (Unicode 15, section 3.9). NULs are kept. */
void ik_utf8_repair(struct ik_buf *out, const char *bytes, size_t length);

/* The largest cut <= limit that splits no character (text valid UTF-8). */
size_t ik_utf8_cut(const char *text, size_t length, size_t limit);

#endif
