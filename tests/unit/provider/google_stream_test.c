#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "reading.h"

#define TYPE "google"
#define CHUNK(members) "data: {" members "}\r\n\r\n"
#define PARTS(parts) CHUNK("\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"},\"index\":0}]")
#define FINISH(reason) CHUNK("\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"" reason "\"}]")
#define USAGE(members) CHUNK("\"usageMetadata\":{" members "}")

Test(google_stream, reads_text_and_usage)
{
	assert_reads(TYPE, PARTS("{\"text\":\"Hel\"}") PARTS("{\"text\":\"lo \xc3\xa4\"},{\"text\":\"\\u00e4\"}")
		USAGE("\"promptTokenCount\":5,\"totalTokenCount\":5")
		USAGE("\"promptTokenCount\":5,\"totalTokenCount\":6") FINISH("STOP")
		USAGE("\"promptTokenCount\":5,\"toolUsePromptTokenCount\":2,\"candidatesTokenCount\":7,"
			"\"thoughtsTokenCount\":3,\"cachedContentTokenCount\":4"),
		"text: Hello \xc3\xa4\xc3\xa4\nusage: 5 0 0 0\nusage: 7 10 4 3\nstop: end");
}

Test(google_stream, tells_thinking_from_text)
{
	assert_reads(TYPE, PARTS("{\"text\":\"hm\",\"thought\":true}") PARTS("{\"text\":\"So\"}")
		PARTS("{\"text\":\"\",\"thoughtSignature\":\"c2ln\"}") FINISH("STOP"),
		"thinking: hm\ntext: So\n"
		"opaque google of text -1: {\"thoughtSignature\":\"c2ln\"}\nstop: end");
}

Test(google_stream, takes_calls_without_ids)
{
	assert_reads(TYPE, PARTS("{\"text\":\"Look:\"},{\"functionCall\":{\"name\":\"one\","
		"\"args\":{\"a\":[1,\"\\\"\"]}},\"thoughtSignature\":\"s1\"},"
		"{\"functionCall\":{\"name\":\"one\",\"args\":{}}}")
		PARTS("{\"functionCall\":{\"name\":\"two\",\"id\":\"x9\"}}") FINISH("STOP"),
		"text: Look:\ncall 0: id=- name=one\narguments 0: {\"a\":[1,\"\\\"\"]}\n"
		"opaque google of call 0: {\"thoughtSignature\":\"s1\"}\n"
		"call 1: id=- name=one\narguments 1: {}\n"
		"call 2: id=x9 name=two\nopaque google of call 2: {\"id\":\"x9\"}\nstop: tool_calls");
}

Test(google_stream, knows_why_it_ends)
{
	static const struct {
		const char *reason, *lines;
	} cases[] = {
		{ "STOP", "text: x\nstop: end" },
		{ "MAX_TOKENS", "text: x\nstop: length" },
		{ "SAFETY", "text: x\nstop: refused" },
		{ "PROHIBITED_CONTENT", "text: x\nstop: refused" },
		{ "OTHER", "text: x\nerror PROVIDER again: The model ended its reply with an error: OTHER" },
		{ "MALFORMED_FUNCTION_CALL", "text: x\nerror PROVIDER again: The model ended its reply with an "
			"error: MALFORMED_FUNCTION_CALL" },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		char body[1000];
		snprintf(body, sizeof body, PARTS("{\"text\":\"x\"}")
			"data: {\"candidates\":[{\"finishReason\":\"%s\"}]}\r\n\r\n", cases[index].reason);
		assert_reads(TYPE, body, cases[index].lines);
	}
	assert_reads(TYPE, CHUNK("\"promptFeedback\":{\"blockReason\":\"SAFETY\"}"), "stop: refused");
	assert_reads(TYPE, PARTS("{\"text\":\"x\"}"),
		"text: x\nfailed 8: The reply ended before it was complete.");
}

Test(google_stream, names_what_google_ran_itself)
{
	assert_reads(TYPE, PARTS("{\"executableCode\":{\"code\":\"1\"},\"thoughtSignature\":\"s\"},"
		"{\"codeExecutionResult\":{\"output\":\"1\"}},{\"text\":\"One.\"}") FINISH("STOP"),
		"notice: The reply has a part that ikigai cannot show (executableCode).\n"
		"notice: The reply has a part that ikigai cannot show (codeExecutionResult).\n"
		"text: One.\nstop: end");
}

#define PIECES(pieces, more) PARTS("{\"functionCall\":{\"partialArgs\":[" pieces "]" more "}}")
#define GOES_ON ",\"willContinue\":true"
#define BEGUN PARTS("{\"functionCall\":{\"name\":\"edit\",\"id\":\"c\",\"willContinue\":true}}")

