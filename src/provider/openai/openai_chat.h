/*
 * openai_chat: OpenAI's Chat Completions format, which most other servers speak too (llama.cpp,
 * Ollama, vLLM, OpenRouter).
 *
 * Source: API reference, "Create chat completion" and "The chat completion chunk object"; where
 * real servers deviate, the decoder accepts what they send.
 *
 * Private to src/provider; used through the table of provider/formats.h. May include: util, json,
 * conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_OPENAI_CHAT_H
#define IK_PROVIDER_OPENAI_OPENAI_CHAT_H

#include "provider/wire/format.h"

extern const struct ik_wire_format ik_openai_chat_format;
extern const struct ik_decoder_rules ik_openai_chat_rules;

void ik_openai_chat_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);

/* Write the members of a tool that both formats have: name, description, parameters. Return true if
 * those are in strict form. */
bool ik_openai_put_function(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);
/* For both formats: write arguments without the nulls of strict mode (format.h). */
bool ik_openai_put_arguments(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool, struct ik_json_span arguments);

#endif
