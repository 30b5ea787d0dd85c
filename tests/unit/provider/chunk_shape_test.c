#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "reading.h"
#include "util/limits.h"

/* Chunks for each format: $ is a piece of text, # a number, and % a member that nobody reads. */
static const struct {
	const char *type;
	const char *chunks[8];
	const char *end;
} streams[] = {
	{ "openai-chat", {
		"{\"id\":\"a\",\"created\":#%,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"$\"}}],"
		"\"obfuscation\":\"$\"}",
		"{\"id\":\"a\",\"created\":#%,\"choices\":[{\"index\":#,\"delta\":{\"content\":\"$\"}}]}",
		"{\"created\":#%,\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"$\"}}]}",
		"{\"created\":#%,\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"x\","
		"\"function\":{\"name\":\"n\",\"arguments\":\"$\"}}]}}]}",
		"{\"created\":#%,\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
		"\"function\":{\"arguments\":\"$\"}}]}}]}",
		"{\"created\":\"$\"%,\"choices\":[],\"usage\":{\"prompt_tokens\":#,\"completion_tokens\":#}}",
		"{\"created\":{\"content\":\"$\"}%,\"choices\":[{\"delta\":{\"content\":\"$\"}}]}",
		"{\"created\":1.5%,\"choices\":[{\"delta\":{\"content\":\"$\",\"refusal\":null}}]}" },
		"data: [DONE]\n\n" },
	{ "openai-responses", {
		"{\"type\":\"response.output_text.delta\",\"sequence_number\":#%,\"output_index\":0,"
		"\"delta\":\"$\",\"obfuscation\":\"$\"}",
		"{\"type\":\"response.output_text.delta\",\"sequence_number\":#%,\"output_index\":#,"
		"\"delta\":\"$\",\"obfuscation\":\"$\"}",
		"{\"type\":\"response.reasoning_text.delta\",\"sequence_number\":#%,\"output_index\":0,"
		"\"delta\":\"$\"}",
		"{\"type\":\"response.output_item.added\",\"sequence_number\":#%,\"output_index\":7,\"item\":"
		"{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"n\",\"arguments\":\"\"}}",
		"{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":#%,"
		"\"output_index\":7,\"delta\":\"$\"}",
		"{\"type\":\"response.refusal.delta\",\"sequence_number\":#%,\"output_index\":1,"
		"\"delta\":\"$\"}",
		"{\"type\":\"response.in_progress\",\"sequence_number\":#%}",
		"{\"type\":\"response.output_text.delta\",\"sequence_number\":null%,\"output_index\":0,"
		"\"delta\":\"$\"}" },
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n" },
	{ "anthropic", {
		"{\"type\":\"content_block_start\",\"index\":0%,\"content_block\":{\"type\":\"text\"}}",
		"{\"type\":\"content_block_delta\",\"index\":0%,\"delta\":{\"type\":\"text_delta\",\"text\":\"$\"}}",
		"{\"type\":\"content_block_delta\",\"index\":#%,\"delta\":{\"type\":\"text_delta\",\"text\":\"$\"}}",
		"{\"type\":\"content_block_delta\",\"index\":1%,\"delta\":{\"type\":\"thinking_delta\","
		"\"thinking\":\"$\"}}",
		"{\"type\":\"ping\"%}",
		"{\"type\":\"content_block_start\",\"index\":2%,\"content_block\":{\"type\":\"tool_use\","
		"\"id\":\"c\",\"name\":\"n\",\"input\":{}}}",
		"{\"type\":\"content_block_delta\",\"index\":2%,\"delta\":{\"type\":\"input_json_delta\","
		"\"partial_json\":\"$\"}}",
		"{\"type\":\"message_delta\"%,\"delta\":{},\"usage\":{\"output_tokens\":#}}" },
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n" },
	{ "google", {
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\"}]}%}],\"usageMetadata\":"
		"{\"promptTokenCount\":#,\"candidatesTokenCount\":#,\"totalTokenCount\":#}}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\"}]}%}],\"usageMetadata\":"
		"{\"promptTokenCount\":#,\"candidatesTokenCount\":#,\"thoughtsTokenCount\":#,"
		"\"cachedContentTokenCount\":#}}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\",\"thought\":true}]}%}],"
		"\"usageMetadata\":{\"promptTokenCount\":#}}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\"}]}%}]}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\"}]}%}],\"usageMetadata\":"
		"{\"promptTokenCount\":#.0,\"candidatesTokenCount\":#}}",
		"{\"candidates\":[{\"content\":{\"parts\":[]}%}],\"usageMetadata\":{\"promptTokenCount\":#}}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"n\",\"args\":{}}}]}%}]}",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"$\"},{\"text\":\"$\"}]}%}]}" },
		"data: {\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"STOP\"}]}\n\n" },
};

static unsigned state;

static unsigned any(unsigned below)
{
	state = state * 1103515245u + 12345u;
	return (state >> 16) % below;
}

/* Append a chunk as an event; unlike: with a member of its own, so that it is like no other. */
static void put_chunk(struct ik_buf *out, const char *chunk, bool unlike, unsigned number)
{
	static const char *const texts[] = { "", "word", " two words", "\\\"", "\\\\", "a\\n\\u00e4",
		"\xc3\xbc", "{\\\"n\\\":1}" };
	static const char *const numbers[] = { "0", "1", "2", "7", "12", "340", "1234567", "99999999999" };

	ik_buf_puts(out, "data: ");
	for (const char *at = chunk; *at; at++) {
		if (*at == '$')
			ik_buf_puts(out, texts[any(8)]);
		else if (*at == '#')
			ik_buf_puts(out, numbers[any(8)]);
		else if (*at == '%' && unlike)
			ik_buf_printf(out, ",\"unread%u\":0", number);
		else if (*at != '%')
			ik_buf_putc(out, *at);
	}
	ik_buf_puts(out, "\n\n");
}

Test(chunk_shape, changes_nothing_of_what_is_understood)
{
	for (size_t stream = 0; stream < sizeof streams / sizeof *streams; stream++) {
		for (unsigned seed = 0; seed < 300; seed++) {
			char *read[2];

			for (int unlike = 0; unlike < 2; unlike++) {
				struct ik_buf body;
				ik_buf_init(&body, IK_MIB(1));
				state = seed;
				for (unsigned number = 0, kind = 0; number < 60; number++) {
					kind = any(3) ? kind : any(8);
					put_chunk(&body, streams[stream].chunks[kind], unlike, number);
				}
				ik_buf_puts(&body, streams[stream].end);
				read[unlike] = read_body(streams[stream].type, body.data, body.length, 0);
				ik_buf_done(&body);
			}
			cr_assert_str_eq(read[0], read[1], "%s, %u", streams[stream].type, seed);
			free(read[0]);
			free(read[1]);
		}
	}
}

/* What is no JSON is none, also where it differs from the chunk before in what may differ. */
Test(chunk_shape, lets_nothing_through_that_is_no_json)
{
	static const char *const wrong[] = { "01", "-", "1.", "", "\"", "\"\x01\"", "\"\\x\"", "1,,", "1 2" };

	for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
		struct ik_buf body;
		ik_buf_init(&body, IK_KIB(4));
		for (int chunk = 0; chunk < 3; chunk++)
			ik_buf_printf(&body, "data: {\"created\":%s,\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n",
				chunk < 2 ? index < 4 ? "1" : "\"s\"" : wrong[index]);
		char *lines = read_body("openai-chat", body.data, body.length, 0);
		cr_assert_not_null(strstr(lines, "text: xx\n"), "%s", lines);
		cr_assert_not_null(strstr(lines, "no JSON"), "%s: %s", wrong[index], lines);
		free(lines);
		ik_buf_done(&body);
	}
}
