/*
 * window: a short row of byte sets that is in every match, found quickly.
 *
 * For "[a-z]+_[0-9]{3}" it is "[a-z]_[0-9][0-9][0-9]": one or two bytes of it
 * that are seldom (or letters, of either case) are looked for with the
 * processor's widest comparisons, the rest is compared around them.
 *
 * May include: util, tools/grep/syntax.h, tools/grep/bytes.h.
 */
#ifndef IK_TOOLS_GREP_PREFILTER_H
#define IK_TOOLS_GREP_PREFILTER_H

#include "tools/grep/bytes.h"
#include "tools/grep/syntax.h"

#define PREFILTER_MAX 32

struct prefilter {
	size_t length; /* 0: there is no such row, or no single byte in it */
	bool whole;    /* it is all of the expression: its line matches */
	size_t first;  /* place of the pair */
	struct byte_pair pair;
	uint32_t places[256]; /* for each byte: at which places it may be, as bits */
};

/* Find the best window of a tree. */
void prefilter_choose(struct prefilter *prefilter, const struct syntax *syntax);

/* Where the row is first in [at, end); NULL if it is not there. */
const char *prefilter_find(const struct prefilter *prefilter, const char *at, const char *end);

#endif
