#include "request_rules_private.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/alloc.h"

/* OpenAI's models that reason; its others. Under these names only OpenAI (and who passes its
 * requests on unchanged) serves them. */
#define REASONING "!gpt-*-chat* !gpt-*-audio* !gpt-oss* gpt-[5-9]* o[1-9]* codex-*"
#define PLAIN "!gpt-oss* gpt-[345]*-chat* gpt-[34]* chatgpt-*"
#define EFFORT "reasoning_effort reasoning.effort"

/*
 * What models take that their makers' types allow for all: the word or number at one of these paths
 * of the request, which may be absent. In a list of patterns or words the first that matches counts,
 * ! excludes, and "-" stands for nothing at all. A number may be in a range, A..B.
 */
static const struct model_rule {
	const char *type; /* or how it begins */
	const char *models, *paths, *allowed;
	const char *source;
} rules[] = {
	{ "openai-", PLAIN, "reasoning_effort reasoning include", "-",
	  "OpenAI, Reasoning models: 400 Unsupported parameter with models that don't reason" },
	{ "openai-", "o[1-9]* codex-* gpt-5-codex* gpt-5.1-codex gpt-5.1-codex-mini*", EFFORT,
	  "low medium high", "OpenAI, Reasoning models: 'minimal' came with gpt-5, 'none' with gpt-5.1" },
	{ "openai-", "gpt-5-pro*", EFFORT, "high", "openai/shared.ts: gpt-5-pro only supports high" },
	{ "openai-", "gpt-5.[2-9]-pro*", EFFORT, "medium high xhigh", "OpenAI, model page of gpt-5.2-pro" },
	{ "openai-", "gpt-*codex*", EFFORT, "low medium high xhigh",
	  "OpenAI, model page of gpt-5.1-codex-max" },
	{ "openai-", "!gpt-5-chat* gpt-5 gpt-5-*", EFFORT, "minimal low medium high",
	  "openai/shared.ts: 'none' is not supported before gpt-5.1" },
	{ "openai-", "!gpt-*-chat* gpt-5.1*", EFFORT, "none low medium high",
	  "openai/shared.ts: 'xhigh' is supported after gpt-5.1-codex-max; no 'minimal'" },
	{ "openai-", "!gpt-*-pro* !gpt-*-chat* gpt-5.[2-5]*", EFFORT, "none low medium high xhigh",
	  "OpenAI, Latest model guide: 'max' came with gpt-5.6" },
	{ "openai-", "!gpt-*-pro* gpt-5.[6-9]*", EFFORT, "none low medium high xhigh max",
	  "OpenAI, Latest model guide" },
	{ "openai-", "gpt-[6-9]*", EFFORT, "low medium high xhigh max", "OpenAI, Latest model guide" },
	{ "openai-", REASONING, "temperature top_p presence_penalty frequency_penalty logit_bias", "-",
	  "OpenAI, Reasoning models: 400 Unsupported parameter" },
	{ "openai-chat", REASONING, "max_tokens", "-",
	  "openai/completions.ts: max_tokens is not compatible with o-series models; 400 use "
	  "max_completion_tokens" },
	{ "openai-chat", "gpt-*-pro* o[1-9]-pro* gpt-*codex* codex-*", "messages", "-",
	  "OpenAI, model pages: only supported in v1/responses" },
	{ "openai-", "!gpt-5.[6-9]* !gpt-[6-9]* gpt-* o[1-9]*", "prompt_cache_options", "-",
	  "openai/responses.ts: supported for gpt-5.6 and later models" },
	{ "openai-", "gpt-5.[5-9]* gpt-[6-9]*", "prompt_cache_retention", "24h",
	  "openai/responses.ts: for gpt-5.5 and future models only 24h is supported" },

	{ "anthropic", "claude-opus-5-5* claude-fable* claude-mythos*", "thinking.type", "adaptive",
	  "Anthropic, Thinking: thinking.type.disabled is not supported for this model" },
	{ "anthropic", "claude-sonnet-5-5*", "thinking.type", "adaptive between_tools",
	  "Anthropic, Thinking, table of models" },
	{ "anthropic", "!claude-*-4-[0-6]* claude-[a-z]*-5* claude-*-4-[78]*", "thinking.type", "adaptive disabled",
	  "Anthropic, Adaptive thinking: budgets are refused from Opus 4.7 on" },
	{ "anthropic", "claude-*-4-6*", "thinking.type", "adaptive enabled disabled",
	  "Anthropic, Adaptive thinking" },
	{ "anthropic", "claude-3-7* claude-*-4*", "thinking.type", "enabled disabled",
	  "Anthropic, Adaptive thinking: from 4.6 on" },
	{ "anthropic", "!claude-3-7* claude-[23]* claude-instant*", "thinking", "-",
	  "Anthropic, Extended thinking: from Claude 3.7 on" },
	{ "anthropic", "claude-opus-4-5*", "output_config.effort", "low medium high", "Anthropic, Effort" },
	{ "anthropic", "claude-*-4-6*", "output_config.effort", "low medium high max",
	  "Anthropic, Effort: xhigh came with Opus 4.7" },
	{ "anthropic", "!claude-*-4-[78]* claude-*-4* claude-[23]*", "output_config.effort", "-",
	  "Anthropic, Effort: from Opus 4.5 on" },
	{ "anthropic", "claude-3-5*", "max_tokens", "1..8192", "Anthropic, Models overview" },
	{ "anthropic", "!claude-3-7* claude-[23]*", "max_tokens", "1..4096", "Anthropic, Models overview" },
	{ "anthropic", "claude-opus-4-[01]* claude-opus-4-2*", "max_tokens", "1..32000",
	  "Anthropic, Models overview" },
	{ "anthropic", "!claude-*-4-[678]* claude-*-4* claude-3-7*", "max_tokens", "1..64000",
	  "Anthropic, Models overview" },
	{ "anthropic", "claude-*", "max_tokens", "1..128000", "Anthropic, Models overview" },

	{ "google", "gemini-1* gemini-2.0* gemma-*", "generationConfig.thinkingConfig", "-",
	  "Gemini, Thinking: from 2.5 on" },
	{ "google", "gemini-2*", "generationConfig.thinkingConfig.thinkingLevel", "-",
	  "Gemini, Thinking: 2.5 models don't support thinkingLevel" },
	{ "google", "gemini-3-pro*", "generationConfig.thinkingConfig.thinkingLevel", "low high",
	  "Gemini, Thinking, table of levels" },
	{ "google", "gemini-*flash*", "generationConfig.thinkingConfig.thinkingLevel",
	  "minimal low medium high", "Gemini, Thinking, table of levels" },
	{ "google", "gemini-*", "generationConfig.thinkingConfig.thinkingLevel", "low medium high",
	  "Gemini, Thinking, table of levels" },
	{ "google", "gemini-2.5-pro*", "generationConfig.thinkingConfig.thinkingBudget",
	  "-1 128..32768", "Gemini, Thinking, table of budgets" },
	{ "google", "gemini-2.5-flash-lite*", "generationConfig.thinkingConfig.thinkingBudget",
	  "-1 0 512..24576", "Gemini, Thinking, table of budgets" },
	{ "google", "gemini-2.5*", "generationConfig.thinkingConfig.thinkingBudget", "-1 0..24576",
	  "Gemini, Thinking, table of budgets" },
	{ "google", "gemini-[3-9]*", "generationConfig.frequencyPenalty generationConfig.presencePenalty",
	  "-", "Gemini 3.5: penalties throw an error" },
};

