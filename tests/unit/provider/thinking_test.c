#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/wire/format.h"

TestSuite(thinking, .init = asking_begin, .fini = asking_end);

static const struct ik_endpoint openai = { .provider = "openai",
	.base_url = "https://api.openai.com/v1" };
static const struct ik_endpoint other = { .provider = "other", .base_url = "http://localhost/v1" };
static const struct ik_endpoint deepseek = { .provider = "d", .base_url = "https://api.deepseek.com" };
static const struct ik_endpoint kimi = { .provider = "k", .base_url = "https://api.moonshot.ai/v1" };
static const struct ik_endpoint anthropic = { .provider = "anthropic",
	.base_url = "https://api.anthropic.com" };

/* Every row: what a member of the request is for a model and a level. */
Test(thinking, is_said_in_each_providers_way)
{
	static const struct {
		const char *type;
		const struct ik_endpoint *endpoint;
		const char *model;
		enum ik_thinking level;
		const char *path, *wanted;
	} rows[] = {
		{ "openai-chat", &openai, "gpt-5-mini", IK_THINKING_UNSET, "reasoning_effort", "" },
		{ "openai-chat", &openai, "gpt-5-mini", IK_THINKING_OFF, "reasoning_effort", "\"minimal\"" },
		{ "openai-chat", &openai, "gpt-5.1", IK_THINKING_OFF, "reasoning_effort", "\"none\"" },
		{ "openai-chat", &openai, "gpt-5-pro", IK_THINKING_LOW, "reasoning_effort", "\"high\"" },
		{ "openai-chat", &openai, "gpt-5-codex", IK_THINKING_OFF, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &openai, "gpt-5.1-codex-mini", IK_THINKING_OFF, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &openai, "gpt-5.4-pro", IK_THINKING_LOW, "reasoning_effort", "\"medium\"" },
		{ "openai-chat", &openai, "gpt-5.2-chat-latest", IK_THINKING_HIGH, "reasoning_effort", "" },
		{ "openai-chat", &openai, "gpt-5.4-mini", IK_THINKING_OFF, "reasoning_effort", "\"none\"" },
		{ "openai-chat", &openai, "gpt-5.4", IK_THINKING_MAX, "reasoning_effort", "\"xhigh\"" },
		{ "openai-chat", &openai, "gpt-5.6-terra", IK_THINKING_MAX, "reasoning_effort", "\"max\"" },
		{ "openai-chat", &openai, "gpt-5.6-terra", IK_THINKING_MINIMAL, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &openai, "gpt-5", IK_THINKING_XHIGH, "reasoning_effort", "\"high\"" },
		{ "openai-chat", &openai, "gpt-6", IK_THINKING_OFF, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &other, "openai/o3", IK_THINKING_OFF, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &openai, "o3-mini", IK_THINKING_MEDIUM, "reasoning_effort", "\"medium\"" },
		{ "openai-chat", &openai, "gpt-4.1", IK_THINKING_HIGH, "reasoning_effort", "" },
		{ "openai-chat", &openai, "gpt-5-chat-latest", IK_THINKING_HIGH, "reasoning_effort", "" },
		{ "openai-chat", &other, "qwen3", IK_THINKING_HIGH, "reasoning_effort", "\"high\"" },
		{ "openai-chat", &deepseek, "deepseek-v4-pro", IK_THINKING_OFF, "thinking",
			"{\"type\":\"disabled\"}" },
		{ "openai-chat", &deepseek, "deepseek-v4-pro", IK_THINKING_OFF, "reasoning_effort", "" },
		{ "openai-chat", &deepseek, "deepseek-v4-pro", IK_THINKING_LOW, "thinking",
			"{\"type\":\"enabled\"}" },
		{ "openai-chat", &deepseek, "deepseek-v4-pro", IK_THINKING_LOW, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &deepseek, "deepseek-v4-pro", IK_THINKING_UNSET, "thinking", "" },
		{ "openai-chat", &kimi, "kimi-k2.5", IK_THINKING_HIGH, "thinking", "{\"type\":\"enabled\"}" },
		{ "openai-chat", &kimi, "kimi-k2.5", IK_THINKING_HIGH, "reasoning_effort", "" },
		{ "openai-chat", &kimi, "kimi-k3", IK_THINKING_LOW, "reasoning_effort", "\"low\"" },
		{ "openai-chat", &kimi, "kimi-k3", IK_THINKING_LOW, "thinking", "" },
		{ "openai-chat", &other, "gpt-oss:20b", IK_THINKING_OFF, "reasoning_effort", "\"low\"" },
		{ "openai-responses", &openai, "gpt-5-mini", IK_THINKING_HIGH, "reasoning",
			"{\"effort\":\"high\",\"summary\":\"auto\"}" },
		{ "openai-responses", &openai, "gpt-5-mini", IK_THINKING_UNSET, "reasoning",
			"{\"summary\":\"auto\"}" },
		{ "openai-responses", &openai, "gpt-5.4", IK_THINKING_OFF, "reasoning",
			"{\"effort\":\"none\"}" },
		{ "openai-responses", &openai, "gpt-4.1", IK_THINKING_UNSET, "reasoning", "" },
		{ "openai-responses", &openai, "gpt-4.1", IK_THINKING_HIGH, "reasoning", "" },
		{ "anthropic", &anthropic, "claude-sonnet-4-5", IK_THINKING_UNSET, "thinking", "" },
		{ "anthropic", &anthropic, "claude-sonnet-4-5", IK_THINKING_OFF, "thinking", "" },
		{ "anthropic", &anthropic, "claude-sonnet-4-5", IK_THINKING_LOW, "thinking",
			"{\"type\":\"enabled\",\"budget_tokens\":2048}" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_HIGH, "thinking",
			"{\"type\":\"adaptive\",\"display\":\"summarized\"}" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_HIGH, "output_config.effort", "\"high\"" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_OFF, "thinking",
			"{\"type\":\"disabled\"}" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_OFF, "output_config", "" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_UNSET, "thinking",
			"{\"type\":\"adaptive\",\"display\":\"summarized\"}" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_UNSET, "output_config", "" },
		{ "anthropic", &anthropic, "claude-opus-4-20250514", IK_THINKING_LOW,
			"thinking.budget_tokens", "2048" },
		{ "anthropic", &anthropic, "claude-haiku-4-5-20251001", IK_THINKING_LOW,
			"thinking.budget_tokens", "2048" },
		{ "anthropic", &anthropic, "claude-opus-4-7", IK_THINKING_LOW, "output_config.effort", "\"low\"" },
		{ "anthropic", &anthropic, "claude-sonnet-5", IK_THINKING_LOW, "thinking.type", "\"adaptive\"" },
		{ "anthropic", &anthropic, "claude-fable-5", IK_THINKING_OFF, "output_config.effort", "\"low\"" },
		{ "anthropic", &anthropic, "claude-fable-5", IK_THINKING_MAX, "output_config.effort", "\"max\"" },
		{ "anthropic", &anthropic, "claude-opus-5-5", IK_THINKING_OFF, "thinking.type", "\"adaptive\"" },
		{ "anthropic", &anthropic, "claude-opus-5-5", IK_THINKING_OFF, "output_config.effort", "\"low\"" },
		{ "anthropic", &anthropic, "claude-sonnet-5-5", IK_THINKING_OFF, "thinking",
			"{\"type\":\"between_tools\"}" },
		{ "anthropic", &anthropic, "claude-haiku-5-5", IK_THINKING_OFF, "thinking.type", "\"disabled\"" },
		{ "anthropic", &anthropic, "claude-opus-4-6", IK_THINKING_XHIGH, "output_config.effort", "\"max\"" },
		{ "anthropic", &anthropic, "claude-3-5-haiku", IK_THINKING_HIGH, "thinking", "" },
		/* Another maker's model gets what fits into its 8,192 tokens. */
		{ "anthropic", &other, "glm", IK_THINKING_HIGH, "thinking.budget_tokens", "7168" },
		{ "google", &other, "gemini-2.5-flash", IK_THINKING_OFF, "generationConfig",
			"{\"thinkingConfig\":{\"thinkingBudget\":0}}" },
		{ "google", &other, "gemini-2.5-pro", IK_THINKING_OFF,
			"generationConfig.thinkingConfig.thinkingBudget", "512" },
		{ "google", &other, "gemini-2.5-flash", IK_THINKING_MEDIUM, "generationConfig",
			"{\"thinkingConfig\":{\"thinkingBudget\":8192,\"includeThoughts\":true}}" },
		{ "google", &other, "gemini-3.8-flash", IK_THINKING_UNSET, "generationConfig",
			"{\"thinkingConfig\":{\"includeThoughts\":true}}" },
		{ "google", &other, "gemini-3-pro-preview", IK_THINKING_LOW,
			"generationConfig.thinkingConfig.thinkingLevel", "\"low\"" },
		{ "google", &other, "models/gemini-3-flash-preview", IK_THINKING_OFF,
			"generationConfig.thinkingConfig.thinkingLevel", "\"minimal\"" },
		{ "google", &other, "gemini-3.1-pro-preview", IK_THINKING_MEDIUM,
			"generationConfig.thinkingConfig.thinkingLevel", "\"medium\"" },
		{ "google", &other, "gemini-3.5-flash-lite", IK_THINKING_OFF,
			"generationConfig.thinkingConfig.thinkingLevel", "\"minimal\"" },
		{ "google", &other, "gemini-3.1-pro-preview", IK_THINKING_OFF,
			"generationConfig.thinkingConfig.thinkingLevel", "\"low\"" },
		{ "google", &other, "gemini-3-pro-preview", IK_THINKING_MEDIUM,
			"generationConfig.thinkingConfig.thinkingLevel", "\"high\"" },
		{ "google", &other, "gemma-3-27b-it", IK_THINKING_HIGH, "generationConfig", "" },
		{ "google", &other, "gemini-2.0-flash", IK_THINKING_HIGH, "generationConfig", "" },
	};

	say(IK_KIND_USER, "Hi");
	for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
		struct ik_request request = { .model = rows[index].model,
			.endpoint = rows[index].endpoint, .conversation = conversation,
			.thinking = rows[index].level };

		assert_member(rows[index].type, &request, rows[index].path, rows[index].wanted);
	}
}

