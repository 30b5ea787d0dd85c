/*
 * thinking: how each provider is told how much a model should think.
 *
 * One table gives, for each wire format and beginning of a model's name, the member to use and the
 * values of the four levels.
 *
 * Private to src/provider. May include: util, json, provider/wire/request.h.
 */
#ifndef IK_PROVIDER_WIRE_THINKING_H
#define IK_PROVIDER_WIRE_THINKING_H

#include "json/write.h"
#include "provider/wire/format.h"

/* The members that carry a level. */
enum ik_thinking_form {
	IK_THINKING_UNSAID,        /* the model does not think, or must not be told */
	IK_THINKING_EFFORT,        /* OpenAI: an effort, by name */
	IK_THINKING_BUDGET,        /* Anthropic: tokens */
	IK_THINKING_ADAPTIVE,      /* Anthropic: the model decides, guided by an effort */
	IK_THINKING_GOOGLE_BUDGET, /* Google: tokens */
	IK_THINKING_GOOGLE_LEVEL   /* Google: a level, by name */
};

struct ik_thinking_words {
	enum ik_thinking_form form;
	const char *level; /* name of the effort or level; NULL: switched off */
	int64_t tokens;    /* size of the budget; 0: switched off */
};

/* Return what to send for the level that the request wants, in that wire format. */
struct ik_thinking_words ik_thinking_words(const struct ik_request *request, const char *type);

#endif
