/*
 * reasoning_details: what OpenRouter tells of a model's thinking beside its text, put
 * together from the pieces of a stream, to be sent back as the model made it.
 *
 * Without it, models that sign or encrypt their thinking (Claude, Gemini, OpenAI's) begin
 * to think anew behind each of their calls, or refuse to go on.
 * Format: OpenRouter, "Preserving reasoning": a list of objects with a type (reasoning.text,
 * reasoning.summary, reasoning.encrypted), an index, and the type's own members.
 *
 * Private to src/provider.  May include: util, json.
 */
#ifndef IK_PROVIDER_OPENAI_REASONING_DETAILS_H
#define IK_PROVIDER_OPENAI_REASONING_DETAILS_H

#include "json/json.h"
#include "util/buf.h"

/* The member's name, in a delta and in a request. */
#define IK_CHAT_REASONING_DETAILS "reasoning_details"

struct ik_reasoning_details; /* NULL is one with nothing in it */

/* Take the list of one chunk, made where *details is NULL. Pieces of one text, which come
 * one behind the other with the same index, become one object. What is not a list of
 * objects is passed over. */
void ik_reasoning_details_take(struct ik_reasoning_details **details, struct ik_json_span list);

/* Append all as a JSON list; false, and nothing appended, where there is nothing, or more
 * than can be kept. */
bool ik_reasoning_details_put(const struct ik_reasoning_details *details, struct ik_buf *out);

struct ik_reasoning_details *ik_reasoning_details_free(struct ik_reasoning_details *details);

#endif
