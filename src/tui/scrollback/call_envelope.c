/* The envelope of a call, whole or its beginning: the part of tui/scrollback/calls.h that reads it. */
#include "tui/scrollback/calls.h"

#include "json/partial.h"
#include "util/limits.h"

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
		ik_json_complete(text.data, text.length, out);
	else
		ik_buf_append(out, text.data, text.length);
	ik_buf_done(&text);
	return ik_call_envelope_size(call) > 0;
}
