#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "reading.h"

#define TYPE "openai-responses"
#define EVENT(name, members) "event: " name "\ndata: {\"type\":\"" name "\"" members "}\n\n"
#define ADDED(index, item) EVENT("response.output_item.added", ",\"output_index\":" index ",\"item\":" item)
#define DONE(index, item) EVENT("response.output_item.done", ",\"output_index\":" index ",\"item\":" item)
#define TEXT(index, text) EVENT("response.output_text.delta", \
	",\"output_index\":" index ",\"content_index\":0,\"delta\":\"" text "\"")
#define ARGUMENTS(index, text) EVENT("response.function_call_arguments.delta", \
	",\"output_index\":" index ",\"delta\":\"" text "\"")
#define COMPLETED EVENT("response.completed", ",\"response\":{\"object\":\"response\"," \
	"\"status\":\"completed\",\"error\":null,\"output\":[{\"type\":\"message\",\"content\":" \
	"[{\"type\":\"output_text\",\"text\":\"again\"}]}],\"usage\":{\"input_tokens\":9," \
	"\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":7," \
	"\"output_tokens_details\":{\"reasoning_tokens\":3}}}")

Test(openai_responses_stream, reads_text_once)
{
	assert_reads(TYPE, EVENT("response.created", ",\"response\":{\"object\":\"response\","
		"\"status\":\"in_progress\",\"error\":null,\"usage\":null}")
		ADDED("0", "{\"type\":\"message\",\"content\":[]}")
		TEXT("0", "Hel") TEXT("0", "lo \\u00e4") TEXT("0", "\xc3\xa4")
		EVENT("response.output_text.done", ",\"output_index\":0,\"text\":\"all\"")
		DONE("0", "{\"type\":\"message\",\"phase\":\"final_answer\",\"content\":"
			"[{\"type\":\"output_text\",\"text\":\"all\"}]}") COMPLETED,
		"text: Hello \xc3\xa4\xc3\xa4\n"
		"opaque openai-responses of text -1: {\"phase\":\"final_answer\"}\n"
		"usage: 9 7 4 3\nstop: end");
}

Test(openai_responses_stream, takes_text_that_comes_only_whole)
{
	assert_reads(TYPE, DONE("0", "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","
		"\"text\":\"Hi\"}]}") COMPLETED, "text: Hi\nusage: 9 7 4 3\nstop: end");
}

Test(openai_responses_stream, keeps_reasoning_that_can_go_back)
{
	assert_reads(TYPE, ADDED("0", "{\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":\"old\"}")
		EVENT("response.reasoning_summary_part.added", ",\"output_index\":0,\"summary_index\":0")
		EVENT("response.reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"hm\"")
		DONE("0", "{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\","
			"\"text\":\"hm\"}],\"status\":null,\"encrypted_content\":\"gA\"}")
		DONE("1", "{\"id\":\"rs_2\",\"type\":\"reasoning\",\"summary\":[]}")
		TEXT("2", "So") COMPLETED,
		"thinking: hm\nopaque openai-responses of thinking -1: {\"type\":\"reasoning\","
		"\"id\":\"rs_1\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],"
		"\"encrypted_content\":\"gA\"}\ntext: So\nusage: 9 7 4 3\nstop: end");
}

/* The parts of a summary, each with a heading, don't run together. */
Test(openai_responses_stream, keeps_the_parts_of_a_summary_apart)
{
	assert_reads(TYPE,
		EVENT("response.reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"one\"")
		EVENT("response.reasoning_summary_part.added", ",\"output_index\":0,\"summary_index\":1")
		EVENT("response.reasoning_summary_text.delta", ",\"output_index\":0,\"delta\":\"two\"")
		COMPLETED, "thinking: one\n\ntwo\nusage: 9 7 4 3\nstop: end");
	assert_reads(TYPE, DONE("0", "{\"type\":\"reasoning\",\"summary\":[{\"text\":\"one\"},"
		"{\"text\":\"two\"}]}") COMPLETED, "thinking: one\n\ntwo\nusage: 9 7 4 3\nstop: end");
}

