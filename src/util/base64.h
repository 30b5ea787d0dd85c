/*
 * base64: bytes as text of 64 characters, and back (RFC 4648, section 4).
 *
 * Pure.  May include: libc, util/buf.h.
 */
#ifndef IK_UTIL_BASE64_H
#define IK_UTIL_BASE64_H

#include "util/buf.h"

#include <stdbool.h>

/* Append bytes in base 64, with the equals signs at the end. */
void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length);

/* Append the bytes that a text stands for; false: it is not exactly what ik_base64_put()
 * makes (other characters, a wrong length, bits left over), and out has only a part of it. */
bool ik_base64_read(struct ik_buf *out, const char *text, size_t length);

#endif
