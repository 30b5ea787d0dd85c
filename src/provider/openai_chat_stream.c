#include "provider/openai_chat.h"

#include <stdlib.h>
#include <string.h>

#include "provider/call_list.h"
#include "provider/chunk_shape.h"
#include "provider/error.h"
#include "provider/sse.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* What is kept of a body to say what came instead of events. */
#define HEAD_BYTES 400
/* What came is shown in so many bytes. */
#define WORDS_BYTES 120
/* A whole answer is an object; for a web page a title is enough. */
#define PAGE_BYTES IK_LIMIT_ERROR_BODY

enum body_form {
	FORM_UNKNOWN, /* only blanks so far */
	FORM_EVENTS,
	FORM_OBJECT,  /* one JSON text: not streamed, or an error with status 200 */
	FORM_PAGE     /* HTML */
};

/* What one chunk brought, to know whether the next may be read by its shape. */
struct yield {
	int count;                  /* 1: one string, told as kind, and nothing else */
	enum ik_delta_kind kind;
	struct ik_json_span string;
	int64_t index;              /* of the call, for IK_DELTA_ARGUMENTS */
};

struct ik_stream_decoder {
	enum body_form form;
	struct ik_sse sse;
	struct ik_buf body;    /* FORM_OBJECT: all; else the beginning */
	struct ik_buf scratch; /* strings that had to be decoded */
	struct ik_buf repaired;
	struct ik_call_list calls;
	struct ik_chunk_shape shape;
	struct yield yield;    /* of the present chunk */
	struct yield learned;  /* of the one that shape is of */
	bool any_event;
	bool stopped;          /* a finish_reason came */
	bool refused;          /* text of a refusal came */
	bool over;             /* STOP or ERROR was told: nothing more */
	enum ik_stop_reason stop;
	struct ik_error error; /* status: not IK_OK from the first failure on */
	ik_delta_sink *sink;   /* of the present call */
	void *arg;
};

struct ik_stream_decoder *ik_openai_chat_decoder_new(void)
{
	struct ik_stream_decoder *decoder = ik_alloc(sizeof *decoder);

	ik_sse_init(&decoder->sse);
	ik_buf_init(&decoder->body, IK_LIMIT_REPLY);
	ik_buf_init(&decoder->scratch, IK_LIMIT_REPLY);
	ik_buf_init(&decoder->repaired, IK_LIMIT_REPLY * 3);
	ik_call_list_init(&decoder->calls);
	ik_chunk_shape_init(&decoder->shape);
	return decoder;
}

struct ik_stream_decoder *ik_openai_chat_decoder_free(struct ik_stream_decoder *decoder)
{
	if (!decoder)
		return NULL;
	ik_sse_done(&decoder->sse);
	ik_buf_done(&decoder->body);
	ik_buf_done(&decoder->scratch);
	ik_buf_done(&decoder->repaired);
	ik_call_list_done(&decoder->calls);
	ik_chunk_shape_done(&decoder->shape);
	free(decoder);
	return NULL;
}

static void tell(struct ik_stream_decoder *decoder, const struct ik_delta *delta)
{
	decoder->sink(decoder->arg, delta);
}

/* Note that the chunk brought a string in its own words. */
static void note_string(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span string, int64_t index)
{
	decoder->yield.count++;
	decoder->yield.kind = kind;
	decoder->yield.string = string;
	decoder->yield.index = index;
}

/* Note that it brought something else. */
static void note_other(struct ik_stream_decoder *decoder)
{
	decoder->yield.count += 2;
}

/* The first words of what came, for a sentence; valid until the next string. */
static const char *words_of(struct ik_stream_decoder *decoder, const char *bytes, size_t length)
{
	ik_buf_clear(&decoder->scratch);
	ik_error_first_words(bytes, length, WORDS_BYTES, &decoder->scratch);
	return decoder->scratch.data;
}

