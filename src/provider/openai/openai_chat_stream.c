#include "provider/openai/openai_chat.h"

#include "json/write.h"
#include "provider/openai/chat_dialect.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"
#include "util/text.h"

struct openai_chat_stream_state {
	const char *member;    /* that the current thinking arrived in; NULL: none */
	struct ik_buf details; /* of the thinking, including hidden parts: a list, not closed yet */
	size_t last;           /* where the newest of them begins */
	bool unwanted;         /* they are too long, or the calls have data of their own */
};

static void state_done(void *arg)
{
	ik_buf_done(&((struct openai_chat_stream_state *)arg)->details);
}

/* ---- the details of thinking ---- */

/*
 * What OpenRouter sends about a model's thinking besides its text: a list of objects with a type
 * (reasoning.text, reasoning.summary, reasoning.encrypted), an index, and members that depend on the
 * type. It is sent back as the model wrote it: without it, models that sign or encrypt their thinking
 * start from scratch after each of their calls, or refuse to continue. Source: OpenRouter,
 * "Preserving reasoning".
 */

/* Does a piece continue the newest object? What is encrypted arrives whole. */
static bool is_continued(struct ik_json_span last, struct ik_json_span piece)
{
	struct ik_json_span type = ik_json_member(piece, "type");

	return !ik_json_string_is(type, "reasoning.encrypted") &&
		ik_json_equal(ik_json_member(last, "type"), type) &&
		ik_json_equal(ik_json_member(last, "index"), ik_json_member(piece, "index"));
}

/* Write a member of the newest object: a text goes on, other values are replaced. */
static void put_member(struct ik_buf *out, struct ik_json_span name, struct ik_json_span value,
	struct ik_json_span more)
{
	bool is_text = ik_json_string_is(name, "text") || ik_json_string_is(name, "summary");

	ik_json_put_raw(out, name);
	ik_buf_putc(out, ':');
	if (is_text && ik_decoder_has_text(value) && ik_decoder_has_text(more)) {
		ik_buf_append(out, value.text, value.length - 1);
		ik_buf_append(out, more.text + 1, more.length - 1);
	} else {
		ik_json_put_raw(out, more.text && ik_json_span_type(more) != IK_JSON_NULL ? more : value);
	}
}

/* Write the newest object with a piece that continues it. */
static void put_joined(struct ik_buf *out, struct ik_json_span last, struct ik_json_span piece)
{
	struct ik_json_walk walk = { 0 }, more = { 0 };
	struct ik_json_span name, value;

	ik_json_open(out, '{');
	while (ik_json_next(last, &walk, &name, &value))
		put_member(out, name, value, ik_json_member_named(piece, name));
	while (ik_json_next(piece, &more, &name, &value)) {
		if (ik_json_span_type(value) != IK_JSON_NULL && !ik_json_member_named(last, name).text)
			put_member(out, name, value, value);
	}
	ik_json_close(out, '}');
}

/* Add an element of the list in one chunk. */
static void take_detail(struct ik_stream_decoder *decoder, struct ik_json_span piece)
{
	struct openai_chat_stream_state *state = decoder->state;
	struct ik_buf *details = &state->details, joined;
	struct ik_json_span last = { NULL, details->length - state->last };

	if (ik_json_span_type(ik_json_member(piece, "type")) != IK_JSON_STRING || state->unwanted)
		return;
	if (details->length)
		last.text = details->data + state->last;
	if (!last.text) {
		ik_buf_init(details, IK_LIMIT_REPLY);
		ik_json_open(details, '[');
	} else if (is_continued(last, piece)) {
		ik_buf_init(&joined, IK_LIMIT_REPLY);
		put_joined(&joined, last, piece);
		ik_buf_truncate(details, state->last);
		ik_buf_append(details, joined.data, joined.length);
		state->unwanted = ik_buf_status(&joined) != IK_OK;
		ik_buf_done(&joined);
		return;
	} else {
		ik_buf_putc(details, ',');
	}
	state->last = details->length;
	ik_json_put_raw(details, piece);
	state->unwanted = ik_buf_status(details) != IK_OK;
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
	ik_decoder_opaque(decoder, IK_DELTA_THINKING, (struct ik_json_span){ name.data, name.length });
	ik_buf_done(&name);
	state->member = NULL;
}

