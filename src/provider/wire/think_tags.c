#include "provider/wire/think_tags.h"

#include <string.h>

#include "util/limits.h"

static const char opening[] = "<think>", closing[] = "</think>";

/* Remove white space from the beginning. */
static void trim(struct ik_buf *held)
{
	ik_buf_consume(held, strspn(held->length > 0 ? held->data : "", " \t\r\n"));
}

/* Pass on the first bytes, and remove them. */
static void pass(struct ik_buf *held, size_t length, enum ik_delta_kind kind,
	ik_think_tags_sink *sink, void *arg)
{
	if (length > 0)
		sink(arg, kind, held->data, length);
	ik_buf_consume(held, length);
}

/* Return how many bytes at the end could be the beginning of the closing tag. */
static size_t doubtful(const struct ik_buf *held)
{
	size_t length = held->length < sizeof(closing) - 2 ? held->length : sizeof(closing) - 2;

	while (length > 0 && memcmp(held->data + held->length - length, closing, length) != 0)
		length--;
	return length;
}

/* Recognise an opening tag at the start of the text. */
static void begin(struct ik_think_tags *tags)
{
	struct ik_buf *held = &tags->held;
	size_t blanks = strspn(held->data, " \t\r\n"), length = held->length - blanks;

	if (length >= sizeof(opening) - 1 &&
		memcmp(held->data + blanks, opening, sizeof(opening) - 1) == 0) {
		ik_buf_consume(held, blanks + sizeof(opening) - 1);
		tags->state = IK_TAGS_OPENED;
	} else if (length >= sizeof(opening) - 1 || memcmp(held->data + blanks, opening, length) != 0) {
		tags->state = IK_TAGS_NONE;
	}
}

/* Pass on the thinking, up to the closing tag if that is there. */
static void think(struct ik_think_tags *tags, ik_think_tags_sink *sink, void *arg)
{
	struct ik_buf *held = &tags->held;
	const char *end;

	if (tags->state == IK_TAGS_OPENED)
		trim(held);
	if (held->length == 0)
		return;
	tags->state = IK_TAGS_INSIDE;
	end = memmem(held->data, held->length, closing, sizeof(closing) - 1);
	pass(held, end ? (size_t)(end - held->data) : held->length - doubtful(held), IK_DELTA_THINKING,
		sink, arg);
	if (end) {
		ik_buf_consume(held, sizeof(closing) - 1);
		tags->state = IK_TAGS_AFTER;
	}
}

void ik_think_tags_take(struct ik_think_tags *tags, const char *text, size_t length,
	ik_think_tags_sink *sink, void *arg)
{
	struct ik_buf *held = &tags->held;

	if (held->ceiling == 0)
		ik_buf_init(held, IK_LIMIT_REPLY);
	ik_buf_append(held, text, length);
	if (tags->state == IK_TAGS_BEGIN && held->length > 0)
		begin(tags);
	if (tags->state == IK_TAGS_OPENED || tags->state == IK_TAGS_INSIDE)
		think(tags, sink, arg);
	if (tags->state == IK_TAGS_AFTER) {
		trim(held);
		if (held->length > 0)
			tags->state = IK_TAGS_NONE;
	}
	if (tags->state == IK_TAGS_NONE)
		pass(held, held->length, IK_DELTA_TEXT, sink, arg);
}

void ik_think_tags_end(struct ik_think_tags *tags, ik_think_tags_sink *sink, void *arg)
{
	if (tags->held.length > 0)
		pass(&tags->held, tags->held.length,
			tags->state == IK_TAGS_BEGIN ? IK_DELTA_TEXT : IK_DELTA_THINKING, sink, arg);
	ik_buf_done(&tags->held);
	tags->state = IK_TAGS_NONE;
}
