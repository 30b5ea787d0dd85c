/*
 * search: find the lines of a file that match a regular expression.
 *
 * The result is always what regexec(3) finds for the pattern, as a POSIX expression, in each line by
 * itself, NULs included.  regexec() is slow, so it only confirms lines that may match:
 *     dialect    rewrites the pattern as a POSIX expression, then
 *     syntax     parses that into a tree.  From the tree come
 *     prefilter  a few bytes that every match contains, which bytes.c finds quickly, and
 *     nfa, dfa   an automaton that judges a line in one pass; it is exact for ASCII lines, for
 *                all others it says "perhaps", and regexec() decides.
 * The rest of grep: main (arguments), files (many files, two processes), report (output lines).
 *
 * Knows nothing of names, answers or JSON.  May include: util.
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
	size_t length;
	bool context; /* it does not match, but is near a line that does */
};

/* Process a line. Return false to end the search. */
typedef bool (*search_fn)(void *arg, const struct search_line *line);

/* Prepare the search for pattern (see dialect.h). NULL with a sentence if it is not a valid
 * expression, or too complex. */
struct search *search_new(const char *pattern, bool ignore_case, struct ik_error *error);

/* Visit so many lines before and after each match, too. */
void search_set_context(struct search *search, uint64_t lines);

enum search_end {
	SEARCH_STOPPED, /* by the visitor or the limit */
	SEARCH_FILE_END,
	SEARCH_NO_MEMORY /* a line, with its context, does not fit into memory */
};

/*
 * Search the file that fd is open at, whose offset is neither used nor changed: two processes may
 * share it. A file that cannot be read any further ends there. Visit at most so many matching lines
 * (0: all); set *ret_more if the search stopped because there is one more.
 */
enum search_end search_file(struct search *search, int fd, uint64_t most, search_fn visit,
	void *arg, bool *ret_more);

/* Returns NULL. Takes NULL. */
struct search *search_free(struct search *search);

#endif
