/*
 * search: find the lines of a file that match a regular expression.
 *
 * The parts of grep:
 *     main        its arguments
 *     files       many files, two processes; the lines of the output
 *     search      one file, in blocks; context
 *     expression  the lines of a block, with PCRE2
 *     dialect     the pattern, as PCRE2 needs it
 *
 * Knows nothing of names, answers or JSON.  May include: util, tools/grep/expression.h.
 */
#ifndef IK_TOOLS_GREP_SEARCH_H
#define IK_TOOLS_GREP_SEARCH_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct search;

/* One line of a file, without its line feed. */
struct search_line {
	uint64_t number; /* from 1 */
	const char *text;
	size_t length; /* at most 64 MiB: what follows in a longer line is skipped */
	bool context;  /* it does not match, but is near a line that does */
};

/* Process a line. Return false to end the search. */
typedef bool (*search_fn)(void *arg, const struct search_line *line);

/* Prepare the search for pattern (see dialect.h), with this many lines before and after each match.
 * On error, return NULL with a sentence and perhaps a hint, like expression_new(). */
struct search *search_new(const char *pattern, bool ignore_case, uint64_t context,
	struct ik_error *error, const char **ret_hint);

/*
 * Search the open file fd, as far as it can be read. Visit at most this many matching lines. Return
 * whether the search stopped although there are more.
 */
bool search_file(struct search *search, int fd, uint64_t most, search_fn visit, void *arg);

/* Returns NULL. Takes NULL. */
struct search *search_free(struct search *search);

#endif
