/*
 * openai_responses: OpenAI's Responses format, without storing anything on the server.
 *
 * Source: API reference, "Create a model response" and "Streaming events". Its headers are those of
 * openai_chat.h.
 *
 * Opaque data of thinking: the reasoning item with its encrypted content, as it is sent back; of
 * text: {"phase":"..."}.
 *
 * Private to src/provider; used through the table of provider/formats.h. May include: util, json,
 * conversation, provider.
 */
#ifndef IK_PROVIDER_OPENAI_OPENAI_RESPONSES_H
#define IK_PROVIDER_OPENAI_OPENAI_RESPONSES_H

#include "provider/wire/format.h"

extern const struct ik_wire_format ik_openai_responses_format;
extern const struct ik_decoder_rules ik_openai_responses_rules;

#endif
