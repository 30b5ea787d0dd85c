/*
 * base64: bytes as text of 64 characters, and back (RFC 4648, section 4), by nettle.
 *
 * Pure.  May include: util, <nettle/...>.
 */
#ifndef IK_UTIL_BASE64_H
#define IK_UTIL_BASE64_H

#include "util/buf.h"

#include <stdbool.h>

/* Append bytes in base64, padded with "=". */
void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length);

/* Append the decoded bytes. Return false if the text is not exactly what ik_base64_put() produces
 * (other characters, wrong length, leftover bits); out is then as it was. */
bool ik_base64_read(struct ik_buf *out, const char *text, size_t length);

#endif
