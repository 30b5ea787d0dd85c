/*
 * tool_definitions: the tools of a registry as a model is told of them.
 *
 * May include: util, json, tool, provider, agent/model.h.
 */
#ifndef IK_AGENT_SESSION_TOOL_DEFINITIONS_H
#define IK_AGENT_SESSION_TOOL_DEFINITIONS_H

#include "agent/model.h"
#include "tool/registry.h"

/* The usable tools, in new memory to be released with free(); borrows from the registry. */
struct ik_tool_definition *ik_tool_definitions(const struct ik_registry *registry,
	size_t *ret_count);

/* Append what the tool of that name gets when the model writes these arguments: without the nulls
 * that a strict schema forces it to write, {} for none. model may be NULL. */
void ik_tool_put_arguments(struct ik_buf *out, const struct ik_registry *registry,
	const struct ik_model *model, const char *name, struct ik_json_span arguments);

#endif
