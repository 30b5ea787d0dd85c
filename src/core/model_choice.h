/*
 * model_choice: decide on provider, model, address, key and wire format, from configuration,
 * environment and the table of built-in providers.
 *
 * May include: util, config, tool/registry.h, net, provider, agent.
 */
#ifndef IK_CORE_MODEL_CHOICE_H
#define IK_CORE_MODEL_CHOICE_H

#include "agent/model.h"
#include "config/config.h"
#include "tool/registry.h"

/* What overrides the configuration; NULL: nothing. */
struct ik_model_wish {
	const char *provider;
	const char *model;
	const char *base_url;
};

/* Return a model (a reference): its provider, name, address and key. The configured model counts for
 * the configured provider only. NULL: the error says what to set. */
struct ik_model *ik_model_choose(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_error *error);

/* Return the configured provider, or the first one with a key or an address, or practice. */
const char *ik_model_default_provider(const struct ik_config *config);

/* Return the name of a provider: built-in ones, then configured ones; NULL after the last. */
const char *ik_model_provider_at(const struct ik_config *config, size_t index);

/* Append the object (compact JSON) that describes a tool in a request to a provider, built-in or
 * configured; for Google, the element of functionDeclarations. The error names all providers. */
enum ik_status ik_model_put_tool(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/* Return a warning if the key would go to another machine unencrypted, else NULL; the caller frees
 * it. */
char *ik_model_warning(const struct ik_model *model);

/* Return a variable that holds a provider's key by default; NULL after the last. */
const char *ik_model_key_variable(size_t index);

#endif
