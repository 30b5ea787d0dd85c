#include "provider/openai/openai_responses.h"

#include <string.h>

#include "json/write.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"
#include "util/text.h"

/* Mark of an item that was reported piece by piece. */
#define TOLD 1

/* Report a string value as a piece of the item's text. */
static void take_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind, int64_t index,
	struct ik_json_span value)
{
	if (ik_decoder_text(decoder, kind, value))
		ik_decoder_set_mark(decoder, index, TOLD);
}

static void take_refusal(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span value)
{
	decoder->refused = true;

	take_text(decoder, IK_DELTA_TEXT, index, value);
}

/* Report a piece of a call's arguments; at the end they are sent again as a whole. */
static void take_arguments(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span value)
{
	struct ik_call_piece piece = { .index = index };

	if (ik_json_span_type(value) != IK_JSON_STRING || ik_json_string_is(value, ""))
		return;
	ik_decoder_set_mark(decoder, index, TOLD);
	ik_decoder_call(decoder, &piece, value);
}

/* Handle a call's item, at its start and at its end. */
static void take_call(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item,
	bool done)
{
	struct ik_json_span none = { NULL, 0 };
	struct ik_call_piece piece = {
		.index = index, .id = ik_json_member(item, "call_id"), .name = ik_json_member(item, "name")
	};

	ik_decoder_call(decoder, &piece, none);
	if (ik_decoder_mark(decoder, index) != TOLD)
		take_arguments(decoder, index, ik_json_member(item, "arguments"));
	if (done)
		ik_call_list_end(&decoder->calls, decoder->sink, decoder->arg);
}

