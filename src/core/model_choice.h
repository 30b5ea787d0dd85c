/*
 * model_choice: decide on provider, model, address, key and wire format, from configuration,
 * environment and the table of built-in providers.
 *
 * May include: util, config, tool/registry.h, provider, agent/model.h.
 */
#ifndef IK_CORE_MODEL_CHOICE_H
#define IK_CORE_MODEL_CHOICE_H

#include "agent/model.h"
#include "config/config.h"
#include "tool/registry.h"

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
	bool given_url; /* base_url comes from the wish */
};

/* What overrides the configuration; NULL: nothing. */
struct ik_model_wish {
	const char *provider;
	const char *model;
	const char *base_url;
};

/*
 * Decide on provider, model, address and key. The configured model counts for the
 * configured provider only. An error says what to set. Start with *ret_choice zeroed, and
 * release it with ik_model_choice_done() in any case.
 */
enum ik_status ik_model_choose(const struct ik_config *config, const struct ik_model_wish *wish,
	struct ik_model_choice *ret_choice, struct ik_error *error) IK_MUST_USE;

/* Return the configured provider, or the first one with a key or an address, or practice. */
const char *ik_model_default_provider(const struct ik_config *config);

/* Return the name of a provider: built-in ones, then configured ones; NULL after the last. */
const char *ik_model_provider_at(const struct ik_config *config, size_t index);

/* Append the object (compact JSON) that describes a tool in a request to a provider, built-in or
 * configured; for Google, the element of functionDeclarations. The error names all providers. */
enum ik_status ik_model_put_tool(const struct ik_config *config, const char *provider,
	const struct ik_tool *tool, struct ik_buf *out, struct ik_error *error) IK_MUST_USE;
/* Return what a provider is told of a tool; it borrows from the tool. */
struct ik_tool_definition ik_model_tool(const struct ik_tool *tool);

/* Return a copy that owns its strings. */
struct ik_model_choice ik_model_choice_copy(const struct ik_model_choice *choice);

/* Return a warning if the key would go to another machine unencrypted, else NULL; the caller frees
 * it. */
char *ik_model_choice_warning(const struct ik_model_choice *choice);

void ik_model_choice_done(struct ik_model_choice *choice);

/* Return what a session needs of a choice; it borrows from the choice. */
struct ik_model_spec ik_model_choice_spec(const struct ik_model_choice *choice);

/* Return a variable that holds a provider's key by default; NULL after the last. */
const char *ik_model_key_variable(size_t index);

#endif