/* What a provider refuses to show isn't asked for again. */
Test(thinking, is_not_asked_to_be_seen_after_a_refusal)
{
	struct ik_request request = { .model = "claude-opus-5-5", .endpoint = &anthropic,
		.conversation = conversation, .refused.thoughts = true };

	say(IK_KIND_USER, "Hi");
	assert_member("anthropic", &request, "thinking", "");
	request.thinking = IK_THINKING_HIGH;
	assert_member("anthropic", &request, "thinking", "{\"type\":\"adaptive\"}");
	request.model = "gpt-5.6-terra";
	assert_member("openai-responses", &request, "reasoning", "{\"effort\":\"high\"}");
	request.thinking = IK_THINKING_UNSET;
	assert_member("openai-responses", &request, "reasoning", "");
	request.model = "gemini-3.8-flash";
	assert_member("google", &request, "generationConfig", "");
}

Test(thinking, leaves_room_for_the_answer)
{
	struct ik_request request = { .model = "claude-sonnet-4-5", .endpoint = &anthropic,
		.conversation = conversation, .thinking = IK_THINKING_HIGH, .max_output_tokens = 4096 };

	say(IK_KIND_USER, "Hi");
	assert_member("anthropic", &request, "thinking.budget_tokens", "3072");
	request.max_output_tokens = 2047;
	assert_member("anthropic", &request, "thinking", "");
}

