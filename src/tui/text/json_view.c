#include "tui/text/json_view.h"

#include <string.h>

#include "json/plain.h"
#include "json/write.h"
#include "util/limits.h"
#include "util/text.h"

/* Append the lines of a text, each indented by `indent` columns. */
static void put_lines(struct ik_buf *out, const struct ik_buf *text, int indent)
{
	ik_buf_puts(out, "\"\"\"");
	for (size_t at = 0; at < text->length;) {
		size_t end = ik_line_end(text->data, at, text->length);

		ik_buf_printf(out, "\n%*s", indent, "");
		ik_buf_append(out, text->data + at, end - at);
		at = end + 1;
	}
	ik_buf_printf(out, "\n%*s\"\"\"", indent, "");
}

/* Append a line of ik_json_pretty(). If its value is a text of several lines, append these, one
 * level deeper. */
static void put_line(struct ik_buf *out, const char *line, size_t length)
{
	size_t indent = strspn(line, " "), at = indent, size = 0;
	struct ik_buf text;

	if (line[at] == '"')
		size = ik_json_scalar_length(line + at, length - at);
	if (size > 0 && line[at + size] == ':') {
		at += size + strlen(": ");
		size = line[at] == '"' ? ik_json_scalar_length(line + at, length - at) : 0;
	}
	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (size > 0 && ik_json_string((struct ik_json_span){ line + at, size }, &text) &&
		text.length > 1 && memchr(text.data, '\n', text.length - 1)) {
		ik_buf_append(out, line, at);
		put_lines(out, &text, (int)indent + 2);
		at += size;
	} else {
		at = 0;
	}
	ik_buf_append(out, line + at, length - at);
	ik_buf_done(&text);
}

void ik_json_view(struct ik_buf *out, struct ik_json_span value)
{
	struct ik_buf pretty;

	ik_buf_init(&pretty, SIZE_MAX / 2);
	ik_json_pretty(&pretty, value);
	for (const char *line = pretty.data, *feed; *line; line = feed + (*feed == '\n')) {
		feed = strchrnul(line, '\n');
		put_line(out, line, (size_t)(feed - line));
		ik_buf_append(out, feed, *feed == '\n');
	}
	ik_buf_done(&pretty);
}
