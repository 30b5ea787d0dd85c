/*
 * pointer: JSON Pointers (RFC 6901) in URI fragments, the form of local references in schemas:
 * "#/$defs/name".
 *
 * May include: json/scan.h, util.
 */
#ifndef IK_JSON_POINTER_H
#define IK_JSON_POINTER_H

#include "json/scan.h"

/*
 * Return the value in root that a reference (the string of "$ref") names: root itself for "#", the
 * place for "#/...". Return no value for an external or missing place, for an anchor, or if
 * reference is not a string.
 */
struct ik_json_span ik_json_referred(struct ik_json_span root, struct ik_json_span reference);

#endif
