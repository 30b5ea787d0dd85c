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
 * a string member "type" with the value "object". A boolean `required` of a
 * property becomes an entry of the list beside it, at any depth and in either
 * spelling; of members with one name the first stays. Returns NULL with a
 * sentence that names the member that is wrong ("/count/type: ...").
 */
struct ik_json *ik_schema_canonical(const struct ik_json *parameters, struct ik_error *error);

/*
 * Check arguments against a canonical schema (any schema of drafts 4 to
 * 2020-12 will do): type (one or a list), enum, const; minimum, maximum,
 * exclusiveMinimum, exclusiveMaximum, multipleOf, all exact; minLength,
 * maxLength, pattern; items, prefixItems, additionalItems, minItems, maxItems,
 * uniqueItems, contains; properties, patternProperties, additionalProperties,
 * propertyNames, required, dependencies, minProperties, maxProperties; anyOf,
 * oneOf, allOf, not, if; local $ref. Unknown keywords, patterns and references
 * are accepted, and so is everything beyond a bound on the work. The error
 * names the place ("/edits/0/line: is \"x\", but must be a whole number").
 */
enum ik_status ik_schema_validate(const struct ik_json *schema, const struct ik_json *value,
	struct ik_error *error) IK_MUST_USE;

#endif
