/*
 * call_list: the tool calls of one reply, put together from their pieces.
 *
 * Which call a piece belongs to is not always said: servers leave out the
 * index, or give each call the same, or say the id only once, or the name
 * again with every piece.  A call is told (IK_DELTA_CALL) when its name is
 * known to be whole: when its arguments begin, when the next call begins, or
 * at the end of the reply.
 *
 * Private to src/provider.  Owns what it remembers of each call.
 * May include: util, json, provider/wire/delta.h.
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

/* What one event says of one call; a span that is no string is nothing. */
struct ik_call_piece {
	int64_t index; /* below 0: not said */
	struct ik_json_span id;
	struct ik_json_span name;
	const char *arguments; /* decoded */
	size_t arguments_length;
};

void ik_call_list_init(struct ik_call_list *list);
void ik_call_list_done(struct ik_call_list *list);

/* Take a piece and tell what it completes. False when there are too many calls. */
bool ik_call_list_take(struct ik_call_list *list, const struct ik_call_piece *piece,
	ik_delta_sink *sink, void *arg) IK_MUST_USE;

/* The reply is whole: tell the calls that have not been told yet. */
void ik_call_list_end(struct ik_call_list *list, ik_delta_sink *sink, void *arg);

#endif
