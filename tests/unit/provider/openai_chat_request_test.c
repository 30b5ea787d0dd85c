#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/formats.h"
#include "util/limits.h"

#define CHAT "openai-chat"

static const struct ik_endpoint local = { .provider = "local", .base_url = "http://localhost:1/v1" };
static const struct ik_endpoint openai = { .provider = "openai",
	.base_url = "https://api.openai.com/v1" };

TestSuite(openai_chat_request, .init = asking_begin, .fini = asking_end);

/* Assert the array of messages of a plain request. */
static void assert_messages(const char *wanted)
{
	struct ik_request request = { .model = "m", .conversation = conversation };

	assert_member(CHAT, &request, "messages", wanted);
}

Test(openai_chat_request, has_all_its_members)
{
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		"\"required\":[\"a\"]}";
	struct ik_tool_definition tools[] = {
		{ "one", "First \"tool\"", { schema, sizeof schema - 1 } },
		{ "two", "Second", { NULL, 0 } },
	};
	struct ik_request request = { .model = "m", .endpoint = &local, .system_prompt = "Be kind.",
		.conversation = conversation, .tools = tools, .tool_count = 2, .max_output_tokens = 99 };
	say(IK_KIND_USER, "Hi\n");

	char *body = body_of(CHAT, &request);
	cr_assert_str_eq(body, "{\"model\":\"m\",\"tools\":["
		"{\"type\":\"function\",\"function\":{\"name\":\"one\",\"description\":\"First \\\"tool\\\"\","
		"\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		"\"required\":[\"a\"]}}},"
		"{\"type\":\"function\",\"function\":{\"name\":\"two\",\"description\":\"Second\","
		"\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],"
		"\"messages\":[{\"role\":\"system\",\"content\":\"Be kind.\"},"
		"{\"role\":\"user\",\"content\":\"Hi\\n\"}],"
		"\"stream\":true,\"stream_options\":{\"include_usage\":true},\"max_tokens\":99}");
	free(body);
}

Test(openai_chat_request, leaves_out_what_is_empty)
{
	struct ik_request request = { .model = "m", .endpoint = &openai, .system_prompt = "",
		.conversation = conversation, .forbid_calls = true };
	char *body = body_of(CHAT, &request);

	cr_assert_str_eq(body, "{\"model\":\"m\",\"messages\":[],\"stream\":true,"
		"\"stream_options\":{\"include_usage\":true}}");
	free(body);
}

Test(openai_chat_request, knows_the_host_that_renamed_the_limit)
{
	static const struct {
		const char *url;
		bool renamed;
	} cases[] = {
		{ "https://api.openai.com/v1", true },
		{ "https://API.OpenAI.com:443/v1", true },
		{ "https://x.openai.azure.com/openai/v1", true },
		{ "http://localhost:8080/v1", false },
		{ "https://api.openai.com.example.org/v1", false },
		{ "https://openrouter.ai/api/v1", false },
		{ NULL, false },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		struct ik_endpoint endpoint = { .base_url = cases[index].url };
		struct ik_request request = { .model = "m", .endpoint = &endpoint,
			.conversation = conversation, .max_output_tokens = 5 };
		char *body = body_of(CHAT, &request);
		cr_assert_eq(strstr(body, "\"max_completion_tokens\":5") != NULL, cases[index].renamed);
		cr_assert_eq(strstr(body, "\"max_tokens\":5") != NULL, !cases[index].renamed);
		free(body);
	}
}

Test(openai_chat_request, forbids_calls_and_keeps_the_tools)
{
	struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };
	struct ik_request request = { .model = "m", .conversation = conversation, .tools = &tool,
		.tool_count = 1 };
	say(IK_KIND_USER, "Hi");
	char *allowed = body_of(CHAT, &request);
	request.forbid_calls = true;
	char *forbidden = body_of(CHAT, &request);
	size_t same = (size_t)(strstr(allowed, ",\"stream\"") - allowed);

	cr_assert_null(strstr(allowed, "tool_choice"));
	cr_assert_not_null(strstr(forbidden, "\"tool_choice\":\"none\""));
	cr_assert_eq(strncmp(allowed, forbidden, same), 0);
	free(allowed);
	free(forbidden);
}

