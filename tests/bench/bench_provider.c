/*
 * bench_provider: the pure parts of talking to a provider.
 *
 *     bench_provider decode RUNS      each decoder on a long stream like recorded ones
 *     bench_provider serialize RUNS   the request of a conversation of 1,000 messages: all of it,
 *                                     and the next one
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "provider/formats.h"
#include "provider/wire/decoder.h"
#include "util/limits.h"

#define STREAM_BYTES IK_MIB(16)
/* What libcurl hands over at a time. */
#define PIECE IK_KIB(16)
#define MOST_RUNS 1000

static void fail(const char *what)
{
	fprintf(stderr, "bench_provider: %s\n", what);
	exit(1);
}

/* ---- decode ---- */

/* A stream of each format: its beginning, an event for each word ($, whose number is #), its end. */
static const struct stream {
	const char *type;
	const char *first;
	const char *word;
	const char *last;
} streams[] = {
	{ "openai-chat", "data: {\"id\":\"chatcmpl-C7a1\",\"object\":\"chat.completion.chunk\","
		"\"created\":1753900000,\"model\":\"gpt-4.1-mini-2025-04-14\",\"choices\":[{\"index\":0,"
		"\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n",
		"data: {\"id\":\"chatcmpl-C7a1\",\"object\":\"chat.completion.chunk\",\"created\":1753900000,"
		"\"model\":\"gpt-4.1-mini-2025-04-14\",\"service_tier\":\"default\",\"system_fingerprint\":"
		"\"fp_6f2eabb9a5\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"$\"},\"logprobs\":null,"
		"\"finish_reason\":null}],\"usage\":null,\"obfuscation\":\"w#\"}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
		"data: [DONE]\n\n" },
	{ "openai-responses", "event: response.created\ndata: {\"type\":\"response.created\","
		"\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"status\":\"in_progress\"}}\n\n"
		"event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\","
		"\"sequence_number\":1,\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\","
		"\"status\":\"in_progress\",\"content\":[],\"role\":\"assistant\"}}\n\n",
		"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
		"\"sequence_number\":#,\"item_id\":\"msg_68a1b2c3d4e5f60718293a4b5c6d7e8f\","
		"\"output_index\":0,\"content_index\":0,\"delta\":\"$\",\"logprobs\":[],"
		"\"obfuscation\":\"kX3v9\"}\n\n",
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":"
		"{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[],\"usage\":{\"input_tokens\":1,"
		"\"output_tokens\":2}}}\n\n" },
	{ "anthropic", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
		"\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
		"\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
		"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
		"\"delta\":{\"type\":\"text_delta\",\"text\":\"$\"}}\n\n",
		"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n" },
	{ "google", "",
		"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"$ and more than a word at a "
		"time\"}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 10,"
		"\"candidatesTokenCount\": #,\"totalTokenCount\": 99,\"promptTokensDetails\": [{\"modality\": "
		"\"TEXT\",\"tokenCount\": 10}]},\"modelVersion\": \"gemini-2.5-flash\",\"responseId\": "
		"\"abcDEF123\"}\r\n\r\n",
		"data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}],\"role\": \"model\"},"
		"\"finishReason\": \"STOP\",\"index\": 0}]}\r\n\r\n" },
};

static void count_delta(void *arg, const struct ik_delta *delta)
{
	size_t *count = arg;

	*count += delta->kind == IK_DELTA_TEXT;
}

/* A whole stream. */
static void make_stream(const struct stream *stream, struct ik_buf *out)
{
	static const char *const words[] = { " the", " quick", " `code`", ",", " \\\"quoted\\\"",
		"\\n\\n## Heading", " \xc3\xbcml\xc3\xa4ut", " function", ".", " several words at once", " a" };

	ik_buf_puts(out, stream->first);
	for (size_t number = 0; out->length < STREAM_BYTES; number++) {
		for (const char *at = stream->word; *at != '\0'; at++) {
			if (*at == '$')
				ik_buf_puts(out, words[number % (sizeof(words) / sizeof(words[0]))]);
			else if (*at == '#')
				ik_buf_printf(out, "%zu", number);
			else
				ik_buf_putc(out, *at);
		}
	}
	ik_buf_puts(out, stream->last);
}

