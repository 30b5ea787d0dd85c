/*
 * parts: contents that lie in pieces, and how they are written.
 *
 * A part without a base is so many NULs, and becomes a hole where that can be.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_PARTS_H
#define IK_TOOLS_PARTS_H

#include "util/err.h"

#include <sys/uio.h>

/* Write all parts from where fd stands. 0 or errno; EFAULT when a part lies in
 * the map of a file that was cut meanwhile. */
int ik_parts_write(int fd, const struct iovec *parts, size_t count) IK_MUST_USE;

/* Set copies (count of them) to copies of the parts, in memory that is returned,
 * for free(); NULL when there is not enough. */
char *ik_parts_copy(struct iovec *copies, const struct iovec *parts, size_t count) IK_MUST_USE;

#endif
