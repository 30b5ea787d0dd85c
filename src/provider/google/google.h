/*
 * google: the GenerateContent format of Google's Gemini API.
 *
 * Source: API reference, "models.streamGenerateContent", "Function calling" (schemas are JSON
 * Schema, as they come: parametersJsonSchema), "Thought signatures".
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

#endif
