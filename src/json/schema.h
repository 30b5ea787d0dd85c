/*
 * schema: the description of a tool's parameters.
 *
 * Turns both spellings of `parameters` into one canonical JSON Schema object and checks arguments
 * against it.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_JSON_SCHEMA_H
#define IK_JSON_SCHEMA_H

#include "json/json.h"

/*
 * Return the canonical schema of a tool's `parameters` (NULL or missing: an object without
 * properties): {"type":"object","properties":{...},"required":[...]}. The order of properties and
 * all other members are kept; an empty `required` is left out. A flat map {ARG: {type, description,
 * required: true}} is recognised by having no string member "type" with the value "object". A
 * boolean `required` of a property becomes an entry in the list beside it, at any depth and in
 * either spelling. Of members with the same name the first is kept. Return NULL with a sentence
 * that names the faulty member ("/count/type: ...").
 */
struct ik_json *ik_schema_canonical(const struct ik_json *parameters, struct ik_error *error);

/*
 * Check arguments against a canonical schema (any schema of drafts 4 to 2020-12 works): type (one
 * or a list), enum, const; minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf;
 * minLength, maxLength, pattern; items, prefixItems, additionalItems, minItems, maxItems,
 * uniqueItems, contains; properties, patternProperties, additionalProperties, propertyNames,
 * required, dependencies, minProperties, maxProperties; anyOf, oneOf, allOf, not, if; $ref to a
 * place in the schema ("#/$defs/x"; $id and anchors are not read). Unknown keywords, patterns and
 * references are accepted, and so is everything once the limit on the work is reached. The error
 * names the place ("/edits/0/line: is \"x\", but must be a whole number").
 */
enum ik_status ik_schema_validate(const struct ik_json *schema, const struct ik_json *value,
	struct ik_error *error) IK_MUST_USE;

#endif
