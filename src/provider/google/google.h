/*
 * google: the GenerateContent format of Google's Gemini API.
 *
 * Source: API reference, "models.streamGenerateContent", "Function calling", "Thought signatures",
 * and its Schema object.
 *
 * Opaque data of a text or a call: {"thoughtSignature":"...","id":"..."}, as far as given.
 *
 * Private to src/provider; used through the table of provider/formats.h. May include: util, json,
 * conversation, provider.
 */
#ifndef IK_PROVIDER_GOOGLE_GOOGLE_H
#define IK_PROVIDER_GOOGLE_GOOGLE_H

#include "provider/wire/format.h"

extern const struct ik_wire_format ik_google_format;
extern const struct ik_decoder_rules ik_google_rules;

/*
 * Append a JSON Schema in Gemini's dialect. What Gemini would refuse is rewritten if possible
 * ($ref, allOf, const, lists of types, exclusive bounds, tuples) and otherwise left out, at every
 * level.
 */
void ik_google_put_schema(struct ik_buf *out, struct ik_json_span schema);

#endif
