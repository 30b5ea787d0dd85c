/*
 * request: what a round asks of a model, independent of the provider.
 *
 * Borrows everything. May include: util, json, conversation.
 */
#ifndef IK_PROVIDER_WIRE_REQUEST_H
#define IK_PROVIDER_WIRE_REQUEST_H

#include "conversation/conversation.h"

struct ik_endpoint; /* provider/wire/format.h */

/* How much a model thinks before it answers; UNSET: its default. */
enum ik_thinking {
	IK_THINKING_UNSET,
	IK_THINKING_OFF,
	IK_THINKING_LOW,
	IK_THINKING_MEDIUM,
	IK_THINKING_HIGH
};

struct ik_tool_definition {
	const char *name;
	const char *description;
	struct ik_json_span parameters; /* canonical JSON Schema */
};

struct ik_request {
	const char *model;
	const struct ik_endpoint *endpoint; /* the destination: a provider's own host and compatible
	                                       servers want different members; NULL: a compatible
	                                       server */
	const char *system_prompt;          /* NULL or "": none; the serializer adds nothing to it */
	const struct ik_conversation *conversation;
	const struct ik_tool_definition *tools;
	size_t tool_count;
	bool forbid_calls;         /* tool choice "none"; the tools are still listed */
	int64_t max_output_tokens; /* 0: the provider's default */
	enum ik_thinking thinking;
};

#endif
