/*
 * schema: the description of a tool's parameters.
 *
 * Converts both forms of `parameters` to one canonical JSON Schema object and checks arguments
 * against it.
 *
 * Pure. May include: util, json.
 */
#ifndef IK_JSON_SCHEMA_H
#define IK_JSON_SCHEMA_H

#include "json/scan.h"

/*
 * Append the canonical schema of a tool's `parameters` (no value or null: an object without
 * properties): {"type":"object","properties":{...},"required":[...]}. The order of properties and
 * all other members are kept; an empty `required` is omitted. A flat map {ARG: {type, description,
 * required: true}} is recognised by having no string member "type" with the value "object". A
 * boolean `required` of a property becomes an entry in the list next to it, at any depth and in
 * either form. Of members with the same name only the first is kept (in objects of at most a
 * thousand members). Fail with a sentence that names the faulty member ("/count/type: ..."); what
 * was appended is then not a valid schema.
 */
enum ik_status ik_schema_canonical(struct ik_json_span parameters, struct ik_buf *out,
	struct ik_error *error) IK_MUST_USE;

/* Append any schema that is an object in the same form, on one line. An error's `at` is the key. */
enum ik_status ik_schema_read(struct ik_json_span schema, struct ik_buf *out,
	struct ik_error *error) IK_MUST_USE;

/*
 * Check arguments against a canonical schema (any schema of drafts 4 to 2020-12 works), which is
 * root or a part of it: type (one or a list), enum, const; minimum, maximum, exclusiveMinimum,
 * exclusiveMaximum, multipleOf; minLength, maxLength, pattern; items, prefixItems, additionalItems,
 * minItems, maxItems, uniqueItems, contains; properties, patternProperties, additionalProperties,
 * propertyNames, required, dependencies, minProperties, maxProperties; anyOf, oneOf, allOf, not,
 * if; $ref to a place in the schema ("#/$defs/x", in the nearest enclosing schema that has an $id;
 * anchors are not read). Unknown keywords, patterns and references are accepted, as is everything
 * once the limit on the work is reached. The error names the place ("/edits/0/line: is \"x\", but
 * must be a whole number").
 */
enum ik_status ik_schema_validate(struct ik_json_span root, struct ik_json_span schema,
	struct ik_json_span value, struct ik_error *error) IK_MUST_USE;

#endif
