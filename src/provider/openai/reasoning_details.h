/*
 * reasoning_details: what OpenRouter sends about a model's thinking besides its text, assembled
 * from the pieces of a stream, to be sent back as the model wrote it.
 *
 * Without it, models that sign or encrypt their thinking (Claude, Gemini, OpenAI's) start thinking
 * from scratch after each of their calls, or refuse to continue. Format: OpenRouter, "Preserving
 * reasoning": a list of objects with a type (reasoning.text, reasoning.summary,
 * reasoning.encrypted), an index, and members that depend on the type.
 *
 * Private to src/provider. May include: util, json.
 */
#ifndef IK_PROVIDER_OPENAI_REASONING_DETAILS_H
#define IK_PROVIDER_OPENAI_REASONING_DETAILS_H

#include "json/json.h"
#include "util/buf.h"

/* Name of the member, in deltas and requests. */
#define IK_CHAT_REASONING_DETAILS "reasoning_details"

struct ik_reasoning_details; /* NULL is an empty one */

/* Add the list of one chunk; *details is created if it is NULL. Consecutive pieces of a text with
 * the same index become one object. Anything but a list of objects is ignored. */
void ik_reasoning_details_take(struct ik_reasoning_details **details, struct ik_json_span list);

/* Append everything as a JSON list; return false and append nothing if there is nothing, or more
 * than can be kept. */
bool ik_reasoning_details_put(const struct ik_reasoning_details *details, struct ik_buf *out);

struct ik_reasoning_details *ik_reasoning_details_free(struct ik_reasoning_details *details);

#endif
