#include "provider/models.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

/* Limit on the models in a list, more than any provider has; the rest is ignored. */
#define MODELS_MOST 10000

/* The servers that a row's thinking form applies to. */
enum model_place { ANYWHERE, OPENAI_HOST };

/* Names of the levels off, low, medium, high, for models that share them; NULL: thinking is off. */
static const char *const low_to_high[] = { "low", "low", "medium", "high" };
static const char *const none_to_high[] = { "none", "low", "medium", "high" };
static const char *const minimal_to_high[] = { "minimal", "low", "medium", "high" };
static const char *const off_to_high[] = { NULL, "low", "medium", "high" };
static const char *const low_or_high[] = { "low", "low", "high", "high" };
static const char *const medium_or_high[] = { "medium", "medium", "medium", "high" };
static const char *const always_high[] = { "high", "high", "high", "high" };

/* Budgets for the same levels, in tokens; 0: thinking is off. */
static const int64_t budgets[] = { 0, 2048, 8192, 24576 };
static const int64_t budgets_of_pro[] = { 128, 2048, 8192, 24576 };

/* Thinking forms: the form, the names of the levels, the budgets. */
#define UNSAID IK_THINKING_UNSAID, NULL, NULL
#define EFFORT(levels) IK_THINKING_EFFORT, levels, NULL
#define ADAPTIVE(levels) IK_THINKING_ADAPTIVE, levels, NULL
#define BUDGET IK_THINKING_BUDGET, NULL, budgets
#define GOOGLE_LEVEL(levels) IK_THINKING_GOOGLE_LEVEL, levels, NULL
#define GOOGLE_BUDGET(sizes) IK_THINKING_GOOGLE_BUDGET, NULL, sizes

/*
 * The first row whose pattern (fnmatch) matches the model's name without its vendor applies. For
 * the context window, rows without one are skipped, and format and server do not matter. If a model
 * lacks a thinking level, its row has the nearest one. Sources: OpenAI, "Reasoning models" and the
 * pages of the models; Anthropic, "Extended thinking", "Adaptive thinking" and the table of models;
 * Google, "Gemini thinking".
 */
/* clang-format off */
static const struct model_row {
	const char *type;
	enum model_place place;
	const char *model;
	int64_t window;   /* tokens; 0: unknown */
	int64_t output;   /* tokens; 0: unknown */
	enum ik_thinking_form form;
	const char *const *levels;
	const int64_t *tokens;
} rows[] = {
	{ IK_OPENAI_CHAT, ANYWHERE, "gpt-oss*", 0, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5-pro*", 400000, 0, EFFORT(always_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*-pro*", 400000, 0, EFFORT(medium_or_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*-chat*", 128000, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*codex*", 400000, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-*codex*", 0, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*", 400000, 0, EFFORT(none_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*", 400000, 0, EFFORT(minimal_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-[6-9]*", 0, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "codex*", 0, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "o1-mini*", 128000, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "o[134]*", 200000, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "o[1-9]*", 0, 0, EFFORT(low_to_high) },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-4.1*", 1047576, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-4.5*", 128000, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-4o*", 128000, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-4-turbo*", 128000, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-3.5-turbo*", 16385, 0, UNSAID },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "*", 0, 0, UNSAID },
	/* On other servers: a user who sets a level knows what the model accepts. */
	{ IK_OPENAI_CHAT, ANYWHERE, "*", 0, 0, EFFORT(none_to_high) },

	{ IK_ANTHROPIC, ANYWHERE, "claude-3-7*", 200000, 64000, BUDGET },
	{ IK_ANTHROPIC, ANYWHERE, "claude-3-5*", 200000, 8192, UNSAID },
	{ IK_ANTHROPIC, ANYWHERE, "claude-[23]*", 200000, 4096, UNSAID },
	{ IK_ANTHROPIC, ANYWHERE, "claude-instant*", 200000, 4096, UNSAID },
	{ IK_ANTHROPIC, ANYWHERE, "claude-opus-4-[01]*", 200000, 32000, BUDGET },
	{ IK_ANTHROPIC, ANYWHERE, "claude-opus-4-2[0-9]*", 200000, 32000, BUDGET }, /* a date */
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-[015]*", 200000, 64000, BUDGET },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-2[0-9]*", 200000, 64000, BUDGET },
	/* These always think. */
	{ IK_ANTHROPIC, ANYWHERE, "claude-fable*", 200000, 64000, ADAPTIVE(low_to_high) },
	{ IK_ANTHROPIC, ANYWHERE, "claude-mythos*", 200000, 64000, ADAPTIVE(low_to_high) },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*", 200000, 64000, ADAPTIVE(off_to_high) },
	{ IK_ANTHROPIC, ANYWHERE, "*", 0, 8192, BUDGET },

	{ IK_GOOGLE, ANYWHERE, "gemini-3-flash*", 1048576, 0, GOOGLE_LEVEL(minimal_to_high) },
	{ IK_GOOGLE, ANYWHERE, "gemini-3-pro*", 1048576, 0, GOOGLE_LEVEL(low_or_high) },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5-pro*", 1048576, 0, GOOGLE_BUDGET(budgets_of_pro) },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5*", 1048576, 0, GOOGLE_BUDGET(budgets) },
	{ IK_GOOGLE, ANYWHERE, "gemini-1.5-pro*", 2097152, 0, UNSAID },
	{ IK_GOOGLE, ANYWHERE, "gemini-[12]*", 1048576, 0, UNSAID },
	{ IK_GOOGLE, ANYWHERE, "gemini-*", 1048576, 0, GOOGLE_LEVEL(low_to_high) },
	{ IK_GOOGLE, ANYWHERE, "*", 0, 0, UNSAID },
};
/* clang-format on */
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Does a row match the model, whose name may begin with its vendor? */
static bool matches(const struct model_row *row, const char *model)
{
	const char *slash = strrchr(model, '/');

	return fnmatch(row->model, slash ? slash + 1 : model, 0) == 0;
}

