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

/* Take the bytes of a buffer (one reference) and empty it; NULL if it was empty. */
struct ik_bytes *ik_bytes_take(struct ik_buf *buf);

/* Both take NULL; unref returns NULL. */
struct ik_bytes *ik_bytes_ref(struct ik_bytes *bytes);
struct ik_bytes *ik_bytes_unref(struct ik_bytes *bytes);

/* 0 for NULL. */
size_t ik_bytes_length(const struct ik_bytes *bytes);

#endif
