#include "provider/openai/reasoning_details.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"

enum { TEXT, SUMMARY, DATA, SIGNATURE, ID, FORMAT, MEMBERS };
static const char *const members[MEMBERS] = {
	[TEXT] = "text",
	[SUMMARY] = "summary",
	[DATA] = "data",
	[SIGNATURE] = "signature",
	[ID] = "id",
	[FORMAT] = "format",
};

struct ik_reasoning_details {
	struct ik_buf whole;           /* the objects before the last */
	struct ik_buf type;            /* of the last object, as JSON text; "": none yet */
	struct ik_buf values[MEMBERS]; /* of its members, likewise; "": missing */
	bool has_index;
	int64_t index;
};

static struct ik_json_span span_of(const struct ik_buf *buf)
{
	return (struct ik_json_span){ buf->data, buf->length };
}

/* Append the object that is being assembled, if there is one. */
static void put_last(const struct ik_reasoning_details *details, struct ik_buf *out)
{
	if (!details->type.length)
		return;
	ik_json_open(out, '{');
	ik_json_key(out, "type");
	ik_json_put_raw(out, span_of(&details->type));
	for (int member = 0; member < MEMBERS; member++) {
		if (!details->values[member].length)
			continue;
		ik_json_key(out, members[member]);
		ik_json_put_raw(out, span_of(&details->values[member]));
	}
	if (details->has_index) {
		ik_json_key(out, "index");
		ik_json_put_integer(out, details->index);
	}
	ik_json_close(out, '}');
}

/* Append a piece of a string, both as JSON text. */
static void join(struct ik_buf *text, struct ik_json_span piece)
{
	if (text->length) {
		ik_buf_truncate(text, text->length - 1);
		piece.text++;
		piece.length--;
	}
	ik_buf_append(text, piece.text, piece.length);
}

/* Does the piece continue the last object? Only texts arrive in pieces. */
static bool goes_on(const struct ik_reasoning_details *details, struct ik_json_span piece,
	struct ik_json_span type)
{
	int64_t index = 0;
	bool has_index = ik_json_integer(ik_json_member(piece, "index"), &index);

	return !ik_json_string_is(type, "reasoning.encrypted") && details->type.length == type.length &&
		!memcmp(details->type.data, type.text, type.length) && details->has_index == has_index &&
		(!has_index || details->index == index);
}

/* The last object is complete: the piece begins another. */
static void begin(struct ik_reasoning_details *details, struct ik_json_span piece,
	struct ik_json_span type)
{
	put_last(details, &details->whole);
	for (int member = 0; member < MEMBERS; member++)
		ik_buf_clear(&details->values[member]);
	ik_buf_clear(&details->type);
	ik_buf_append(&details->type, type.text, type.length);
	details->has_index = ik_json_integer(ik_json_member(piece, "index"), &details->index);
}

static struct ik_reasoning_details *details_new(void)
{
	struct ik_reasoning_details *details = ik_alloc(sizeof(*details));

	details->has_index = false;
	ik_buf_init(&details->whole, IK_LIMIT_SSE_EVENT);
	ik_buf_init(&details->type, IK_KIB(1));
	for (int member = 0; member < MEMBERS; member++)
		ik_buf_init(&details->values[member], IK_LIMIT_SSE_EVENT);
	return details;
}

void ik_reasoning_details_take(struct ik_reasoning_details **details, struct ik_json_span list)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, piece;

	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		return;
	while (ik_json_next(list, &walk, &key, &piece)) {
		struct ik_json_span type = ik_json_member(piece, "type");

		if (ik_json_span_type(type) != IK_JSON_STRING || type.length > IK_KIB(1))
			continue;
		if (!*details)
			*details = details_new();
		if (!goes_on(*details, piece, type))
			begin(*details, piece, type);
		for (int member = 0; member < MEMBERS; member++) {
			struct ik_json_span value = ik_json_member(piece, members[member]);

			if (ik_json_span_type(value) != IK_JSON_STRING)
				continue;
			if (member > SUMMARY)
				ik_buf_clear(&(*details)->values[member]);
			join(&(*details)->values[member], value);
		}
	}
}

/* Did everything fit? Something cut would not be what the model wrote. */
static bool is_whole(const struct ik_reasoning_details *details)
{
	bool whole = ik_buf_status(&details->whole) == IK_OK;

	for (int member = 0; member < MEMBERS; member++)
		whole = whole && ik_buf_status(&details->values[member]) == IK_OK;
	return whole;
}

bool ik_reasoning_details_put(const struct ik_reasoning_details *details, struct ik_buf *out)
{
	if (!details || !is_whole(details))
		return false;
	ik_json_open(out, '[');
	ik_buf_append(out, details->whole.data, details->whole.length);
	put_last(details, out);
	ik_json_close(out, ']');
	return true;
}

struct ik_reasoning_details *ik_reasoning_details_free(struct ik_reasoning_details *details)
{
	if (!details)
		return NULL;
	ik_buf_done(&details->whole);
	ik_buf_done(&details->type);
	for (int member = 0; member < MEMBERS; member++)
		ik_buf_done(&details->values[member]);
	free(details);
	return NULL;
}
