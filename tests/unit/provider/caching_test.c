/* What each format asks of the provider's cache, and what it reads of what that did. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "reading.h"

TestSuite(caching, .init = asking_begin, .fini = asking_end);

#define MARK ",\"cache_control\":{\"type\":\"ephemeral\"}"

static const struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };

/* Return a request to a host. */
static struct ik_request request_to(struct ik_endpoint *endpoint, const char *base_url)
{
	*endpoint = (struct ik_endpoint){ .provider = "p", .base_url = base_url };
	return (struct ik_request){ .model = "m", .endpoint = endpoint, .system_prompt = "s",
		.conversation = conversation, .tools = &tool, .tool_count = 1, .cache_key = "k" };
}

/* Take the marks out of a body. Return where the last and the one before it were, in the result. */
static size_t without_marks(char *body, size_t places[2])
{
	size_t count = 0;
	char *at;

	places[0] = places[1] = 0;
	while ((at = strstr(body, MARK))) {
		count++;
		places[1] = places[0];
		places[0] = (size_t)(at - body);
		memmove(at, at + strlen(MARK), strlen(at + strlen(MARK)) + 1);
	}
	return count;
}

/* A round with more blocks than Anthropic looks back still finds what the request before wrote. */
Test(caching, anthropic_marks_where_the_request_before_ended)
{
	struct ik_endpoint endpoint;
	struct ik_request request = request_to(&endpoint, "https://api.anthropic.com");
	size_t before[2], after[2];
	char id[32], *one, *other;

	say(IK_KIND_USER, "go");
	one = body_of("anthropic", &request);
	cr_assert_eq(without_marks(one, before), 3);
	for (int round = 0; round < 3; round++) {
		say(IK_KIND_ASSISTANT, "Text.");
		for (int at = 0; at < 15; at++) {
			snprintf(id, sizeof id, "c%d_%d", round, at);
			call(id, "one", "{}");
		}
		for (int at = 0; at < 15; at++) {
			snprintf(id, sizeof id, "c%d_%d", round, at);
			result(id, "{}");
		}
		other = body_of("anthropic", &request);
		cr_assert_eq(without_marks(other, after), 4);
		cr_assert_eq(after[1], before[0]);
		cr_assert_eq(strncmp(one, other, before[0]), 0);
		memcpy(before, after, sizeof before);
		free(one);
		one = other;
	}
	free(one);
}

Test(caching, anthropic_keeps_as_long_as_is_wanted)
{
	struct ik_endpoint endpoint;
	struct ik_request request = request_to(&endpoint, "https://api.anthropic.com");
	char *body;

	say(IK_KIND_USER, "go");
	endpoint.caching = IK_CACHING_LONG;
	assert_member("anthropic", &request, "tools.0.cache_control.ttl", "\"1h\"");
	assert_member("anthropic", &request, "system.0.cache_control.ttl", "\"1h\"");
	assert_member("anthropic", &request, "messages.0.content.0.cache_control.ttl", "\"1h\"");
	endpoint.caching = IK_CACHING_OFF;
	body = body_of("anthropic", &request);
	cr_assert_null(strstr(body, "cache_control"), "%s", body);
	free(body);
}

Test(caching, openai_gets_a_key_on_its_own_hosts)
{
	static const char *const types[] = { "openai-chat", "openai-responses" };
	struct ik_endpoint endpoint;
	struct ik_request request;

	say(IK_KIND_USER, "go");
	for (size_t i = 0; i < 2; i++) {
		request = request_to(&endpoint, "https://eu.api.openai.com/v1");
		assert_member(types[i], &request, "prompt_cache_key", "\"k\"");
		assert_member(types[i], &request, "prompt_cache_retention", "");
		endpoint.caching = IK_CACHING_LONG;
		assert_member(types[i], &request, "prompt_cache_retention", "\"24h\"");
		endpoint.caching = IK_CACHING_OFF;
		assert_member(types[i], &request, "prompt_cache_key", "");
		request = request_to(&endpoint, "https://example.org/v1");
		assert_member(types[i], &request, "prompt_cache_key", "");
	}
}

Test(caching, openrouter_gets_a_mark_for_anthropics_models)
{
	struct ik_endpoint endpoint;
	struct ik_request request = request_to(&endpoint, "https://openrouter.ai/api/v1");

	say(IK_KIND_USER, "go");
	assert_member("openai-chat", &request, "cache_control", "");
	request.model = "anthropic/claude-sonnet-5";
	assert_member("openai-chat", &request, "cache_control.type", "\"ephemeral\"");
	endpoint.caching = IK_CACHING_OFF;
	assert_member("openai-chat", &request, "cache_control", "");
	endpoint = (struct ik_endpoint){ .provider = "p", .base_url = "https://example.org/v1" };
	assert_member("openai-chat", &request, "cache_control", "");
}

/* What is read from the cache and written to it are two counts, both part of the input. */
Test(caching, is_counted)
{
	assert_reads("anthropic", "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"
		"{\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":300,"
		"\"cache_creation_input_tokens\":50,\"output_tokens\":1}}}\n\n"
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		"usage: 360 1 300 0 written 50\nstop: end");
	assert_reads("openai-chat", "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"},"
		"\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":360,\"completion_tokens\":2,"
		"\"prompt_tokens_details\":{\"cached_tokens\":300,\"cache_write_tokens\":50}}}\n\n",
		"text: x\nusage: 360 2 300 0 written 50\nstop: end");
	assert_reads("openai-responses", "data: {\"type\":\"response.completed\",\"response\":"
		"{\"status\":\"completed\",\"usage\":{\"input_tokens\":360,\"output_tokens\":2,"
		"\"input_tokens_details\":{\"cached_tokens\":300,\"cache_write_tokens\":50}}}}\n\n",
		"usage: 360 2 300 0 written 50\nstop: end");
	assert_reads("google", "data: {\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":"
		"{\"promptTokenCount\":360,\"cachedContentTokenCount\":300,\"candidatesTokenCount\":2}}\n\n",
		"usage: 360 2 300 0\nstop: end");
}
