#include "provider/practice.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "provider/practice_rules.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* So much of a text is streamed at a time. */
#define WORDS_A_CHUNK 3
#define ARGUMENT_BYTES_A_CHUNK 16
/* "read every *" in a large tree. */
#define FILES_MAX 32
#define ANSWER_LIMIT IK_MIB(16)

/* What has happened since the person last spoke. */
struct exchange {
	struct ik_json_span *calls;   /* elements of tool_calls, in order */
	size_t call_count;
	struct ik_json_span *results; /* messages of role "tool" */
	size_t result_count;
	size_t calls_before;          /* in the whole conversation, for new ids */
	char *user;                   /* what the person said; NULL: nothing */
	size_t user_length;
};

struct request {
	struct ik_json_span tools;
	bool forbid_calls;
	struct exchange exchange;
	int64_t words;
};

struct writer {
	struct ik_practice_answer *answer;
	size_t capacity;
	int64_t words;
	int call;        /* index of the next call in this reply */
	size_t call_id;  /* number of the next call in the conversation */
};

/* Number of words of a text. */
static int64_t count_words(const char *text, size_t length)
{
	int64_t words = 0;
	bool inside = false;

	for (size_t at = 0; at < length; at++) {
		bool blank = strchr(" \t\r\n", text[at]) && text[at];
		words += !blank && !inside;
		inside = !blank;
	}
	return words;
}

/* Add a chunk: "data: ", body, and an empty line. */
static void add_event(struct writer *writer, const char *data, size_t length)
{
	struct ik_practice_answer *answer = writer->answer;

	if (answer->count == writer->capacity) {
		writer->capacity = writer->capacity * 2 + 32;
		answer->chunks = ik_alloc_array(answer->chunks, writer->capacity,
			sizeof *answer->chunks);
	}
	answer->chunks[answer->count++] = ik_format("data: %.*s\n\n", (int)length, data);
}

static void open_chunk(struct ik_buf *out)
{
	ik_buf_init(out, ANSWER_LIMIT);
	ik_json_open(out, '{');
	ik_json_key(out, "id");
	ik_json_put_text(out, "chatcmpl-practice");
	ik_json_key(out, "object");
	ik_json_put_text(out, "chat.completion.chunk");
	ik_json_key(out, "created");
	ik_json_put_integer(out, 0);
	ik_json_key(out, "model");
	ik_json_put_text(out, IK_PRACTICE_MODEL);
	ik_json_key(out, "choices");
	ik_json_open(out, '[');
}

/* End what open_chunk() began, add it, release it. */
static void close_chunk(struct writer *writer, struct ik_buf *out)
{
	ik_json_close(out, '}');
	if (ik_buf_status(out) == IK_OK)
		add_event(writer, out->data, out->length);
	ik_buf_done(out);
}

static void open_delta(struct ik_buf *out)
{
	open_chunk(out);
	ik_json_open(out, '{');
	ik_json_key(out, "index");
	ik_json_put_integer(out, 0);
	ik_json_key(out, "delta");
	ik_json_open(out, '{');
}

static void close_delta(struct writer *writer, struct ik_buf *out, const char *finish_reason)
{
	ik_json_close(out, '}');
	ik_json_key(out, "finish_reason");
	ik_json_put_text(out, finish_reason);
	ik_json_close(out, '}');
	ik_json_close(out, ']');
	close_chunk(writer, out);
}

static void put_begin(struct writer *writer)
{
	struct ik_buf out;

	open_delta(&out);
	ik_json_key(&out, "role");
	ik_json_put_text(&out, "assistant");
	ik_json_key(&out, "content");
	ik_json_put_text(&out, "");
	close_delta(writer, &out, NULL);
}

/* Stream a text a few words at a time, as content or reasoning_content. */
static void put_words(struct writer *writer, const char *member, const char *text, size_t length)
{
	writer->words += count_words(text, length);
	for (size_t at = 0; at < length;) {
		size_t end = at;
		for (int word = 0; word < WORDS_A_CHUNK && end < length; word++) {
			while (end < length && strchr(" \n", text[end]))
				end++;
			while (end < length && !strchr(" \n", text[end]))
				end++;
		}
		struct ik_buf out;
		open_delta(&out);
		ik_json_key(&out, member);
		ik_json_put_string(&out, text + at, end - at);
		close_delta(writer, &out, NULL);
		at = end;
	}
}

static void put_text(struct writer *writer, const char *text)
{
	put_words(writer, "content", text, strlen(text));
}

