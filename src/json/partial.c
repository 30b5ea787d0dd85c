#include "json/partial.h"

#include <stdbool.h>
#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"

/* Return the length of the character or escape at a place in a string, of both halves of a pair of
 * escapes. It may be beyond the end of the text. */
static size_t character_length(const char *text, size_t length, size_t at)
{
	size_t end = at + 1;

	if (text[at] == '\\') {
		bool unicode = end < length && text[end] == 'u';
		bool pair = unicode && at + 3 < length && (text[at + 2] | 0x20) == 'd' &&
			strchr("89abAB", text[at + 3]);

		return pair ? 12 : unicode ? 6 : 2;
	}
	while (end < length && ik_utf8_is_continuation(text[end]))
		end++;
	return end - at;
}

void ik_json_complete(const char *text, size_t length, struct ik_buf *out)
{
	char open[IK_LIMIT_JSON_DEPTH], last = ':'; /* of the characters between values */
	size_t depth = 0, whole = 0, at = 0;
	bool in_string = false, value = false;

	while (at < length && depth < IK_LIMIT_JSON_DEPTH) {
		size_t size = in_string ? character_length(text, length, at) : 1;
		char byte = text[at];

		if (in_string && byte != '"' && at + size >= length)
			break; /* it may be incomplete */
		at += size;
		if (in_string || byte == '"') {
			if (!in_string)
				value = last == ':' || (depth > 0 && open[depth - 1] == '[');
			in_string ^= byte == '"';
			whole = value ? at : whole;
			continue;
		}
		if (byte == '{' || byte == '[')
			open[depth++] = byte;
		else if (byte == '}' || byte == ']')
			depth -= depth > 0;
		if (byte && strchr("{[}],:", byte))
			last = byte;
		if (byte == ',')
			whole = at - 1;
		else if (byte && strchr("{[}]", byte))
			whole = at;
	}
	ik_buf_append(out, text, whole);
	if (in_string && value)
		ik_buf_putc(out, '"');
	while (depth-- > 0)
		ik_buf_putc(out, open[depth] == '{' ? '}' : ']');
}
