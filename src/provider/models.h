/*
 * models: what is known about models, and a provider's list of them.
 *
 * One table, by the pattern of a model's name; the configuration takes precedence. Sources: the
 * providers' pages of their models.
 *
 * Pure. May include: util, json, provider.
 */
#ifndef IK_PROVIDER_MODELS_H
#define IK_PROVIDER_MODELS_H

#include "provider/wire/format.h"

/* Return the size of the context window in tokens, input and output together; 0: unknown model. */
int64_t ik_context_window(const char *model);

/* Return the largest output that can be requested in that wire format, in tokens; 0: unknown. */
int64_t ik_output_limit(const char *model, const char *type);

/* The members of a request that carry a level of thinking. */
enum ik_thinking_form {
	IK_THINKING_UNSAID,        /* no members: the model does not think, or refuses them */
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

/* Return what to send in that wire format for the thinking level of request. */
struct ik_thinking_words ik_thinking_words(const struct ik_request *request, const char *type);

/* Read a list of models from a provider's answer. Return the names of those that generate text (as
 * far as the provider reports it), sorted, without duplicates, in new memory: free() each name and
 * the array. Return NULL and set *error if body is not such an answer. OpenAI and Anthropic:
 * {"data":[{"id":"..."}]}; Google:
 * {"models":[{"name":"models/...","supportedGenerationMethods":[...]}]}. */
char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error);

#endif