/* Stream a call: first its id and name, then its arguments in pieces. */
static void put_call(struct writer *writer, const char *tool, const char *arguments)
{
	size_t length = strlen(arguments), at = 0;
	bool first = true;

	writer->words += count_words(arguments, length);
	while (first || at < length) {
		size_t end = first ? 0 : ik_utf8_cut(arguments, length,
			length - at < ARGUMENT_BYTES_A_CHUNK ? length : at + ARGUMENT_BYTES_A_CHUNK);
		struct ik_buf out;
		open_delta(&out);
		ik_json_key(&out, "tool_calls");
		ik_json_open(&out, '[');
		ik_json_open(&out, '{');
		ik_json_key(&out, "index");
		ik_json_put_integer(&out, writer->call);
		if (first) {
			char *id = ik_format("call_%zu", writer->call_id);
			ik_json_key(&out, "id");
			ik_json_put_text(&out, id);
			free(id);
			ik_json_key(&out, "type");
			ik_json_put_text(&out, "function");
		}
		ik_json_key(&out, "function");
		ik_json_open(&out, '{');
		if (first) {
			ik_json_key(&out, "name");
			ik_json_put_text(&out, tool);
		}
		ik_json_key(&out, "arguments");
		ik_json_put_string(&out, arguments + at, end - at);
		ik_json_close(&out, '}');
		ik_json_close(&out, '}');
		ik_json_close(&out, ']');
		close_delta(writer, &out, NULL);
		at = end;
		first = false;
	}
	writer->call++;
	writer->call_id++;
}

/* The last chunks: why it ended, the usage, the mark of the end. */
static void put_end(struct writer *writer, int64_t input_words)
{
	struct ik_buf out;

	open_delta(&out);
	close_delta(writer, &out, writer->call ? "tool_calls" : "stop");
	open_chunk(&out);
	ik_json_close(&out, ']');
	ik_json_key(&out, "usage");
	ik_json_open(&out, '{');
	ik_json_key(&out, "prompt_tokens");
	ik_json_put_integer(&out, input_words);
	ik_json_key(&out, "completion_tokens");
	ik_json_put_integer(&out, writer->words);
	ik_json_key(&out, "total_tokens");
	ik_json_put_integer(&out, input_words + writer->words);
	ik_json_close(&out, '}');
	close_chunk(writer, &out);
	add_event(writer, "[DONE]", 6);
}

/* The text of a message, whether a string or parts; in new memory. */
static char *message_text(struct ik_json_span message, size_t *ret_length)
{
	struct ik_json_span content = ik_json_member(message, "content");
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, part;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_REQUEST);
	if (!ik_json_string(content, &text) && ik_json_span_type(content) == IK_JSON_ARRAY) {
		while (ik_json_next(content, &walk, &key, &part))
			ik_json_string(ik_json_member(part, "text"), &text);
	}
	return ik_buf_take(&text, ret_length);
}

static void add_span(struct ik_json_span **array, size_t *count, struct ik_json_span value)
{
	/* A power of two is full. */
	if ((*count & (*count - 1)) == 0)
		*array = ik_alloc_array(*array, *count ? *count * 2 : 1, sizeof **array);
	(*array)[(*count)++] = value;
}

static void forget_round(struct exchange *exchange)
{
	free(exchange->calls);
	free(exchange->results);
	free(exchange->user);
	exchange->calls = exchange->results = NULL;
	exchange->user = NULL;
	exchange->call_count = exchange->result_count = 0;
}

/* Take in one message of the request. */
static void read_message(struct request *request, struct ik_json_span message)
{
	struct exchange *exchange = &request->exchange;
	struct ik_json_span role = ik_json_member(message, "role");
	size_t length;
	char *text = message_text(message, &length);

	request->words += count_words(text, length);
	if (ik_json_string_is(role, "user")) {
		forget_round(exchange);
		exchange->user = text;
		exchange->user_length = length;
		return;
	}
	if (ik_json_string_is(role, "tool")) {
		add_span(&exchange->results, &exchange->result_count, message);
	} else if (ik_json_string_is(role, "assistant")) {
		struct ik_json_span calls = ik_json_member(message, "tool_calls");
		struct ik_json_walk walk = { 0 };
		struct ik_json_span key, call;
		while (ik_json_span_type(calls) == IK_JSON_ARRAY &&
		       ik_json_next(calls, &walk, &key, &call)) {
			exchange->calls_before++;
			add_span(&exchange->calls, &exchange->call_count, call);
		}
	}
	free(text);
}

/* Read a request; false when it is none. */
static bool read_request(const char *body, size_t length, struct request *request,
	struct ik_error *error)
{
	struct ik_json_span value, messages, key, message;
	struct ik_json_walk walk = { 0 };