/* The decoded bytes of a string: in place where nothing is escaped. */
static bool string_bytes(struct ik_stream_decoder *decoder, struct ik_json_span value,
	const char **ret_bytes, size_t *ret_length)
{
	if (ik_json_span_type(value) != IK_JSON_STRING)
		return false;
	if (!memchr(value.text, '\\', value.length)) {
		*ret_bytes = value.text + 1;
		*ret_length = value.length - 2;
		return true;
	}
	ik_buf_clear(&decoder->scratch);
	ik_json_string(value, &decoder->scratch);
	*ret_bytes = decoder->scratch.data;
	*ret_length = decoder->scratch.length;
	return true;
}

/* Tell a piece of text; returns whether there was one. */
static bool tell_text(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span value)
{
	struct ik_delta delta = { .kind = kind };

	if (!string_bytes(decoder, value, &delta.text, &delta.text_length) || !delta.text_length)
		return false;
	note_string(decoder, kind, value, -1);
	tell(decoder, &delta);
	return true;
}

/* Content in parts, as some servers send it: texts, and thinking with texts inside. */
static void take_parts(struct ik_stream_decoder *decoder, enum ik_delta_kind kind,
	struct ik_json_span parts)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, part, inner;

	while (ik_json_next(parts, &walk, &key, &part)) {
		if (ik_json_span_type(part) == IK_JSON_STRING) {
			tell_text(decoder, kind, part);
			continue;
		}
		tell_text(decoder, kind, ik_json_member(part, "text"));
		inner = ik_json_member(part, "thinking");
		if (ik_json_span_type(inner) == IK_JSON_STRING) {
			tell_text(decoder, IK_DELTA_THINKING, inner);
		} else if (ik_json_span_type(inner) == IK_JSON_ARRAY) {
			struct ik_json_walk inside = { 0 };
			struct ik_json_span thought;
			while (ik_json_next(inner, &inside, &key, &thought))
				tell_text(decoder, IK_DELTA_THINKING, ik_json_member(thought, "text"));
		}
	}
}

static void take_piece(struct ik_stream_decoder *decoder, const struct ik_call_piece *piece)
{
	if (!ik_call_list_take(&decoder->calls, piece, decoder->sink, decoder->arg))
		ik_error_set(&decoder->error, IK_INVALID, "%s", _("The reply has too many tool calls."));
}

/* One element of tool_calls, or a function_call of old. */
static void take_call(struct ik_stream_decoder *decoder, struct ik_json_span item,
	struct ik_json_span function)
{
	struct ik_call_piece piece = { .index = -1 };
	struct ik_json_span arguments = ik_json_member(function, "arguments");

	if (!ik_json_integer(ik_json_member(item, "index"), &piece.index))
		piece.index = -1;
	piece.id = ik_json_member(item, "id");
	piece.name = ik_json_member(function, "name");
	if (ik_json_span_type(piece.id) == IK_JSON_STRING ||
	    ik_json_span_type(piece.name) == IK_JSON_STRING)
		note_other(decoder);
	switch (ik_json_span_type(arguments)) {
	case IK_JSON_STRING:
		if (!string_bytes(decoder, arguments, &piece.arguments, &piece.arguments_length))
			return;
		note_string(decoder, IK_DELTA_ARGUMENTS, arguments, piece.index);
		break;
	case IK_JSON_OBJECT:
	case IK_JSON_ARRAY:
		note_other(decoder);
		piece.arguments = arguments.text;
		piece.arguments_length = arguments.length;
		break;
	default:
		break;
	}
	/* An index alone begins nothing. */
	if (piece.id.text || piece.name.text || arguments.text)
		take_piece(decoder, &piece);
}

