#include "provider/practice.h"

#include <stdlib.h>
#include <string.h>

#include "provider/openai/openai_chat.h"
#include "provider/practice_rules.h"
#include "provider/wire/script.h"
#include "provider/wire/transcript.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Words streamed at a time. */
#define WORDS_A_PIECE 3
#define ARGUMENT_BYTES_A_PIECE 16
/* Limit for "read every *" in a large tree. */
#define FILES_MAX 32
#define ANSWER_LIMIT IK_MIB(16)

/* What has happened since the user last spoke. */
struct exchange {
	const struct ik_request *request;
	char *user; /* the user's message */
	size_t user_length;
	const struct ik_message **calls;   /* in order, each */
	const struct ik_message **results; /* result of each; NULL: none */
	size_t count, capacity;
	size_t calls_before; /* in the whole conversation, to make new ids */
	int64_t words;       /* in everything that was said */
};

struct practice_writer {
	struct ik_script *script;
	int64_t words;
	int call;       /* index of the next call in this reply */
	size_t call_id; /* number of the next call in the conversation */
};

/* Count the words of a text. */
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

/* Stream a text, a few words at a time. */
static void put_words(struct practice_writer *writer, enum ik_delta_kind kind, const char *text,
	size_t length)
{
	writer->words += count_words(text, length);
	for (size_t at = 0; at < length;) {
		size_t end = at;

		for (int word = 0; word < WORDS_A_PIECE && end < length; word++) {
			while (end < length && strchr(" \n", text[end]))
				end++;
			while (end < length && !strchr(" \n", text[end]))
				end++;
		}
		ik_script_add(writer->script,
			&(struct ik_delta){ .kind = kind, .text = text + at, .text_length = end - at });
		at = end;
	}
}

static void put_text(struct practice_writer *writer, const char *text)
{
	put_words(writer, IK_DELTA_TEXT, text, strlen(text));
}

/* Stream a call: first its id and name, then its arguments in pieces. */
static void put_call(struct practice_writer *writer, const char *tool, const char *arguments)
{
	size_t length = strlen(arguments);
	char *id = ik_format("call_%zu", writer->call_id++);

	writer->words += count_words(arguments, length);
	ik_script_add(writer->script,
		&(struct ik_delta){ .kind = IK_DELTA_CALL, .slot = writer->call, .id = id, .name = tool });
	free(id);
	for (size_t at = 0, end; at < length; at = end) {
		end = ik_utf8_cut(arguments, length,
			length - at < ARGUMENT_BYTES_A_PIECE ? length : at + ARGUMENT_BYTES_A_PIECE);
		ik_script_add(writer->script,
			&(struct ik_delta){ .kind = IK_DELTA_ARGUMENTS,
				.slot = writer->call,
				.text = arguments + at,
				.text_length = end - at });
	}
	writer->call++;
}

/* The last deltas: usage and stop reason. */
static void put_end(struct practice_writer *writer, int64_t input_words)
{
	ik_script_add(writer->script,
		&(struct ik_delta){
			.kind = IK_DELTA_USAGE, .input_tokens = input_words, .output_tokens = writer->words });
	ik_script_add(writer->script,
		&(struct ik_delta){
			.kind = IK_DELTA_STOP, .stop = writer->call ? IK_STOP_TOOL_CALLS : IK_STOP_END });
}

/* Return the envelope of a result (NULL: none), in new memory. */
static char *envelope_of(const struct ik_message *result, size_t *ret_length)
{
	char *envelope = result ? ik_message_envelope(result, ret_length) : NULL;
	struct ik_buf lost;

	if (envelope)
		return envelope;
	ik_buf_init(&lost, IK_KIB(4));
	ik_pairing_lost_envelope(&lost);
	return ik_buf_take(&lost, ret_length);
}

/* A message from the user: what came before no longer matters. */
static void read_user(struct exchange *exchange, const struct ik_message *message)
{
	free(exchange->user);
	exchange->user = ik_strndup(message->content, message->content_length);
	exchange->user_length = message->content_length;
	exchange->count = 0;
	exchange->words += count_words(message->content, message->content_length);
}

static void read_results(struct exchange *exchange, const struct ik_passage *passage)
{
	for (size_t index = 0; index < passage->count; index++) {
		size_t length;
		char *envelope = envelope_of(passage->messages[index], &length);

		exchange->words += count_words(envelope, length);
		free(envelope);
		if (exchange->count == exchange->capacity) {
			exchange->capacity = exchange->capacity * 2 + 8;
			exchange->calls = ik_alloc_array(exchange->calls, exchange->capacity,
				sizeof(*exchange->calls));
			exchange->results = ik_alloc_array(exchange->results, exchange->capacity,
				sizeof(*exchange->results));
		}
		exchange->calls[exchange->count] = passage->calls[index];
		exchange->results[exchange->count++] = passage->messages[index];
	}
	exchange->calls_before += passage->count;
}

/* Read the conversation. */
static void read_request(struct exchange *exchange)
{
	const char *prompt = exchange->request->system_prompt;
	struct ik_transcript transcript;
	struct ik_passage passage;

	exchange->words = prompt ? count_words(prompt, strlen(prompt)) : 0;
	ik_transcript_init(&transcript, exchange->request->conversation);
	while (ik_transcript_next(&transcript, &passage)) {
		if (passage.kind == IK_PASSAGE_USER)
			read_user(exchange, passage.messages[0]);
		else if (passage.kind == IK_PASSAGE_RESULTS)
			read_results(exchange, &passage);
		for (size_t index = 0; passage.kind == IK_PASSAGE_ASSISTANT && index < passage.count;
			 index++) {
			const struct ik_message *message = passage.messages[index];

			if (message->kind == IK_KIND_ASSISTANT)
				exchange->words += count_words(message->content, message->content_length);
		}
	}
	ik_transcript_done(&transcript);
}

