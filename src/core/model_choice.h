/*
 * model_choice: whom to talk to: provider, model, address, key, wire format,
 * from configuration, environment and the table of built-in providers.
 *
 * May include: util, config, provider, agent/model.h.
 */
#ifndef IK_CORE_MODEL_CHOICE_H
#define IK_CORE_MODEL_CHOICE_H

#include "agent/model.h"
#include "config/config.h"

/* Which model, and how to reach it. Owns its strings. */
struct ik_model_choice {
	char *provider;
	char *model;
	char *base_url; /* NULL: the practice model, which has none */
	char *api_key;
	char *key_variable;
	char **headers; /* NULL-terminated */
	int64_t max_output_tokens;
	int64_t context_window;
	enum ik_thinking thinking;
	struct ik_price price;
	const struct ik_wire_format *format;
	bool strict_tools;
	bool practice;
	bool given_url; /* base_url is the one that was wished for */
};

/* What goes before the configuration; NULL: nothing does. */
struct ik_model_wish {
	const char *provider;
	const char *model;
	const char *base_url;
};

/*
 * Decide on provider, model, address and key. The configured model is that of
 * the configured provider only. An error says what to set. ret_choice is zeroed
 * before, and to be released with ik_model_choice_done() in any case.
 */
enum ik_status ik_model_choose(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_model_choice *ret_choice, struct ik_error *error) IK_MUST_USE;

/* The names of all providers there are: built in, then configured; NULL after the last. */
const char *ik_model_provider_at(const struct ik_config *config, size_t index);

/* The same without model and key: how a provider is spoken to, not to speak to it. */
enum ik_status ik_model_server(const struct ik_config *config, const char *provider,
	struct ik_model_choice *ret_choice, struct ik_error *error) IK_MUST_USE;

/* All of it once more, in memory of its own. */
struct ik_model_choice ik_model_choice_copy(const struct ik_model_choice *choice);

/* A sentence where the key would go unencrypted to another machine, in new memory; else NULL. */
char *ik_model_choice_warning(const struct ik_model_choice *choice);

void ik_model_choice_done(struct ik_model_choice *choice);

/* What a session is told of a choice, borrowing from it. */
struct ik_model_spec ik_model_choice_spec(const struct ik_model_choice *choice);

/* Every variable that holds a provider's key by default; NULL behind the last. */
const char *ik_model_key_variable(size_t index);

#endif
