#include "util/line_splitter.h"

#include <string.h>

#include "util/limits.h"

/* Is there only white space? */
static bool is_blank(const char *text, size_t length)
{
	while (length > 0 && memchr(" \t\r", text[length - 1], 3))
		length--;
	return length == 0;
}

/* Report a complete line and forget it. */
static void end_line(struct ik_line_splitter *lines, void (*line)(void *, const char *, size_t),
	void *arg)
{
	struct ik_buf *partial = &lines->partial;

	if (lines->too_long)
		line(arg, NULL, 0);
	else if (!is_blank(partial->data, partial->length))
		line(arg, partial->data, partial->length);
	lines->too_long = false;
	/* Don't keep the memory of a large message. */
	if (partial->capacity > IK_MIB(1))
		ik_buf_done(partial);
	ik_buf_clear(partial);
}

void ik_line_splitter_add(struct ik_line_splitter *lines, size_t limit, const char *bytes,
	size_t length, void (*line)(void *arg, const char *text, size_t length), void *arg)
{
	if (!lines->partial.data)
		ik_buf_init(&lines->partial, limit);
	while (length > 0) {
		const char *end = memchr(bytes, '\n', length);
		size_t count = end ? (size_t)(end - bytes) : length;

		if (!lines->too_long)
			ik_buf_append(&lines->partial, bytes, count);
		if (ik_buf_status(&lines->partial) != IK_OK) {
			lines->too_long = true;
			ik_buf_done(&lines->partial);
		}
		if (!end)
			return;
		end_line(lines, line, arg);
		bytes = end + 1;
		length -= count + 1;
	}
}

void ik_line_splitter_done(struct ik_line_splitter *lines)
{
	if (lines->partial.data)
		ik_buf_done(&lines->partial);
}
