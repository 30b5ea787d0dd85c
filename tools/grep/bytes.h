/*
 * bytes: questions to long rows of bytes, many bytes at a time.
 *
 * With AVX2 where the processor has it (asked once, at run time), otherwise
 * with what the C library offers.  May include: libc.
 */
#ifndef IK_TOOLS_GREP_BYTES_H
#define IK_TOOLS_GREP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two bytes, distance from each other, or one, at distance 0. A fold of BYTE_FOLDED: the byte is a
 * small letter, and the capital will do as well; otherwise it is 0. */
struct byte_pair {
	char first, second;
	char first_fold, second_fold;
	size_t distance;
};
#define BYTE_FOLDED 0x20

/* The first place in [at, end) that holds the pair; NULL: there is none. The distance bytes behind
 * end are looked at too. */
const char *bytes_find_pair(const char *at, const char *end, const struct byte_pair *pair);

/* Number of line feeds in [at, end). */
uint64_t bytes_count_feeds(const char *at, const char *end);

/* Are all bytes ASCII characters, none of them NUL? */
bool bytes_are_plain(const char *at, const char *end);

#endif