static void bench_decode(size_t runs)
{
	for (size_t index = 0; index < sizeof(streams) / sizeof(streams[0]); index++) {
		const struct ik_wire_format *format = ik_wire_format_find(streams[index].type);
		double values[MOST_RUNS];
		struct ik_error error;
		struct ik_buf bytes;

		ik_buf_init(&bytes, IK_MIB(64));
		make_stream(&streams[index], &bytes);
		for (size_t run = 0; run < runs; run++) {
			struct ik_stream_decoder *decoder = ik_decoder_new(format);
			double begun = now_ms();
			size_t count = 0;

			for (size_t at = 0; at < bytes.length; at += PIECE) {
				size_t left = bytes.length - at;

				if (ik_decoder_feed(decoder, bytes.data + at, left < PIECE ? left : PIECE,
				    count_delta, &count, &error) != IK_OK)
					fail(error.text);
			}
			if (ik_decoder_finish(decoder, count_delta, &count, &error) != IK_OK)
				fail(error.text);
			values[run] = (double)bytes.length / 1000 / (now_ms() - begun);
			ik_decoder_free(decoder);
			if (count < 10000)
				fail("the stream was not understood");
		}
		print_figure(streams[index].type, "MB/s", values, runs);
		ik_buf_done(&bytes);
	}
}

/* ---- serialize ---- */

static void add(struct ik_conversation *conversation, struct ik_message *message)
{
	ik_conversation_append(conversation, message);
	ik_message_unref(message);
}

/* Append count messages: a question, a call, its result, an answer. */
static void make_messages(struct ik_conversation *conversation, size_t count)
{
	static const char line[] = "A line of \"text\", as it may stand in a reply or in a file.\n";
	struct ik_buf text, envelope;

	ik_buf_init(&text, IK_KIB(64));
	ik_buf_init(&envelope, IK_KIB(64));
	for (int at = 0; at < 20; at++)
		ik_buf_puts(&text, line);
	ik_buf_puts(&envelope, "{\"tool_success\":true,\"result\":\"");
	for (int at = 0; at < 20; at++)
		ik_buf_puts(&envelope, "A line of text, as it may stand in a file.\\n");
	ik_buf_puts(&envelope, "\"}");
	while (count > 0) {
		char id[32];

		snprintf(id, sizeof(id), "call_%zu", count);
		add(conversation, ik_message_new(IK_KIND_USER, "What is in x.c?", 15, NULL, 0));
		add(conversation, ik_message_tool_call(id, "file_read", "{\"file_path\":\"x.c\"}", 19, "Read x.c"));
		add(conversation, ik_message_tool_result(id, "file_read", envelope.data, envelope.length,
			true, 3, NULL));
		add(conversation, ik_message_new(IK_KIND_ASSISTANT, text.data, text.length, NULL, 0));
		count -= count < 4 ? count : 4;
	}
	ik_buf_done(&text);
	ik_buf_done(&envelope);
}

/* Milliseconds that a request takes. */
static double time_request(const struct ik_wire_format *format, struct ik_request *request,
	size_t *ret_length)
{
	static const struct ik_model_facts facts;
	double begun = now_ms(), took;
	struct ik_error error;
	struct ik_buf body;

	ik_buf_init(&body, IK_LIMIT_REQUEST);
	request->facts = &facts;
	if (ik_request_serialize(format, request, &body, &error) != IK_OK)
		fail(error.text);
	took = now_ms() - begun;
	*ret_length = body.length;
	ik_buf_done(&body);
	return took;
}

static void bench_serialize(size_t runs)
{
	struct ik_endpoint endpoint = { .provider = "p", .strict_tools = true };

	for (size_t index = 0; ik_wire_format_at(index); index++) {
		const struct ik_wire_format *format = ik_wire_format_at(index);
		double taken[MOST_RUNS];
		size_t length = 0;
		char name[80];

		for (size_t run = 0; run < runs; run++) {
			struct ik_conversation *conversation = ik_conversation_new();
			struct ik_request request = { .model = "m", .endpoint = &endpoint,
				.system_prompt = "Be brief.", .conversation = conversation };

			make_messages(conversation, 1000);
			taken[run] = time_request(format, &request, &length);
			ik_conversation_free(conversation);
		}
		snprintf(name, sizeof(name), "%s: 1,000 messages, %zu kB", format->type, length / 1000);
		print_figure(name, "ms", taken, runs);
	}
}

int main(int argc, char **argv)
{
	size_t runs = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (runs == 0 || runs > MOST_RUNS)
		fail("decode RUNS, serialize RUNS");
	if (strcmp(argv[1], "decode") == 0)
		bench_decode(runs);
	else if (strcmp(argv[1], "serialize") == 0)
		bench_serialize(runs);
	else
		fail("decode RUNS, serialize RUNS");
	return 0;
}
