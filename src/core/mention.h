/*
 * mention: find where a message mentions a file, "@PATH" or @"PATH with blanks".
 *
 * The "@" begins a word: neither an address (me@example.org) nor "\@" is a mention.
 * Without quotes, the path ends at the next blank.
 *
 * Pure.  May include: util.
 */
#ifndef IK_CORE_MENTION_H
#define IK_CORE_MENTION_H

#include <stdbool.h>
#include <stddef.h>

struct ik_mention {
	size_t start, end; /* in the text, including the "@" */
	const char *path;  /* points into the text */
	size_t length;
	bool quoted;
	bool open; /* the closing quote is missing */
};

/* Find the first mention after *position, and move *position to its end; false: there is none. */
bool ik_mention_next(const char *text, size_t length, size_t *position,
	struct ik_mention *ret_mention);

#endif