/* Half a turn without thinking cannot go on with it; the next turn can. */
Test(thinking, is_not_asked_for_in_the_middle_of_a_turn_without_it)
{
	struct ik_request request = { .model = "claude-sonnet-4-5", .endpoint = &anthropic,
		.conversation = conversation, .thinking = IK_THINKING_LOW };
	static const char wish[] = "{\"type\":\"enabled\",\"budget_tokens\":2048}";

	say(IK_KIND_USER, "Hi");
	call("c1", "glob", "{}");
	result("c1", "{\"tool_success\":true,\"result\":{}}");
	assert_member("anthropic", &request, "thinking", "");
	say(IK_KIND_ASSISTANT, "Done");
	say(IK_KIND_USER, "And now?");
	assert_member("anthropic", &request, "thinking", wish);
	/* Who decides by itself may begin anywhere. */
	request.model = "claude-opus-4-7";
	assert_member("anthropic", &request, "thinking.type", "\"adaptive\"");
	request.model = "claude-sonnet-4-5";
	give_opaque(ik_message_new(IK_KIND_THINKING, "Hm", 2, NULL, 0), "anthropic", "anthropic",
		"{\"signature\":\"s\"}");
	call("c2", "glob", "{}");
	result("c2", "{\"tool_success\":true,\"result\":{}}");
	assert_member("anthropic", &request, "thinking", wish);
}

