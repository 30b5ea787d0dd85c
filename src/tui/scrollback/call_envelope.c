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

/* Where JSON that was cut off can be closed, and what is open there. */
struct cut {
	char open[IK_LIMIT_JSON_DEPTH];
	size_t depth;
	size_t end;     /* the text up to here is whole but for what is open */
	bool in_string; /* so is a string, which is a value */
};

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

/* Read a string from its first quote on; return where it ends, or the length of the text. */
static size_t read_string(struct cut *cut, const char *text, size_t length, size_t at, bool value)
{
	at++;
	cut->in_string = value;
	if (value)
		cut->end = at;
	while (at < length && text[at] != '"') {
		at += character_length(text, length, at);
		if (value && at < length) /* what ends with the text may be incomplete */
			cut->end = at;
	}
	if (at >= length)
		return length;
	cut->in_string = false;
	if (value)
		cut->end = at + 1;
	return at + 1;
}

/* Find it; false: it is nested too deep. */
static bool find_cut(struct cut *cut, const char *text, size_t length)
{
	bool value = true; /* what comes is a value, not the name of one */

	for (size_t at = 0; at < length;) {
		switch (text[at]) {
		case '"':
			at = read_string(cut, text, length, at, value);
			continue;
		case '{':
		case '[':
			if (cut->depth == IK_LIMIT_JSON_DEPTH)
				return false;
			cut->open[cut->depth++] = text[at];
			cut->end = at + 1;
			value = text[at] == '[';
			break;
		case '}':
		case ']':
			cut->depth -= cut->depth > 0;
			cut->end = at + 1;
			break;
		case ',':
			cut->end = at;
			value = cut->depth > 0 && cut->open[cut->depth - 1] == '[';
			break;
		case ':':
			value = true;
			break;
		default:
			break;
		}
		at++;
	}
	return true;
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
	struct cut cut = { .depth = 0 };
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	if (!put_text(call, most, &text) || !find_cut(&cut, text.data, text.length)) {
		ik_buf_append(out, text.data, text.length);
	} else {
		ik_buf_append(out, text.data, cut.end);
		if (cut.in_string)
			ik_buf_putc(out, '"');
		while (cut.depth-- > 0)
			ik_buf_putc(out, cut.open[cut.depth] == '{' ? '}' : ']');
	}
	ik_buf_done(&text);
	return ik_call_envelope_size(call) > 0;
}
