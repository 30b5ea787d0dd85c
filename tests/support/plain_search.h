/*
 * plain_search: the lines that grep must find, by simpler methods: each line by itself and, for
 * POSIX expressions and lines of ASCII, regexec(3).
 *
 * May include: util, tools/grep/expression.h, tools/grep/search.h.
 */
#ifndef TESTS_SUPPORT_PLAIN_SEARCH_H
#define TESTS_SUPPORT_PLAIN_SEARCH_H

#include "util/buf.h"

enum plain_result {
	PLAIN_SAME,
	PLAIN_REFUSED,  /* the pattern is not valid */
	PLAIN_DIFFERENT /* printed on stderr */
};

/* Search text for pattern both ways, in the locale that is set. */
enum plain_result plain_compare(const char *pattern, const char *text, size_t length);

#endif