/* OpenAI's newer models refuse tools in this format if they may think. */
Test(thinking, is_off_with_tools_in_openais_chat_format)
{
	static const struct ik_tool_definition tool = { "one", "First", { NULL, 0 } };
	static const struct {
		const struct ik_endpoint *endpoint;
		const char *model, *wanted;
	} rows[] = {
		{ &openai, "gpt-5.6-terra", "\"none\"" }, { &openai, "gpt-5-mini", "\"high\"" },
		{ &other, "openai/gpt-5.6-terra", "\"high\"" },
	};

	say(IK_KIND_USER, "Hi");
	for (size_t index = 0; index < sizeof rows / sizeof *rows; index++) {
		assert_member("openai-chat", &(struct ik_request){ .model = rows[index].model,
			.endpoint = rows[index].endpoint, .conversation = conversation, .tools = &tool,
			.tool_count = 1, .thinking = IK_THINKING_HIGH }, "reasoning_effort", rows[index].wanted);
	}
}

/* A turn that another provider began without it, or that a summary begins. */
Test(thinking, is_only_asked_for_in_a_turn_that_began_with_it)
{
	struct ik_request request = { .model = "claude-sonnet-4-5", .conversation = conversation,
		.endpoint = &(struct ik_endpoint){ .provider = "far", .base_url = "https://api.anthropic.com" },
		.thinking = IK_THINKING_LOW };

	tell("uhi|Khm|ca:{}|ra:1|cb:{}|rb:2");
	assert_member("anthropic", &request, "thinking.budget_tokens", "2048");
	tell("uhi|Rhm|ca:{}|ra:1|Khm|cb:{}|rb:2");
	assert_member("anthropic", &request, "thinking", "");
	tell("uhi|Khm|ca:{}|ra:1|/short|cb:{}|rb:2");
	assert_member("anthropic", &request, "thinking", "");
}

Test(thinking, has_names_for_its_levels)
{
	cr_assert_eq(ik_thinking_level("off"), IK_THINKING_OFF);
	cr_assert_eq(ik_thinking_level("high"), IK_THINKING_HIGH);
	cr_assert_eq(ik_thinking_level("max"), IK_THINKING_MAX);
	cr_assert_eq(ik_thinking_level("most"), IK_THINKING_UNSET);
	cr_assert_eq(ik_thinking_level(NULL), IK_THINKING_UNSET);
}