/* The reply is complete: report the details of its thinking. They belong to the whole round, and
 * are stored with its last message, which is certain to exist. */
static void end_details(struct ik_stream_decoder *decoder)
{
	struct openai_chat_stream_state *state = decoder->state;
	struct ik_buf *details = &state->details;

	if (details->length)
		ik_json_close(details, ']');
	if (details->length && !state->unwanted && ik_buf_status(details) == IK_OK)
		ik_decoder_opaque_object(decoder, decoder->calls.count ? IK_DELTA_CALL : IK_DELTA_TEXT,
			(struct ik_opaque_member[]){
				{ IK_CHAT_REASONING_DETAILS, { details->data, details->length } }, { 0 } });
	state_done(state);
}

/* Is there anything in the value? An empty text often accompanies thinking. */
static bool says_something(struct ik_json_span value)
{
	return ik_json_span_type(value) == IK_JSON_STRING ? value.length > 2 : ik_json_count(value) > 0;
}

/* Handle an element of thinking in parts. */
static void take_thought(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(part, "text"));
}

/* Handle an element of content in parts, as some servers send it: texts, and thinking with texts
 * inside. */
static void take_part(struct ik_stream_decoder *decoder, struct ik_json_span part)
{
	ik_decoder_text(decoder, IK_DELTA_TEXT, part);
	ik_decoder_text(decoder, IK_DELTA_TEXT, ik_json_member(part, "text"));
	ik_decoder_text(decoder, IK_DELTA_THINKING, ik_json_member(part, "thinking"));
	ik_decoder_each(decoder, ik_json_member(part, "thinking"), take_thought);
}

/* Report additional members of a call: Gemini refuses it later without its signatures. */
static void tell_extra(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	struct ik_json_span extra = ik_json_member(item, IK_CHAT_EXTRA);

	if (ik_json_span_type(extra) != IK_JSON_OBJECT || !decoder->calls.count)
		return;
	ik_decoder_opaque_object(decoder, IK_DELTA_CALL,
		(struct ik_opaque_member[]){ { IK_CHAT_EXTRA, extra }, { 0 } });
	((struct openai_chat_stream_state *)decoder->state)->unwanted = true;
}

/* Handle a call with its function. */
static void take_function(struct ik_stream_decoder *decoder, struct ik_json_span item,
	struct ik_json_span function)
{
	struct ik_call_piece piece = {
		.index = ik_decoder_index(item, "index"),
		.id = ik_json_member(item, "id"),
		.name = ik_json_member(function, "name"),
	};

	ik_decoder_call(decoder, &piece, ik_json_member(function, "arguments"));
	tell_extra(decoder, item);
}

/* Handle an element of tool_calls. */
static void take_call(struct ik_stream_decoder *decoder, struct ik_json_span item)
{
	take_function(decoder, item, ik_json_member(item, "function"));
}