/* Take the next of words separated by blanks; NULL after the last. */
static char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " ");
	while (word && !*word);
	return word;
}

bool matches(const char *name, const char *patterns)
{
	char *copy = ik_strdup(patterns), *rest = copy, *pattern;
	bool found = false, matched = false;

	while (!found && (pattern = next_word(&rest)) != NULL) {
		found = fnmatch(pattern + (*pattern == '!'), name, 0) == 0;
		matched = found && *pattern != '!';
	}
	free(copy);
	return matched;
}

/* Is the value that word, or a number in that range? */
static bool is_allowed(struct ik_json_span value, const char *word)
{
	int64_t number, least, most;
	char *text;
	bool equal;

	if (ik_json_span_type(value) == IK_JSON_STRING) {
		text = ik_json_string_new(value, NULL);
		equal = text && strcasecmp(text, word) == 0;
		free(text);
		return equal;
	}
	if (!ik_json_integer(value, &number) || strcmp(word, "-") == 0)
		return false;
	least = most = strtoll(word, NULL, 10);
	if (strstr(word, ".."))
		most = strtoll(strstr(word, "..") + 2, NULL, 10);
	return number >= least && number <= most;
}

static bool check_rule(struct judged *judged, const struct model_rule *rule)
{
	char *paths = ik_strdup(rule->paths), *rest = paths, *path;
	bool good = true;

	while (good && (path = next_word(&rest)) != NULL) {
		struct ik_json_span value = ik_json_at(judged->body, path);
		char *words = ik_strdup(rule->allowed), *more = words, *word;

		good = !value.text;
		while (!good && (word = next_word(&more)) != NULL)
			good = is_allowed(value, word);
		if (!good)
			refuse(judged, "%s takes for %s only %s, not %.*s (%s)", judged->model, path, rule->allowed,
				(int)(value.length < 80 ? value.length : 80), value.text, rule->source);
		free(words);
	}
	free(paths);
	return good;
}