Test(openai_responses_stream, puts_interleaved_calls_together)
{
	assert_reads(TYPE,
		ADDED("1", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"one\",\"arguments\":\"\"}")
		ADDED("2", "{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"two\",\"arguments\":\"\"}")
		ARGUMENTS("2", "{\\\"y\\\"") ARGUMENTS("1", "{\\\"x\\\"") ARGUMENTS("2", ":2}")
		ARGUMENTS("1", ":1}")
		DONE("1", "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"one\",\"arguments\":\"{}\"}")
		DONE("2", "{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"two\",\"arguments\":\"{}\"}")
		DONE("3", "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"three\","
			"\"arguments\":\"{\\\"z\\\":3}\"}")
		DONE("4", "{\"type\":\"web_search_call\",\"id\":\"w\",\"status\":\"completed\"}") COMPLETED,
		"call 0: id=a name=one\ncall 1: id=b name=two\narguments 1: {\"y\"\narguments 0: {\"x\"\n"
		"arguments 1: :2}\narguments 0: :1}\ncall 2: id=c name=three\narguments 2: {\"z\":3}\n"
		"search: \nopaque openai-responses of search -1: {\"type\":\"web_search_call\",\"id\":\"w\","
		"\"status\":\"completed\"}\ntext: again\nusage: 9 7 4 3\nstop: tool_calls");
}

Test(openai_responses_stream, knows_why_it_ends)
{
	static const struct {
		const char *event, *lines;
	} cases[] = {
		{ EVENT("response.incomplete", ",\"response\":{\"status\":\"incomplete\","
			"\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}"), "text: x\nstop: length" },
		{ EVENT("response.incomplete", ",\"response\":{\"status\":\"incomplete\","
			"\"incomplete_details\":{\"reason\":\"content_filter\"}}"), "text: x\nstop: refused" },
		{ EVENT("response.refusal.delta", ",\"output_index\":0,\"delta\":\" no\"")
		  EVENT("response.completed", ",\"response\":{\"status\":\"completed\"}"),
		  "text: x no\nstop: refused" },
		{ EVENT("response.failed", ",\"response\":{\"status\":\"failed\",\"error\":{\"code\":"
			"\"rate_limit_exceeded\",\"message\":\"Slow\"}}"), "text: x\nerror RATE_LIMIT again: Slow" },
		{ EVENT("response.failed", ",\"response\":{\"status\":\"failed\",\"error\":null}"),
		  "text: x\nerror PROVIDER again: The provider reported an error and did not say which." },
		{ EVENT("error", ",\"code\":\"server_error\",\"message\":\"Oh\",\"param\":null"),
		  "text: x\nerror PROVIDER again: Oh" },
		{ EVENT("error", ",\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"Long\"}"),
		  "text: x\nerror CONTEXT: Long" },
		{ "", "text: x\nfailed 8: The reply ended before it was complete." },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		char body[1000];
		snprintf(body, sizeof body, "%s%s", TEXT("0", "x"), cases[index].event);
		assert_reads(TYPE, body, cases[index].lines);
	}
}

Test(openai_responses_stream, survives_what_is_not_the_format)
{
	assert_reads(TYPE, "data: 7\n\ndata: []\n\n" EVENT("response.output_item.done", "")
		EVENT("response.output_item.added", ",\"output_index\":1e300,\"item\":7")
		EVENT("response.of_tomorrow", ",\"delta\":{}")
		EVENT("response.output_text.delta", ",\"delta\":{}") COMPLETED,
		"text: again\nusage: 9 7 4 3\nstop: end");
}

Test(openai_responses_stream, reads_a_reply_that_was_not_streamed)
{
	assert_reads(TYPE, "{\"object\":\"response\",\"status\":\"completed\",\"error\":null,\"output\":["
		"{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]},"
		"{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"one\",\"arguments\":\"{}\"}]}",
		"text: Hi\ncall 0: id=a name=one\narguments 0: {}\nstop: tool_calls");
}

/* ---- requests ---- */

static const struct ik_endpoint endpoint = { .provider = "openai",
	.base_url = "https://api.openai.com/v1", .api_key = "secret" };

TestSuite(openai_responses_request, .init = asking_begin, .fini = asking_end);

Test(openai_responses_request, goes_to_its_address)
{
	assert_address(TYPE, &endpoint, "m", "https://api.openai.com/v1/responses",
		"Content-Type: application/json\nAccept: text/event-stream\nAuthorization: Bearer secret\n");
}

