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

extern const struct ik_wire_format ik_anthropic_format;
extern const struct ik_decoder_rules ik_anthropic_rules;

#endif
