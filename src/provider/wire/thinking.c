#include "provider/wire/thinking.h"

#include <fnmatch.h>
#include <string.h>

#include "util/text.h"

/* Which servers a row is for. */
enum thinking_place { ANYWHERE, OPENAI_HOST };

/* Names of the levels off, low, medium, high, for models that share them; NULL: switched off. */
static const char *const low_to_high[] = { "low", "low", "medium", "high" };
static const char *const none_to_high[] = { "none", "low", "medium", "high" };
static const char *const minimal_to_high[] = { "minimal", "low", "medium", "high" };
static const char *const off_to_high[] = { NULL, "low", "medium", "high" };
static const char *const low_or_high[] = { "low", "low", "high", "high" };
static const char *const medium_or_high[] = { "medium", "medium", "medium", "high" };
static const char *const always_high[] = { "high", "high", "high", "high" };

/* Their sizes in tokens; 0: switched off. */
static const int64_t budgets[] = { 0, 2048, 8192, 24576 };
static const int64_t budgets_of_pro[] = { 128, 2048, 8192, 24576 };

/*
 * The first row whose pattern (fnmatch) matches the model applies. Levels are in the order off,
 * low, medium, high; a model that lacks one gets the nearest. Sources: OpenAI, "Reasoning models"
 * and the pages of the models; Anthropic, "Extended thinking" and "Adaptive thinking"; Google,
 * "Gemini thinking".
 */
static const struct thinking_row {
	const char *type;
	enum thinking_place place;
	const char *model;
	enum ik_thinking_form form;
	const char *const *levels;
	const int64_t *tokens;
} rows[] = {
	{ IK_OPENAI_CHAT, ANYWHERE, "gpt-oss*", IK_THINKING_EFFORT, low_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5-pro*", IK_THINKING_EFFORT, always_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*-pro*", IK_THINKING_EFFORT, medium_or_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*-chat*", IK_THINKING_UNSAID, NULL, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-*codex*", IK_THINKING_EFFORT, low_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*", IK_THINKING_EFFORT, none_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*", IK_THINKING_EFFORT, minimal_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-[6-9]*", IK_THINKING_EFFORT, low_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "codex*", IK_THINKING_EFFORT, low_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "o[1-9]*", IK_THINKING_EFFORT, low_to_high, NULL },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "*", IK_THINKING_UNSAID, NULL, NULL },
	/* Another server: a user who sets a level knows what the model accepts. */
	{ IK_OPENAI_CHAT, ANYWHERE, "*", IK_THINKING_EFFORT, none_to_high, NULL },

	{ IK_ANTHROPIC, ANYWHERE, "claude-3-7*", IK_THINKING_BUDGET, NULL, budgets },
	{ IK_ANTHROPIC, ANYWHERE, "claude-[23]*", IK_THINKING_UNSAID, NULL, NULL },
	{ IK_ANTHROPIC, ANYWHERE, "claude-instant*", IK_THINKING_UNSAID, NULL, NULL },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-[015]*", IK_THINKING_BUDGET, NULL, budgets },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-2[0-9]*", IK_THINKING_BUDGET, NULL,
		budgets }, /* a date */
	/* These always think. */
	{ IK_ANTHROPIC, ANYWHERE, "claude-fable*", IK_THINKING_ADAPTIVE, low_to_high, NULL },
	{ IK_ANTHROPIC, ANYWHERE, "claude-mythos*", IK_THINKING_ADAPTIVE, low_to_high, NULL },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*", IK_THINKING_ADAPTIVE, off_to_high, NULL },
	{ IK_ANTHROPIC, ANYWHERE, "*", IK_THINKING_BUDGET, NULL, budgets },

	{ IK_GOOGLE, ANYWHERE, "gemini-3-flash*", IK_THINKING_GOOGLE_LEVEL, minimal_to_high, NULL },
	{ IK_GOOGLE, ANYWHERE, "gemini-3-pro*", IK_THINKING_GOOGLE_LEVEL, low_or_high, NULL },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5-pro*", IK_THINKING_GOOGLE_BUDGET, NULL, budgets_of_pro },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5*", IK_THINKING_GOOGLE_BUDGET, NULL, budgets },
	{ IK_GOOGLE, ANYWHERE, "gemini-[12]*", IK_THINKING_UNSAID, NULL, NULL },
	{ IK_GOOGLE, ANYWHERE, "gemini-*", IK_THINKING_GOOGLE_LEVEL, low_to_high, NULL },
	{ IK_GOOGLE, ANYWHERE, "*", IK_THINKING_UNSAID, NULL, NULL },
};

struct ik_thinking_words ik_thinking_words(const struct ik_request *request, const char *type)
{
	struct ik_thinking_words words = { IK_THINKING_UNSAID, NULL, 0 };
	bool openai = ik_endpoint_is_openai(request->endpoint);
	const char *name = strrchr(request->model, '/');

	name = name ? name + 1 : request->model;
	/* OpenAI's two formats say the same with different members. */
	if (ik_text_equal(type, IK_OPENAI_RESPONSES))
		type = IK_OPENAI_CHAT;
	for (size_t index = 0;
		 request->thinking != IK_THINKING_UNSET && index < sizeof(rows) / sizeof(*rows); index++) {
		const struct thinking_row *row = &rows[index];
		int level = (int)request->thinking - (int)IK_THINKING_OFF;

		if (!ik_text_equal(row->type, type) || (row->place == OPENAI_HOST && !openai) ||
			fnmatch(row->model, name, 0) != 0)
			continue;
		words.form = row->form;
		words.level = row->levels ? row->levels[level] : NULL;
		words.tokens = row->tokens ? row->tokens[level] : 0;
		break;
	}
	return words;
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
