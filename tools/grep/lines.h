/*
 * lines: the lines found in a block, in order.
 *
 * Owns the list, not the text.  May include: util.
 */
#ifndef IK_TOOLS_GREP_LINES_H
#define IK_TOOLS_GREP_LINES_H

#include "util/alloc.h"

#include <stddef.h>

/* end is at the line feed, which is not part of the line. */
struct lines_line {
	const char *start, *end;
};

struct lines {
	struct lines_line *list;
	size_t count, capacity;
};

static inline void lines_add(struct lines *lines, const char *start, const char *end)
{
	if (lines->count == lines->capacity) {
		lines->capacity = lines->capacity > 0 ? 2 * lines->capacity : 256;
		lines->list = ik_alloc_array(lines->list, lines->capacity, sizeof(lines->list[0]));
	}
	lines->list[lines->count++] = (struct lines_line){ start, end };
}

#endif
