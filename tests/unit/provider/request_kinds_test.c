/*
 * Requests of every kind: each family of models with each level of thinking, no tools to many,
 * and conversations with what the formats leave behind, of the same provider and of another.
 * None may break a rule of the services (tests/support/request_rules.h).
 *
 * With IK_TEST_REQUESTS=DIRECTORY they are written there as TypeScript, for tests/types/check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "asking.h"
#include "provider/models.h"
#include "tests/support/request_rules.h"
#include "util/text.h"

TestSuite(request_kinds, .init = asking_begin, .fini = asking_end);

/* A service, the models it has had and has (the SDKs' lists and the makers' pages of models), and
 * the type of its requests; NULL: no SDK has one. */
static const struct service {
	const char *type, *url, *typescript;
	const char *models[48];
} services[] = {
	{ IK_OPENAI_CHAT, "https://api.openai.com/v1", "OpenAI.Chat.ChatCompletionCreateParamsStreaming", {
		"gpt-5.6-terra", "gpt-5.4-mini", "gpt-5.3-chat-latest", "gpt-5.2", "gpt-5.1", "gpt-5.1-mini", "gpt-5", "gpt-5-mini",
		"gpt-5-nano-2025-08-07", "gpt-5-chat-latest", "gpt-4.1", "gpt-4.1-mini", "gpt-4o",
		"gpt-4o-mini-2024-07-18", "gpt-4-turbo", "gpt-3.5-turbo", "o4-mini", "o3", "o3-mini", "o1" } },
	{ IK_OPENAI_RESPONSES, "https://api.openai.com/v1",
		"OpenAI.Responses.ResponseCreateParamsStreaming", {
		"gpt-6.1-terra", "gpt-6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "gpt-5.4",
		"gpt-5.4-pro", "gpt-5.4-mini", "gpt-5.4-nano-2026-03-17", "gpt-5.3-codex",
		"gpt-5.3-chat-latest", "gpt-5.2", "gpt-5.2-pro", "gpt-5.2-2025-12-11", "gpt-5.1",
		"gpt-5.1-codex", "gpt-5.1-codex-max", "gpt-5", "gpt-5-mini", "gpt-5-nano", "gpt-5-codex",
		"gpt-5-pro", "gpt-5-chat-latest", "gpt-4.1", "gpt-4.1-nano", "gpt-4o", "gpt-4o-mini",
		"o4-mini", "o3", "o3-pro", "o3-mini", "o1", "o1-pro", "codex-mini-latest" } },
	{ IK_ANTHROPIC, "https://api.anthropic.com", "Anthropic.MessageCreateParamsStreaming", {
		"claude-fable-5-2", "claude-fable-5-1", "claude-fable-5", "claude-mythos-5-2",
		"claude-mythos-5", "claude-mythos-preview", "claude-opus-5-5", "claude-opus-5",
		"claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5-20251101",
		"claude-opus-4-1-20250805", "claude-opus-4-20250514", "claude-sonnet-5-5", "claude-sonnet-5",
		"claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4-20250514", "claude-haiku-5-5",
		"claude-haiku-4-5-20251001", "claude-3-7-sonnet-20250219", "claude-3-5-haiku-20241022",
		"claude-3-haiku-20240307" } },
	{ IK_GOOGLE, "https://generativelanguage.googleapis.com", "Google", {
		"gemini-3.8-flash", "gemini-3.6-flash", "gemini-3.5-flash", "gemini-3.5-flash-lite",
		"gemini-3.1-pro-preview", "gemini-3.1-flash-lite", "gemini-3-pro-preview",
		"gemini-3-flash-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite",
		"gemini-2.0-flash", "gemma-3-27b-it" } },
	{ IK_OPENAI_CHAT, "http://127.0.0.1/v1", NULL, { "qwen3", "openai/gpt-5.6-terra",
		"gpt-oss:20b", "deepseek-v4-pro", "mistral-large", "llama-4" } },
	{ IK_OPENAI_CHAT, "https://api.deepseek.com", NULL, { "deepseek-v4-pro" } },
	{ IK_OPENAI_CHAT, "https://api.mistral.ai/v1", NULL, { "mistral-large", "magistral-medium" } },
	{ IK_OPENAI_CHAT, "https://api.moonshot.ai/v1", NULL, { "kimi-k2.5", "kimi-k3" } },
	{ IK_OPENAI_CHAT, "https://api.z.ai/api/paas/v4", NULL, { "glm-5" } },
};
#define SERVICE_COUNT (sizeof services / sizeof *services)

