/*
 * plain_search: the lines that grep must find, by the simplest method: regexec(3) on
 * each line, with the pattern itself if it is a POSIX expression, otherwise with its
 * translation by the dialect.
 *
 * May include: util, tools/grep/dialect.h, tools/grep/search.h.
 */
#ifndef TESTS_SUPPORT_PLAIN_SEARCH_H
#define TESTS_SUPPORT_PLAIN_SEARCH_H

#include "util/buf.h"

enum plain_result {
	PLAIN_SAME,
	PLAIN_REFUSED,  /* both refuse the pattern */
	PLAIN_DIFFERENT /* printed on stderr */
};

/* Search text for pattern both ways, in the locale that is set. */
enum plain_result plain_compare(const char *pattern, const char *text, size_t length);

#endif
