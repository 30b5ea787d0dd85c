/*
 * parts: contents that come in pieces, and how they are written.
 *
 * The pieces are made one after the other, as they are needed, however many
 * there are; they can be asked for again from the first.  A piece without a
 * base is a number of NULs, and becomes a hole where that is possible.
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
	off_t total; /* bytes of all pieces together */
	/* Start again with the first piece. */
	void (*rewind)(void *state);
	/* Set *part to the next piece, which may be empty; false after the last. */
	bool (*next)(void *state, struct iovec *part);
	void *state;
};

/* Pieces that are there already, in a row. */
struct ik_parts_row {
	const struct iovec *list;
	size_t count;
	size_t at; /* the next one */
};

/* The parts of a row, which must last as long. */
struct ik_parts ik_parts_of_row(struct ik_parts_row *row);

/* Write all parts from where fd stands. 0 or errno; EFAULT when a part lies in
 * the map of a file that was cut meanwhile. */
int ik_parts_write(int fd, const struct ik_parts *parts) IK_MUST_USE;

/* What the parts hold, in memory of its own. */
struct ik_parts_copy {
	char *bytes;
	struct iovec *list; /* holes, and what lies between them */
	struct ik_parts_row row;
};

/* Copy the parts. 0, ENOMEM, or EFAULT when they are not the same twice.
 * ik_parts_copy_free() either way. */
int ik_parts_copy(const struct ik_parts *parts, struct ik_parts_copy *copy) IK_MUST_USE;
void ik_parts_copy_free(struct ik_parts_copy *copy);

#endif