/* Return the row for a model in a wire format; the last row of each format matches every model. */
static const struct model_row *row_of(const char *model, const char *type, bool openai)
{
	const struct model_row *row = rows;

	/* OpenAI's two formats have the same settings in different members. */
	if (ik_text_equal(type, IK_OPENAI_RESPONSES))
		type = IK_OPENAI_CHAT;
	while (!ik_text_equal(row->type, type) || (row->place == OPENAI_HOST && !openai) ||
		!matches(row, model))
		row++;
	return row;
}

int64_t ik_context_window(const char *model)
{
	for (size_t index = 0; model && index < ROWS; index++) {
		if (rows[index].window && matches(&rows[index], model))
			return rows[index].window;
	}
	return 0;
}

int64_t ik_output_limit(const char *model, const char *type)
{
	return row_of(model, type, false)->output;
}

struct ik_thinking_words ik_thinking_words(const struct ik_request *request, const char *type)
{
	const struct model_row *row = row_of(request->model, type,
		ik_endpoint_is_openai(request->endpoint));
	int level = (int)request->thinking - (int)IK_THINKING_OFF;

	if (request->thinking == IK_THINKING_UNSET)
		return (struct ik_thinking_words){ IK_THINKING_UNSAID, NULL, 0 };
	return (struct ik_thinking_words){ row->form, row->levels ? row->levels[level] : NULL,
		row->tokens ? row->tokens[level] : 0 };
}

enum ik_thinking ik_thinking_level(const char *name)
{
	static const char *const names[] = { "off", "low", "medium", "high" };

	for (size_t index = 0; name && index < sizeof(names) / sizeof(*names); index++) {
		if (ik_text_equal(names[index], name))
			return (enum ik_thinking)((size_t)IK_THINKING_OFF + index);
	}
	return IK_THINKING_UNSET;
}

/* ---- a provider's list ---- */

/* Does a Google model generate content? Other providers do not report that. */
static bool generates(struct ik_json_span model)
{
	struct ik_json_span methods = ik_json_member(model, "supportedGenerationMethods");

	return !methods.text || ik_json_holds(methods, IK_JSON_SPAN("\"generateContent\""));
}

/* Return the name to use in requests, in new memory, or NULL. */
static char *name_of(struct ik_json_span model)
{
	static const char prefix[] = "models/";
	char *name = ik_json_string_new(ik_json_member(model, "id"), NULL);

	if (!name)
		name = ik_json_string_new(ik_json_member(model, "name"), NULL);
	if (name && ik_text_starts(name, prefix))
		memmove(name, name + sizeof(prefix) - 1, strlen(name) - (sizeof(prefix) - 1) + 1);
	if (name && *name == '\0') {
		free(name);
		name = NULL;
	}
	return name;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sort the names and remove duplicates. Return the number left. */
static size_t settle(char **names, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(names, count, sizeof(*names), compare);
	for (size_t index = 0; index < count; index++) {
		if (kept && strcmp(names[kept - 1], names[index]) == 0)
			free(names[index]);
		else
			names[kept++] = names[index];
	}
	return kept;
}

char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error)
{
	struct ik_json_walk walk = { 0 };
	struct ik_json_span answer, list, key, model;
	size_t count = 0, room;
	char **names;

	if (ik_json_check(body, length, &answer, error) != IK_OK)
		return NULL;
	list = ik_json_member(answer, "data");
	if (ik_json_span_type(list) != IK_JSON_ARRAY)
		list = ik_json_member(answer, "models");
	if (ik_json_span_type(list) != IK_JSON_ARRAY) {
		(void)ik_error_set(error, IK_INVALID, "%s", _("The server's answer is no list of models."));
		return NULL;
	}
	room = ik_json_count(list) < MODELS_MOST ? ik_json_count(list) : MODELS_MOST;
	names = ik_alloc((room + 1) * sizeof(*names));
	while (count < room && ik_json_next(list, &walk, &key, &model)) {
		char *name = generates(model) ? name_of(model) : NULL;

		if (name)
			names[count++] = name;
	}
	*ret_count = settle(names, count);
	return names;
}
