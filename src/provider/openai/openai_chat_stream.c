#include "provider/openai/openai_chat.h"

#include "json/write.h"
#include "provider/openai/chat_dialect.h"
#include "provider/openai/reasoning_details.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"

struct openai_chat_stream_state {
	const char *member;                   /* that the current thinking arrived in; NULL: none */
	struct ik_reasoning_details *details; /* of the thinking, including hidden parts; NULL: none
	                                         yet */
	bool extra;                           /* the calls have additional data */
};

static void state_done(void *arg)
{
	struct openai_chat_stream_state *state = arg;

	state->details = ik_reasoning_details_free(state->details);
}

/* The thinking is complete: report what has to be sent back with it. */
static void end_thinking(struct ik_stream_decoder *decoder)
{
	struct openai_chat_stream_state *state = decoder->state;
	struct ik_buf name;

	if (!state->member)
		return;
	ik_buf_init(&name, IK_KIB(1));
	ik_json_put_text(&name, state->member);
	ik_decoder_opaque(decoder, IK_DELTA_THINKING, -1,
		(struct ik_json_span){ name.data, name.length });
	ik_buf_done(&name);
	state->member = NULL;
}

/* The reply is complete: report the details of its thinking. They belong to the whole round, and
 * are stored with its last message, which is certain to exist. */
static void end_details(struct ik_stream_decoder *decoder)
{
	struct openai_chat_stream_state *state = decoder->state;
	enum ik_delta_kind of = decoder->calls.count ? IK_DELTA_CALL : IK_DELTA_TEXT;
	struct ik_buf object;

	ik_buf_init(&object, IK_LIMIT_REPLY);
	ik_json_open(&object, '{');
	ik_json_key(&object, IK_CHAT_REASONING_DETAILS);
	if (!state->extra && ik_reasoning_details_put(state->details, &object)) {
		ik_json_close(&object, '}');
		if (ik_buf_status(&object) == IK_OK)
			ik_decoder_opaque(decoder, of, decoder->calls.count - 1,
				(struct ik_json_span){ object.data, object.length });
	}
	ik_buf_done(&object);
	state->details = ik_reasoning_details_free(state->details);
}

/* Is there anything in the value? An empty text often accompanies thinking. */
static bool says_something(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING ? value.length > 2 : ik_json_count(value) > 0;
}

/* Handle content in parts, as some servers send it: texts, and thinking with texts inside. */
static void take_parts(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span parts)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, part, inner;

	while (ik_json_next(parts, &walk, &key, &part)) {
		if (ik_json_span_type(part) == IK_JSON_STRING) {
			ik_decoder_text(decoder, kind, part);
			continue;
		}
		ik_decoder_text(decoder, kind, ik_json_member(part, "text"));
		inner = ik_json_member(part, "thinking");
		if (ik_json_span_type(inner) == IK_JSON_STRING) {
			ik_decoder_text(decoder, IK_DELTA_THINKING, inner);
		} else if (ik_json_span_type(inner) == IK_JSON_ARRAY) {
			struct ik_json_walk inside = { 0 };
			struct ik_json_span thought;

			while (ik_json_next(inner, &inside, &key, &thought))
				ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(thought, "text"));
		}
	}
}

/* Report additional members of a call: Gemini refuses it later without its signatures. */
static void tell_extra(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	struct ik_json_span extra = ik_json_member(item, IK_CHAT_EXTRA);
	struct ik_buf object;

	if (ik_json_span_type(extra) != IK_JSON_OBJECT || !decoder->calls.count)
		return;
	ik_buf_init(&object, IK_LIMIT_SSE_EVENT);
	ik_json_open(&object, '{');
	ik_json_key(&object, IK_CHAT_EXTRA);
	ik_json_put_raw(&object, extra);
	ik_json_close(&object, '}');
	if (ik_buf_status(&object) == IK_OK)
		ik_decoder_opaque(decoder, IK_DELTA_CALL, decoder->calls.count - 1,
			(struct ik_json_span){ object.data, object.length });
	ik_buf_done(&object);
	((struct openai_chat_stream_state *)decoder->state)->extra = true;
}

/* Handle an element of tool_calls, or an old function_call. */
static void take_call(struct ik_stream_decoder *decoder, struct ik_json_span item,
	struct ik_json_span function)
{
	struct ik_call_piece piece = { .index = -1 };

	if (!ik_json_integer(ik_json_member(item, "index"), &piece.index))
		piece.index = -1;
	piece.id = ik_json_member(item, "id");
	piece.name = ik_json_member(function, "name");
	ik_decoder_call(decoder, &piece, ik_json_member(function, "arguments"));
	tell_extra(decoder, item);
}