	if (ik_json_check(body, length, &value, error) != IK_OK)
		return false;
	messages = ik_json_member(value, "messages");
	if (ik_json_span_type(messages) != IK_JSON_ARRAY) {
		ik_error_set(error, IK_INVALID, "%s", _("The request has no list of messages."));
		return false;
	}
	while (ik_json_next(messages, &walk, &key, &message))
		read_message(request, message);
	request->tools = ik_json_member(value, "tools");
	request->forbid_calls = ik_json_string_is(ik_json_member(value, "tool_choice"), "none");
	return true;
}

static bool is_offered(const struct request *request, const char *tool)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;

	while (ik_json_span_type(request->tools) == IK_JSON_ARRAY &&
	       ik_json_next(request->tools, &walk, &key, &value)) {
		if (ik_json_string_is(ik_json_at(value, "function.name"), tool))
			return true;
	}
	return false;
}

/* Say that a call is not possible, and why. */
static void put_no_call(struct writer *writer, const struct request *request, const char *tool)
{
	struct ik_buf text;
	struct ik_json_walk walk = { 0 };
	struct ik_json_span key, value;
	const char *comma = "";

	ik_buf_init(&text, ANSWER_LIMIT);
	if (request->forbid_calls) {
		ik_buf_printf(&text, _("I would call the tool `%s`, but no call is allowed in this "
			"round.\n"), tool);
	} else {
		ik_buf_printf(&text, _("I would call the tool `%s`, but it is not offered to me. "), tool);
		if (!ik_json_count(request->tools)) {
			ik_buf_puts(&text, _("No tool is.\n"));
		} else {
			ik_buf_puts(&text, _("Those that are: "));
			while (ik_json_next(request->tools, &walk, &key, &value)) {
				ik_buf_printf(&text, "%s`", comma);
				ik_json_string(ik_json_at(value, "function.name"), &text);
				ik_buf_putc(&text, '`');
				comma = ", ";
			}
			ik_buf_puts(&text, ".\n");
		}
	}
	put_text(writer, text.data);
	ik_buf_done(&text);
}

/* The call that a result answers. */
static struct ik_json_span call_of(const struct exchange *exchange, struct ik_json_span result)
{
	char *id = ik_json_string_new(ik_json_member(result, "tool_call_id"), NULL);
	struct ik_json_span found = { NULL, 0 };

	for (size_t index = 0; id && index < exchange->call_count; index++) {
		if (ik_json_string_is(ik_json_member(exchange->calls[index], "id"), id))
			found = exchange->calls[index];
	}
	free(id);
	return found;
}

/* Second round of "read every": a call for each file that was found. False when
 * there is nothing to read. */
static bool put_reads(struct writer *writer, const struct exchange *exchange)
{
	size_t length, count = 0;
	char *envelope = message_text(exchange->results[0], &length);
	struct ik_json_span value;
	char *list = NULL;
	size_t list_length = 0;

	if (ik_json_check(envelope, length, &value, NULL) == IK_OK)
		list = ik_json_string_new(ik_json_at(value, "result.output"), &list_length);
	for (size_t at = 0; list && at < list_length && count < FILES_MAX; count++) {
		const char *end = memchr(list + at, '\n', list_length - at);
		size_t line = end ? (size_t)(end - list) - at : list_length - at;
		struct ik_buf arguments;
		ik_buf_init(&arguments, IK_MIB(1));
		ik_practice_read_arguments(&arguments, list + at, line);
		put_call(writer, "file_read", arguments.data);
		ik_buf_done(&arguments);
		at += line + 1;
	}
	free(list);
	free(envelope);
	return count > 0;
}

/* Speak of every result since the person's message. */
static void put_results(struct writer *writer, const struct exchange *exchange,
	enum ik_practice_rule rule)
{
	struct ik_buf text;
	bool many = rule == IK_PRACTICE_READ_EVERY && exchange->result_count > 1;

	ik_buf_init(&text, ANSWER_LIMIT);
	if (many) {
		size_t files = exchange->result_count - 1;
		ik_buf_printf(&text, ngettext("I have read %zu file:\n\n", "I have read %zu files:\n\n",
			files), files);
	}
	for (size_t index = many ? 1 : 0; index < exchange->result_count; index++) {
		struct ik_json_span function = ik_json_member(
			call_of(exchange, exchange->results[index]), "function");
		size_t length, arguments_length = 0;
		char *tool = ik_json_string_new(ik_json_member(function, "name"), NULL);
		char *written = ik_json_string_new(ik_json_member(function, "arguments"),
			&arguments_length);
		char *envelope = message_text(exchange->results[index], &length);
		struct ik_json_span arguments = { NULL, 0 };
		if (written && ik_json_check(written, arguments_length, &arguments, NULL) != IK_OK)
			arguments = (struct ik_json_span){ NULL, 0 };
		if (many)
			ik_practice_describe_file(&text, arguments, envelope, length);
		else
			ik_practice_describe(&text, tool ? tool : "?", arguments, envelope, length);
		free(tool);
		free(written);
		free(envelope);
	}
	put_words(writer, "content", text.data, text.length);
	ik_buf_done(&text);
}

