#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "util/limits.h"

#define TYPE "google"
#define USER(text) "{\"role\":\"user\",\"parts\":[{\"text\":\"" text "\"}]}"

static const struct ik_endpoint endpoint = { .provider = "google",
	.base_url = "https://generativelanguage.googleapis.com", .api_key = "secret" };

TestSuite(google_request, .init = asking_begin, .fini = asking_end);

static void assert_contents(const char *model, const char *wanted)
{
	struct ik_request request = { .model = model, .endpoint = &endpoint,
		.conversation = conversation };

	assert_member(TYPE, &request, "contents", wanted);
}

Test(google_request, goes_to_its_address)
{
	assert_address(TYPE, &endpoint, "gemini-x", "https://generativelanguage.googleapis.com/v1beta/"
		"models/gemini-x:streamGenerateContent?alt=sse",
		"Content-Type: application/json\nAccept: text/event-stream\nx-goog-api-key: secret\n");
	assert_address(TYPE, &endpoint, "tunedModels/y", "https://generativelanguage.googleapis.com/"
		"v1beta/tunedModels/y:streamGenerateContent?alt=sse",
		"Content-Type: application/json\nAccept: text/event-stream\nx-goog-api-key: secret\n");
}

Test(google_request, has_all_its_members)
{
	static const char schema[] = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},"
		"\"required\":[\"a\"],\"additionalProperties\":false}";
	static const char empty[] = "{\"type\":\"object\",\"properties\":{}}";
	struct ik_tool_definition tools[] = {
		{ "one", "First", { schema, sizeof schema - 1 } },
		{ "two", "Second", { empty, sizeof empty - 1 } },
	};
	struct ik_request request = { .model = "m", .endpoint = &endpoint,
		.system_prompt = "Be kind.", .conversation = conversation, .tools = tools,
		.tool_count = 2, .forbid_calls = true, .max_output_tokens = 99 };
	say(IK_KIND_SYSTEM, "Be brief.");
	say(IK_KIND_USER, "Hi");

	char *body = body_of(TYPE, &request);
	cr_assert_str_eq(body, "{\"tools\":[{\"functionDeclarations\":["
		"{\"name\":\"one\",\"description\":\"First\",\"parametersJsonSchema\":{\"type\":\"object\","
		"\"properties\":{\"a\":{\"type\":\"string\"}},\"required\":[\"a\"],"
		"\"additionalProperties\":false}},"
		"{\"name\":\"two\",\"description\":\"Second\"}]}],"
		"\"systemInstruction\":{\"parts\":[{\"text\":\"Be kind.\"}]},"
		"\"contents\":[" USER("Hi") "],"
		"\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"NONE\"}},"
		"\"generationConfig\":{\"maxOutputTokens\":99}}");
	free(body);
}

Test(google_request, leaves_out_what_is_empty)
{
	struct ik_request request = { .model = "m", .conversation = conversation,
		.forbid_calls = true };
	char *body = body_of(TYPE, &request);

	cr_assert_str_eq(body, "{\"contents\":[]}");
	free(body);
}

Test(google_request, pairs_results_with_calls_by_their_order)
{
	say(IK_KIND_USER, "a");
	say(IK_KIND_ASSISTANT, "b");
	call("1", "one", "{\"x\":1}");
	call("2", "two", "");
	result("2", "{\"n\":2}");
	result("1", "{\"n\":1}");
	say(IK_KIND_USER, "c");
	assert_contents("gemini-2.5-flash", "[" USER("a") ",{\"role\":\"model\",\"parts\":[{\"text\":\"b\"},"
		"{\"functionCall\":{\"name\":\"one\",\"args\":{\"x\":1}}},"
		"{\"functionCall\":{\"name\":\"two\",\"args\":{}}}]},"
		"{\"role\":\"user\",\"parts\":["
		"{\"functionResponse\":{\"name\":\"one\",\"response\":{\"output\":\"{\\\"n\\\":1}\"}}},"
		"{\"functionResponse\":{\"name\":\"two\",\"response\":{\"output\":\"{\\\"n\\\":2}\"}}},"
		"{\"text\":\"c\"}]}]");
}

Test(google_request, sends_signatures_and_ids_back)
{
	say(IK_KIND_USER, "a");
	say(IK_KIND_THINKING, "not sent");
	give_opaque(ik_message_new(IK_KIND_ASSISTANT, "b", 1, NULL, 0), "google", TYPE,
		"{\"thoughtSignature\":\"t\"}");
	give_opaque(ik_message_tool_call("1", "one", "{}", 2, "one"), "google", TYPE,
		"{\"thoughtSignature\":\"s\",\"id\":\"x9\"}");
	call("2", "two", "{}");
	result("1", "{}");
	result("2", "{}");
	assert_contents("gemini-3-pro", "[" USER("a") ",{\"role\":\"model\",\"parts\":["
		"{\"text\":\"b\",\"thoughtSignature\":\"t\"},"
		"{\"functionCall\":{\"id\":\"x9\",\"name\":\"one\",\"args\":{}},\"thoughtSignature\":\"s\"},"
		"{\"functionCall\":{\"name\":\"two\",\"args\":{}}}]},"
		"{\"role\":\"user\",\"parts\":["
		"{\"functionResponse\":{\"id\":\"x9\",\"name\":\"one\",\"response\":{\"output\":\"{}\"}}},"
		"{\"functionResponse\":{\"name\":\"two\",\"response\":{\"output\":\"{}\"}}}]}]");
}

Test(google_request, says_of_foreign_calls_that_they_are_not_signed)
{
	struct ik_request request = { .model = "gemini-3-flash", .endpoint = &endpoint,
		.conversation = conversation };
	say(IK_KIND_USER, "a");
	give_opaque(ik_message_tool_call("1", "one", "{}", 2, "one"), "google", "anthropic",
		"{\"thoughtSignature\":\"s\"}");
	call("2", "two", "{}");
	result("1", "{}");
	assert_member(TYPE, &request, "contents.1.parts.0.thoughtSignature",
		"\"skip_thought_signature_validator\"");
	assert_member(TYPE, &request, "contents.1.parts.1.thoughtSignature", "");
	/* No result came for the second; there must be one. */
	assert_member(TYPE, &request, "contents.2.parts.1.functionResponse.name", "\"two\"");
	request.model = "models/gemini-2.5-pro";
	assert_member(TYPE, &request, "contents.1.parts.0.thoughtSignature", "");
}

Test(google_request, joins_what_the_model_said_and_begins_with_the_user)
{
	say(IK_KIND_ASSISTANT, "b");
	say(IK_KIND_ASSISTANT, "c");
	assert_contents("m", "[" USER("(The beginning of the conversation is missing.)")
		",{\"role\":\"model\",\"parts\":[{\"text\":\"b\"},{\"text\":\"c\"}]}]");
}