/* A delta of a streamed choice, or the message of a whole one. */
static void take_message(struct ik_stream_decoder *decoder, struct ik_json_span message)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;
	bool thought = false; /* both spellings may come with the same text */

	while (ik_json_next(message, &walk, &key, &value)) {
		enum ik_json_type type = ik_json_span_type(value);
		if (type == IK_JSON_NULL)
			continue;
		if (ik_json_string_is(key, "content")) {
			if (type == IK_JSON_ARRAY)
				take_parts(decoder, IK_DELTA_TEXT, value);
			else
				tell_text(decoder, IK_DELTA_TEXT, value);
		} else if (ik_json_string_is(key, "tool_calls")) {
			struct ik_json_walk items = { 0 };
			struct ik_json_span item, unused;
			while (ik_json_next(value, &items, &unused, &item))
				take_call(decoder, item, ik_json_member(item, "function"));
		} else if (ik_json_string_is(key, "reasoning_content") ||
			   ik_json_string_is(key, "reasoning")) {
			if (!thought)
				thought = tell_text(decoder, IK_DELTA_THINKING, value);
		} else if (ik_json_string_is(key, "refusal")) {
			if (tell_text(decoder, IK_DELTA_TEXT, value)) {
				decoder->refused = true;
				note_other(decoder);
			}
		} else if (ik_json_string_is(key, "function_call")) {
			take_call(decoder, (struct ik_json_span){ NULL, 0 }, value);
		}
	}
}

static void take_usage(struct ik_stream_decoder *decoder, struct ik_json_span usage)
{
	struct ik_delta delta = { .kind = IK_DELTA_USAGE };

	note_other(decoder);
	if (!ik_json_integer(ik_json_member(usage, "prompt_tokens"), &delta.input_tokens) &&
	    !ik_json_integer(ik_json_member(usage, "completion_tokens"), &delta.output_tokens))
		return;
	ik_json_integer(ik_json_member(usage, "completion_tokens"), &delta.output_tokens);
	if (!ik_json_integer(ik_json_at(usage, "prompt_tokens_details.cached_tokens"),
			&delta.cached_tokens))
		ik_json_integer(ik_json_member(usage, "prompt_cache_hit_tokens"),
			&delta.cached_tokens);
	ik_json_integer(ik_json_at(usage, "completion_tokens_details.reasoning_tokens"),
		&delta.reasoning_tokens);
	tell(decoder, &delta);
}

/* Tell an error that came inside the stream, and that all is over. */
static void take_error(struct ik_stream_decoder *decoder, struct ik_json_span value)
{
	struct ik_delta delta = { .kind = IK_DELTA_ERROR };
	struct ik_buf message, words;
	bool retryable;
	ik_buf_init(&message, IK_LIMIT_ERROR_BODY);
	ik_buf_init(&words, IK_LIMIT_ERROR_BODY);

	if (decoder->over || !ik_error_read(value, 0, &message, &delta.code, &retryable))
		goto done;
	ik_error_first_words(message.data, message.length, 800, &words);
	if (!words.length)
		ik_buf_puts(&words, _("The provider reported an error and did not say which."));
	delta.text = words.data;
	delta.text_length = words.length;
	decoder->over = true;
	tell(decoder, &delta);
done:
	ik_buf_done(&message);
	ik_buf_done(&words);
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
	note_other(decoder);
	decoder->stopped = true;
	decoder->stop = IK_STOP_END;
	for (size_t index = 0; index < sizeof reasons / sizeof *reasons; index++) {
		if (ik_json_string_is(reason, reasons[index].name))
			decoder->stop = reasons[index].stop;
	}
}

/* One element of choices. Others than the first were not asked for. */
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
		take_error(decoder, choice);
	take_finish_reason(decoder, reason);
}

/* One chunk, or a whole answer. */
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
			take_error(decoder, chunk);
		}
	}
	/* Errors without a member "error". */
	if (!known)
		take_error(decoder, chunk);
}

