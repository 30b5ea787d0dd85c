#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "reading.h"

#define TYPE "anthropic"
#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"" members "}\n\n"
#define START EVENT("message_start", ",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]," \
	"\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":3," \
	"\"cache_read_input_tokens\":4,\"output_tokens\":1}}")
#define BLOCK(index, block) EVENT("content_block_start", ",\"index\":" index ",\"content_block\":" block)
#define DELTA(index, delta) EVENT("content_block_delta", ",\"index\":" index ",\"delta\":" delta)
#define TEXT(index, text) DELTA(index, "{\"type\":\"text_delta\",\"text\":\"" text "\"}")
#define THINKING(index, text) DELTA(index, "{\"type\":\"thinking_delta\",\"thinking\":\"" text "\"}")
#define JSON(index, text) DELTA(index, "{\"type\":\"input_json_delta\",\"partial_json\":\"" text "\"}")
#define END(index) EVENT("content_block_stop", ",\"index\":" index)
#define STOP(reason) EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason "\"," \
	"\"stop_sequence\":null},\"usage\":{\"output_tokens\":20}") EVENT("message_stop", "")

Test(anthropic_stream, reads_text_and_usage)
{
	assert_reads(TYPE, START BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}") EVENT("ping", "")
		TEXT("0", "Hel") TEXT("0", "lo \\u00e4") TEXT("0", "\xc3\xa4") END("0") STOP("end_turn"),
		"usage: 17 1 4 0 written 3\ntext: Hello \xc3\xa4\xc3\xa4\nusage: 17 20 4 0 written 3\nstop: end");
}

Test(anthropic_stream, takes_the_numbers_of_the_end)
{
	assert_reads(TYPE, START EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"input_tokens\":100,\"cache_read_input_tokens\":50,\"output_tokens\":9,"
		"\"output_tokens_details\":{\"thinking_tokens\":5}}") EVENT("message_stop", ""),
		"usage: 17 1 4 0 written 3\nusage: 153 9 50 5 written 3\nstop: end");
	/* Without those of the cache they are what they were. */
	assert_reads(TYPE, START EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"input_tokens\":10,\"output_tokens\":9}") EVENT("message_stop", ""),
		"usage: 17 1 4 0 written 3\nusage: 17 9 4 0 written 3\nstop: end");
}

Test(anthropic_stream, keeps_signatures_and_hidden_thinking)
{
	assert_reads(TYPE, BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
		THINKING("0", "hm") THINKING("0", "m")
		DELTA("0", "{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}") END("0")
		BLOCK("1", "{\"type\":\"redacted_thinking\",\"data\":\"xyz\\/\"}") END("1")
		BLOCK("2", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
		DELTA("2", "{\"type\":\"signature_delta\",\"signature\":\"b3Ro\"}") END("2")
		BLOCK("3", "{\"type\":\"text\",\"text\":\"\"}") TEXT("3", "So.") END("3") STOP("end_turn"),
		"thinking: hmm\nopaque anthropic of thinking -1: {\"signature\":\"c2ln\"}\n"
		"opaque anthropic of thinking -1: {\"redacted\":\"xyz\\/\"}\n"
		"opaque anthropic of thinking -1: {\"signature\":\"b3Ro\"}\n"
		"text: So.\nusage: 0 20 0 0\nstop: end");
}

Test(anthropic_stream, thinking_that_breaks_off_has_no_signature)
{
	assert_reads(TYPE, BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}")
		THINKING("0", "hm") "data: {\"type\":\"content_blo",
		"thinking: hm\nfailed 8: The reply ended before it was complete.");
}

Test(anthropic_stream, puts_calls_together)
{
	assert_reads(TYPE, BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}") TEXT("0", "Look:") END("0")
		BLOCK("1", "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"glob\",\"input\":{}}")
		JSON("1", "") JSON("1", "{\\\"p\\\":") JSON("1", "\\\"*.c\\\"}") END("1")
		BLOCK("2", "{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"now\",\"input\":{}}")
		JSON("2", "") END("2") STOP("tool_use"),
		"text: Look:\ncall 0: id=toolu_1 name=glob\narguments 0: {\"p\":\"*.c\"}\n"
		"call 1: id=toolu_2 name=now\nusage: 0 20 0 0\nstop: tool_calls");
}

