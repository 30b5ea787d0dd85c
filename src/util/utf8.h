/*
 * utf8: strict UTF-8, grapheme clusters and the one width rule.
 *
 * UTF-8 as in RFC 3629 (no overlong forms, no surrogates, nothing above
 * U+10FFFF).  Clusters are the legacy grapheme clusters of UAX #29 (by
 * utf8proc, less rules GB9a and GB9b): terminals give a spacing mark a column
 * of its own, so it is a cluster of its own here.  Widths are those of
 * clusters: a cluster is as wide as its base character, 0, 1 or 2 columns,
 * never the sum of its parts; a pair of regional indicators is 2.  Controls
 * and a combining mark without a base are 0.  A cluster whose width terminals
 * disagree on (ZWJ sequences, VS16, skin tones) or that no terminal cell takes
 * (over 5 characters or 20 bytes) is drawn by its base character alone.
 *
 * Pure.  May include: libc, utf8proc, util/err.h, util/buf.h.
 */
#ifndef IK_UTIL_UTF8_H
#define IK_UTIL_UTF8_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, what stands for bytes that are no character. */
#define IK_UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Decode the character at bytes (length > 0). Returns its byte count (1 to 4)
 * and sets *ret_codepoint; 0 when the bytes are no valid character, -1 when
 * they are a valid beginning that ends too early.
 */
int ik_utf8_decode(const char *bytes, size_t length, uint32_t *ret_codepoint);

/* Bytes (>= 1) to pass over where ik_utf8_decode() gave 0 or -1: the maximal
 * subpart (Unicode 15, section 3.9), which becomes one U+FFFD. */
size_t ik_utf8_bad(const char *bytes, size_t length);

/* Is it a character of the Unicode that is built in (private use counts)? The
 * width of others is unknown. */
bool ik_utf8_assigned(uint32_t codepoint);

/* Encode; returns the byte count, 0 for what is no character. No NUL is added. */
int ik_utf8_encode(uint32_t codepoint, char out[4]);

/* Length of the longest valid prefix: == length when all is valid. */
size_t ik_utf8_valid_prefix(const char *bytes, size_t length);

/* Append bytes with every invalid byte sequence as U+FFFD, one for each
 * maximal subpart (Unicode 15, section 3.9). NULs are kept. */
void ik_utf8_repair(struct ik_buf *out, const char *bytes, size_t length);

/* The largest cut <= limit that splits no character (text valid UTF-8). */
size_t ik_utf8_cut(const char *text, size_t length, size_t limit);

/* A grapheme cluster found in valid UTF-8. */
struct ik_cluster {
	size_t length;       /* bytes of the whole cluster, >= 1 */
	size_t drawn_length; /* bytes from its start that are drawn: the whole
	                        cluster, or its base where terminals disagree */
	int width;           /* columns: 0, 1 or 2 */
};

/* The cluster at text (length > 0). Invalid bytes come as clusters of one
 * byte, width 1. Plain ASCII is fast. */
struct ik_cluster ik_cluster_next(const char *text, size_t length);

/* Where the cluster that ends at position begins (position > 0). */
size_t ik_cluster_previous(const char *text, size_t position);

/* Columns of a text without control characters. */
size_t ik_utf8_width(const char *text, size_t length);

/* Bytes of the longest prefix of whole clusters at most columns wide;
 * *ret_width (may be NULL) gets its width. */
size_t ik_utf8_fit(const char *text, size_t length, size_t columns, size_t *ret_width);

#endif
