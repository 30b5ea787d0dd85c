#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/formats.h"
#include "util/limits.h"

#define CHAT "openai-chat"
#define LONG_ID "call_0123456789012345678901234567890123456789012345678901234567890123"

static const struct ik_endpoint openai = { .provider = "openai",
	.base_url = "https://api.openai.com/v1" };
static const struct ik_endpoint deepseek = { .provider = "deepseek",
	.base_url = "https://api.deepseek.com/v1" };
static const struct ik_endpoint kimi = { .provider = "kimi",
	.base_url = "https://API.Moonshot.ai:443/v1" };
static const struct ik_endpoint mistral = { .provider = "mistral",
	.base_url = "https://api.mistral.ai/v1" };
static const struct ik_endpoint local = { .provider = "local",
	.base_url = "http://localhost:1/mistral.ai" };

TestSuite(chat_dialect, .init = asking_begin, .fini = asking_end);

static void assert_at(const struct ik_endpoint *endpoint, const char *model, const char *path,
	const char *wanted)
{
	struct ik_request request = { .model = model, .endpoint = endpoint,
		.conversation = conversation };

	assert_member(CHAT, &request, path, wanted);
}

/* Give thinking as it came from the provider in that member. */
static void think(const char *text, const char *provider, const char *member)
{
	give_opaque(ik_message_new(IK_KIND_THINKING, text, strlen(text), NULL, 0), provider, CHAT,
		member);
}

/* Without it DeepSeek and Kimi refuse every request behind a call. */
Test(chat_dialect, gives_back_what_was_thought)
{
	say(IK_KIND_USER, "go");
	think("I \"need\" ", "deepseek", "\"reasoning_content\"");
	think("more.", "deepseek", "\"reasoning_content\"");
	call("a", "one", "{}");
	result("a", "1");
	think("So.", "deepseek", "\"reasoning\"");
	say(IK_KIND_ASSISTANT, "Done.");
	assert_at(&deepseek, "m", "messages.1.reasoning_content", "\"I \\\"need\\\" more.\"");
	assert_at(&deepseek, "m", "messages.1.content", "null");
	assert_at(&deepseek, "m", "messages.3.reasoning", "\"So.\"");
	assert_at(&deepseek, "m", "messages.3.content", "\"Done.\"");
	/* Another service gets none of it; where it cannot do without, a blank. */
	assert_at(&local, "m", "messages.1.reasoning_content", "");
	assert_at(&local, "m", "messages.3.reasoning", "");
	assert_at(&kimi, "m", "messages.1.reasoning_content", "\" \"");
	assert_at(&kimi, "m", "messages.3.reasoning_content", "");
}

/* OpenRouter's models go on from it, signed or encrypted; the text is in it. */
Test(chat_dialect, gives_back_the_details_of_thinking)
{
	static const struct ik_endpoint router = { .provider = "router",
		.base_url = "https://openrouter.ai/api/v1" };

	say(IK_KIND_USER, "go");
	think("I need", "router", "\"reasoning\"");
	give_opaque(ik_message_tool_call("a", "one", "{}", 2, "one"), "router", CHAT,
		"{\"reasoning_details\":[{\"type\":\"reasoning.text\","
		"\"text\":\"I need\",\"signature\":\"s\",\"index\":0}]}");
	result("a", "1");
	say(IK_KIND_ASSISTANT, "Done.");
	assert_at(&router, "m", "messages.1.reasoning_details.0.signature", "\"s\"");
	assert_at(&router, "m", "messages.1.reasoning", "");
	assert_at(&router, "m", "messages.1.tool_calls.0.id", "\"a\"");
	assert_at(&router, "m", "messages.2.role", "\"tool\"");
	assert_at(&router, "m", "messages.3.reasoning_details", "");
	assert_at(&local, "m", "messages.1.reasoning_details", "");
}

