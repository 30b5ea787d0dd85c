/*
 * search: the lines of a file that match a regular expression.
 *
 * What matches is what regexec(3) finds, for the pattern as a POSIX expression,
 * in each line by itself, NULs included.
 * Knows nothing of names, answers or JSON.  May include: util.
 *
 * To read on, from the outside to the inside:
 *     main       what is asked for, which files
 *     crew       the files, shared by two processes, answered in order
 *     report     a line in the answer
 *     search     a file in blocks, the lines of a block that match
 *     dialect    the pattern as a POSIX expression
 *     syntax     this as a tree; what regcomp() would choke on
 *     window     bytes that every match has, found first ...
 *     bytes      ... with the processor's widest comparisons
 *     automaton  whether a line matches, in one pass over it, made from ...
 *     machine    ... the steps that the tree is written out to
 * Whatever the last two say without being sure of it, regexec() confirms.
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
	bool context; /* it does not match, but is near one that does */
};

/* Take a line. False ends the search. */
typedef bool (*search_fn)(void *arg, const struct search_line *line);

/* Search for pattern (see dialect.h). NULL with a sentence when it is no expression, or cannot
 * be searched for. */
struct search *search_new(const char *pattern, bool ignore_case, struct ik_error *error);

/* Visit this many lines before and after each that matches, too. */
void search_set_context(struct search *search, uint64_t lines);

/* Search what fd, at its beginning, has to give; a file that cannot be read
 * any further ends there. False when the visitor ended it. */
bool search_file(struct search *search, int fd, search_fn visit, void *arg);

/* The lines of a file that begin in a part of it, however far the last of them goes. Context
 * does not go beyond a part. */
struct search_part {
	off_t from, to; /* SEARCH_ALL: to the end of the file */
	uint64_t lines; /* how many there are before the part; afterwards, before the next one */
	uint64_t most;  /* lines that match to visit; 0: all */
	bool more;      /* set, when the search stopped since there is one more */
};
#define SEARCH_ALL INT64_MAX

enum search_end {
	SEARCH_STOPPED, /* by the visitor, or with more */
	SEARCH_FILE_END,
	SEARCH_PART_END, /* the file goes on */
	SEARCH_NO_MEMORY /* a line, with its context, does not fit into memory */
};

/* The same for a part. The offset of fd is neither used nor changed, where the file has one:
 * several processes may share it. */
enum search_end search_part(struct search *search, int fd, struct search_part *part,
	search_fn visit, void *arg);

/* Returns NULL. Takes NULL. */
struct search *search_free(struct search *search);

#endif
