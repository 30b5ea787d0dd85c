/*
 * cluster: grapheme clusters and the one width rule.
 *
 * Clusters are the legacy grapheme clusters of UAX #29 (by utf8proc, less
 * rules GB9a and GB9b): terminals give a spacing mark a column of its own, so
 * it is a cluster of its own here.  Widths are those of clusters: a cluster is
 * as wide as its base character, 0, 1 or 2 columns, never the sum of its
 * parts; a pair of regional indicators is 2.  Controls and a combining mark
 * without a base are 0.  A cluster whose width terminals disagree on (ZWJ
 * sequences, VS16, skin tones) or that no terminal cell takes (over 5
 * characters or 20 bytes) is drawn by its base character alone.
 *
 * A file of its own, so that programs without a screen (the tools) need no
 * Unicode tables.
 *
 * Pure.  May include: libc, utf8proc, util/utf8.h.
 */
#ifndef IK_UTIL_CLUSTER_H
#define IK_UTIL_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is it a character of the Unicode that is built in (private use counts)? The
 * width of others is unknown. */
bool ik_utf8_assigned(uint32_t codepoint);

/* The character's simple case folding (one character for one), and is it upper or title
 * case? */
uint32_t ik_utf8_fold(uint32_t codepoint);
bool ik_utf8_is_upper(uint32_t codepoint);

/* What a character is to a search for words. */
enum ik_letter {
	IK_LETTER_NONE,  /* stands between words */
	IK_LETTER_WORD,  /* a letter or digit of a script that sets words apart */
	IK_LETTER_DENSE, /* of one that does not: Han, Kana, Thai, ..., and Hangul */
	IK_LETTER_MARK,  /* belongs to the one before it */
	IK_LETTER_SYMBOL /* a word by itself: emoji */
};
enum ik_letter ik_utf8_letter(uint32_t codepoint);

/* The characters, at most IK_UTF8_SIMPLE, that stand for a letter or mark where case,
 * diacritics of alphabets, width and other forms of compatibility are no difference; returns
 * how many: 0 for an accent. */
#define IK_UTF8_SIMPLE 32
int ik_utf8_simplify(uint32_t codepoint, uint32_t out[IK_UTF8_SIMPLE]);

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