Test(anthropic_stream, keeps_interleaved_calls_apart)
{
	assert_reads(TYPE,
		BLOCK("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"one\",\"input\":{}}")
		BLOCK("1", "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"two\",\"input\":{}}")
		JSON("1", "{\\\"b\\\"") JSON("0", "{\\\"a\\\"") JSON("1", ":2}") JSON("0", ":1}")
		END("0") END("1") STOP("tool_use"),
		"call 0: id=a name=one\ncall 1: id=b name=two\narguments 1: {\"b\"\n"
		"arguments 0: {\"a\"\narguments 1: :2}\narguments 0: :1}\n"
		"usage: 0 20 0 0\nstop: tool_calls");
}

Test(anthropic_stream, a_call_without_arguments_stands_before_what_follows)
{
	assert_reads(TYPE, BLOCK("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"one\",\"input\":{}}")
		END("0") BLOCK("1", "{\"type\":\"text\",\"text\":\"x\"}") END("1") STOP("tool_use"),
		"call 0: id=a name=one\ntext: x\nusage: 0 20 0 0\nstop: tool_calls");
}

Test(anthropic_stream, takes_arguments_that_come_with_the_beginning)
{
	assert_reads(TYPE,
		BLOCK("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"one\",\"input\":{\"x\":1}}")
		END("0") STOP("tool_use"),
		"call 0: id=a name=one\narguments 0: {\"x\":1}\nusage: 0 20 0 0\nstop: tool_calls");
}

Test(anthropic_stream, knows_why_it_ends)
{
	static const struct {
		const char *reason, *lines;
	} cases[] = {
		{ "end_turn", "text: x\nstop: end" },
		{ "stop_sequence", "text: x\nstop: end" },
		{ "max_tokens", "text: x\nstop: length" },
		{ "model_context_window_exceeded", "text: x\nerror CONTEXT: The context window of the model "
			"is full." },
		{ "refusal", "text: x\nstop: refused" },
		{ "tool_use", "text: x\nstop: end" }, /* but there was none */
		{ "of tomorrow", "text: x\nerror PROVIDER again: The model ended its reply with an error: "
			"of tomorrow" },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		char body[1000];
		snprintf(body, sizeof body, TEXT("0", "x") "data: {\"type\":\"message_delta\","
			"\"delta\":{\"stop_reason\":\"%s\"}}\n\n" EVENT("message_stop", ""),
			cases[index].reason);
		assert_reads(TYPE, body, cases[index].lines);
	}
}

Test(anthropic_stream, a_reply_with_its_reason_is_whole)
{
	assert_reads(TYPE, TEXT("0", "x") EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"),
		"text: x\nstop: end");
}

Test(anthropic_stream, tells_errors)
{
	assert_reads(TYPE, TEXT("0", "x") EVENT("error",
		",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}"),
		"text: x\nerror PROVIDER again: Overloaded");
	assert_reads(TYPE, EVENT("error",
		",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down\"}"),
		"error RATE_LIMIT again: Slow down");
	assert_reads(TYPE, "{\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Oh\"}}",
		"error PROVIDER again: Oh");
}

Test(anthropic_stream, survives_what_is_not_the_format)
{
	assert_reads(TYPE, BLOCK("-1", "{\"type\":\"tool_use\"}") BLOCK("99999999", "{}")
		JSON("7", "x") END("7") DELTA("1", "null") EVENT("content_block_start", "")
		"data: [1]\n\ndata: 7\n\ndata: {\"type\":3}\n\n" EVENT("message_stop", ""), "stop: end");
	assert_reads(TYPE, "", "failed 8: The provider sent an empty answer.");
	assert_reads(TYPE, EVENT("message_start", ",\"message\":{\"usage\":{\"input_tokens\":1e18,"
		"\"cache_read_input_tokens\":9e18}}") EVENT("message_stop", ""), "stop: end");
}

Test(anthropic_stream, reads_a_reply_that_was_not_streamed)
{
	assert_reads(TYPE, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},"
		"{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"one\",\"input\":{\"x\":1}}],"
		"\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}",
		"text: Hi\ncall 0: id=a name=one\narguments 0: {\"x\":1}\nusage: 3 4 0 0\nstop: tool_calls");
}

/* "New event types may be added": whatever members they have. */
Test(anthropic_stream, passes_over_events_of_tomorrow)
{
	assert_reads(TYPE, TEXT("0", "x") EVENT("progress", ",\"message\":\"Reading the files.\"")
		EVENT("hint", ",\"detail\":\"y\"") "data: {\"type\":\"message_delta\",\"delta\":"
		"{\"stop_reason\":\"end_turn\"}}\n\n" EVENT("message_stop", ""), "text: x\nstop: end");
}