Test(openai_chat_request, joins_what_one_round_said_and_called)
{
	say(IK_KIND_USER, "go");
	say(IK_KIND_THINKING, "hm");
	say(IK_KIND_ASSISTANT, "Looking.");
	call("a", "one", "{\"x\":1}");
	call("b", "two", "");
	say(IK_KIND_USAGE, "");
	result("b", "{\"b\":2}");
	say(IK_KIND_NOTICE, "a notice");
	result("a", "{\"a\":1}");
	say(IK_KIND_THINKING, "so");
	say(IK_KIND_ASSISTANT, "Done.");
	say(IK_KIND_COMMAND, "/help");
	say(IK_KIND_USER, "thanks");

	assert_messages("[{\"role\":\"user\",\"content\":\"go\"},"
		"{\"role\":\"assistant\",\"content\":\"Looking.\",\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{\\\"x\\\":1}\"}},"
		"{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"two\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"{\\\"a\\\":1}\"},"
		"{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"{\\\"b\\\":2}\"},"
		"{\"role\":\"assistant\",\"content\":\"Done.\"},"
		"{\"role\":\"user\",\"content\":\"thanks\"}]");
}

/* What stands for a beginning that is not there, and for a result. */
#define BEGINNING "{\"role\":\"user\",\"content\":\"(The beginning of the conversation is missing.)\"},"
#define LOST "\"{\\\"tool_success\\\":false," \
	"\\\"error\\\":\\\"The program ended before this call had a result\\\"," \
	"\\\"error_code\\\":\\\"TOOL_CANCELLED\\\",\\\"exit_code\\\":null," \
	"\\\"stdout\\\":\\\"\\\",\\\"stderr\\\":\\\"\\\"}\""

Test(openai_chat_request, keeps_rounds_apart)
{
	call("a", "one", "{}");
	result("a", "1");
	call("b", "one", "{}");
	result("b", "2");
	assert_messages("[" BEGINNING "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\"},"
		"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"2\"}]");
}

Test(openai_chat_request, is_valid_whatever_is_missing)
{
	/* A result of nothing, a call without result, malformed arguments, an
	 * interrupted reply without a word. */
	result("zzz", "{}");
	call("a", "one", "{\"x\": tru");
	say(IK_KIND_USER, "and?");
	give(ik_message_new(IK_KIND_ASSISTANT, "", 0, "{\"interrupted\":true}", 20));
	say(IK_KIND_USER, "well?");
	assert_messages("[" BEGINNING "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"one\","
		"\"arguments\":\"{\\\"malformed_arguments\\\":\\\"{\\\\\\\"x\\\\\\\": tru\\\"}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":" LOST "},"
		"{\"role\":\"user\",\"content\":\"and?\\n\\nwell?\"}]");
}

Test(openai_chat_request, puts_a_late_result_behind_its_call)
{
	call("a", "one", "{}");
	say(IK_KIND_USER, "next");
	say(IK_KIND_ASSISTANT, "yes");
	result("a", "late");
	assert_messages("[" BEGINNING "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"late\"},"
		"{\"role\":\"user\",\"content\":\"next\"},{\"role\":\"assistant\",\"content\":\"yes\"}]");
}

Test(openai_chat_request, takes_foreign_data_as_it_is)
{
	static const char object[] = "{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":{\"x\":[1, 2]}}}";
	static const char nothing[] = "{\"id\":\"b\"}";
	static const char no_id[] = "{\"function\":{}}";
	give(ik_message_new(IK_KIND_TOOL_CALL, "", 0, object, sizeof object - 1));
	give(ik_message_new(IK_KIND_TOOL_CALL, "", 0, nothing, sizeof nothing - 1));
	give(ik_message_new(IK_KIND_TOOL_CALL, "", 0, no_id, sizeof no_id - 1));
	give(ik_message_new(IK_KIND_TOOL_CALL, "", 0, NULL, 0));
	give(ik_message_new(IK_KIND_TOOL_RESULT, "", 0, "{\"tool_call_id\":\"a\",\"output\":{\"x\":1}}", 37));
	give(ik_message_new(IK_KIND_TOOL_RESULT, "", 0, "{\"tool_call_id\":\"b\"}", 20));
	assert_messages("[" BEGINNING "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		"{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{\\\"x\\\":[1, 2]}\"}},"
		"{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"unnamed\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"{\\\"x\\\":1}\"},"
		"{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":" LOST "}]");
}

Test(openai_chat_request, says_when_it_is_too_large)
{
	const struct ik_model_facts facts = { 0 };
	struct ik_request request = { .model = "m", .facts = &facts, .conversation = conversation };
	struct ik_buf out;
	struct ik_error error;
	ik_buf_init(&out, 50);
	say(IK_KIND_USER, "a text that does not fit into fifty bytes together with the rest");

	cr_assert_eq(ik_request_serialize(ik_wire_format_find("openai-chat"), &request, &out, &error),
		IK_TOO_LARGE);
	cr_assert(strlen(error.text) > 10);
	ik_buf_done(&out);
}
