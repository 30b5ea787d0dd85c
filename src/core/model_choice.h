/*
 * model_choice: choose provider, model, address, key and wire format from the configuration, the
 * environment and the table of built-in providers.
 *
 * May include: util, config, tool/registry.h, net, provider, agent.
 */
#ifndef IK_CORE_MODEL_CHOICE_H
#define IK_CORE_MODEL_CHOICE_H

#include "agent/model.h"
#include "config/config.h"
#include "tool/registry.h"

/* The variable with the key of any provider that has none of its own. */
#define IK_KEY_OF_ALL "IKIGAI_API_KEY"

/* Choices that override the configuration; NULL: not given. */
struct ik_model_wish {
	const char *provider;
	const char *model;
	const char *base_url;
};

/* Return a new reference to a model with its provider, name, address and key. The configured model
 * applies only to the configured provider. NULL: the error says what to set (IK_DENIED: a key). */
struct ik_model *ik_model_choose(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_error *error);

/* Return what is known of models of the same provider as a model's, in new memory: one for each of
 * the names, which are sorted and without duplicates. */
struct ik_model_facts *ik_model_facts_of_all(const struct ik_config *config,
	const struct ik_model *model, char *const *names, size_t count);

/* Return the configured provider, else the first with a key or an address, else practice. At
 * base_url (NULL: not given), it is openai unless the configuration names another than practice. */
const char *ik_model_default_provider(const struct ik_config *config, const char *base_url);

/* Return the name of the provider at index: built-in ones, then configured ones; NULL past the
 * last. */
const char *ik_model_provider_at(const struct ik_config *config, size_t index);

/* Append the object (compact JSON) that describes a tool in a request to a built-in or configured
 * provider; for Google, the element of functionDeclarations. If the provider is unknown, the error
 * names all. */
enum ik_status ik_model_put_tool(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;

/* Return a warning if the key would be sent to another machine unencrypted, or if the provider
 * switches the model off soon, or the same of a fallback, else NULL; the caller frees it. */
char *ik_model_warning(const struct ik_model *model);

/* Return the name at index of the variables that contain providers' keys by default; NULL past the
 * last. */
const char *ik_model_key_variable(size_t index);

/* Return the page where you get a key for the provider at index (of ik_model_provider_at()), and the
 * variable to set; NULL if it is not a built-in one that needs a key. */
const char *ik_model_key_page(size_t index, const char **ret_variable);

#endif
