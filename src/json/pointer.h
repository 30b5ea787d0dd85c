/*
 * pointer: JSON Pointers (RFC 6901) in URI fragments, as local references of schemas are written:
 * "#/$defs/name".
 *
 * May include: json/scan.h, util.
 */
#ifndef IK_JSON_POINTER_H
#define IK_JSON_POINTER_H

#include "json/scan.h"

/*
 * Return the value in root that a reference (the string of "$ref") names: root itself for "#", the
 * place for "#/...". No value for external or missing places, for an anchor, or if reference is not
 * a string.
 */
struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference);

#endif
