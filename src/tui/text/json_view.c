#include "tui/text/json_view.h"

#include <string.h>

#include "util/limits.h"

static void put_value(struct ik_buf *out, struct ik_json_span value, int depth);

/* Begin a line. */
static void indent(struct ik_buf *out, int depth)
{
	ik_buf_putc(out, '\n');
	for (int i = 0; i < depth; i++)
		ik_buf_puts(out, "  ");
}

/* Append a string: one of several lines as these lines, a level deeper. */
static void put_string(struct ik_buf *out, struct ik_json_span value, int depth)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	(void)ik_json_string(value, &text);
	if (ik_buf_status(&text) != IK_OK || text.length < 2 ||
		!memchr(text.data, '\n', text.length - 1)) {
		ik_buf_append(out, value.text, value.length);
		ik_buf_done(&text);
		return;
	}
	ik_buf_puts(out, "\"\"\"");
	for (size_t at = 0; at < text.length;) {
		const char *line = text.data + at, *feed = memchr(line, '\n', text.length - at);
		size_t length = feed ? (size_t)(feed - line) : text.length - at;

		indent(out, depth + 1);
		ik_buf_append(out, line, length);
		at += length + 1;
	}
	indent(out, depth + 1);
	ik_buf_puts(out, "\"\"\"");
	ik_buf_done(&text);
}

/* Append a list or an object, an item a line. */
static void put_items(struct ik_buf *out, struct ik_json_span value, int depth)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, item;
	bool any = false;

	ik_buf_putc(out, value.text[0]);
	while (ik_json_next(value, &walk, &key, &item)) {
		ik_buf_puts(out, any ? "," : "");
		any = true;
		indent(out, depth + 1);
		if (key.text) {
			ik_buf_append(out, key.text, key.length);
			ik_buf_puts(out, ": ");
		}
		put_value(out, item, depth + 1);
	}
	if (any)
		indent(out, depth);
	ik_buf_putc(out, value.text[0] == '{' ? '}' : ']');
}

static void put_value(struct ik_buf *out, struct ik_json_span value, int depth)
{
	switch (ik_json_span_type(value)) {
	case IK_JSON_STRING:
		put_string(out, value, depth);
		break;
	case IK_JSON_ARRAY:
	case IK_JSON_OBJECT:
		put_items(out, value, depth);
		break;
	default:
		ik_buf_append(out, value.text, value.length);
		break;
	}
}

void ik_json_view(struct ik_buf *out, struct ik_json_span value)
{
	put_value(out, value, 0);
}