static const char *const levels[] = { "unset", "off", "minimal", "low", "medium", "high", "xhigh",
	"max" };

/* Conversations (asking.h), and what they are. */
static const struct {
	const char *name, *words;
} conversations[] = {
	{ "a question", "uhi" },
	{ "a result", "uhi|ca:{}|ra:1" },
	{ "parallel calls", "uhi|tWell.|ca:{}|cb:{\"x\":[1]}|rb:2|ra:1" },
	{ "rounds", "uhi|ca:{}|ra:1|cb:{}|rb:2|tDone.|uand|cc:{}|rc:3" },
	{ "a summary", "uhi|ca:{}|ra:1|/In short.|ugo on|cb:{}|rb:2" },
	{ "a cancelled call", "uhi|ca:{}|cb:{}|rb:2|ugo on" },
	{ "a cut reply", "uhi|khm|tWe|ugo on" },
	{ "cut arguments", "uhi|ca:{\"te|ra:1|ugo on" },
	{ "a refused turn", "uhi|ugo on" },
	{ "odd ids", "uhi|cfunctions.one:0:{}|rfunctions.one:0:1" },
	{ "thinking of Anthropic", "uhi|Khm|tWell.|ca:{}|ra:1|Kmm|cb:{}|rb:2|Kso|tDone.|uand" },
	{ "thinking of Anthropic, in a turn", "uhi|Khm|D|ca:{}|cb:{}|ra:1|rb:2|Dx|cc:{}|rc:3" },
	{ "thinking of Responses", "uhi|Rhm|PI look.|ca:{}|ra:1|Rmm|FDone.|uand" },
	{ "thinking of Responses, in a turn", "uhi|Rhm|Rmore|ca:{}|cb:{}|ra:1|rb:2|Rso|PNow.|cc:{}|rc:3" },
	{ "commentary", "uhi|PI look.|FIt is 4.|uand|PI look again.|ca:{}|ra:1" },
	{ "thinking of chat", "uhi|Ohm|ca:{}|ra:1|Omm|tDone.|uand|QSo.|Xb:{}|rb:2" },
	{ "thinking of Google", "uhi|khm|GWell.|Va:{}|cb:{}|ra:1|rb:2|khm|Vc:{}|rc:3|GDone.|uand" },
	{ "calls without signatures", "uhi|ca:{}|cb:{}|ra:1|rb:2|Vc:{}|rc:3" },
	{ "files", "uhi|ilook|ca:{}|cb:{}|ja:one|jb:two|uand now" },
	{ "files of a result", "uhi|ca:{}|cb:{}|ra:1|jb:two" },
	{ "a search of Anthropic", "uhi|Khm|Asun|aHot.|uand|Khm|ca:{}|ra:1" },
	{ "a search of Anthropic, in a turn", "uhi|Khm|tWell.|Asun|ca:{}|ra:1" },
	{ "a search of Responses", "uhi|Rhm|Wsun|wHot.|uand|Rhm|Wsun|ca:{}|ra:1" },
	{ "a search of Google", "uhi|Esun|GHot.|uand|Va:{}|ra:1" },
	{ "a search without an answer", "uhi|Rhm|Wsun|Asun|Esun|uand" },
	{ "all of them", "uhi|Khm|ca:{}|ra:1|Rhm|Pyes|cb:{}|rb:2|Ohm|Xc:{}|rc:3|GIt is.|Vd:{}|rd:4" },
};
#define CONVERSATION_COUNT (sizeof conversations / sizeof *conversations)

static const struct ik_tool_definition tools[] = {
	{ "one", "First", IK_JSON_SPAN("{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\","
	  "\"description\":\"a file\"},\"x\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}},"
	  "\"required\":[\"path\"],\"additionalProperties\":false}") },
	{ "two", "Second", { NULL, 0 } },
	{ "three-long_name", "Third", IK_JSON_SPAN("{\"type\":\"object\",\"properties\":{\"a\":{"
	  "\"type\":\"object\",\"properties\":{\"b\":{\"enum\":[\"c\",\"d\"]}}},\"n\":{\"type\":\"number\","
	  "\"minimum\":0}}}") },
};
static const struct {
	const char *name;
	size_t count;
	bool strict, forbidden;
} tool_sets[] = {
	{ "no tools", 0, false, false }, { "a tool", 1, false, false }, { "tools", 3, false, false },
	{ "strict tools", 3, true, false }, { "forbidden tools", 2, false, true },
};
#define TOOL_SETS (sizeof tool_sets / sizeof *tool_sets)

/* ---- what becomes of them ---- */

