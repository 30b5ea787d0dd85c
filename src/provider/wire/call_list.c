#include "provider/wire/call_list.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

/* No model makes this many calls in one reply; a broken server might. */
#define CALLS_MAX 1024
/* Providers accept names of up to 64 bytes; a longer one is cut. */
#define NAME_MAX_BYTES 1024

struct ik_pending_call {
	int64_t index;    /* as given by the provider; negative: not given */
	struct ik_buf id; /* empty: none */
	struct ik_buf name;
	bool told;
	/* Where the arguments are as JSON text, to know when they are complete. */
	int depth;
	bool in_string;
	bool after_backslash;
	bool complete;
};

void ik_call_list_init(struct ik_call_list *list)
{
	memset(list, 0, sizeof(*list));
}

void ik_call_list_done(struct ik_call_list *list)
{
	for (int slot = 0; slot < list->count; slot++) {
		ik_buf_done(&list->calls[slot].id);
		ik_buf_done(&list->calls[slot].name);
	}
	free(list->calls);
	memset(list, 0, sizeof(*list));
}

static bool is_text(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING && value.length > 2;
}

static bool same(const struct ik_buf *text, struct ik_json_span value)
{
	return ik_json_string_is(value, text->data);
}

/* Return the slot of the newest call with this index, or this id, or both; -1 if none. */
static int find(const struct ik_call_list *list, int64_t index, struct ik_json_span id)
{
	for (int slot = list->count - 1; slot >= 0; slot--) {
		const struct ik_pending_call *call = &list->calls[slot];

		if (index >= 0 && call->index != index)
			continue;
		if (id.text && !same(&call->id, id))
			continue;
		return slot;
	}
	return -1;
}

/* Return the slot that a piece continues, -1 if it begins another call. */
static int continued(const struct ik_call_list *list, const struct ik_call_piece *piece)
{
	static const struct ik_json_span none = { NULL, 0 };
	bool has_id = is_text(piece->id), has_name = is_text(piece->name);
	int slot;

	if (has_id) {
		slot = find(list, piece->index, piece->id);
		if (slot >= 0)
			return slot;
		/* A new id with an old index is another call, unless that one still lacks its id. */
		if (piece->index < 0)
			return -1;
		slot = find(list, piece->index, none);
		return slot >= 0 && !list->calls[slot].id.length && !list->calls[slot].complete ? slot : -1;
	}
	slot = find(list, piece->index, none);
	if (slot < 0 || !has_name)
		return slot;
	/* The name again: the same call repeated, unless that one is complete. */
	if (list->calls[slot].complete)
		return -1;
	if (piece->index < 0 && !same(&list->calls[slot].name, piece->name))
		return -1;
	return slot;
}

/* Report the calls up to and including this slot. */
static void tell_until(struct ik_call_list *list, int last, ik_delta_sink *sink, void *arg)
{
	for (int slot = 0; slot <= last; slot++) {
		struct ik_pending_call *call = &list->calls[slot];

		if (call->told)
			continue;
		call->told = true;
		struct ik_delta delta = { .kind = IK_DELTA_CALL,
			.slot = slot,
			.id = call->id.length ? call->id.data : NULL,
			.name = call->name.data };
		for (int other = 0; delta.id && other < slot; other++) {
			if (strcmp(list->calls[other].id.data, delta.id) == 0)
				delta.id = NULL;
		}
		sink(arg, &delta);
	}
}

/* Track the arguments' brackets. */
static void follow(struct ik_pending_call *call, const char *text, size_t length)
{
	for (size_t at = 0; at < length && !call->complete; at++) {
		char byte = text[at];

		if (call->after_backslash) {
			call->after_backslash = false;
		} else if (call->in_string) {
			call->after_backslash = byte == '\\';
			call->in_string = byte != '"';
		} else if (byte == '"') {
			call->in_string = true;
		} else if (byte == '{' || byte == '[') {
			call->depth++;
		} else if (byte == '}' || byte == ']') {
			call->complete = --call->depth <= 0;
		}
	}
}

/* Append a decoded string to a small buffer, cut to fit. */
static void take_text(struct ik_buf *buf, struct ik_json_span value)
{
	char *text = ik_json_string_new(value, NULL);

	if (text) {
		size_t length = strlen(text), room = buf->ceiling - buf->length;

		ik_buf_append(buf, text, length < room ? length : room);
	}
	free(text);
}

bool ik_call_list_take(struct ik_call_list *list, const struct ik_call_piece *piece,
	ik_delta_sink *sink, void *arg)
{
	int slot = continued(list, piece);

	if (slot < 0) {
		if (list->count == CALLS_MAX)
			return false;
		if (list->count == list->capacity) {
			list->capacity = list->capacity * 2 + 4;
			list->calls = ik_alloc_array(list->calls, (size_t)list->capacity, sizeof(*list->calls));
		}
		tell_until(list, list->count - 1, sink, arg);
		slot = list->count++;
		memset(&list->calls[slot], 0, sizeof(*list->calls));
		list->calls[slot].index = piece->index;
		ik_buf_init(&list->calls[slot].id, NAME_MAX_BYTES);
		ik_buf_init(&list->calls[slot].name, NAME_MAX_BYTES);
	}
	struct ik_pending_call *call = &list->calls[slot];

	if (!call->told) {
		if (!call->id.length)
			take_text(&call->id, piece->id);
		if (is_text(piece->name) && !same(&call->name, piece->name))
			take_text(&call->name, piece->name);
	}
	if (piece->arguments_length) {
		struct ik_delta delta = { .kind = IK_DELTA_ARGUMENTS,
			.slot = slot,
			.text = piece->arguments,
			.text_length = piece->arguments_length };

		tell_until(list, slot, sink, arg);
		follow(call, piece->arguments, piece->arguments_length);
		sink(arg, &delta);
	}
	return true;
}

void ik_call_list_end(struct ik_call_list *list, ik_delta_sink *sink, void *arg)
{
	tell_until(list, list->count - 1, sink, arg);
}