/* A message is complete: report what was not reported yet, and what has to be sent back with it. */
static void end_message(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item)
{
	struct ik_json_span content = ik_json_member(item, "content"), key, part;
	struct ik_json_span phase = ik_json_member(item, "phase");
	struct ik_json_walk walk = { 0 };
	struct ik_buf object;

	if (ik_decoder_mark(decoder, index) != TOLD && ik_json_span_type(content) == IK_JSON_ARRAY) {
		while (ik_json_next(content, &walk, &key, &part)) {
			take_text(decoder, IK_DELTA_TEXT, index, ik_json_member(part, "text"));
			if (ik_json_member(part, "refusal").text)
				take_refusal(decoder, index, ik_json_member(part, "refusal"));
		}
	}
	if (ik_json_span_type(phase) != IK_JSON_STRING)
		return;
	ik_buf_init(&object, IK_KIB(4));
	ik_json_open(&object, '{');
	ik_json_key(&object, "phase");
	ik_json_put_raw(&object, phase);
	ik_json_close(&object, '}');
	if (ik_buf_status(&object) == IK_OK)
		ik_decoder_opaque(decoder, IK_DELTA_TEXT, -1,
			(struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
}

/* Reasoning is complete: without its encrypted content it cannot be sent back. */
static void end_reasoning(struct ik_stream_decoder *decoder, int64_t index,
	struct ik_json_span item)
{
	static const char *const members[] = { "id", "summary", "encrypted_content" };
	struct ik_json_span summary = ik_json_member(item, "summary"), key, part;
	struct ik_json_walk walk = { 0 };
	struct ik_buf object;

	if (ik_decoder_mark(decoder, index) != TOLD && ik_json_span_type(summary) == IK_JSON_ARRAY) {
		while (ik_json_next(summary, &walk, &key, &part))
			take_text(decoder, IK_DELTA_THINKING, index, ik_json_member(part, "text"));
	}
	if (ik_json_span_type(ik_json_member(item, "encrypted_content")) != IK_JSON_STRING)
		return;
	ik_buf_init(&object, IK_LIMIT_SSE_EVENT);
	ik_json_open(&object, '{');
	ik_json_key(&object, "type");
	ik_json_put_text(&object, "reasoning");
	for (size_t at = 0; at < sizeof(members) / sizeof(*members); at++) {
		struct ik_json_span value = ik_json_member(item, members[at]);

		if (!value.text)
			continue;
		ik_json_key(&object, members[at]);
		ik_json_put_raw(&object, value);
	}
	ik_json_close(&object, '}');
	if (ik_buf_status(&object) == IK_OK)
		ik_decoder_opaque(decoder, IK_DELTA_THINKING, -1,
			(struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
}

/* An item is complete. Those of OpenAI's own tools are ignored. */
static void end_item(struct ik_stream_decoder *decoder, int64_t index, struct ik_json_span item)
{
	struct ik_json_span type = ik_json_member(item, "type");

	if (ik_json_string_is(type, "function_call"))
		take_call(decoder, index, item, true);
	else if (ik_json_string_is(type, "message"))
		end_message(decoder, index, item);
	else if (ik_json_string_is(type, "reasoning"))
		end_reasoning(decoder, index, item);
}

static void take_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	struct ik_delta delta = { .kind = IK_DELTA_USAGE };

	if (ik_json_span_type(usage) != IK_JSON_OBJECT)
		return;
	ik_json_integer(ik_json_member(usage, "input_tokens"), &delta.input_tokens);
	ik_json_integer(ik_json_member(usage, "output_tokens"), &delta.output_tokens);
	ik_json_integer(ik_json_at(usage, "input_tokens_details.cached_tokens"), &delta.cached_tokens);
	ik_json_integer(ik_json_at(usage, "output_tokens_details.reasoning_tokens"),
		&delta.reasoning_tokens);
	ik_decoder_tell(decoder, &delta);
}

/* The response failed or was cancelled, or there is an error in its place. */
static void take_failure(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct ik_delta delta = { .kind = IK_DELTA_ERROR, .code = IK_CODE_PROVIDER, .retryable = true };

	ik_decoder_error(decoder, value);
	if (decoder->over)
		return;
	delta.text = _("The provider reported an error and did not say which.");
	delta.text_length = strlen(delta.text);
	decoder->over = true;
	ik_decoder_tell(decoder, &delta);
}

/* Handle the end of the response, by its status. */
static void end_response(struct ik_stream_decoder *decoder, struct ik_json_span response)
{
	struct ik_json_span status = ik_json_member(response, "status");
	struct ik_json_span why = ik_json_at(response, "incomplete_details.reason");

	take_usage(decoder, ik_json_member(response, "usage"));
	if (ik_json_string_is(status, "failed") || ik_json_string_is(status, "cancelled")) {
		take_failure(decoder, response);
		return;
	}
	if (!ik_json_string_is(status, "incomplete"))
		ik_decoder_stop(decoder, IK_STOP_END);
	else if (ik_json_string_is(why, "content_filter"))
		ik_decoder_stop(decoder, IK_STOP_REFUSED);
	else
		ik_decoder_stop(decoder, IK_STOP_LENGTH);
	ik_decoder_complete(decoder);
}

/* Handle a response that was not streamed. */
static void take_response(struct ik_stream_decoder *decoder, struct ik_json_span response)
{
	struct ik_json_span output = ik_json_member(response, "output"), key, item;
	struct ik_json_walk walk = { 0 };
	int64_t index = 0;

	if (ik_json_span_type(output) == IK_JSON_ARRAY) {
		while (ik_json_next(output, &walk, &key, &item))
			end_item(decoder, index++, item);
	}
	end_response(decoder, response);
}

static void take(struct ik_stream_decoder *decoder, struct ik_json_span event)
{
	struct ik_json_span type = ik_json_member(event, "type");
	struct ik_json_span item = ik_json_member(event, "item");
	struct ik_json_span delta = ik_json_member(event, "delta");
	struct ik_json_span response = ik_json_member(event, "response");
	int64_t index = -1;

	if (!ik_json_integer(ik_json_member(event, "output_index"), &index))
		index = -1;
	if (ik_json_string_is(type, "response.output_text.delta")) {
		take_text(decoder, IK_DELTA_TEXT, index, delta);
	} else if (ik_json_string_is(type, "response.reasoning_summary_text.delta") ||
		ik_json_string_is(type, "response.reasoning_text.delta")) {
		take_text(decoder, IK_DELTA_THINKING, index, delta);
	} else if (ik_json_string_is(type, "response.function_call_arguments.delta")) {
		take_arguments(decoder, index, delta);
	} else if (ik_json_string_is(type, "response.refusal.delta")) {
		take_refusal(decoder, index, delta);
	} else if (ik_json_string_is(type, "response.output_item.added")) {
		if (ik_json_string_is(ik_json_member(item, "type"), "function_call"))
			take_call(decoder, index, item, false);
	} else if (ik_json_string_is(type, "response.output_item.done")) {
		end_item(decoder, index, item);
	} else if (ik_json_string_is(type, "response.completed") ||
		ik_json_string_is(type, "response.incomplete") ||
		ik_json_string_is(type, "response.failed") ||
		ik_json_string_is(type, "response.cancelled")) {
		end_response(decoder, response);
	} else if (ik_json_string_is(type, "error")) {
		take_failure(decoder, event);
	} else if (ik_json_string_is(ik_json_member(event, "object"), "response")) {
		take_response(decoder, event);
	} else if (ik_json_span_type(type) != IK_JSON_STRING) {
		ik_decoder_error(decoder, event);
	}
}

struct ik_stream_decoder *ik_openai_responses_decoder_new(void)
{
	static const struct ik_decoder_rules rules = { .type = IK_OPENAI_RESPONSES, .take = take };

	return ik_decoder_new(&rules);
}
