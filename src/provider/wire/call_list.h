/*
 * call_list: assemble the tool calls of a reply from their pieces.
 *
 * It is not always clear which call a piece belongs to: servers omit the index, or give every call
 * the same one, or send the id only once, or repeat the name in every piece. A call is reported
 * (IK_DELTA_CALL) when its name is known to be complete: when its arguments begin, when the next
 * call begins, or at the end of the reply.
 *
 * Private to src/provider. Owns what it stores of each call. May include: util, json,
 * provider/wire/delta.h.
 */
#ifndef IK_PROVIDER_WIRE_CALL_LIST_H
#define IK_PROVIDER_WIRE_CALL_LIST_H

#include "json/scan.h"
#include "provider/wire/delta.h"

struct ik_pending_call;

struct ik_call_list {
	struct ik_pending_call *calls;
	int count;
	int capacity;
};

/* What one event says about a call; a span that is not a string counts as missing. */
struct ik_call_piece {
	int64_t index; /* negative: missing */
	struct ik_json_span id;
	struct ik_json_span name;
	const char *arguments; /* decoded */
	size_t arguments_length;
};

void ik_call_list_init(struct ik_call_list *list);
void ik_call_list_done(struct ik_call_list *list);

/* Add a piece and report what it completes. Return false if there are too many calls. */
bool ik_call_list_take(struct ik_call_list *list, const struct ik_call_piece *piece,
	ik_delta_sink *sink, void *arg) IK_MUST_USE;

/* The reply is complete: report the calls that were not reported yet. */
void ik_call_list_end(struct ik_call_list *list, ik_delta_sink *sink, void *arg);

#endif
