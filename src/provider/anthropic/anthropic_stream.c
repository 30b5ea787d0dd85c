#include "provider/anthropic/anthropic.h"

#include <stdlib.h>

#include "provider/wire/decoder.h"
#include "util/alloc.h"

/* Kinds of content blocks; those of the provider's own tools are ignored. */
enum { BLOCK_OTHER, BLOCK_THINKING, BLOCK_CALL };

/* A value that is kept until its block ends. */
struct kept_value {
	char *text; /* NULL: none */
	size_t length;
};

struct anthropic_stream_state {
	struct kept_value signature; /* of the current thinking */
	struct kept_value input;     /* of a call whose arguments arrived complete at its start */
};

static void drop(struct kept_value *value)
{
	free(value->text);
	*value = (struct kept_value){ NULL, 0 };
}

static void keep(struct kept_value *value, struct ik_json_span span)
{
	drop(value);
	*value = (struct kept_value){ ik_strndup(span.text, span.length), span.length };
}

static void state_done(void *arg)
{
	struct anthropic_stream_state *state = arg;

	drop(&state->signature);
	drop(&state->input);
}

/* Remember a signature that is not empty; a later one replaces it. */
static void keep_signature(struct ik_stream_decoder *decoder, struct ik_json_span signature)
{
	if (ik_decoder_has_text(signature))
		keep(&((struct anthropic_stream_state *)decoder->state)->signature, signature);
}

static void begin_block(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span block)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span type = ik_json_member(block, "type");

	state_done(state);
	ik_decoder_set_mark(decoder, index, BLOCK_OTHER);
	if (ik_json_string_is(type, "text")) {
		ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(block, "text"));
	} else if (ik_json_string_is(type, "thinking")) {
		ik_decoder_set_mark(decoder, index, BLOCK_THINKING);
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(block, "thinking"));
		keep_signature(decoder, ik_json_member(block, "signature"));
	} else if (ik_json_string_is(type, "redacted_thinking")) {
		ik_decoder_opaque_object(decoder, IK_DELTA_THINKING,
			(struct ik_opaque_member[]){ { "redacted", ik_json_member(block, "data") }, { 0 } });
	} else if (ik_json_string_is(type, "tool_use")) {
		struct ik_json_span none = { NULL, 0 }, input = ik_json_member(block, "input");
		struct ik_call_piece piece = {
			.index = index, .id = ik_json_member(block, "id"), .name = ik_json_member(block, "name")
		};

		ik_decoder_set_mark(decoder, index, BLOCK_CALL);
		ik_decoder_call(decoder, &piece, none);
		/* Usually {}, and the arguments follow in pieces. */
		if (ik_json_count(input))
			keep(&state->input, input);
	}
}

static void end_block(struct ik_stream_decoder *decoder, int64_t index)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span signature = { state->signature.text, state->signature.length };
	struct ik_json_span input = { state->input.text, state->input.length };
	char kind = ik_decoder_mark(decoder, index);

	if (kind == BLOCK_THINKING) {
		ik_decoder_opaque_object(decoder, IK_DELTA_THINKING,
			(struct ik_opaque_member[]){ { "signature", signature }, { 0 } });
		drop(&state->signature);
	} else if (kind == BLOCK_CALL) {
		ik_decoder_call(decoder, &(struct ik_call_piece){ .index = index }, input);
		drop(&state->input);
		ik_decoder_end_calls(decoder);
	}
}

/* ---- events ---- */

static void take_start(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	begin_block(decoder, ik_decoder_index(event, "index"), ik_json_member(event, "content_block"));
}

static void take_stop(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	end_block(decoder, ik_decoder_index(event, "index"));
}

static void take_delta(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct anthropic_stream_state *state = decoder->state;
	struct ik_json_span delta = ik_json_member(event, "delta");
	struct ik_json_span type = ik_json_member(delta, "type");
	struct ik_json_span arguments = ik_json_member(delta, "partial_json");
	int64_t index = ik_decoder_index(event, "index");

	if (ik_json_string_is(type, "text_delta")) {
		ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(delta, "text"));
	} else if (ik_json_string_is(type, "thinking_delta")) {
		ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(delta, "thinking"));
	} else if (ik_json_string_is(type, "signature_delta")) {
		keep_signature(decoder, ik_json_member(delta, "signature"));
	} else if (ik_json_string_is(type, "input_json_delta") &&
		ik_decoder_mark(decoder, index) == BLOCK_CALL && ik_decoder_has_text(arguments)) {
		drop(&state->input);
		ik_decoder_call(decoder, &(struct ik_call_piece){ .index = index }, arguments);
	}
}

static void take_message_start(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	ik_decoder_usage(decoder, ik_json_at(event, "message.usage"));
}

static void take_message_delta(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	ik_decoder_usage(decoder, ik_json_member(event, "usage"));
	ik_decoder_stop_name(decoder, ik_json_at(event, "delta.stop_reason"));
}

/* The reply is complete even without a stop reason. */
static void take_message_stop(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	(void)event;
	ik_decoder_complete(decoder);
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
	ik_decoder_usage(decoder, ik_json_member(message, "usage"));
	ik_decoder_stop_name(decoder, ik_json_member(message, "stop_reason"));
}

static void pass_over(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	(void)decoder;
	(void)event;
}

static void take(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	static const struct ik_event_name events[] = {
		{ "content_block_delta", take_delta },
		{ "content_block_start", take_start },
		{ "content_block_stop", take_stop },
		{ "message_start", take_message_start },
		{ "message_delta", take_message_delta },
		{ "message_stop", take_message_stop },
		{ "message", take_message },
		{ "ping", pass_over },
		{ 0 },
	};

	if (!ik_decoder_dispatch(decoder, event, events))
		ik_decoder_error(decoder, event);
}

/* input_tokens does not include what was read from or written to the cache. */
static const struct ik_count_name counts[] = {
	{ "input_tokens", IK_COUNT_INPUT },
	{ "cache_read_input_tokens", IK_COUNT_INPUT },
	{ "cache_creation_input_tokens", IK_COUNT_INPUT },
	{ "cache_read_input_tokens", IK_COUNT_CACHED },
	{ "output_tokens", IK_COUNT_OUTPUT },
	{ "output_tokens_details.thinking_tokens", IK_COUNT_REASONING },
	{ 0 },
};

static const struct ik_stop_name stops[] = {
	{ "tool_use", IK_STOP_TOOL_CALLS },
	{ "max_tokens", IK_STOP_LENGTH },
	{ "model_context_window_exceeded", IK_STOP_LENGTH },
	{ "refusal", IK_STOP_REFUSED },
	{ 0 },
};

const struct ik_decoder_rules ik_anthropic_rules = {
	.state_size = sizeof(struct anthropic_stream_state),
	.state_done = state_done,
	.take = take,
	.counts = counts,
	.stops = stops,
};