Test(openai_responses_request, has_all_its_members)
{
	struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };
	struct ik_request request = { .model = "gpt-5-mini", .endpoint = &endpoint,
		.system_prompt = "Be kind.", .conversation = conversation, .tools = &tool,
		.tool_count = 1, .forbid_calls = true, .max_output_tokens = 99 };
	say(IK_KIND_USER, "Hi");

	char *body = body_of(TYPE, &request);
	cr_assert_str_eq(body, "{\"model\":\"gpt-5-mini\",\"instructions\":\"Be kind.\",\"tools\":["
		"{\"type\":\"function\",\"name\":\"one\",\"description\":\"First\",\"parameters\":"
		"{\"type\":\"object\",\"properties\":{}},\"strict\":false}],"
		"\"input\":[{\"role\":\"user\",\"content\":\"Hi\"}],\"stream\":true,\"store\":false,"
		"\"include\":[\"reasoning.encrypted_content\"],\"reasoning\":{\"summary\":\"auto\"},"
		"\"tool_choice\":\"none\","
		"\"max_output_tokens\":99}");
	free(body);
}

Test(openai_responses_request, asks_only_models_that_reason_for_it)
{
	static const struct {
		const char *model;
		bool reasons;
	} cases[] = {
		{ "gpt-5", true }, { "gpt-5.4-mini", true }, { "o3", true }, { "o4-mini", true },
		{ "gpt-5-chat-latest", false }, { "gpt-4.1", false }, { "gpt-4o", false },
		{ "unknown", true },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		struct ik_request request = { .model = cases[index].model, .conversation = conversation };
		assert_member(TYPE, &request, "include",
			cases[index].reasons ? "[\"reasoning.encrypted_content\"]" : "");
	}
}

Test(openai_responses_request, sends_items_back)
{
	struct ik_request request = { .model = "m", .endpoint = &endpoint,
		.conversation = conversation };
	say(IK_KIND_SYSTEM, "s");
	say(IK_KIND_USER, "a");
	give_opaque(ik_message_new(IK_KIND_THINKING, "hm", 2, NULL, 0), "openai", TYPE,
		"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"gA\"}");
	give_opaque(ik_message_new(IK_KIND_ASSISTANT, "b", 1, NULL, 0), "openai", TYPE,
		"{\"phase\":\"commentary\"}");
	call("call_1", "one", "{\"x\":1}");
	call("functions.two:0", "two", "");
	result("functions.two:0", "{\"n\":2}");
	result("call_1", "{\"n\":1}");
	give_opaque(ik_message_new(IK_KIND_THINKING, "", 0, NULL, 0), "other", TYPE,
		"{\"type\":\"reasoning\",\"id\":\"rs_2\",\"encrypted_content\":\"gB\"}");
	say(IK_KIND_ASSISTANT, "c");

	char *body = body_of(TYPE, &request), made[64];
	const char *id = strstr(body, "\"call_id\":\"call_1\"");
	cr_assert_not_null(id);
	id = strstr(id + 10, "\"call_id\":\"");
	cr_assert_not_null(id);
	snprintf(made, sizeof made, "%.*s", (int)strcspn(id + 11, "\""), id + 11);
	cr_assert_eq(strspn(made, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(made));
	free(body);

	char wanted[2000];
	snprintf(wanted, sizeof wanted, "[{\"role\":\"user\",\"content\":\"a\"},"
		"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"gA\"},"
		"{\"role\":\"assistant\",\"content\":\"b\",\"phase\":\"commentary\"},"
		"{\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"one\","
		"\"arguments\":\"{\\\"x\\\":1}\"},"
		"{\"type\":\"function_call\",\"call_id\":\"%s\",\"name\":\"two\",\"arguments\":\"{}\"},"
		"{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"{\\\"n\\\":1}\"},"
		"{\"type\":\"function_call_output\",\"call_id\":\"%s\",\"output\":\"{\\\"n\\\":2}\"},"
		"{\"role\":\"assistant\",\"content\":\"c\"}]", made, made);
	assert_member(TYPE, &request, "input", wanted);
}

/* Some servers send no events of items, or leave some out. */
Test(openai_responses_stream, takes_what_only_the_end_has)
{
	assert_reads(TYPE, EVENT("response.completed", ",\"response\":{\"status\":\"completed\",\"output\":["
		"{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]},"
		"{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"glob\",\"arguments\":\"{}\"}]}"),
		"text: Hello\ncall 0: id=c name=glob\narguments 0: {}\nstop: tool_calls");
	assert_reads(TYPE, TEXT("0", "Hel") EVENT("response.completed", ",\"response\":{\"status\":"
		"\"completed\",\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","
		"\"text\":\"Hello\"}]}]}"), "text: Hel\nstop: end");
}
