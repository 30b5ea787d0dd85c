/*
 * models: what is known about models, and a provider's list of them.
 *
 * Facts come from rules, which are data: an array of JSON objects, each with the members "name" (a
 * model's name) or "match" (a pattern of names, as of fnmatch(3)) and any of
 *
 *     "context_window" "max_output"    tokens
 *     "thinking"    the levels that the model has, by the form of the request that carries them:
 *                   {"effort": ["none", "low", ...]} (OpenAI), {"adaptive": [...]} or
 *                   {"budget": [...]} (Anthropic), {"level": [...]} or {"tokens": [...]} (Google);
 *                   {}: the model does not think. A word that is not the name of a level is sent
 *                   for the level "off".
 *     "signatures"  Google: it refuses calls without the signature of their thinking
 *     "price"       {"input", "output", "cached"}: dollars per million tokens
 *     "retires"     the day on which it is switched off
 *     "default"     the built-in provider whose default it may be
 *
 * For each member the first rule counts that has it and applies to the model's name without its
 * vendor. models.json has the built-in rules.
 *
 * Pure. May include: util, json, provider.
 */
#ifndef IK_PROVIDER_MODELS_H
#define IK_PROVIDER_MODELS_H

#include "provider/wire/format.h"

/* Check rules that were read from a file called path: IK_INVALID, with the line and what is allowed,
 * unless text is such an array. Comments are overwritten with blanks. */
enum ik_status ik_model_rules_check(const char *path, char *text, size_t length,
	struct ik_error *error) IK_MUST_USE;

/* Return what is known about a model in that wire format. rules: checked rules that come before the
 * built-in ones; may be NULL. */
struct ik_model_facts ik_model_facts(const char *rules, const char *model, const char *type);

/* Return the model to use at a built-in provider if the user names none, in new memory; NULL if there
 * is none. */
char *ik_model_default(const char *rules, const char *provider);

/* What to send for a level of thinking. */
struct ik_thinking_words {
	enum ik_thinking_form form;
	const char *level; /* name of the effort or level */
	int64_t tokens;    /* size of the budget; 0: thinking is off */
	bool off;          /* level is the provider's word for no thinking */
};

/* Return what to send for the thinking level of request, or for the nearest level that the model
 * has. */
struct ik_thinking_words ik_thinking_words(const struct ik_request *request);

/* Read a list of models from a provider's answer. Return the names of those that generate text (as
 * far as the provider reports it), sorted, without duplicates, in new memory: free() each name and
 * the array. Return NULL and set *error if body is not such an answer. OpenAI and Anthropic:
 * {"data":[{"id":"..."}]}; Google:
 * {"models":[{"name":"models/...","supportedGenerationMethods":[...]}]}. */
char **ik_models_read(const char *body, size_t length, size_t *ret_count, struct ik_error *error);

#endif
