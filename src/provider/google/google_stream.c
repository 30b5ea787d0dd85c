#include "provider/google/google.h"

#include <string.h>

#include "json/write.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"
#include "util/text.h"

struct google_stream_state {
	int64_t calls; /* a call is always complete and has no index */
	struct ik_delta usage;
};

/* Report what has to be sent back with a text or a call. */
static void tell_opaque(struct ik_stream_decoder *decoder, enum ik_delta_kind of, int slot,
	struct ik_json_span signature, struct ik_json_span id)
{
	struct ik_buf object;

	if (!signature.text && !id.text)
		return;
	ik_buf_init(&object, IK_LIMIT_SSE_EVENT);
	ik_json_open(&object, '{');
	if (signature.text) {
		ik_json_key(&object, "thoughtSignature");
		ik_json_put_raw(&object, signature);
	}
	if (id.text) {
		ik_json_key(&object, "id");
		ik_json_put_raw(&object, id);
	}
	ik_json_close(&object, '}');
	if (ik_buf_status(&object) == IK_OK)
		ik_decoder_opaque(decoder, of, slot, (struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
}

/* Return value if it is a non-empty string. */
static struct ik_json_span text_or_none(struct ik_json_span value)
{
	struct ik_json_span none = { NULL, 0 };

	return ik_json_span_type(value) == IK_JSON_STRING && value.length > 2 ? value : none;
}

static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	struct google_stream_state *state = decoder->state;
	struct ik_json_span call = ik_json_member(part, "functionCall");
	struct ik_json_span signature = text_or_none(ik_json_member(part, "thoughtSignature"));
	struct ik_json_span none = { NULL, 0 };
	bool thought = false;

	if (ik_json_span_type(call) == IK_JSON_OBJECT) {
		struct ik_call_piece piece = { .index = state->calls++,
			.id = text_or_none(ik_json_member(call, "id")),
			.name = ik_json_member(call, "name") };

		ik_decoder_call(decoder, &piece, ik_json_member(call, "args"));
		ik_call_list_end(&decoder->calls, decoder->sink, decoder->arg);
		tell_opaque(decoder, IK_DELTA_CALL, decoder->calls.count - 1, signature, piece.id);
		return;
	}
	ik_json_bool(ik_json_member(part, "thought"), &thought);
	ik_decoder_text(decoder, thought ? IK_DELTA_THINKING : IK_DELTA_TEXT,
		ik_json_member(part, "text"));
	/* Nothing is sent back for code that Google ran itself. */
	if (!thought && ik_json_member(part, "text").text)
		tell_opaque(decoder, IK_DELTA_TEXT, -1, signature, none);
}

/* Report a reply that ended because the model failed: its message, and that retrying may help. */
static void tell_failure(struct ik_stream_decoder *decoder, struct ik_json_span reason,
	struct ik_json_span message)
{
	struct ik_buf words;
	struct ik_delta delta = { .kind = IK_DELTA_ERROR, .code = IK_CODE_PROVIDER, .retryable = true };

	ik_buf_init(&words, IK_LIMIT_ERROR_BODY);

	ik_buf_puts(&words, _("The model ended its reply with an error: "));
	ik_json_string(text_or_none(message).text ? message : reason, &words);
	delta.text = words.data;
	delta.text_length = words.length;
	decoder->over = true;
	ik_decoder_tell(decoder, &delta);
	ik_buf_done(&words);
}

static void take_finish_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason,
	struct ik_json_span message)
{
	static const char *const refusals[] = {
		"SAFETY",
		"RECITATION",
		"LANGUAGE",
		"BLOCKLIST",
		"PROHIBITED_CONTENT",
		"SPII",
		"IMAGE_SAFETY",
		"IMAGE_PROHIBITED_CONTENT",
		"IMAGE_RECITATION",
	};
	static const char *const failures[] = {
		"MALFORMED_FUNCTION_CALL",
		"UNEXPECTED_TOOL_CALL",
		"TOO_MANY_TOOL_CALLS",
		"MISSING_THOUGHT_SIGNATURE",
		"MALFORMED_RESPONSE",
	};

