/*
 * openai_strict: schemas and arguments in OpenAI's strict mode.
 *
 * In strict mode a model can only write what the schema allows. In return, every object is closed,
 * every property is required (so an omitted one is written as null), and only a part of JSON Schema
 * is supported.
 *
 * Source: OpenAI's guide "Structured model outputs", "Supported schemas". Limits differ between
 * hosts; the smallest ones are used here.
 *
 * Private to src/provider; pure. May include: util, json.
 */
#ifndef IK_PROVIDER_OPENAI_OPENAI_STRICT_H
#define IK_PROVIDER_OPENAI_OPENAI_STRICT_H

#include "json/scan.h"

/*
 * Append the strict form of a canonical schema: every object closed, all properties required,
 * optional ones nullable, annotations left out where they would be refused. Return false and append
 * nothing if strict mode cannot express the schema (an open object, a length, allOf and so on): it
 * is then sent unchanged, not strict.
 */
bool ik_openai_put_strict_schema(struct ik_buf *out, struct ik_json_span schema);

/*
 * Append arguments that were written for the strict form of schema, without the nulls that mean
 * "omitted". Return false and append nothing if there is nothing to remove (or schema has no strict
 * form): use them unchanged.
 */
bool ik_openai_put_without_nulls(struct ik_buf *out, struct ik_json_span schema,
	struct ik_json_span arguments);

#endif
