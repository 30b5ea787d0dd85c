/*
 * partial: the beginning of a JSON text as whole JSON, to read what has arrived of it.
 *
 * Pure.  May include: util.
 */
#ifndef IK_JSON_PARTIAL_H
#define IK_JSON_PARTIAL_H

#include "util/buf.h"

/* Append the beginning of a JSON text without what is incomplete at its end, except for a string that
 * is a value, and with what closes the rest. Does not check it. */
void ik_json_complete(const char *text, size_t length, struct ik_buf *out);

#endif
