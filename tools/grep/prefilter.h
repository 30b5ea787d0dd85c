/*
 * prefilter: find quickly a short sequence of byte sets that every match contains.
 *
 * For "[a-z]+_[0-9]{3}" it is "[a-z]_[0-9][0-9][0-9]": one or two of its rarest bytes (or letters
 * in either case) are searched for with the processor's widest comparisons, then the rest is
 * compared.
 *
 * May include: util, tools/grep/syntax.h, tools/grep/bytes.h.
 */
#ifndef IK_TOOLS_GREP_PREFILTER_H
#define IK_TOOLS_GREP_PREFILTER_H

#include "tools/grep/bytes.h"
#include "tools/grep/syntax.h"

#define PREFILTER_MAX 32

struct prefilter {
	size_t length; /* 0: there is no such sequence, or no single byte in it */
	bool whole;    /* it is the whole expression: a line that contains it matches */
	size_t first;  /* position of the pair */
	struct byte_pair pair;
	uint32_t places[256]; /* for each byte: the positions where it may be, as bits */
};

/* Choose the best sequence of a tree. */
void prefilter_choose(struct prefilter *prefilter, const struct syntax *syntax);

/* Return the first position of the sequence in [at, end); NULL: none. */
const char *prefilter_find(const struct prefilter *prefilter, const char *at, const char *end);

#endif
