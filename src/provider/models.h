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
 *     "input"       what it accepts: "text", "image", "pdf"
 *     "signatures"  Google: it refuses calls without the signature of their thinking
 *     "price"       {"input", "output", "cached", "written"}: dollars per million tokens
 *     "search"      {"tool": name of the provider's tool that searches the web, "price": dollars per
 *                   thousand searches}: "web_search_2..." (Anthropic), "web_search" (OpenAI's Responses),
 *                   "web_search_options" (its chat format), "googleSearch", or "googleSearch alone"
 *                   if there can be no other tools; {}: it cannot search
 *     "retires"     the day on which it is switched off
 *     "default"     the provider whose default it may be
 *     "created"     when it was published, in seconds since 1970
 *
 * For each member the first rule counts that has it and applies to the model's name without its
 * vendor: of the user's rules (~/.ikigai/models.json), of those made from the provider's own list,
 * and of the built-in ones (models.json).
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

/* Rules that come before the built-in ones: JSON texts that have been checked; each may be NULL. */
struct ik_model_rules {
	const char *own;  /* the user's */
	const char *list; /* of ik_models_put_rules() */
};

/* Return what is known about a model in that wire format. */
struct ik_model_facts ik_model_facts(const struct ik_model_rules *rules, const char *model,
	const char *type);

/* Return the model to use at a provider if the user names none, in new memory: the one that the
 * user's rules name as the default; else the newest in the provider's list that a rule allows as the
 * default; else the built-in one. NULL if there is none. */
char *ik_model_default(const struct ik_model_rules *rules, const char *provider);

/* Append rules about the models in a provider's answer, which ik_models_read() has accepted: a JSON
 * array. Providers report different members: Anthropic capabilities, limits and dates, Google and
 * OpenRouter limits, llama.cpp, vLLM and LM Studio the size of the context; several say whether it accepts
 * pictures. */
void ik_models_put_rules(const char *body, size_t length, struct ik_buf *out);

/* What to send for a level of thinking. */
struct ik_thinking_words {
	enum ik_thinking_form form;
	const char *level; /* name of the effort or level; NULL: the model's default */
	int64_t tokens;    /* size of the budget; 0: thinking is off, or the model's default */
	bool off;          /* level is the provider's word for no thinking */
	bool seen;         /* ask for the thinking to be shown, which not every provider does unasked */
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

/* Store in ret_near the names closest to name, best first, at most room of them, and return their
 * number. They are borrowed from names. A name is close if each of its parts (separated by - . _ /
 * : and blanks) is a part of the other except for a typo: "sonet" is close to
 * "claude-sonnet-4-5". */
size_t ik_model_nearest(const char *name, char *const *names, size_t count, const char **ret_near,
	size_t room);

/* Append up to three names of a list (of ik_models_put_rules()) that are close to a model's; if none
 * is, those close to its name without the version. Nothing if the list has the model. */
void ik_model_put_near(const char *list, const char *model, struct ik_buf *out);

#endif
