#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/formats.h"

#define TYPE "anthropic"
#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

static const struct ik_endpoint endpoint = { .provider = "anthropic",
	.base_url = "https://api.anthropic.com", .api_key = "secret" };

TestSuite(anthropic_request, .init = asking_begin, .fini = asking_end);

static void assert_messages(const char *wanted)
{
	struct ik_request request = { .model = "claude-x", .endpoint = &endpoint,
		.conversation = conversation };

	assert_member(TYPE, &request, "messages", wanted);
}

Test(anthropic_request, goes_to_its_address)
{
	assert_address(TYPE, &endpoint, "m", "https://api.anthropic.com/v1/messages",
		"Content-Type: application/json\nAccept: text/event-stream\n"
		"anthropic-version: 2023-06-01\nx-api-key: secret\n");
}

Test(anthropic_request, has_all_its_members)
{
	static const char schema[] = "{\"type\":\"object\",\"additionalProperties\":false}";
	struct ik_tool_definition tools[] = {
		{ "one", "First", { schema, sizeof schema - 1 } },
		{ "two", NULL, { NULL, 0 } },
	};
	struct ik_request request = { .model = "claude-x", .endpoint = &endpoint,
		.system_prompt = "Be kind.", .conversation = conversation, .tools = tools,
		.tool_count = 2, .forbid_calls = true, .max_output_tokens = 99 };
	say(IK_KIND_USER, "Hi");

	char *body = body_of(TYPE, &request);
	cr_assert_str_eq(body, "{\"model\":\"claude-x\",\"max_tokens\":99,\"tools\":["
		"{\"name\":\"one\",\"description\":\"First\",\"input_schema\":"
		"{\"type\":\"object\",\"additionalProperties\":false}},"
		"{\"name\":\"two\",\"description\":\"\",\"input_schema\":"
		"{\"type\":\"object\",\"properties\":{}}" MARK "}],"
		"\"system\":[{\"type\":\"text\",\"text\":\"Be kind.\"" MARK "}],"
		"\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"" MARK "}]}],"
		"\"stream\":true,\"tool_choice\":{\"type\":\"none\"},"
		"\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"}}");
	free(body);
}

Test(anthropic_request, always_says_how_much_may_come)
{
	static const struct {
		const char *model, *tokens;
	} cases[] = {
		{ "claude-3-haiku-20240307", "4096" },
		{ "claude-3-5-sonnet-latest", "8192" },
		{ "claude-opus-4-1-20250805", "32000" },
		{ "claude-opus-4-20250514", "32000" },
		{ "claude-sonnet-4-5", "64000" },
		{ "something-else", "8192" },
	};
	for (size_t index = 0; index < sizeof cases / sizeof *cases; index++) {
		struct ik_request request = { .model = cases[index].model, .conversation = conversation };
		assert_member(TYPE, &request, "max_tokens", cases[index].tokens);
		assert_member(TYPE, &request, "system", "");
		assert_member(TYPE, &request, "tools", "");
	}
}

Test(anthropic_request, marks_the_last_two_turns)
{
	say(IK_KIND_USER, "a");
	say(IK_KIND_ASSISTANT, "b");
	say(IK_KIND_USER, "c");
	call("toolu_1", "one", "{\"x\":1}");
	call("toolu_2", "two", "");
	result("toolu_2", "{\"tool_success\":true}");
	result("toolu_1", "{\"n\":1}");
	assert_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]},"
		"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"c\"" MARK "}]},"
		"{\"role\":\"assistant\",\"content\":["
		"{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"one\",\"input\":{\"x\":1}},"
		"{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"two\",\"input\":{}}]},"
		"{\"role\":\"user\",\"content\":["
		"{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_1\",\"content\":\"{\\\"n\\\":1}\"},"
		"{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_2\","
		"\"content\":\"{\\\"tool_success\\\":true}\"" MARK "}]}]");
}

Test(anthropic_request, joins_neighbours_of_one_role)
{
	say(IK_KIND_USER, "a");
	call("t", "one", "{}");
	result("t", "{}");
	say(IK_KIND_USER, "b");
	say(IK_KIND_USER, " \n");
	say(IK_KIND_ASSISTANT, "c");
	say(IK_KIND_ASSISTANT, "d");
	say(IK_KIND_ASSISTANT, "  ");
	assert_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"" MARK "}]},"
		"{\"role\":\"assistant\",\"content\":["
		"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"one\",\"input\":{}}]},"
		"{\"role\":\"user\",\"content\":["
		"{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"{}\"},"
		"{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"text\",\"text\":\"(blank)\"" MARK "}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"c\"},"
		"{\"type\":\"text\",\"text\":\"d\"}]}]");
}

Test(anthropic_request, sends_its_own_thinking_back_and_no_other)
{
	say(IK_KIND_USER, "a");
	give_opaque(ik_message_new(IK_KIND_THINKING, "hm", 2, NULL, 0), "anthropic", TYPE,
		"{\"signature\":\"s\"}");
	give_opaque(ik_message_new(IK_KIND_THINKING, "", 0, NULL, 0), "anthropic", TYPE,
		"{\"redacted\":\"r\"}");
	say(IK_KIND_THINKING, "without a signature");
	give_opaque(ik_message_new(IK_KIND_THINKING, "x", 1, NULL, 0), "other", TYPE,
		"{\"signature\":\"o\"}");
	give_opaque(ik_message_new(IK_KIND_THINKING, "y", 1, NULL, 0), "anthropic", "google",
		"{\"signature\":\"g\"}");
	say(IK_KIND_ASSISTANT, "b");
	assert_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"" MARK "}]},"
		"{\"role\":\"assistant\",\"content\":["
		"{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
		"{\"type\":\"redacted_thinking\",\"data\":\"r\"},"
		"{\"type\":\"text\",\"text\":\"b\"}]}]");
}