/* The reply is whole: tell what was held back, and why it ended. */
static void complete(struct ik_stream_decoder *decoder)
{
	struct ik_delta delta = { .kind = IK_DELTA_STOP, .stop = decoder->stop };

	ik_call_list_end(&decoder->calls, decoder->sink, decoder->arg);
	/* Servers differ in the word they end a reply with calls with. */
	if (delta.stop == IK_STOP_END && decoder->calls.count)
		delta.stop = IK_STOP_TOOL_CALLS;
	else if (delta.stop == IK_STOP_TOOL_CALLS && !decoder->calls.count)
		delta.stop = IK_STOP_END;
	if (delta.stop == IK_STOP_END && decoder->refused)
		delta.stop = IK_STOP_REFUSED;
	decoder->over = true;
	tell(decoder, &delta);
}

/* Check a JSON text, mending what JSON allows but Unicode does not. */
static bool check_text(struct ik_stream_decoder *decoder, const char *text, size_t length,
	struct ik_json_span *ret_value)
{
	if (ik_json_check(text, length, ret_value, NULL) == IK_OK)
		return true;
	ik_buf_clear(&decoder->repaired);
	ik_json_repair(&decoder->repaired, text, length);
	return ik_buf_status(&decoder->repaired) == IK_OK &&
		ik_json_check(decoder->repaired.data, decoder->repaired.length, ret_value, NULL) == IK_OK;
}

/* A chunk of the same shape as the last: tell its string as that was told. */
static void take_string(struct ik_stream_decoder *decoder, struct ik_json_span string)
{
	struct ik_call_piece piece = { .index = decoder->learned.index };

	if (decoder->learned.kind != IK_DELTA_ARGUMENTS)
		tell_text(decoder, decoder->learned.kind, string);
	else if (string_bytes(decoder, string, &piece.arguments, &piece.arguments_length))
		take_piece(decoder, &piece);
}

static void take_event(void *arg, const char *event, const char *data, size_t length)
{
	struct ik_stream_decoder *decoder = arg;
	bool is_error = ik_text_equal(event, "error");
	struct ik_json_span value;

	decoder->any_event = true;
	if (decoder->over || decoder->error.status != IK_OK)
		return;
	while (length && data[length - 1] == ' ')
		length--;
	if (length == 6 && memcmp(data, "[DONE]", 6) == 0) {
		complete(decoder);
		return;
	}
	if (!length)
		return;
	if (!is_error && ik_chunk_shape_match(&decoder->shape, data, length, &value)) {
		take_string(decoder, value);
	} else if (check_text(decoder, data, length, &value)) {
		decoder->yield.count = 0;
		take_chunk(decoder, value);
		/* A repaired chunk lies elsewhere: its shape is not the stream's. */
		if (decoder->yield.count == 1 && value.text >= data && value.text < data + length) {
			decoder->learned = decoder->yield;
			ik_chunk_shape_learn(&decoder->shape, data, length, decoder->yield.string);
		}
	} else if (!is_error && !decoder->stopped) {
		/* Behind its stop the reply is whole, whatever else comes. */
		ik_error_set(&decoder->error, IK_INVALID,
			_("The provider sent something that is no JSON: %s"),
			words_of(decoder, data, length));
	}
	if (is_error && !decoder->over) {
		struct ik_delta delta = { .kind = IK_DELTA_ERROR, .code = "PROVIDER" };
		delta.text = words_of(decoder, data, length);
		delta.text_length = strlen(delta.text);
		decoder->over = true;
		tell(decoder, &delta);
	}
}

/* Tell by the first character what the body is. */
static void find_form(struct ik_stream_decoder *decoder, const char *bytes, size_t length)
{
	for (size_t at = 0; at < length && decoder->form == FORM_UNKNOWN; at++) {
		switch (bytes[at]) {
		case ' ': case '\t': case '\r': case '\n':
		case '\xef': case '\xbb': case '\xbf': /* the bytes of a BOM */
			break;
		case '{': case '[':
			decoder->form = FORM_OBJECT;
			break;
		case '<':
			decoder->form = FORM_PAGE;
			break;
		default:
			decoder->form = FORM_EVENTS;
			break;
		}
	}
}

