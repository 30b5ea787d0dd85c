/*
 * contents: all bytes of an open file, however large, in little memory.
 *
 * A small file is read.  A large one is mapped: what is not looked at costs
 * nothing, and what is can be given back to the page cache.  A mapped file that
 * somebody cuts short meanwhile reads as zeros from there on, and says so.
 * Holes need not be looked at.  One mapped file at a time.
 *
 * Owns the map or the copy, not the descriptor.  May include: util.
 */
#ifndef IK_TOOLS_CONTENTS_H
#define IK_TOOLS_CONTENTS_H

#include "util/buf.h"

#include <sys/stat.h>

struct ik_contents {
	char *data;
	size_t length;
	int fd;
	bool mapped;
	bool sparse;        /* mapped, and seems to have holes */
	struct ik_buf copy; /* where it is not mapped */
};

/* Take the contents of fd, which is at its beginning; status is its fstat(2).
 * 0 or errno. ik_contents_close() either way. */
int ik_contents_open(struct ik_contents *contents, int fd, const struct stat *status) IK_MUST_USE;

/* The stretch of data at or behind offset; false if only a hole is left, or nothing. */
bool ik_contents_data(const struct ik_contents *contents, size_t offset, size_t *ret_from,
	size_t *ret_to) IK_MUST_USE;

/* Was the file cut while it was being looked at? Then what was seen is not true. */
bool ik_contents_lost(const struct ik_contents *contents) IK_MUST_USE;

void ik_contents_close(struct ik_contents *contents);

#endif
