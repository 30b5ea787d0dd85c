/*
 * openai: what OpenAI's two formats share: tools, and strict mode.
 *
 * In strict mode a model can only write what the schema allows. In return, every object is closed,
 * every property is required (so an omitted one is written as null), and only a part of JSON Schema
 * is supported.
 *
 * Source: OpenAI's guide "Structured model outputs", "Supported schemas". Limits differ between
 * hosts; the smallest ones are used here.
 *
 * Private to src/provider; pure. May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_H
#define IK_PROVIDER_OPENAI_H

#include "provider/wire/format.h"

/* Write the members of a tool that both formats have: name, description, parameters. Return true if
 * those are in strict form. */
bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);

/* Write arguments without the nulls of strict mode (format.h). */
bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments);

/* Write a tool in the chat format, which the practice model has, too. */
void ik_openai_chat_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);

/*
 * Append the strict form of a canonical schema: every object closed, all properties required,
 * optional ones nullable, annotations left out where they would be refused. Return false and append
 * nothing if strict mode cannot express the schema (an open object, a length, allOf and so on), or if
 * it has references or alternatives: it is then sent unchanged, not strict.
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
