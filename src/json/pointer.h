/*
 * pointer: JSON Pointers (RFC 6901) in URI fragments, as local references of schemas are written:
 * "#/$defs/name".
 *
 * May include: json/json.h, util.
 */
#ifndef IK_JSON_POINTER_H
#define IK_JSON_POINTER_H

#include "json/json.h"

/*
 * Return the value in root that a reference (the string of "$ref") names: root itself for "#", the
 * place for "#/...". No value for external or missing places, for an anchor, or if reference is not
 * a string.
 */
struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference);

/* The same in a tree; NULL if there is no such value. */
const struct ik_json *ik_pointer_find(const struct ik_json *root, const char *reference);

#endif