enum ik_status ik_openai_chat_feed(struct ik_stream_decoder *decoder, const char *bytes,
	size_t length, ik_delta_sink *sink, void *arg, struct ik_error *error)
{
	size_t keep = HEAD_BYTES;

	if (decoder->error.status == IK_OK && !decoder->over) {
		decoder->sink = sink;
		decoder->arg = arg;
		find_form(decoder, bytes, length);
		if (decoder->form == FORM_OBJECT)
			keep = IK_LIMIT_REPLY + 1;
		else if (decoder->form == FORM_PAGE)
			keep = PAGE_BYTES;
		if (decoder->body.length < keep) {
			size_t room = keep - decoder->body.length;
			ik_buf_append(&decoder->body, bytes, length < room ? length : room);
		}
		if (ik_buf_status(&decoder->body) != IK_OK ||
		    (decoder->form <= FORM_EVENTS &&
		     ik_sse_feed(&decoder->sse, bytes, length, take_event, decoder) != IK_OK))
			ik_error_set(&decoder->error, IK_INVALID, "%s",
				_("The provider sent one event that is too large."));
	}
	if (decoder->error.status != IK_OK && error)
		*error = decoder->error;
	return decoder->error.status;
}

/* The end of a body that was no stream of events. */
static void finish_body(struct ik_stream_decoder *decoder)
{
	const char *body = decoder->body.data;
	size_t length = decoder->body.length;
	struct ik_json_span value;

	if (decoder->form == FORM_PAGE) {
		ik_buf_clear(&decoder->scratch);
		ik_error_page_words(body, length, &decoder->scratch);
		ik_error_set(&decoder->error, IK_INVALID, _("The provider answered with a web page "
			"(%s): is the base URL right?"), decoder->scratch.data);
		return;
	}
	if (decoder->form != FORM_OBJECT) {
		ik_error_set(&decoder->error, IK_INVALID,
			_("The provider answered with something that is no reply: %s"),
			words_of(decoder, body, length));
		return;
	}
	if (length >= 3 && memcmp(body, "\xef\xbb\xbf", 3) == 0) {
		body += 3;
		length -= 3;
	}
	if (!check_text(decoder, body, length, &value)) {
		ik_error_set(&decoder->error, IK_INVALID,
			_("The provider answered with broken JSON: %s"),
			words_of(decoder, body, length));
		return;
	}
	if (ik_json_span_type(value) == IK_JSON_ARRAY)
		value = ik_json_at(value, "0");
	take_chunk(decoder, value);
	if (decoder->over || decoder->error.status != IK_OK)
		return;
	if (decoder->stopped)
		complete(decoder);
	else
		ik_error_set(&decoder->error, IK_INVALID,
			_("The provider answered with something that is no reply: %s"),
			words_of(decoder, body, length));
}

/* Does a body without a whole event begin as a stream of events does? */
static bool has_field(const struct ik_stream_decoder *decoder)
{
	return decoder->form == FORM_EVENTS &&
		(decoder->body.data[0] == ':' || ik_text_starts(decoder->body.data, "data:") ||
		 ik_text_starts(decoder->body.data, "event:"));
}

enum ik_status ik_openai_chat_finish(struct ik_stream_decoder *decoder, ik_delta_sink *sink,
	void *arg, struct ik_error *error)
{
	decoder->sink = sink;
	decoder->arg = arg;
	if (decoder->error.status == IK_OK && !decoder->over) {
		if (decoder->stopped)
			complete(decoder);
		else if (decoder->any_event || has_field(decoder))
			ik_error_set(&decoder->error, IK_UNAVAILABLE, "%s",
				_("The reply ended before it was complete."));
		else if (decoder->form == FORM_UNKNOWN)
			ik_error_set(&decoder->error, IK_UNAVAILABLE, "%s",
				_("The provider sent an empty answer."));
		else
			finish_body(decoder);
	}
	if (decoder->error.status != IK_OK && error)
		*error = decoder->error;
	return decoder->error.status;
}