static FILE *typescript;
static char **written; /* bodies */
static size_t written_count, judged_count;

/* Was such a body written before? */
static bool is_known(const char *body)
{
	for (size_t at = 0; at < written_count; at++) {
		if (strcmp(written[at], body) == 0)
			return true;
	}
	written = realloc(written, (written_count + 1) * sizeof *written);
	written[written_count++] = strdup(body);
	return false;
}

/* One line each, so that the compiler's line says which it was. */
static void write_typescript(const struct service *service, const char *name, const char *body)
{
	if (!typescript || !service->typescript || is_known(body))
		return;
	fprintf(typescript, "export const r%zu: %s = %s; // %s\n", written_count, service->typescript, body,
		name);
}

static void judge(const struct service *service, const struct ik_request *request, const char *what)
{
	char *body = body_of(service->type, request);
	char *violation = request_violation(service->type, request->model, body, strlen(body));
	char name[300];

	snprintf(name, sizeof name, "%s of %s at %s: thinking %s, %s", request->model, service->type,
		service->url, levels[request->thinking], what);
	cr_expect_null(violation, "%s: %s\n%s", name, violation, body);
	write_typescript(service, name, body);
	judged_count++;
	free(violation);
	free(body);
}

/* Ask with these tools, and a schema of the reply, of the provider that left its data there, of another, and of one that
 * has refused them. */
static void ask(const struct service *service, const char *model, enum ik_thinking level,
	size_t tool_set, const char *what)
{
	static const char *const ways[] = { "resumed", "switched", "refused" };
	/* OpenAI itself has nothing of its own in this format. */
	bool plain = service->typescript && strcmp(service->type, IK_OPENAI_CHAT) == 0;

	for (int way = 0; way < 3; way++) {
		struct ik_endpoint endpoint = { .provider = way == 1 || plain ? "near" : "far",
			.base_url = service->url, .strict_tools = tool_sets[tool_set].strict,
			.caching = (enum ik_caching)way,
			.web_search = way < 2 && strncmp(what, "a search", 8) == 0 };
		char name[200];

		snprintf(name, sizeof name, "%s, %s, %s", tool_sets[tool_set].name, what, ways[way]);
		judge(service, &(struct ik_request){
			.model = model, .endpoint = &endpoint, .conversation = conversation,
			.system_prompt = tool_set % 2 ? NULL : "Be good.", .tools = tools,
			.tool_count = tool_sets[tool_set].count,
			.forbid_calls = tool_sets[tool_set].forbidden, .thinking = level,
			.max_output_tokens = way == 2 ? 4000 : 0,
			.refused = { .opaque_ms = way == 2 ? INT64_MAX : 0, .thoughts = way == 2 },
			.cache_key = "key",
			/* A closed one; none, as there is with a search; one with limits. */
			.output_schema = endpoint.web_search ? (struct ik_json_span){ NULL, 0 } :
				tools[way].parameters,
		}, name);
	}
}

/* Every model with every level and some tools; every conversation with every set of tools. */
static void ask_all(const struct service *service, const char *model, size_t which)
{
	asking_end();
	asking_begin();
	tell(conversations[which].words);
	for (size_t at = 0; which < 4 && at < sizeof levels / sizeof *levels; at++)
		ask(service, model, (enum ik_thinking)at, 2, conversations[which].name);
	for (size_t at = 0; at < TOOL_SETS; at++)
		ask(service, model, IK_THINKING_HIGH, at, conversations[which].name);
}

static void begin_typescript(const struct service *service)
{
	const char *directory = getenv("IK_TEST_REQUESTS");
	char path[1000];

	if (!directory || !service->typescript)
		return;
	snprintf(path, sizeof path, "%s/%s.ts", directory, service->type);
	typescript = fopen(path, "we");
	cr_assert_not_null(typescript, "%s", path);
	fprintf(typescript, "import type { Anthropic, Google, OpenAI } from './types.js';\n");
}

static void end_typescript(void)
{
	if (typescript)
		cr_assert_eq(fclose(typescript), 0);
	typescript = NULL;
	while (written_count)
		free(written[--written_count]);
	free(written);
	written = NULL;
}

Test(request_kinds, keep_the_rules)
{
	for (const struct service *service = services; service < services + SERVICE_COUNT; service++) {
		begin_typescript(service);
		for (size_t model = 0; service->models[model]; model++) {
			for (size_t which = 0; which < CONVERSATION_COUNT; which++)
				ask_all(service, service->models[model], which);
		}
		end_typescript();
	}
	cr_assert(judged_count > 10000);
}