Test(anthropic_request, begins_with_the_user)
{
	say(IK_KIND_ASSISTANT, "b");
	assert_messages("[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
		"\"text\":\"(The beginning of the conversation is missing.)\"" MARK "}]},"
		"{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"b\"}]}]");
}

Test(anthropic_request, stored_prompts_are_not_sent)
{
	struct ik_request request = { .model = "m", .system_prompt = "One.",
		.conversation = conversation };
	say(IK_KIND_SYSTEM, "Two.");
	say(IK_KIND_USER, "a");
	assert_member(TYPE, &request, "system", "[{\"type\":\"text\",\"text\":\"One.\"" MARK "}]");
	request.system_prompt = " ";
	assert_member(TYPE, &request, "system", "");
}

Test(anthropic_request, mends_what_would_be_refused)
{
	say(IK_KIND_USER, "a");
	call("functions.one:0", "one", "{\"x\":");
	call("t2", "one", "[1]");
	give(ik_message_tool_result("functions.one:0", "one", "{}", 2, false, 1, NULL));

	struct ik_request request = { .model = "m", .conversation = conversation };
	char *body = body_of(TYPE, &request);
	struct ik_json_span value;
	cr_assert_eq(ik_json_check(body, strlen(body), &value, NULL), IK_OK);
	struct ik_json_span calls = ik_json_at(value, "messages.1.content");
	struct ik_json_span results = ik_json_at(value, "messages.2.content");
	char *id = ik_json_string_new(ik_json_at(calls, "0.id"), NULL);
	cr_assert_eq(strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(id));
	cr_assert(ik_json_string_is(ik_json_at(results, "0.tool_use_id"), id));
	cr_assert(ik_json_string_is(ik_json_at(calls, "0.input.malformed_arguments"), "{\"x\":"));
	cr_assert(ik_json_string_is(ik_json_at(calls, "1.input.malformed_arguments"), "[1]"));
	bool is_error = false;
	cr_assert(ik_json_bool(ik_json_at(results, "0.is_error"), &is_error) && is_error);
	/* No result came for the second. */
	cr_assert(ik_json_string_is(ik_json_at(results, "1.tool_use_id"), "t2"));
	cr_assert_eq(ik_json_span_type(ik_json_at(results, "1.content")), IK_JSON_STRING);
	free(id);
	free(body);
}

/* Give thinking that was made for that request. */
static void think_for(const struct ik_request *request)
{
	char bound[IK_BINDING], opaque[200];

	ik_request_binding(ik_wire_format_find(IK_ANTHROPIC), request, bound);
	snprintf(opaque, sizeof opaque, "{\"provider\":\"far\",\"type\":\"anthropic\",\"bound\":\"%s\","
		"\"data\":{\"signature\":\"sealed\"}}", bound);
	give(ik_message_with(ik_message_new(IK_KIND_THINKING, "hm", 2, NULL, 0), "opaque", opaque,
		strlen(opaque)));
}

static void expect_sealed(const struct ik_request *request, bool sealed, const char *after)
{
	char *body = body_of(IK_ANTHROPIC, request);

	cr_expect_eq(strstr(body, "sealed") != NULL, sealed, "%s: %s", after, body);
	free(body);
}

/* Newer models refuse thinking that was made for another conversation. */
Test(anthropic_request, leaves_out_thinking_of_another_conversation)
{
	static const struct ik_tool_definition tools[] = { { "one", "First", { NULL, 0 } },
		{ "two", "Second", { NULL, 0 } } };
	const struct ik_endpoint far = { .provider = "far", .base_url = "http://x" };
	const struct ik_request request = { .model = "claude-opus-5-5", .endpoint = &far,
		.conversation = conversation, .system_prompt = "s", .tools = tools, .tool_count = 1 };
	struct ik_request other = request;
	char bound[IK_BINDING] = "x";

	say(IK_KIND_USER, "hi");
	think_for(&request);
	say(IK_KIND_ASSISTANT, "well");
	say(IK_KIND_USER, "and?");
	expect_sealed(&request, true, "nothing");
	other.tool_count = 2;
	expect_sealed(&other, false, "another tool");
	other = request;
	other.system_prompt = "t";
	expect_sealed(&other, false, "another prompt");
	other = request;
	other.model = "claude-fable-5-2";
	expect_sealed(&other, false, "another model");
	expect_sealed(&request, true, "a change back");
	give(ik_message_summary(ik_message_command("/compact", "told"), NULL, "short", 5));
	say(IK_KIND_USER, "hi");
	think_for(&request);
	say(IK_KIND_ASSISTANT, "well");
	say(IK_KIND_USER, "and?");
	expect_sealed(&request, true, "a summary");
	ik_request_binding(ik_wire_format_find(IK_GOOGLE), &request, bound);
	cr_assert_str_eq(bound, "");
}
