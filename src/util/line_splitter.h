/*
 * line_splitter: splits a stream into lines.
 *
 * Pure. May include: util/buf.h.
 */
#ifndef IK_UTIL_LINE_SPLITTER_H
#define IK_UTIL_LINE_SPLITTER_H

#include "util/buf.h"

/* Zero it first. */
struct ik_line_splitter {
	struct ik_buf partial; /* the line that has begun */
	bool too_long;         /* the rest of this line is skipped */
};

/* Call line for each line that is complete with these bytes, without its line feed, unless it is
 * blank. text is NULL for a line of more than limit bytes. line must not release lines. */
void ik_line_splitter_add(struct ik_line_splitter *lines, size_t limit, const char *bytes,
	size_t length, void (*line)(void *arg, const char *text, size_t length), void *arg);
void ik_line_splitter_done(struct ik_line_splitter *lines);

#endif
