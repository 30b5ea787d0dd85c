/*
 * bytes: search and count in long byte arrays, many bytes at a time.
 *
 * Uses AVX2 if the processor has it (asked at run time), otherwise the C library.  May include:
 * libc.
 */
#ifndef IK_TOOLS_GREP_BYTES_H
#define IK_TOOLS_GREP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bytes at a distance from each other, or one byte at distance 0. If a fold is BYTE_FOLDED, the
 * byte is a lower-case letter that matches in either case; otherwise it is 0. */
struct byte_pair {
	char first, second;
	char first_fold, second_fold;
	size_t distance;
};
#define BYTE_FOLDED 0x20

/* Return the first position in [at, end) of the pair; NULL: none. Also reads distance bytes after
 * end. */
const char *bytes_find_pair(const char *at, const char *end, const struct byte_pair *pair);

/* Count the line feeds in [at, end). */
uint64_t bytes_count_feeds(const char *at, const char *end);

/* Are all bytes ASCII characters other than NUL? */
bool bytes_are_plain(const char *at, const char *end);

#endif
