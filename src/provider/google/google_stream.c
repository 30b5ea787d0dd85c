#include "provider/google/google.h"

#include "provider/wire/decoder.h"
#include "util/limits.h"
#include "util/text.h"

struct google_stream_state {
	int64_t calls; /* a call is always complete and has no index */
};

/* Return value if it is a non-empty string. */
static struct ik_json_span text_or_none(struct ik_json_span value)
{
	struct ik_json_span none = { NULL, 0 };

	return ik_decoder_has_text(value) ? value : none;
}

static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span call = ik_json_member(part, "functionCall");
	struct ik_json_span text = ik_json_member(part, "text");
	/* What has to be sent back with a text or a call. */
	struct ik_opaque_member opaque[] = {
		{ "thoughtSignature", text_or_none(ik_json_member(part, "thoughtSignature")) },
		{ "id", text_or_none(ik_json_member(call, "id")) },
		{ 0 },
	};
	bool thought = false;

	if (ik_json_span_type(call) == IK_JSON_OBJECT) {
		struct ik_call_piece piece = {
			.index = state->calls++, .id = opaque[1].value, .name = ik_json_member(call, "name")
		};

		ik_decoder_call(decoder, &piece, ik_json_member(call, "args"));
		ik_decoder_end_calls(decoder);
		ik_decoder_opaque_object(decoder, IK_DELTA_CALL, opaque);
		return;
	}
	ik_json_bool(ik_json_member(part, "thought"), &thought);
	ik_decoder_text(decoder, thought ? IK_DELTA_THINKING : IK_DELTA_TEXT, text);
	/* Nothing is sent back for code that Google ran itself. */
	if (!thought && text.text)
		ik_decoder_opaque_object(decoder, IK_DELTA_TEXT, opaque);
}

/* Report a reply that ended because the model failed: its message, and that retrying may help. */
static void tell_failure(struct ik_stream_decoder *decoder, struct ik_json_span reason,
	struct ik_json_span message)
{
	struct ik_buf words;

	ik_buf_init(&words, IK_LIMIT_ERROR_BODY);
	ik_buf_puts(&words, _("The model ended its reply with an error: "));
	ik_json_string(ik_decoder_has_text(message) ? message : reason, &words);
	ik_decoder_fail(decoder, words.data);
	ik_buf_done(&words);
}

static void take_finish_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason,
	struct ik_json_span message)
{
	static const char *const failures[] = {
		"MALFORMED_FUNCTION_CALL",
		"UNEXPECTED_TOOL_CALL",
		"TOO_MANY_TOOL_CALLS",
		"MISSING_THOUGHT_SIGNATURE",
		"MALFORMED_RESPONSE",
	};

	if (!ik_decoder_stop_name(decoder, reason))
		return;
	for (size_t index = 0; index < sizeof(failures) / sizeof(*failures); index++) {
		if (ik_json_string_is(reason, failures[index]))
			tell_failure(decoder, reason, message);
	}
}

/* Handle one chunk. Only the first candidate was requested. */
static void take(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span candidate = ik_json_at(chunk, "candidates.0");
	struct ik_json_span usage = ik_json_member(chunk, "usageMetadata");
	struct ik_json_span blocked = ik_json_at(chunk, "promptFeedback.blockReason");

	ik_decoder_each(decoder, ik_json_at(candidate, "content.parts"), take_part);
	ik_decoder_usage(decoder, usage);
	if (ik_decoder_has_text(blocked))
		ik_decoder_stop(decoder, IK_STOP_REFUSED);
	take_finish_reason(decoder, ik_json_member(candidate, "finishReason"),
		ik_json_member(candidate, "finishMessage"));
	if (!candidate.text && !usage.text && !blocked.text)
		ik_decoder_error(decoder, chunk);
}

static const struct ik_count_name counts[] = {
	{ "promptTokenCount", IK_COUNT_INPUT },
	{ "toolUsePromptTokenCount", IK_COUNT_INPUT },
	{ "candidatesTokenCount", IK_COUNT_OUTPUT },
	{ "thoughtsTokenCount", IK_COUNT_OUTPUT },
	{ "thoughtsTokenCount", IK_COUNT_REASONING },
	{ "cachedContentTokenCount", IK_COUNT_CACHED },
	{ 0 },
};

static const struct ik_stop_name stops[] = {
	{ "MAX_TOKENS", IK_STOP_LENGTH },
	{ "SAFETY", IK_STOP_REFUSED },
	{ "RECITATION", IK_STOP_REFUSED },
	{ "LANGUAGE", IK_STOP_REFUSED },
	{ "BLOCKLIST", IK_STOP_REFUSED },
	{ "PROHIBITED_CONTENT", IK_STOP_REFUSED },
	{ "SPII", IK_STOP_REFUSED },
	{ "IMAGE_SAFETY", IK_STOP_REFUSED },
	{ "IMAGE_PROHIBITED_CONTENT", IK_STOP_REFUSED },
	{ "IMAGE_RECITATION", IK_STOP_REFUSED },
	{ 0 },
};

const struct ik_decoder_rules ik_google_rules = {
	.state_size = sizeof(struct google_stream_state),
	.take = take,
	.counts = counts,
	.stops = stops,
};
