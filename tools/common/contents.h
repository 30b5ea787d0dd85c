/*
 * contents: access all bytes of an open file, however large, with little memory.
 *
 * A small file is read.  A large one is mapped, so that parts which are not used cost nothing, and
 * parts which are can be evicted.  If a mapped file is truncated meanwhile, the rest reads as zeros
 * and ik_contents_lost() is true. Holes can be skipped.  Only one file may be mapped at a time.
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
	struct ik_buf copy; /* if it is not mapped */
};

/* Open the contents of fd, which is at its beginning; status is its fstat(2). Return 0 or errno.
 * Call ik_contents_close() either way. */
int ik_contents_open(struct ik_contents *contents, int fd, const struct stat *status) IK_MUST_USE;

/* Find the next range of data at or after offset; false if only a hole is left, or nothing. */
bool ik_contents_data(const struct ik_contents *contents, size_t offset, size_t *ret_from,
	size_t *ret_to) IK_MUST_USE;

/* Was the file truncated in the meantime? Then what was read is not valid. */
bool ik_contents_lost(const struct ik_contents *contents) IK_MUST_USE;

void ik_contents_close(struct ik_contents *contents);

#endif
