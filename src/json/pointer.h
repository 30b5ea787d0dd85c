/*
 * pointer: what a JSON Pointer (RFC 6901) in the fragment of a URI names, as the
 * local references of schemas are written: "#/$defs/name".
 *
 * May include: json/scan.h, util.
 */
#ifndef IK_JSON_POINTER_H
#define IK_JSON_POINTER_H

#include "json/scan.h"

/* Append one step of a pointer, decoded: first its percent signs, then its tildes (RFC 6901,
 * 4 and 6). step: behind a slash. Returns what is behind it: a slash, or the end. */
const char *ik_pointer_step(struct ik_buf *out, const char *step);

/*
 * The value that a reference, the string after "$ref", names in root: all of it for "#",
 * what is at the place for "#/...". No value for what is elsewhere or nowhere, for an
 * anchor, and for what is no string.
 */
struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference);

#endif
