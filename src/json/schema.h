/*
 * schema: what a tool says of its parameters.
 *
 * Turns both spellings of `parameters` into one canonical JSON Schema object
 * and checks arguments against it.
 *
 * Pure.  May include: util, json.
 */
#ifndef IK_JSON_SCHEMA_H
#define IK_JSON_SCHEMA_H

#include "json/json.h"

/*
 * The canonical schema of a tool's `parameters` (NULL or missing: an object
 * without properties): {"type":"object","properties":{...},"required":[...]},
 * property order kept, `required` left out where empty, other members kept.
 * A flat map {ARG: {type, description, required: true}} is told by its lacking
 * a string member "type" with the value "object". Returns NULL with a sentence
 * that names the member that is wrong.
 */
struct ik_json *ik_schema_canonical(const struct ik_json *parameters, struct ik_error *error);

/*
 * Check arguments against a canonical schema: type (one or a list), properties,
 * required, additionalProperties, enum, const, items, minItems, maxItems,
 * minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength,
 * maxLength, pattern, anyOf, oneOf, allOf, not, local $ref. Unknown keywords
 * are accepted. The error names the path ("/edits/0/line"), what came and what
 * is wanted.
 */
enum ik_status ik_schema_validate(const struct ik_json *schema,
	const struct ik_json *value, struct ik_error *error) IK_MUST_USE;

#endif