/* Handle the delta of a streamed choice, or the message of a complete one. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;
	bool thought = false; /* the same text may arrive in both spellings */
	struct openai_chat_stream_state *state = decoder->state;

	while (ik_json_next(message, &walk, &key, &value)) {
		enum ik_json_type type = ik_json_span_type(value);

		if (type == IK_JSON_NULL)
			continue;
		if ((ik_json_string_is(key, "content") || ik_json_string_is(key, "tool_calls")) &&
			says_something(value))
			end_thinking(decoder);
		if (ik_json_string_is(key, "content")) {
			if (type == IK_JSON_ARRAY)
				take_parts(decoder, IK_DELTA_TEXT, value);
			else
				ik_decoder_text(decoder, IK_DELTA_TEXT, value);
		} else if (ik_json_string_is(key, "tool_calls")) {
			struct ik_json_walk items = { 0 };
			struct ik_json_span item, unused;

			while (ik_json_next(value, &items, &unused, &item))
				take_call(decoder, item, ik_json_member(item, "function"));
		} else if (ik_json_string_is(key, IK_CHAT_REASONING_CONTENT) ||
			ik_json_string_is(key, IK_CHAT_REASONING)) {
			if (thought || !ik_decoder_text(decoder, IK_DELTA_THINKING, value))
				continue;
			thought = true;
			state->member = ik_json_string_is(key, IK_CHAT_REASONING) ? IK_CHAT_REASONING
																	  : IK_CHAT_REASONING_CONTENT;
		} else if (ik_json_string_is(key, IK_CHAT_REASONING_DETAILS)) {
			ik_reasoning_details_take(&state->details, value);
		} else if (ik_json_string_is(key, "refusal")) {
			if (ik_decoder_text(decoder, IK_DELTA_TEXT, value))
				decoder->refused = true;
		} else if (ik_json_string_is(key, "function_call")) {
			take_call(decoder, (struct ik_json_span){ NULL, 0 }, value);
		}
	}
}

static void take_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	struct ik_delta delta = { .kind = IK_DELTA_USAGE };

	if (!ik_json_integer(ik_json_member(usage, "prompt_tokens"), &delta.input_tokens) &&
		!ik_json_integer(ik_json_member(usage, "completion_tokens"), &delta.output_tokens))
		return;
	ik_json_integer(ik_json_member(usage, "completion_tokens"), &delta.output_tokens);
	if (!ik_json_integer(ik_json_at(usage, "prompt_tokens_details.cached_tokens"),
			&delta.cached_tokens))
		ik_json_integer(ik_json_member(usage, "prompt_cache_hit_tokens"), &delta.cached_tokens);
	ik_json_integer(ik_json_at(usage, "completion_tokens_details.reasoning_tokens"),
		&delta.reasoning_tokens);
	ik_decoder_tell(decoder, &delta);
}

static void take_finish_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason)
{
	static const struct {
		const char *name;
		enum ik_stop_reason stop;
	} reasons[] = {
		{ "stop", IK_STOP_END },
		{ "tool_calls", IK_STOP_TOOL_CALLS },
		{ "function_call", IK_STOP_TOOL_CALLS },
		{ "length", IK_STOP_LENGTH },
		{ "max_tokens", IK_STOP_LENGTH },
		{ "content_filter", IK_STOP_REFUSED },
	};

	if (ik_json_span_type(reason) != IK_JSON_STRING || ik_json_string_is(reason, ""))
		return;
	end_thinking(decoder);
	end_details(decoder);
	ik_decoder_stop(decoder, IK_STOP_END);
	for (size_t index = 0; index < sizeof(reasons) / sizeof(*reasons); index++) {
		if (ik_json_string_is(reason, reasons[index].name))
			ik_decoder_stop(decoder, reasons[index].stop);
	}
}

/* Handle an element of choices. Only the first was requested. */
static void take_choice(struct ik_stream_decoder *decoder, struct ik_json_span choice)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value, message = { NULL, 0 }, reason = { NULL, 0 };
	struct ik_json_span usage = { NULL, 0 };
	bool is_error = false;

	while (ik_json_next(choice, &walk, &key, &value)) {
		int64_t index;

		if (ik_json_span_type(value) == IK_JSON_NULL)
			continue;
		if (ik_json_string_is(key, "delta") || ik_json_string_is(key, "message"))
			message = value;
		else if (ik_json_string_is(key, "finish_reason"))
			reason = value;
		else if (ik_json_string_is(key, "usage"))
			usage = value;
		else if (ik_json_string_is(key, "error"))
			is_error = true;
		else if (ik_json_string_is(key, "index") && ik_json_integer(value, &index) && index)
			return;
	}
	take_message(decoder, message);
	if (usage.text)
		take_usage(decoder, usage);
	if (is_error)
		ik_decoder_error(decoder, choice);
	take_finish_reason(decoder, reason);
}

/* Handle one chunk, or a complete answer. */
static void take_chunk(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;
	bool known = false;

	if (ik_json_span_type(chunk) != IK_JSON_OBJECT)
		return;
	while (!decoder->over && ik_json_next(chunk, &walk, &key, &value)) {
		enum ik_json_type type = ik_json_span_type(value);

		if (type == IK_JSON_ARRAY && ik_json_string_is(key, "choices")) {
			struct ik_json_walk choices = { 0 };
			struct ik_json_span unused, choice;

			known = true;
			while (ik_json_next(value, &choices, &unused, &choice))
				take_choice(decoder, choice);
		} else if (type == IK_JSON_OBJECT && ik_json_string_is(key, "usage")) {
			known = true;
			take_usage(decoder, value);
		} else if ((type == IK_JSON_OBJECT || type == IK_JSON_STRING) &&
			ik_json_string_is(key, "error")) {
			known = true;
			ik_decoder_error(decoder, chunk);
		}
	}
	/* Errors without a member "error". */
	if (!known)
		ik_decoder_error(decoder, chunk);
}

struct ik_stream_decoder *ik_openai_chat_decoder_new(void)
{
	static const struct ik_decoder_rules rules = { .type = IK_OPENAI_CHAT,
		.state_size = sizeof(struct openai_chat_stream_state),
		.state_done = state_done,
		.take = take_chunk };

	return ik_decoder_new(&rules);
}
