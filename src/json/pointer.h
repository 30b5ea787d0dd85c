/*
 * pointer: JSON Pointers (RFC 6901) in URI fragments, as local references of schemas are written:
 * "#/$defs/name".
 *
 * May include: json/scan.h, util.
 */
#ifndef IK_JSON_POINTER_H
#define IK_JSON_POINTER_H

#include "json/scan.h"

/* Decode one step of a pointer, which starts after a slash, and append it: first percent signs,
 * then tildes (RFC 6901, 4 and 6). Return what follows: a slash, or the end. */
const char *ik_pointer_step(struct ik_buf *out, const char *step);

/*
 * Return the value in root that a reference (the string of "$ref") names: root itself for "#", the
 * place for "#/...". No value for external or missing places, for an anchor, or if reference is not
 * a string.
 */
struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference);

#endif
