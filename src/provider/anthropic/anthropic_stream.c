#include "provider/anthropic/anthropic.h"

#include <string.h>

#include "json/write.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"

/* Kinds of content blocks; those of the provider's own tools are ignored. */
enum { BLOCK_OTHER, BLOCK_THINKING, BLOCK_CALL };

struct anthropic_stream_state {
	struct ik_buf signature; /* of the current thinking, as JSON; empty: none yet */
	struct ik_buf input;     /* of a call whose arguments arrived complete at its start */
	struct ik_delta usage;
};

static void state_done(void *arg)
{
	struct anthropic_stream_state *state = arg;

	ik_buf_done(&state->signature);
	ik_buf_done(&state->input);
}

/* Report {"key": value} as part of the thinking. */
static void tell_opaque(struct ik_stream_decoder *decoder, const char *key,
	struct ik_json_span value)
{
	struct ik_buf object;

	ik_buf_init(&object, IK_LIMIT_SSE_EVENT);

	ik_json_open(&object, '{');
	ik_json_key(&object, key);
	ik_json_put_raw(&object, value);
	ik_json_close(&object, '}');
	if (ik_buf_status(&object) == IK_OK)
		ik_decoder_opaque(decoder, IK_DELTA_THINKING, -1,
			(struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
}

/* Remember a signature that is not empty; a later one replaces it. */
static void keep_signature(struct ik_stream_decoder *decoder, struct ik_json_span signature)
{
	struct anthropic_stream_state *state = decoder->state;

	if (ik_json_span_type(signature) != IK_JSON_STRING || ik_json_string_is(signature, ""))
		return;
	ik_buf_clear(&state->signature);
	ik_buf_append(&state->signature, signature.text, signature.length);
}

static void begin_block(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span block)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span type = ik_json_member(block, "type");

	ik_buf_clear(&state->signature);
	ik_buf_clear(&state->input);
	ik_decoder_set_mark(decoder, index, BLOCK_OTHER);
	if (ik_json_string_is(type, "text")) {
		ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(block, "text"));
	} else if (ik_json_string_is(type, "thinking")) {
		ik_decoder_set_mark(decoder, index, BLOCK_THINKING);
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(block, "thinking"));
		keep_signature(decoder, ik_json_member(block, "signature"));
	} else if (ik_json_string_is(type, "redacted_thinking")) {
		struct ik_json_span data = ik_json_member(block, "data");

		if (data.text)
			tell_opaque(decoder, "redacted", data);
	} else if (ik_json_string_is(type, "tool_use")) {
		struct ik_json_span none = { NULL, 0 }, input = ik_json_member(block, "input");
		struct ik_call_piece piece = {
			.index = index, .id = ik_json_member(block, "id"), .name = ik_json_member(block, "name")
		};

		ik_decoder_set_mark(decoder, index, BLOCK_CALL);
		ik_decoder_call(decoder, &piece, none);
		/* Usually {}, and the arguments follow in pieces. */
		if (ik_json_count(input))
			ik_buf_append(&state->input, input.text, input.length);
	}
}

static void continue_block(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span delta)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span type = ik_json_member(delta, "type");

	if (ik_json_string_is(type, "text_delta")) {
		ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(delta, "text"));
	} else if (ik_json_string_is(type, "thinking_delta")) {
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(delta, "thinking"));
	} else if (ik_json_string_is(type, "signature_delta")) {
		keep_signature(decoder, ik_json_member(delta, "signature"));
	} else if (ik_json_string_is(type, "input_json_delta") &&
		ik_decoder_mark(decoder, index) == BLOCK_CALL) {
		struct ik_json_span piece_text = ik_json_member(delta, "partial_json");
		struct ik_call_piece piece = { .index = index };

		if (ik_json_span_type(piece_text) != IK_JSON_STRING || ik_json_string_is(piece_text, ""))
			return;
		ik_buf_clear(&state->input);
		ik_decoder_call(decoder, &piece, piece_text);
	}
}

static void end_block(struct ik_stream_decoder *decoder, int64_t index)
{
	struct anthropic_stream_state *state = decoder->state;
	char kind = ik_decoder_mark(decoder, index);

	if (kind == BLOCK_THINKING && state->signature.length) {
		tell_opaque(decoder, "signature",
			(struct ik_json_span){ state->signature.data, state->signature.length });
		ik_buf_clear(&state->signature);
	} else if (kind == BLOCK_CALL) {
		struct ik_call_piece piece = { .index = index };

		if (state->input.length)
			ik_decoder_call(decoder, &piece,
				(struct ik_json_span){ state->input.data, state->input.length });
		ik_buf_clear(&state->input);
		ik_call_list_end(&decoder->calls, decoder->sink, decoder->arg);
	}
}