/* "stream N": that many words, in paragraphs. */
static void put_stream(struct writer *writer, int64_t count)
{
	static const char *const vocabulary[] = {
		"water", "runs", "past", "the", "old", "mill", "and", "nobody", "counts", "its",
		"turns;", "slowly", "the", "wheel", "goes", "round."
	};
	size_t words = sizeof vocabulary / sizeof *vocabulary;
	struct ik_buf text;

	ik_buf_init(&text, ANSWER_LIMIT);
	for (int64_t word = 0; word < count; word++) {
		if (word)
			ik_buf_puts(&text, word % 96 ? " " : "\n\n");
		ik_buf_puts(&text, vocabulary[(size_t)word % words]);
	}
	put_words(writer, "content", text.data, text.length);
	ik_buf_done(&text);
}

/* "think": thoughts, then words. */
static void put_thoughts(struct writer *writer, const char *subject)
{
	char *thoughts = ik_format(_("The person wants me to think about %s. I have no mind, "
		"only rules, so there is nothing to weigh. I shall say so."),
		*subject ? subject : _("nothing"));

	put_words(writer, "reasoning_content", thoughts, strlen(thoughts));
	put_text(writer, _("I have thought about it, as far as fixed rules can.\n"));
	free(thoughts);
}

/* Decide and write the reply. */
static void put_reply(struct writer *writer, const struct request *request)
{
	const struct exchange *exchange = &request->exchange;
	struct ik_practice_order order;

	ik_practice_order_read(exchange->user ? exchange->user : "", exchange->user_length, &order);
	if (exchange->result_count) {
		bool second_round = order.rule == IK_PRACTICE_READ_EVERY &&
			exchange->result_count == 1;
		if (second_round && !request->forbid_calls && !is_offered(request, "file_read"))
			put_no_call(writer, request, "file_read");
		else if (!second_round || request->forbid_calls || !put_reads(writer, exchange))
			put_results(writer, exchange, order.rule);
	} else if (order.tool && (request->forbid_calls || !is_offered(request, order.tool))) {
		put_no_call(writer, request, order.tool);
	} else if (order.tool) {
		put_call(writer, order.tool, order.arguments);
	} else if (order.rule == IK_PRACTICE_STREAM) {
		put_stream(writer, order.number);
	} else if (order.rule == IK_PRACTICE_THINK) {
		put_thoughts(writer, order.subject);
	} else {
		put_text(writer, ik_practice_help());
	}
	ik_practice_order_done(&order);
}

void ik_practice_answer(const char *body, size_t length, struct ik_practice_answer *ret_answer)
{
	struct request request = { .words = 0 };
	struct writer writer = { .answer = ret_answer };
	struct ik_error error;

	memset(ret_answer, 0, sizeof *ret_answer);
	if (!read_request(body, length, &request, &error)) {
		struct ik_buf out;
		ret_answer->status = 400;
		ik_buf_init(&out, IK_KIB(16));
		ik_json_open(&out, '{');
		ik_json_key(&out, "error");
		ik_json_open(&out, '{');
		ik_json_key(&out, "message");
		ik_json_put_text(&out, error.text);
		ik_json_key(&out, "type");
		ik_json_put_text(&out, "invalid_request_error");
		ik_json_close(&out, '}');
		ik_json_close(&out, '}');
		ret_answer->chunks = ik_alloc_array(NULL, 1, sizeof *ret_answer->chunks);
		ret_answer->chunks[ret_answer->count++] = ik_buf_take(&out, NULL);
		return;
	}
	ret_answer->status = 200;
	writer.call_id = request.exchange.calls_before + 1;
	put_begin(&writer);
	put_reply(&writer, &request);
	put_end(&writer, request.words);
	forget_round(&request.exchange);
}

void ik_practice_models(struct ik_practice_answer *ret_answer)
{
	memset(ret_answer, 0, sizeof *ret_answer);
	ret_answer->status = 200;
	ret_answer->chunks = ik_alloc_array(NULL, 1, sizeof *ret_answer->chunks);
	ret_answer->chunks[ret_answer->count++] = ik_strdup("{\"object\":\"list\",\"data\":"
		"[{\"id\":\"" IK_PRACTICE_MODEL "\",\"object\":\"model\"}]}");
}

void ik_practice_answer_done(struct ik_practice_answer *answer)
{
	for (size_t index = 0; index < answer->count; index++)
		free(answer->chunks[index]);
	free(answer->chunks);
	memset(answer, 0, sizeof *answer);
}
