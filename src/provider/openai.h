/*
 * openai: what OpenAI's two formats share: tools, strict mode, and caching.
 *
 * In strict mode a model can only write what the schema allows. In return, every object is closed,
 * every property is required (the model writes null for one it omits), and only a part of JSON
 * Schema is supported.
 *
 * Source: OpenAI's guide "Structured model outputs", "Supported schemas". Limits differ between
 * hosts; the smallest ones are used here.
 *
 * Private to src/provider; pure. May include: util, json, conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_H
#define IK_PROVIDER_OPENAI_H

#include "provider/wire/format.h"

/* Write the members of a tool that both formats share: name, description, parameters. Return true
 * if the parameters are in strict form. */
bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);

/* Write the members about caching, on OpenAI's own hosts. */
void ik_openai_put_caching(struct ik_buf *out, const struct ik_request *request);

/* Write arguments without the nulls of strict mode (format.h). */
bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments);

/* Write the members of a reply's schema that both formats share: name, schema, strict. */
void ik_openai_put_output_schema(struct ik_buf *out, const struct ik_request *request);

/* Write a tool in the chat format, which the practice model also uses. */
void ik_openai_chat_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);

/*
 * Append the strict form of a canonical schema: every object closed, all properties required,
 * optional ones nullable, annotations left out where they would be refused. Return false and append
 * nothing if the schema contains anything that strict mode cannot express (an open object, a
 * length, allOf and so on), or references or alternatives: send it unchanged then, not strict.
 */
bool ik_openai_put_strict_schema(struct ik_buf *out, struct ik_json_span schema);

/* Append arguments that were written for the strict form of schema, without the nulls that mean
 * "omitted". Return false and append nothing if nothing needs to be removed, or schema has no
 * strict form: use the arguments unchanged then. */
bool ik_openai_put_without_nulls(struct ik_buf *out, struct ik_json_span schema,
	struct ik_json_span arguments);

#endif
