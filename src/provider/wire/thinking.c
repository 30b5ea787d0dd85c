#include "provider/wire/thinking.h"

#include <fnmatch.h>
#include <string.h>

#include "util/text.h"

/* Which servers a row is for. */
enum thinking_place { ANYWHERE, OPENAI_HOST };

/* Levels that several models share: their names, without tokens. */
#define NOTHING \
	{ NULL }, \
	{ \
		0 \
	}
#define LOW_TO_HIGH \
	{ "low", "low", "medium", "high" }, \
	{ \
		0 \
	}
#define NONE_TO_HIGH \
	{ "none", "low", "medium", "high" }, \
	{ \
		0 \
	}
#define MINIMAL_TO_HIGH \
	{ "minimal", "low", "medium", "high" }, \
	{ \
		0 \
	}
#define OFF_TO_HIGH \
	{ NULL, "low", "medium", "high" }, \
	{ \
		0 \
	}
#define BUDGETS \
	{ NULL }, \
	{ \
		0, 2048, 8192, 24576 \
	}

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
	const char *levels[4];
	int64_t tokens[4];
} rows[] = {
	{ IK_OPENAI_CHAT, ANYWHERE, "gpt-oss*", IK_THINKING_EFFORT, LOW_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5-pro*", IK_THINKING_EFFORT,
		{ "high", "high", "high", "high" }, { 0 } },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*-pro*", IK_THINKING_EFFORT,
		{ "medium", "medium", "medium", "high" }, { 0 } },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*-chat*", IK_THINKING_UNSAID, NOTHING },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-*codex*", IK_THINKING_EFFORT, LOW_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5.*", IK_THINKING_EFFORT, NONE_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-5*", IK_THINKING_EFFORT, MINIMAL_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "gpt-[6-9]*", IK_THINKING_EFFORT, LOW_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "codex*", IK_THINKING_EFFORT, LOW_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "o[1-9]*", IK_THINKING_EFFORT, LOW_TO_HIGH },
	{ IK_OPENAI_CHAT, OPENAI_HOST, "*", IK_THINKING_UNSAID, NOTHING },
	/* Another server: a user who sets a level knows what the model accepts. */
	{ IK_OPENAI_CHAT, ANYWHERE, "*", IK_THINKING_EFFORT, NONE_TO_HIGH },

	{ IK_ANTHROPIC, ANYWHERE, "claude-3-7*", IK_THINKING_BUDGET, BUDGETS },
	{ IK_ANTHROPIC, ANYWHERE, "claude-[23]*", IK_THINKING_UNSAID, NOTHING },
	{ IK_ANTHROPIC, ANYWHERE, "claude-instant*", IK_THINKING_UNSAID, NOTHING },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-[015]*", IK_THINKING_BUDGET, BUDGETS },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*-4-2[0-9]*", IK_THINKING_BUDGET, BUDGETS }, /* a date */
	/* These always think. */
	{ IK_ANTHROPIC, ANYWHERE, "claude-fable*", IK_THINKING_ADAPTIVE, LOW_TO_HIGH },
	{ IK_ANTHROPIC, ANYWHERE, "claude-mythos*", IK_THINKING_ADAPTIVE, LOW_TO_HIGH },
	{ IK_ANTHROPIC, ANYWHERE, "claude-*", IK_THINKING_ADAPTIVE, OFF_TO_HIGH },
	{ IK_ANTHROPIC, ANYWHERE, "*", IK_THINKING_BUDGET, BUDGETS },

	{ IK_GOOGLE, ANYWHERE, "gemini-3-flash*", IK_THINKING_GOOGLE_LEVEL, MINIMAL_TO_HIGH },
	{ IK_GOOGLE, ANYWHERE, "gemini-3-pro*", IK_THINKING_GOOGLE_LEVEL,
		{ "low", "low", "high", "high" }, { 0 } },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5-pro*", IK_THINKING_GOOGLE_BUDGET, { NULL },
		{ 128, 2048, 8192, 24576 } },
	{ IK_GOOGLE, ANYWHERE, "gemini-2.5*", IK_THINKING_GOOGLE_BUDGET, BUDGETS },
	{ IK_GOOGLE, ANYWHERE, "gemini-[12]*", IK_THINKING_UNSAID, NOTHING },
	{ IK_GOOGLE, ANYWHERE, "gemini-*", IK_THINKING_GOOGLE_LEVEL, LOW_TO_HIGH },
	{ IK_GOOGLE, ANYWHERE, "*", IK_THINKING_UNSAID, NOTHING },
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
		words.level = row->levels[level];
		words.tokens = row->tokens[level];
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
