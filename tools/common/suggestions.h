/*
 * best: the few candidates that come nearest to what was meant.
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
		size_t distance; /* the smaller the better */
		size_t line;     /* for whoever wants one */
		char *text;
	} items[IK_SUGGESTIONS_MAX];
};

/* Put a copy of the text in its place among the best, behind those as good,
 * if it is one of them and not there yet. */
void ik_suggestions_add(struct ik_suggestions *best, size_t distance, size_t line, const char *text,
	size_t length);

/* Empty it. */
void ik_suggestions_clear(struct ik_suggestions *best);

#endif
