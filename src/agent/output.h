/*
 * output: a turn whose last reply is JSON that satisfies a schema (exec --output-schema).
 *
 * The schema goes in the system prompt, since not every server has a mode for it, and some that
 * have one take only a part of it; and in the request (struct ik_request) for those that do.
 *
 * Pure. May include: util, json, provider, agent/model.h.
 */
#ifndef IK_AGENT_OUTPUT_H
#define IK_AGENT_OUTPUT_H

#include "agent/model.h"
#include "json/scan.h"

/* Append the paragraph of the system prompt that demands it, after an empty line. */
void ik_output_put_instruction(const char *schema, struct ik_buf *out);

/* Read a reply of model: append its JSON on one line, without a fence around it and without the nulls
 * that a strict schema made the model write. The error says why it does not satisfy the schema. */
enum ik_status ik_output_read(struct ik_json_span schema, const struct ik_model *model,
	const char *text, size_t length, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

#endif
