/*
 * thinking: how much a model thinks, said to each provider in its own way.
 *
 * One table says for each wire format and the beginnings of model names which
 * member carries it and what the four levels are there.
 *
 * Private to src/provider.  May include: util, json, provider/wire/request.h.
 */
#ifndef IK_PROVIDER_WIRE_THINKING_H
#define IK_PROVIDER_WIRE_THINKING_H

#include "json/write.h"
#include "provider/wire/format.h"

/* In which members a level is said. */
enum ik_thinking_form {
	IK_THINKING_UNSAID,        /* the model does not think, or is not to be told */
	IK_THINKING_EFFORT,        /* OpenAI: an effort, by name */
	IK_THINKING_BUDGET,        /* Anthropic: tokens */
	IK_THINKING_ADAPTIVE,      /* Anthropic: the model decides, by an effort */
	IK_THINKING_GOOGLE_BUDGET, /* Google: tokens */
	IK_THINKING_GOOGLE_LEVEL   /* Google: a level, by name */
};

struct ik_thinking_words {
	enum ik_thinking_form form;
	const char *level; /* the name of the effort or level; NULL: switched off */
	int64_t tokens;    /* of the budget; 0: switched off */
};

/* What to say for the level that the request wants, of that wire format's table. */
struct ik_thinking_words ik_thinking_words(const struct ik_request *request, const char *type);

#endif
