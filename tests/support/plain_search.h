/*
 * plain_search: what grep has to find, by the plain method: each line by
 * regexec(3), for the pattern itself where it is a POSIX expression, otherwise
 * for what the dialect makes of it.
 *
 * May include: util, tools/grep/dialect.h, tools/grep/search.h.
 */
#ifndef TESTS_SUPPORT_PLAIN_SEARCH_H
#define TESTS_SUPPORT_PLAIN_SEARCH_H

#include "util/buf.h"

enum plain_result {
	PLAIN_SAME,
	PLAIN_REFUSED,  /* the pattern is none, both say so */
	PLAIN_DIFFERENT /* told on stderr */
};

/* Search text for pattern both ways, in the locale that is set. */
enum plain_result plain_compare(const char *pattern, const char *text, size_t length);

#endif
