/*
 * cluster: grapheme clusters and the one width rule.
 *
 * Clusters are the legacy grapheme clusters of UAX #29 (by utf8proc, without rules GB9a and GB9b):
 * terminals give a spacing mark its own column, so it is its own cluster here. A cluster is as wide
 * as its base character, 0, 1 or 2 columns, never the sum of its parts; a pair of regional
 * indicators is 2. Controls and a combining mark without a base are 0. If terminals disagree on a
 * cluster's width (ZWJ sequences, VS16, skin tones), or no cell can hold it (over 5 characters or
 * 20 bytes), only its base character is drawn.
 *
 * Separate from utf8.c so that programs without a screen (the tools) need no Unicode tables.
 *
 * Pure. May include: libc, utf8proc, util/buf.h, util/utf8.h.
 */
#ifndef IK_UTIL_CLUSTER_H
#define IK_UTIL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/buf.h"

/* Does the built-in Unicode version assign this character (or is it private use)? The width of
 * other characters is unknown. */
bool ik_utf8_assigned(uint32_t codepoint);

/* Is the character in upper or title case? */
bool ik_utf8_is_upper(uint32_t codepoint);

/* A grapheme cluster found in valid UTF-8. */
struct ik_cluster {
	size_t length;       /* bytes of the whole cluster, >= 1 */
	size_t drawn_length; /* bytes from its start to draw: the whole cluster, or its base where
	                        terminals disagree */
	int width;           /* columns: 0, 1 or 2 */
};

/* Return the cluster at text (length > 0). An invalid byte is a cluster of length 1 and width 1.
 * Plain ASCII is fast. */
struct ik_cluster ik_cluster_next(const char *text, size_t length);

/* Return where the cluster before position begins (position > 0). */
size_t ik_cluster_previous(const char *text, size_t position);

/* Return the columns of a text without control characters. */
size_t ik_utf8_width(const char *text, size_t length);

/* Append a text, and blanks up to that many columns. */
void ik_utf8_put_cell(struct ik_buf *out, const char *text, size_t columns);

/* Return the bytes of the longest prefix of whole clusters that fits into columns; *ret_width (may
 * be NULL) gets its width. */
size_t ik_utf8_fit(const char *text, size_t length, size_t columns, size_t *ret_width);

#endif
