/*
 * suggestions: keep the few candidates that are nearest to what was meant.
 *
 * Owns the texts.  May include: util.
 */
#ifndef IK_TOOLS_SUGGESTIONS_H
#define IK_TOOLS_SUGGESTIONS_H

#include <stddef.h>

#define IK_SUGGESTIONS_MAX 3

struct ik_suggestions {
	size_t count;
	struct ik_suggestion {
		size_t distance; /* smaller is better */
		size_t line;     /* optional */
		char *text;
	} items[IK_SUGGESTIONS_MAX];
};

/* Insert a copy of the text, after those of the same distance, if it is near enough and not in the
 * list yet. */
void ik_suggestions_add(struct ik_suggestions *best, size_t distance, size_t line, const char *text,
	size_t length);

/* Remove all. */
void ik_suggestions_clear(struct ik_suggestions *best);

#endif
