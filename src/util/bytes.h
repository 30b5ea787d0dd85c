/*
 * bytes: a large text with several owners, reference-counted and never copied.
 *
 * Owns its bytes, which do not change. May include: libc, util.
 */
#ifndef IK_UTIL_BYTES_H
#define IK_UTIL_BYTES_H

#include "util/buf.h"

struct ik_bytes {
	int references; /* private to bytes.c */
	char *data;     /* never NULL */
	size_t length;
};

/* Move a buffer's bytes to a new object (one reference), emptying the buffer; NULL if it was
 * empty. */
struct ik_bytes *ik_bytes_take(struct ik_buf *buf);

/* Both accept NULL; unref returns NULL. */
struct ik_bytes *ik_bytes_ref(struct ik_bytes *bytes);
struct ik_bytes *ik_bytes_unref(struct ik_bytes *bytes);

/* Return the length, 0 for NULL. */
size_t ik_bytes_length(const struct ik_bytes *bytes);

#endif
