/*
 * base64: encode and decode base64 (RFC 4648, section 4), with nettle.
 *
 * Pure. May include: util, <nettle/...>.
 */
#ifndef IK_UTIL_BASE64_H
#define IK_UTIL_BASE64_H

#include "util/buf.h"

#include <stdbool.h>

/* Append bytes in base64, padded with "=". */
void ik_base64_put(struct ik_buf *out, const char *bytes, size_t length);

/* Append the decoded bytes. Return false, with out unchanged, if the text is not exactly what
 * ik_base64_put() produces (other characters, wrong length, leftover bits). */
bool ik_base64_read(struct ik_buf *out, const char *text, size_t length);

#endif