/* Handle the delta of a streamed choice, or the message of a complete one. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;
	bool thought = false; /* the same text may arrive in both spellings */
	struct openai_chat_stream_state *state = decoder->state;

	while (ik_json_next(message, &walk, &key, &value)) {
		if (ik_json_span_type(value) == IK_JSON_NULL)
			continue;
		if ((ik_json_string_is(key, "content") || ik_json_string_is(key, "tool_calls")) &&
			says_something(value))
			end_thinking(decoder);
		if (ik_json_string_is(key, "content")) {
			ik_decoder_text(decoder, IK_DELTA_TEXT, value);
			ik_decoder_each(decoder, value, take_part);
		} else if (ik_json_string_is(key, "tool_calls")) {
			ik_decoder_each(decoder, value, take_call);
		} else if (ik_json_string_is(key, IK_CHAT_REASONING_CONTENT) ||
			ik_json_string_is(key, IK_CHAT_REASONING)) {
			if (thought || !ik_decoder_text(decoder, IK_DELTA_THINKING, value))
				continue;
			thought = true;
			state->member = ik_json_string_is(key, IK_CHAT_REASONING) ? IK_CHAT_REASONING
																	  : IK_CHAT_REASONING_CONTENT;
		} else if (ik_json_string_is(key, IK_CHAT_REASONING_DETAILS)) {
			ik_decoder_each(decoder, value, take_detail);
		} else if (ik_json_string_is(key, "refusal")) {
			if (ik_decoder_text(decoder, IK_DELTA_TEXT, value))
				decoder->refused = true;
		} else if (ik_json_string_is(key, "function_call")) {
			take_function(decoder, (struct ik_json_span){ NULL, 0 }, value);
		}
	}
}

static void take_finish_reason(struct ik_stream_decoder *decoder, struct ik_json_span reason)
{
	if (!ik_decoder_has_text(reason))
		return;
	end_thinking(decoder);
	end_details(decoder);
	ik_decoder_stop_name(decoder, reason);
}

/* Handle an element of choices. Only the first was requested. */
static void take_choice(struct ik_stream_decoder *decoder, struct ik_json_span choice)
{
	struct ik_json_span message = ik_json_member(choice, "delta");
	struct ik_json_span error = ik_json_member(choice, "error");

	if (ik_decoder_index(choice, "index") > 0)
		return;
	if (ik_json_span_type(message) != IK_JSON_OBJECT)
		message = ik_json_member(choice, "message");
	take_message(decoder, message);
	ik_decoder_usage(decoder, ik_json_member(choice, "usage"));
	if (error.text && ik_json_span_type(error) != IK_JSON_NULL)
		ik_decoder_error(decoder, choice);
	take_finish_reason(decoder, ik_json_member(choice, "finish_reason"));
}

/* Handle one chunk, or a complete answer. */
static void take_chunk(struct ik_stream_decoder *decoder, struct ik_json_span chunk)
{
	struct ik_json_span choices = ik_json_member(chunk, "choices");
	struct ik_json_span usage = ik_json_member(chunk, "usage");
	struct ik_json_span error = ik_json_member(chunk, "error");
	bool known = ik_json_span_type(choices) == IK_JSON_ARRAY ||
		ik_json_span_type(usage) == IK_JSON_OBJECT;

	ik_decoder_each(decoder, choices, take_choice);
	ik_decoder_usage(decoder, usage);
	/* Some errors have no member "error". */
	if (!known || ik_json_span_type(error) == IK_JSON_OBJECT ||
		ik_json_span_type(error) == IK_JSON_STRING)
		ik_decoder_error(decoder, chunk);
}

static const struct ik_count_name counts[] = {
	{ "prompt_tokens", IK_COUNT_INPUT },
	{ "completion_tokens", IK_COUNT_OUTPUT },
	{ "prompt_tokens_details.cached_tokens", IK_COUNT_CACHED },
	{ "prompt_cache_hit_tokens", IK_COUNT_CACHED },
	{ "completion_tokens_details.reasoning_tokens", IK_COUNT_REASONING },
	{ 0 },
};

static const struct ik_stop_name stops[] = {
	{ "tool_calls", IK_STOP_TOOL_CALLS },
	{ "function_call", IK_STOP_TOOL_CALLS },
	{ "length", IK_STOP_LENGTH },
	{ "max_tokens", IK_STOP_LENGTH },
	{ "content_filter", IK_STOP_REFUSED },
	{ 0 },
};

const struct ik_decoder_rules ik_openai_chat_rules = {
	.state_size = sizeof(struct openai_chat_stream_state),
	.state_done = state_done,
	.take = take_chunk,
	.counts = counts,
	.stops = stops,
};