/* Take the counts that are given; keep the others. */
static void take_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	struct ik_delta *known = &((struct anthropic_stream_state *)decoder->state)->usage;
	int64_t fresh, read = 0, written = 0;

	if (ik_json_span_type(usage) != IK_JSON_OBJECT)
		return;
	known->kind = IK_DELTA_USAGE;
	/* input_tokens does not include what was read from or written to the cache. */
	if (ik_json_integer(ik_json_member(usage, "input_tokens"), &fresh) && fresh >= 0) {
		ik_json_integer(ik_json_member(usage, "cache_read_input_tokens"), &read);
		ik_json_integer(ik_json_member(usage, "cache_creation_input_tokens"), &written);
		if (read < 0 || read > INT32_MAX || written < 0 || written > INT32_MAX || fresh > INT32_MAX)
			return;
		known->input_tokens = fresh + read + written;
		known->cached_tokens = read;
	}
	ik_json_integer(ik_json_member(usage, "output_tokens"), &known->output_tokens);
	ik_json_integer(ik_json_at(usage, "output_tokens_details.thinking_tokens"),
		&known->reasoning_tokens);
	ik_decoder_tell(decoder, known);
}

static void take_stop_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason)
{
	static const struct {
		const char *name;
		enum ik_stop_reason stop;
	} reasons[] = {
		{ "tool_use", IK_STOP_TOOL_CALLS },
		{ "max_tokens", IK_STOP_LENGTH },
		{ "model_context_window_exceeded", IK_STOP_LENGTH },
		{ "refusal", IK_STOP_REFUSED },
	};

	if (ik_json_span_type(reason) != IK_JSON_STRING)
		return;
	ik_decoder_stop(decoder, IK_STOP_END);
	for (size_t index = 0; index < sizeof(reasons) / sizeof(*reasons); index++) {
		if (ik_json_string_is(reason, reasons[index].name))
			ik_decoder_stop(decoder, reasons[index].stop);
	}
}

/* Handle a reply that was not streamed. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, block;
	int64_t index = 0;

	while (ik_json_next(ik_json_member(message, "content"), &walk, &key, &block)) {
		begin_block(decoder, index, block);
		end_block(decoder, index++);
	}
	take_usage(decoder, ik_json_member(message, "usage"));
	take_stop_reason(decoder, ik_json_member(message, "stop_reason"));
}

static void take(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct ik_json_span type = ik_json_member(event, "type");
	struct ik_json_span delta = ik_json_member(event, "delta");
	int64_t index = -1;

	if (!ik_json_integer(ik_json_member(event, "index"), &index))
		index = -1;
	if (ik_json_string_is(type, "content_block_delta")) {
		continue_block(decoder, index, delta);
	} else if (ik_json_string_is(type, "content_block_start")) {
		begin_block(decoder, index, ik_json_member(event, "content_block"));
	} else if (ik_json_string_is(type, "content_block_stop")) {
		end_block(decoder, index);
	} else if (ik_json_string_is(type, "message_start")) {
		take_usage(decoder, ik_json_at(event, "message.usage"));
	} else if (ik_json_string_is(type, "message_delta")) {
		take_usage(decoder, ik_json_member(event, "usage"));
		take_stop_reason(decoder, ik_json_member(delta, "stop_reason"));
	} else if (ik_json_string_is(type, "message_stop")) {
		/* The reply is complete even without a stop reason. */
		ik_decoder_complete(decoder);
	} else if (ik_json_string_is(type, "message")) {
		take_message(decoder, event);
	} else if (!ik_json_string_is(type, "ping")) {
		ik_decoder_error(decoder, event);
	}
}

struct ik_stream_decoder *ik_anthropic_decoder_new(void)
{
	static const struct ik_decoder_rules rules = { .type = IK_ANTHROPIC,
		.state_size = sizeof(struct anthropic_stream_state),
		.state_done = state_done,
		.take = take };
	struct ik_stream_decoder *decoder = ik_decoder_new(&rules);
	struct anthropic_stream_state *state = decoder->state;

	ik_buf_init(&state->signature, IK_LIMIT_SSE_EVENT);
	ik_buf_init(&state->input, IK_LIMIT_ARGUMENTS);
	return decoder;
}
