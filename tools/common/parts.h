/*
 * parts: contents that are produced and written in pieces.
 *
 * Pieces are produced one by one as they are needed, and again from the first on request.  A piece
 * without a base is a number of NULs and becomes a hole if possible.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_PARTS_H
#define IK_TOOLS_PARTS_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

struct ik_parts {
	off_t total; /* bytes of all pieces */
	/* Start again from the first piece. */
	void (*rewind)(void *state);
	/* Set *part to the next piece, which may be empty; false after the last. */
	bool (*next)(void *state, struct iovec *part);
	void *state;
};

/* Pieces from an array. */
struct ik_parts_row {
	const struct iovec *list;
	size_t count;
	size_t at; /* the next one */
};

/* Return the parts of a row, which must live as long. */
struct ik_parts ik_parts_of_row(struct ik_parts_row *row);

/* Write all parts at the offset of fd. Return 0 or errno; EFAULT if a part is in the map of a file
 * that was truncated. */
int ik_parts_write(int fd, const struct ik_parts *parts) IK_MUST_USE;

/* A copy of parts in memory. */
struct ik_parts_copy {
	char *bytes;
	struct iovec *list; /* holes, and what is between them */
	struct ik_parts_row row;
};

/* Copy the parts. Return 0, ENOMEM, or EFAULT if they differ when produced twice. Call
 * ik_parts_copy_free() either way. */
int ik_parts_copy(const struct ik_parts *parts, struct ik_parts_copy *copy) IK_MUST_USE;
void ik_parts_copy_free(struct ik_parts_copy *copy);

#endif
