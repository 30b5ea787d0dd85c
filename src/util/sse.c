#include "util/sse.h"

#include <string.h>

#include "util/limits.h"

void ik_sse_init(struct ik_sse *sse, size_t limit)
{
	memset(sse, 0, sizeof(*sse));
	/* A line has a field's name in addition to data. */
	ik_buf_init(&sse->line, limit + 16);
	ik_buf_init(&sse->data, limit);
	ik_buf_init(&sse->event, IK_KIB(64));
	ik_buf_init(&sse->last_id, IK_KIB(4));
	sse->retry_ms = -1;
	sse->limit = limit;
}

void ik_sse_done(struct ik_sse *sse)
{
	ik_buf_done(&sse->line);
	ik_buf_done(&sse->data);
	ik_buf_done(&sse->event);
	ik_buf_done(&sse->last_id);
}

/* Pass on the event, if it has data, and start the next; called at an empty line. */
static void dispatch(struct ik_sse *sse, ik_sse_sink *sink, void *arg)
{
	/* A failed append has lost a part: drop the event rather than pass on half of it. */
	if (ik_buf_status(&sse->data) != IK_OK)
		return;
	if (sse->has_data) {
		sse->unread = 0;
		sink(arg, sse->event.length ? sse->event.data : "message", sse->data.data,
			sse->data.length);
	}
	sse->has_data = false;
	ik_buf_clear(&sse->event);
	ik_buf_clear(&sse->data);
}

/* Is name the name of a field that matters here? */
static bool is_field(const char *name, size_t length)
{
	return (length == 4 && memcmp(name, "data", 4) == 0) ||
		(length == 5 && memcmp(name, "event", 5) == 0);
}

/* Take the pause before a new connection: digits only, and no more of them than make sense. */
static void take_retry(struct ik_sse *sse, const char *value, size_t length)
{
	int64_t number = 0;

	for (size_t i = 0; i < length; i++) {
		if (value[i] < '0' || value[i] > '9' || i == 9)
			return;
		number = number * 10 + (value[i] - '0');
	}
	if (length > 0)
		sse->retry_ms = number;
}

/* Handle a line, which is given without its end. */
static void take_line(struct ik_sse *sse, const char *line, size_t length, ik_sse_sink *sink,
	void *arg)
{
	if (!sse->started) {
		sse->started = true;
		if (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
			line += 3;
			length -= 3;
		}
	}
	if (length == 0) {
		dispatch(sse, sink, arg);
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
	if (colon == line || is_field(line, name_length))
		sse->any_field = true;
	if (name_length == 4 && memcmp(line, "data", 4) == 0) {
		if (sse->has_data)
			ik_buf_putc(&sse->data, '\n');
		ik_buf_append(&sse->data, value, value_length);
		sse->has_data = true;
	} else if (name_length == 5 && memcmp(line, "event", 5) == 0) {
		ik_buf_clear(&sse->event);
		ik_buf_append(&sse->event, value, value_length);
	} else if (name_length == 2 && memcmp(line, "id", 2) == 0 && !memchr(value, 0, value_length)) {
		ik_buf_clear(&sse->last_id);
		ik_buf_append(&sse->last_id, value, value_length);
	} else if (name_length == 5 && memcmp(line, "retry", 5) == 0) {
		take_retry(sse, value, value_length);
	}
	/* Comments and unknown fields are ignored. */
}

/* Return the error of a line or event that was too long. */
static enum ik_status status_of(const struct ik_sse *sse)
{
	enum ik_status status = ik_buf_status(&sse->line);

	if (sse->unread > 2 * sse->limit)
		return IK_TOO_LARGE;
	return status != IK_OK ? status : ik_buf_status(&sse->data);
}

enum ik_status ik_sse_feed(struct ik_sse *sse, const char *bytes, size_t length, ik_sse_sink *sink,
	void *arg)
{
	const char *at = bytes, *end = bytes + length;

	sse->unread += length;
	while (at < end && status_of(sse) == IK_OK) {
		const char *line = at;

		/* This is the second half of a line's end. */
		if (sse->after_cr && *at == '\n')
			line = ++at;
		sse->after_cr = false;
		while (at < end && *at != '\n' && *at != '\r')
			at++;
		if (at == end || sse->line.length) {
			ik_buf_append(&sse->line, line, (size_t)(at - line));
			if (at == end || ik_buf_status(&sse->line) != IK_OK)
				break;
			take_line(sse, sse->line.data, sse->line.length, sink, arg);
			ik_buf_clear(&sse->line);
		} else {
			take_line(sse, line, (size_t)(at - line), sink, arg);
		}
		sse->after_cr = *at++ == '\r';
	}
	return status_of(sse);
}

bool ik_sse_is_begun(const struct ik_sse *sse)
{
	const char *colon = memchr(sse->line.data, ':', sse->line.length);

	return sse->any_field ||
		(colon &&
			(colon == sse->line.data ||
				is_field(sse->line.data, (size_t)(colon - sse->line.data))));
}
