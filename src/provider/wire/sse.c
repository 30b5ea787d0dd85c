#include "provider/wire/sse.h"

#include <stdint.h>
#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"

/*
 * The state of one ik_sse_feed() call. Nearly every event is a single data line that is complete in
 * the given bytes. Such a line is only remembered by its position (single) and passed on without a
 * copy; only data that outlives the call or is joined with another line goes into the data buffer.
 */
struct feeding {
	struct ik_sse *sse;
	ik_sse_sink *sink;
	void *arg;
	const char *single;
	size_t single_length;
};

void ik_sse_init(struct ik_sse *sse)
{
	memset(sse, 0, sizeof(*sse));
	/* A line is a field's name longer than its data. */
	ik_buf_init(&sse->line, IK_LIMIT_SSE_EVENT + 16);
	ik_buf_init(&sse->data, IK_LIMIT_SSE_EVENT);
	ik_buf_init(&sse->event, IK_KIB(64));
	/* An invalid byte becomes three. */
	ik_buf_init(&sse->text, IK_LIMIT_SSE_EVENT * 3);
}

void ik_sse_done(struct ik_sse *sse)
{
	ik_buf_done(&sse->line);
	ik_buf_done(&sse->data);
	ik_buf_done(&sse->event);
	ik_buf_done(&sse->text);
}

/* Is all of it ASCII? Checks eight bytes at a time. */
static bool is_ascii(const char *bytes, size_t length)
{
	uint64_t word, high = 0;
	size_t at = 0;

	for (; at + sizeof(word) <= length; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		high |= word;
	}
	for (; at < length; at++)
		high |= (uint64_t)(unsigned char)bytes[at] & 0x80;
	return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* Move the remembered line into the data buffer, where it can stay. */
static void keep_single(struct feeding *feeding)
{
	if (!feeding->single)
		return;
	ik_buf_append(&feeding->sse->data, feeding->single, feeding->single_length);
	feeding->single = NULL;
}

/* An empty line: pass on the event, if it has data, and start the next. */
static void dispatch(struct feeding *feeding)
{
	struct ik_sse *sse = feeding->sse;
	const char *data = feeding->single ? feeding->single : sse->data.data;
	size_t length = feeding->single ? feeding->single_length : sse->data.length;

	/* A failed append has lost a part: better no event than half of one. */
	if (sse->has_data && ik_buf_status(&sse->data) == IK_OK) {
		/* The standard decodes the stream before splitting it. Line ends are ASCII, so decoding
		 * line by line is equivalent. */
		if (!is_ascii(data, length) && ik_utf8_valid_prefix(data, length) < length) {
			ik_buf_clear(&sse->text);
			ik_utf8_repair(&sse->text, data, length);
			data = sse->text.data;
			length = sse->text.length;
		}
		feeding->sink(feeding->arg, sse->event.length ? sse->event.data : "message", data, length);
	}
	feeding->single = NULL;
	sse->has_data = false;
	ik_buf_clear(&sse->event);
	if (ik_buf_status(&sse->data) == IK_OK)
		ik_buf_clear(&sse->data);
}

/* Add a data line; lasting means that it is in memory that outlives the event. */
static void add_data(struct feeding *feeding, const char *value, size_t length, bool lasting)
{
	struct ik_sse *sse = feeding->sse;

	if (!sse->has_data && lasting && length <= IK_LIMIT_SSE_EVENT) {
		feeding->single = value;
		feeding->single_length = length;
	} else {
		keep_single(feeding);
		if (sse->has_data)
			ik_buf_putc(&sse->data, '\n');
		ik_buf_append(&sse->data, value, length);
	}
	sse->has_data = true;
}

/* Handle a line without its end. */
static void take_line(struct feeding *feeding, const char *line, size_t length, bool lasting)
{
	struct ik_sse *sse = feeding->sse;

	if (!sse->started) {
		sse->started = true;
		if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
			line += 3;
			length -= 3;
		}
	}
	if (length == 0) {
		dispatch(feeding);
		return;
	}
	const char *colon = memchr(line, ':', length);
	size_t name_length = colon ? (size_t)(colon - line) : length;
	const char *value = colon ? colon + 1 : line + length;
	size_t value_length = (size_t)(line + length - value);

	if (value_length && *value == ' ') {
		value++;
		value_length--;
	}
	if (name_length == 4 && memcmp(line, "data", 4) == 0) {
		add_data(feeding, value, value_length, lasting);
	} else if (name_length == 5 && memcmp(line, "event", 5) == 0) {
		ik_buf_clear(&sse->event);
		ik_utf8_repair(&sse->event, value, value_length);
	}
	/* Comments, id, retry and unknown fields are ignored: nothing reconnects here. */
}

/* Return the next such byte, searching only once: *cached stays valid until it is passed. */
static const char *next_byte(const char **cached, const char *at, const char *end, char byte)
{
	if (!*cached || *cached < at) {
		*cached = memchr(at, byte, (size_t)(end - at));
		if (!*cached)
			*cached = end;
	}
	return *cached;
}

enum ik_status ik_sse_feed(struct ik_sse *sse, const char *bytes, size_t length, ik_sse_sink *sink,
	void *arg)
{
	struct feeding feeding = { .sse = sse, .sink = sink, .arg = arg };
	const char *at = bytes, *end = bytes + length;

	if (ik_buf_status(&sse->line) != IK_OK)
		return ik_buf_status(&sse->line);
	if (ik_buf_status(&sse->data) != IK_OK)
		return ik_buf_status(&sse->data);
	if (!length)
		return IK_OK;
	if (sse->after_cr && *at == '\n')
		at++;
	sse->after_cr = false;

	const char *line_feed = NULL, *carriage_return = NULL;

	while (at < end) {
		const char *line_end = next_byte(&line_feed, at, end, '\n');

		if (next_byte(&carriage_return, at, end, '\r') < line_end)
			line_end = carriage_return;
		if (line_end == end)
			break;
		if (sse->line.length) {
			ik_buf_append(&sse->line, at, (size_t)(line_end - at));
			if (ik_buf_status(&sse->line) != IK_OK)
				break;
			take_line(&feeding, sse->line.data, sse->line.length, false);
			ik_buf_clear(&sse->line);
		} else {
			take_line(&feeding, at, (size_t)(line_end - at), true);
		}
		at = line_end + 1;
		if (*line_end == '\r') {
			if (at == end)
				sse->after_cr = true;
			else if (*at == '\n')
				at++;
		}
	}
	if (at < end)
		ik_buf_append(&sse->line, at, (size_t)(end - at));
	keep_single(&feeding);
	if (ik_buf_status(&sse->line) != IK_OK)
		return ik_buf_status(&sse->line);
	return ik_buf_status(&sse->data);
}
