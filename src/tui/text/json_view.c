#include "tui/text/json_view.h"

#include <string.h>

#include "util/limits.h"
#include "util/text.h"

static void put_value(struct ik_buf *out, struct ik_json_span value, bool folded, int depth);

/* Begin a line. */
static void indent(struct ik_buf *out, int depth)
{
	ik_buf_putc(out, '\n');
	for (int i = 0; i < depth; i++)
		ik_buf_puts(out, "  ");
}

/* Lines of a text. */
static size_t count_lines(const char *text, size_t length)
{
	size_t lines = length > 0 && text[length - 1] != '\n';

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* A text of several lines, as these lines, one level deeper. */
static void put_lines(struct ik_buf *out, const char *text, size_t length, bool folded, int depth)
{
	size_t lines = count_lines(text, length);
	size_t shown = folded && lines > IK_FOLDED_LINES + 1 ? IK_FOLDED_LINES : lines;
	const char *end = text + length;

	ik_buf_puts(out, "\"\"\"");
	for (size_t i = 0; i < shown; i++) {
		const char *line_feed = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = line_feed ? (size_t)(line_feed - text) : (size_t)(end - text);

		indent(out, depth + 1);
		ik_buf_append(out, text, bytes);
		text += bytes + (!!line_feed);
	}
	if (shown < lines) {
		indent(out, depth + 1);
		ik_buf_printf(out, ngettext("... %zu more line", "... %zu more lines", lines - shown),
			lines - shown);
	}
	indent(out, depth + 1);
	ik_buf_puts(out, "\"\"\"");
}

static void put_string(struct ik_buf *out, struct ik_json_span value, bool folded, int depth)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	(void)ik_json_string(value, &text);
	if (ik_buf_status(&text) == IK_OK && text.length > 1 &&
		memchr(text.data, '\n', text.length - 1))
		put_lines(out, text.data, text.length, folded, depth);
	else
		ik_buf_append(out, value.text, value.length);
	ik_buf_done(&text);
}

/* A list or an object, an item a line. */
static void put_items(struct ik_buf *out, struct ik_json_span value, bool folded, int depth)
{
	size_t count = ik_json_count(value);
	size_t shown = folded && count > IK_FOLDED_ITEMS + 1 ? IK_FOLDED_ITEMS : count;
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, item;

	ik_buf_putc(out, value.text[0]);
	for (size_t i = 0; i < shown && ik_json_next(value, &walk, &key, &item); i++) {
		indent(out, depth + 1);
		if (key.text) {
			ik_buf_append(out, key.text, key.length);
			ik_buf_puts(out, ": ");
		}
		put_value(out, item, folded, depth + 1);
		if (i + 1 < count)
			ik_buf_putc(out, ',');
	}
	if (shown < count) {
		indent(out, depth + 1);
		ik_buf_printf(out, ngettext("... %zu more", "... %zu more", count - shown), count - shown);
	}
	if (count > 0)
		indent(out, depth);
	ik_buf_putc(out, value.text[0] == '{' ? '}' : ']');
}

static void put_value(struct ik_buf *out, struct ik_json_span value, bool folded, int depth)
{
	switch (ik_json_span_type(value)) {
	case IK_JSON_STRING:
		put_string(out, value, folded, depth);
		break;
	case IK_JSON_ARRAY:
	case IK_JSON_OBJECT:
		put_items(out, value, folded, depth);
		break;
	default:
		ik_buf_append(out, value.text, value.length);
		break;
	}
}

void ik_json_view(struct ik_buf *out, struct ik_json_span value, bool folded)
{
	put_value(out, value, folded, 0);
}