static bool is_offered(const struct exchange *exchange, const char *tool)
{
	for (size_t index = 0; index < exchange->request->tool_count; index++) {
		if (ik_text_equal(exchange->request->tools[index].name, tool))
			return true;
	}
	return false;
}

/* Say that a call is impossible, and why. */
static void put_no_call(struct practice_writer *writer, const struct ik_request *request,
	const char *tool)
{
	struct ik_buf text;

	ik_buf_init(&text, ANSWER_LIMIT);
	if (request->forbid_calls) {
		ik_buf_printf(&text,
			_("I would call the tool `%s`, but no call is allowed in this "
			  "round.\n"),
			tool);
	} else {
		ik_buf_printf(&text, _("I would call the tool `%s`, but it is not offered to me. "), tool);
		ik_buf_puts(&text, request->tool_count ? _("Those that are: ") : _("No tool is.\n"));
		for (size_t index = 0; index < request->tool_count; index++)
			ik_buf_printf(&text, "%s`%s`%s", index ? ", " : "", request->tools[index].name,
				index + 1 < request->tool_count ? "" : ".\n");
	}
	put_text(writer, text.data);
	ik_buf_done(&text);
}

/* Second round of "read every": a call for each file that was found. Return false if there is
 * nothing to read. */
static bool put_reads(struct practice_writer *writer, const struct exchange *exchange)
{
	size_t length, count = 0;
	char *envelope = envelope_of(exchange->results[0], &length);
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

/* Describe every result since the user's message. */
static void put_results(struct practice_writer *writer, const struct exchange *exchange,
	enum ik_practice_rule rule)
{
	struct ik_buf text;
	bool many = rule == IK_PRACTICE_READ_EVERY && exchange->count > 1;

	ik_buf_init(&text, ANSWER_LIMIT);
	if (many) {
		size_t files = exchange->count - 1;

		ik_buf_printf(&text,
			ngettext("I have read %zu file:\n\n", "I have read %zu files:\n\n", files), files);
	}
	for (size_t index = many ? 1 : 0; index < exchange->count; index++) {
		size_t length, arguments_length = 0;
		char *tool = ik_message_tool_name(exchange->calls[index]);
		char *written = ik_message_arguments(exchange->calls[index], &arguments_length);
		char *envelope = envelope_of(exchange->results[index], &length);
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
	put_words(writer, IK_DELTA_TEXT, text.data, text.length);
	ik_buf_done(&text);
}

/* "stream N": that many words, in paragraphs. */
static void put_stream(struct practice_writer *writer, int64_t count)
{
	static const char *const vocabulary[] = { "water", "runs", "past", "the", "old", "mill", "and",
		"nobody", "counts", "its", "turns;", "slowly", "the", "wheel", "goes", "round." };
	size_t words = sizeof(vocabulary) / sizeof(*vocabulary);
	struct ik_buf text;

	ik_buf_init(&text, ANSWER_LIMIT);
	for (int64_t word = 0; word < count; word++) {
		if (word)
			ik_buf_puts(&text, word % 96 ? " " : "\n\n");
		ik_buf_puts(&text, vocabulary[(size_t)word % words]);
	}
	put_words(writer, IK_DELTA_TEXT, text.data, text.length);
	ik_buf_done(&text);
}

/* "think": thoughts, then words. */
static void put_thoughts(struct practice_writer *writer, const char *subject)
{
	char *thoughts = ik_format(_("The person wants me to think about %s. I have no mind, "
								 "only rules, so there is nothing to weigh. I shall say so."),
		*subject ? subject : _("nothing"));

	put_words(writer, IK_DELTA_THINKING, thoughts, strlen(thoughts));
	put_text(writer, _("I have thought about it, as far as fixed rules can.\n"));
	free(thoughts);
}

/* Decide on the reply and write it. */
static void put_reply(struct practice_writer *writer, const struct exchange *exchange)
{
	const struct ik_request *request = exchange->request;
	struct ik_practice_order order;

	ik_practice_order_read(exchange->user ? exchange->user : "", exchange->user_length, &order);
	if (exchange->count) {
		bool second_round = order.rule == IK_PRACTICE_READ_EVERY && exchange->count == 1;

		if (second_round && !request->forbid_calls && !is_offered(exchange, "file_read"))
			put_no_call(writer, request, "file_read");
		else if (!second_round || request->forbid_calls || !put_reads(writer, exchange))
			put_results(writer, exchange, order.rule);
	} else if (order.tool && (request->forbid_calls || !is_offered(exchange, order.tool))) {
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

/* Write the complete reply to a request. */
static void write_reply(const struct ik_request *request, struct ik_script *ret_script)
{
	struct exchange exchange = { .request = request };
	struct practice_writer writer = { .script = ret_script };

	read_request(&exchange);
	writer.call_id = exchange.calls_before + 1;
	put_reply(&writer, &exchange);
	put_end(&writer, exchange.words);
	free(exchange.user);
	free(exchange.calls);
	free(exchange.results);
}

const struct ik_wire_format ik_practice_format = {
	.type = "practice",
	.put_tool = ik_openai_chat_put_tool,
	.answer = write_reply,
};
