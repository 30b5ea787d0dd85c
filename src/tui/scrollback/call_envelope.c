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

bool ik_call_envelope_slice(const struct ik_shown_call *call, size_t *at, size_t most,
	struct ik_buf *out)
{
	const char *text = call->result ? call->stored.text : call->envelope.data;
	size_t length = ik_call_envelope_size(call);

	if (length == 0)
		return false;
	if (call->result && ik_json_span_type(call->stored) == IK_JSON_STRING)
		return ik_json_string_slice(call->stored, at, most, out);
	size_t left = length - *at, bytes = left < most ? left : most;
	ik_buf_append(out, text + *at, bytes);
	*at += bytes;
	return *at < length;
}

bool ik_call_envelope(const struct ik_shown_call *call, struct ik_buf *out)
{
	size_t at = 0;

	(void)ik_call_envelope_slice(call, &at, SIZE_MAX, out);
	return ik_call_envelope_size(call) > 0;
}

/* Where JSON that was cut off can be closed, and what is open there. */
struct cut {
	char open[IK_LIMIT_JSON_DEPTH];
	size_t depth;
	size_t end;     /* the text up to here is whole but for what is open */
	bool in_string; /* the end of the text is within a value that is a string, */
	size_t string;  /* which begins here */
};

/* The end of a string that begins at at, behind its last quote; beyond length: it has none. */
static size_t string_end(const char *text, size_t length, size_t at)
{
	for (at++; at < length && text[at] != '"'; at++)
		at += text[at] == '\\';
	return at < length ? at + 1 : length + 1;
}

/* Find it; false: it is nested too deep. */
static bool find_cut(const char *text, size_t length, struct cut *ret)
{
	bool value = true; /* what comes is a value, not the name of one */
	size_t at = 0;

	while (at < length) {
		switch (text[at]) {
		case '"':
			ret->string = at;
			at = string_end(text, length, at);
			if (at > length)
				ret->in_string = value;
			else if (value)
				ret->end = at;
			continue;
		case '{':
		case '[':
			if (ret->depth == IK_LIMIT_JSON_DEPTH)
				return false;
			ret->open[ret->depth++] = text[at];
			ret->end = at + 1;
			value = text[at] == '[';
			break;
		case '}':
		case ']':
			ret->depth -= ret->depth > 0;
			ret->end = at + 1;
			break;
		case ',':
			ret->end = at;
			value = ret->depth > 0 && ret->open[ret->depth - 1] == '[';
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

/* The last place at which the string that begins at start can end: no escape, no character is
 * halved. */
static size_t whole_end(const char *text, size_t length, size_t start)
{
	/* An escape has at most 6 bytes, a pair of them 12. */
	size_t first = length - start > 13 ? length - 12 : start + 1;

	for (size_t at = first; at < length; at++) {
		size_t before = at;

		while (before > start && text[before - 1] == '\\')
			before--;
		if (text[at] != '\\' || (at - before) % 2 != 0)
			continue;
		/* Nor are the two of a pair parted. */
		bool second = at - start > 6 && text[at - 6] == '\\' && text[at - 5] == 'u' &&
			(text[at - 4] | 0x20) == 'd';
		return second ? at - 6 : at;
	}
	return first < length ? ik_utf8_cut(text, length, length - 1) : length;
}

bool ik_call_envelope_beginning(const struct ik_shown_call *call, size_t most, struct ik_buf *out)
{
	size_t at = 0, start = out->length;
	struct cut cut = { .depth = 0 };
	struct ik_buf text;

	ik_buf_init(&text, most + IK_KIB(1));
	bool more = ik_call_envelope_slice(call, &at, most, &text);

	if (!more || !find_cut(text.data, text.length, &cut)) {
		ik_buf_append(out, text.data, text.length);
	} else {
		if (cut.in_string)
			cut.end = whole_end(text.data, text.length, cut.string);
		ik_buf_append(out, text.data, cut.end);
		if (cut.in_string)
			ik_buf_putc(out, '"');
		while (cut.depth-- > 0)
			ik_buf_putc(out, cut.open[cut.depth] == '{' ? '}' : ']');
	}
	ik_buf_done(&text);
	return out->length > start;
}
