/*
 * anthropic: Anthropic's Messages format.
 *
 * Source: API reference, "Create a Message", "Streaming messages", "Extended thinking", "Prompt
 * caching".
 *
 * Opaque data of thinking: {"signature":"..."}, or {"redacted":"..."} for a block that is not
 * shown.
 *
 * Private to src/provider; used through the table of provider/formats.h. May include: util, json,
 * conversation, provider.
 */
#ifndef IK_PROVIDER_ANTHROPIC_ANTHROPIC_H
#define IK_PROVIDER_ANTHROPIC_ANTHROPIC_H

#include "provider/wire/format.h"

char *ik_anthropic_url(const struct ik_endpoint *endpoint, const char *model);
char *ik_anthropic_models_url(const struct ik_endpoint *endpoint);
char **ik_anthropic_headers(const struct ik_endpoint *endpoint);
void ik_anthropic_put_tool(struct ik_buf *out, const struct ik_endpoint *endpoint,
	const struct ik_tool_definition *tool);
extern const struct ik_wire_spelling ik_anthropic_spelling;

struct ik_stream_decoder *ik_anthropic_decoder_new(void);

#endif