Test(chat_dialect, keeps_thinking_without_a_name_to_itself)
{
	say(IK_KIND_USER, "go");
	say(IK_KIND_THINKING, "hm");
	think("ha", "local", "\"what\"");
	think("ho", "local", "{}");
	say(IK_KIND_ASSISTANT, "Done.");
	say(IK_KIND_USER, "on");
	assert_at(&local, "m", "messages", "[{\"role\":\"user\",\"content\":\"go\"},"
		"{\"role\":\"assistant\",\"content\":\"Done.\"},{\"role\":\"user\",\"content\":\"on\"}]");
}

/* Gemini behind this format refuses its calls without their signatures. */
Test(chat_dialect, gives_back_what_stands_with_a_call)
{
	static const char data[] = "{\"id\":\"a\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}";

	say(IK_KIND_USER, "go");
	give_opaque(ik_message_new(IK_KIND_TOOL_CALL, "", 0, data, sizeof data - 1), "local", CHAT,
		"{\"extra_content\":{\"google\":{\"thought_signature\":\"s\"}}}");
	result("a", "1");
	assert_at(&local, "m", "messages.1.tool_calls.0.extra_content",
		"{\"google\":{\"thought_signature\":\"s\"}}");
	assert_at(&deepseek, "m", "messages.1.tool_calls.0.extra_content", "");
}

/* Templates of many models refuse two messages of a role in a row. */
Test(chat_dialect, joins_neighbours)
{
	say(IK_KIND_USER, "one");
	say(IK_KIND_USER, "two");
	say(IK_KIND_ASSISTANT, "A");
	say(IK_KIND_ASSISTANT, "B\"");
	call("a", "one", "{}");
	result("a", "1");
	say(IK_KIND_USER, "three");
	assert_at(&local, "m", "messages", "[{\"role\":\"user\",\"content\":\"one\\n\\ntwo\"},"
		"{\"role\":\"assistant\",\"content\":\"A\\n\\nB\\\"\",\"tool_calls\":[{\"id\":\"a\","
		"\"type\":\"function\",\"function\":{\"name\":\"one\",\"arguments\":\"{}\"}}]},"
		"{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"1\"},"
		"{\"role\":\"user\",\"content\":\"three\"}]");
	assert_at(&openai, "m", "messages.1", "{\"role\":\"user\",\"content\":\"two\"}");
	assert_at(&openai, "m", "messages.2", "{\"role\":\"assistant\",\"content\":\"A\"}");
	assert_at(&openai, "m", "messages.3.content", "\"B\\\"\"");
}

Test(chat_dialect, speaks_to_mistral_as_it_wants)
{
	static const char answer[] = "{\"role\":\"assistant\",\"content\":\"(interrupted)\"}";

	say(IK_KIND_USER, "go");
	call(LONG_ID, "one", "{}");
	call("abcDEF123", "one", "{}");
	result(LONG_ID, "1");
	result("abcDEF123", "2");
	say(IK_KIND_USER, "stop");
	assert_at(&mistral, "m", "stream_options", "");
	assert_at(&mistral, "m", "messages.1.tool_calls.1.id", "\"abcDEF123\"");
	assert_at(&mistral, "m", "messages.4", answer);
	assert_at(&mistral, "m", "messages.5.content", "\"stop\"");
	assert_at(&local, "devstral:24b", "messages.4", answer);
	assert_at(&local, "devstral:24b", "stream_options.include_usage", "true");
	assert_at(&local, "m", "messages.4.content", "\"stop\"");
	assert_at(&local, "m", "messages.1.tool_calls.0.id", "\"" LONG_ID "\"");

	struct ik_request request = { .model = "m", .endpoint = &mistral,
		.conversation = conversation };
	char *body = body_of(CHAT, &request);
	const char *id = strstr(body, "\"id\":\"") + 6;
	cr_assert_eq(strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), 9);
	/* And its result has it too. */
	cr_assert_eq(strncmp(strstr(body, "\"tool_call_id\":\"") + 16, id, 10), 0);
	free(body);
}