Test(google_stream, joins_arguments_in_pieces)
{
	assert_reads(TYPE, BEGUN
		PIECES("{\"jsonPath\":\"$.path\",\"stringValue\":\"a\",\"willContinue\":true}", GOES_ON)
		PIECES("{\"jsonPath\":\"$.path\",\"stringValue\":\"\\n.c\"},"
			"{\"jsonPath\":\"$.edits[0].line\",\"numberValue\":7}", GOES_ON)
		PIECES("{\"jsonPath\":\"$.edits[1]['new text']\",\"boolValue\":true},"
			"{\"jsonPath\":\"$.edits[0].old\",\"nullValue\":\"NULL_VALUE\"}", GOES_ON)
		PARTS("{\"functionCall\":{}}") FINISH("STOP"),
		"call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\n"
		"arguments 0: {\"path\":\"a\\n.c\",\"edits\":[{\"line\":7,\"old\":null},{\"new text\":true}]}\n"
		"stop: tool_calls");
	assert_reads(TYPE, BEGUN PARTS("{\"functionCall\":{}}") FINISH("STOP"),
		"call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\narguments 0: {}\n"
		"stop: tool_calls");
}

/* Arguments that are no JSON: the tool doesn't run. */
Test(google_stream, never_completes_arguments_by_itself)
{
	static const char *const bad[] = { "$", "path", "$.", "$[x]", "$['a", "$..a", "$.a[*]" };

	assert_reads(TYPE, BEGUN PIECES("{\"jsonPath\":\"$.path\",\"stringValue\":\"a\"}", GOES_ON)
		FINISH("STOP"),
		"call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\narguments 0: {\n"
		"stop: tool_calls");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char body[1000];

		snprintf(body, sizeof body, BEGUN PIECES("{\"jsonPath\":\"$.a\",\"numberValue\":1},"
			"{\"jsonPath\":\"%s\",\"numberValue\":1}", "") FINISH("STOP"), bad[i]);
		assert_reads(TYPE, body, "call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\n"
			"arguments 0: {\nstop: tool_calls");
	}
}

/* They would take too long to put together. */
Test(google_stream, takes_no_arguments_in_too_many_places)
{
	enum { PLACES = 20000 };
	char *body = malloc(PLACES * 64), *at = body, *told;

	at += sprintf(at, "%s%s", BEGUN, "data: {\"candidates\":[{\"content\":{\"parts\":["
		"{\"functionCall\":{\"partialArgs\":[");
	for (int i = 0; i < PLACES; i++)
		at += sprintf(at, "%s{\"jsonPath\":\"$.a%d\",\"numberValue\":1}", i ? "," : "", i);
	at += sprintf(at, "%s", "]}}]}}]}\n\n" FINISH("STOP"));
	told = read_body(TYPE, body, (size_t)(at - body), 0);
	cr_expect_str_eq(told, "call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\n"
		"arguments 0: {\nstop: tool_calls");
	free(told);
	free(body);
}

/* Each of few bytes makes many objects. */
Test(google_stream, takes_no_arguments_that_need_too_much_memory)
{
	enum { PLACES = 8000, DEPTH = 60 };
	char *body = malloc(PLACES * (64 + 2 * DEPTH)), *at = body, *told;

	at += sprintf(at, "%s%s", BEGUN, "data: {\"candidates\":[{\"content\":{\"parts\":["
		"{\"functionCall\":{\"partialArgs\":[");
	for (int i = 0; i < PLACES; i++) {
		at += sprintf(at, "%s{\"jsonPath\":\"$.a%d.a%d", i ? "," : "", i / 1000, i % 1000);
		for (int depth = 0; depth < DEPTH; depth++)
			at += sprintf(at, ".a");
		at += sprintf(at, "\",\"numberValue\":1}");
	}
	at += sprintf(at, "%s", "]}}]}}]}\n\n" FINISH("STOP"));
	told = read_body(TYPE, body, (size_t)(at - body), 0);
	cr_expect(strcmp(told, "call 0: id=c name=edit\nopaque google of call 0: {\"id\":\"c\"}\n"
		"arguments 0: {\nstop: tool_calls") == 0);
	free(told);
	free(body);
}

Test(google_stream, tells_errors)
{
	assert_reads(TYPE, PARTS("{\"text\":\"x\"}") CHUNK("\"error\":{\"code\":503,"
		"\"message\":\"Overloaded\",\"status\":\"UNAVAILABLE\"}"),
		"text: x\nerror PROVIDER again: Overloaded");
	assert_reads(TYPE, "[{\"error\":{\"code\":429,\"message\":\"Slow\","
		"\"status\":\"RESOURCE_EXHAUSTED\"}}]", "error RATE_LIMIT again: Slow");
}

Test(google_stream, survives_what_is_not_the_format)
{
	assert_reads(TYPE, CHUNK("\"candidates\":[]") CHUNK("\"candidates\":7")
		PARTS("7,[],null,{\"functionCall\":{}}") CHUNK("") "data: 7\r\n\r\n" FINISH("STOP"),
		"stop: end");
	assert_reads(TYPE, USAGE("\"promptTokenCount\":1e300,\"candidatesTokenCount\":-5") FINISH("STOP"),
		"stop: end");
}

Test(google_stream, reads_a_reply_that_is_no_stream_of_events)
{
	assert_reads(TYPE, "[{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]},\n"
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}]}]",
		"text: ab\nstop: end");
}