	if (!text_or_none(reason).text)
		return;
	ik_decoder_stop(decoder, IK_STOP_END);
	if (ik_json_string_is(reason, "MAX_TOKENS"))
		ik_decoder_stop(decoder, IK_STOP_LENGTH);
	for (size_t index = 0; index < sizeof(refusals) / sizeof(*refusals); index++) {
		if (ik_json_string_is(reason, refusals[index]))
			ik_decoder_stop(decoder, IK_STOP_REFUSED);
	}
	for (size_t index = 0; index < sizeof(failures) / sizeof(*failures); index++) {
		if (ik_json_string_is(reason, failures[index]))
			tell_failure(decoder, reason, message);
	}
}

/* Token counts; they arrive with every chunk. */
enum { PROMPT, TOOL_PROMPT, CANDIDATES, THOUGHTS, CACHED, COUNTS };
static const char *const names[] = { [PROMPT] = "promptTokenCount",
	[TOOL_PROMPT] = "toolUsePromptTokenCount",
	[CANDIDATES] = "candidatesTokenCount",
	[THOUGHTS] = "thoughtsTokenCount",
	[CACHED] = "cachedContentTokenCount" };

/* Return a plausible count, else 0. */
static int64_t sane(int64_t number)
{
	return number >= 0 && number <= INT32_MAX ? number : 0;
}

/* Report them if they have changed. */
static void tell_usage(struct ik_stream_decoder *decoder, const int64_t counts[COUNTS])
{
	struct ik_delta *known = &((struct google_stream_state *)decoder->state)->usage;
	struct ik_delta delta = { .kind = IK_DELTA_USAGE };

	delta.reasoning_tokens = sane(counts[THOUGHTS]);
	delta.cached_tokens = sane(counts[CACHED]);
	delta.input_tokens = sane(counts[PROMPT]) + sane(counts[TOOL_PROMPT]);
	delta.output_tokens = sane(counts[CANDIDATES]) + delta.reasoning_tokens;
	if (known->kind == IK_DELTA_USAGE && known->input_tokens == delta.input_tokens &&
		known->output_tokens == delta.output_tokens &&
		known->cached_tokens == delta.cached_tokens &&
		known->reasoning_tokens == delta.reasoning_tokens)
		return;
	*known = delta;
	ik_decoder_tell(decoder, &delta);
}

static void take_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	int64_t counts[COUNTS] = { 0 };

	for (size_t index = 0; index < COUNTS; index++) {
		if (!ik_json_integer(ik_json_member(usage, names[index]), &counts[index]))
			counts[index] = 0;
	}
	tell_usage(decoder, counts);
}

/* Handle one chunk. Only the first candidate was requested. */
static void take(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span candidate = ik_json_at(chunk, "candidates.0");
	struct ik_json_span usage = ik_json_member(chunk, "usageMetadata");
	struct ik_json_span blocked = ik_json_at(chunk, "promptFeedback.blockReason");
	struct ik_json_span parts = ik_json_at(candidate, "content.parts");
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, part;

	if (ik_json_span_type(parts) == IK_JSON_ARRAY) {
		while (ik_json_next(parts, &walk, &key, &part))
			take_part(decoder, part);
	}
	if (ik_json_span_type(usage) == IK_JSON_OBJECT)
		take_usage(decoder, usage);
	if (text_or_none(blocked).text)
		ik_decoder_stop(decoder, IK_STOP_REFUSED);
	take_finish_reason(decoder, ik_json_member(candidate, "finishReason"),
		ik_json_member(candidate, "finishMessage"));
	if (!candidate.text && !usage.text && !blocked.text)
		ik_decoder_error(decoder, chunk);
}

struct ik_stream_decoder *ik_google_decoder_new(void)
{
	static const struct ik_decoder_rules rules = {
		.type = IK_GOOGLE, .state_size = sizeof(struct google_stream_state), .take = take
	};

	return ik_decoder_new(&rules);
}