/* ---- rules of two members ---- */

/* 400 "Function tools with reasoning_effort are not supported for gpt-5.6-terra in
 * /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'":
 * openai-openapi issue 541 (gpt-5.4, where it may be absent), litellm pull request 34569 (gpt-5.6,
 * where it may not). */
static bool check_chat_effort(struct judged *judged)
{
	struct ik_json_span effort = ik_json_member(judged->body, "reasoning_effort");

	if (!ik_json_member(judged->body, "tools").text ||
	    !matches(judged->model, "!gpt-*-chat* gpt-5.[4-9]* gpt-6*") ||
	    (effort.text ? ik_json_string_is(effort, "none") : matches(judged->model, "gpt-5.[45]*")))
		return true;
	return refuse(judged, "Function tools with reasoning_effort are not supported for %s in "
		"/v1/chat/completions", judged->model);
}

/* OpenAI: 400 "Reasoning input items can only be provided to a reasoning or computer use model". */
static bool check_reasoning_items(struct judged *judged)
{
	struct ik_json_span input = ik_json_member(judged->body, "input");

	for (struct ik_json_walk walk = ik_json_walk(input); matches(judged->model, PLAIN) && ik_json_next(&walk);) {
		if (type_is(walk.value, "reasoning"))
			return refuse(judged, "Reasoning input items can only be provided to a reasoning or "
				"computer use model, not to %s", judged->model);
	}
	return true;
}

/* Anthropic, Thinking: temperature and top_k may not be changed with it, top_p only to 0.95 and
 * more. */
static bool check_sampling(struct judged *judged)
{
	static const char *const members[] = { "temperature", "top_k" };
	struct ik_json_span type = ik_json_at(judged->body, "thinking.type");

	for (size_t at = 0; at < sizeof members / sizeof *members; at++) {
		if (type.text && !ik_json_string_is(type, "disabled") &&
		    ik_json_member(judged->body, members[at]).text)
			return refuse(judged, "%s may only be left out when thinking is enabled", members[at]);
	}
	return true;
}

/* Gemini, Thinking: 400 "You can only set only one of thinking budget and thinking level". */
static bool check_levels(struct judged *judged)
{
	struct ik_json_span thinking = ik_json_at(judged->body, "generationConfig.thinkingConfig");

	return !ik_json_member(thinking, "thinkingBudget").text ||
		!ik_json_member(thinking, "thinkingLevel").text ||
		refuse(judged, "only one of thinking budget and thinking level can be set");
}

static const struct {
	const char *type;
	bool (*check)(struct judged *judged);
} checks[] = {
	{ "openai-chat", check_chat_effort },
	{ "openai-responses", check_reasoning_items },
	{ "anthropic", check_sampling },
	{ "google", check_levels },
};

bool check_model(struct judged *judged, const char *type)
{
	const char *seen = ""; /* of each list of paths the first rule for the model counts */
	bool good = true;

	for (size_t at = 0; good && at < sizeof rules / sizeof *rules; at++) {
		if (strncmp(type, rules[at].type, strlen(rules[at].type)) != 0 ||
		    strcmp(seen, rules[at].paths) == 0 || !matches(judged->model, rules[at].models))
			continue;
		seen = rules[at].paths;
		good = check_rule(judged, &rules[at]);
	}
	for (size_t at = 0; good && at < sizeof checks / sizeof *checks; at++)
		good = strcmp(checks[at].type, type) != 0 || checks[at].check(judged);
	return good;
}
