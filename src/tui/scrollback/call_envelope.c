/* The envelope of a call, whole or its beginning: the part of tui/scrollback/calls.h that reads it. */
#include "tui/scrollback/calls.h"

#include <string.h>

#include "util/limits.h"
#include "util/utf8.h"

size_t ik_call_envelope_size(const struct ik_shown_call *call)
{
	return call->result ? call->stored.length : call->envelope.length;
}

bool ik_call_is_large(const struct ik_shown_call *call)
{
	return ik_call_envelope_size(call) > IK_CALL_LARGE;
}

bool ik_call_has_more(const struct ik_shown_call *call)
{
	return ik_call_is_large(call) || call->whole[0] || call->blobs[0].bytes > 0;
}

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

/* Append the beginning of a JSON text without what is incomplete at its end, except for a text as a
 * value, and with what closes the rest. */
static void put_closed(struct ik_buf *out, const char *text, size_t length)
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

/* Append at most this many bytes of the envelope as text (a few more if an escape ends there);
 * true: there is more. */
static bool put_text(const struct ik_shown_call *call, size_t most, struct ik_buf *out)
{
	size_t length = ik_call_envelope_size(call), at = 0;

	if (call->result && ik_json_span_type(call->stored) == IK_JSON_STRING)
		return ik_json_string_slice(call->stored, &at, most, out);
	ik_buf_append(out, call->result ? call->stored.text : call->envelope.data,
		length < most ? length : most);
	return length > most;
}

bool ik_call_envelope(const struct ik_shown_call *call, size_t most, struct ik_buf *out)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (put_text(call, most, &text))
		put_closed(out, text.data, text.length);
	else
		ik_buf_append(out, text.data, text.length);
	ik_buf_done(&text);
	return ik_call_envelope_size(call) > 0;
}
