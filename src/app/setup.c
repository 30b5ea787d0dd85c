#include "app/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "provider/practice.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

/* The providers that need no entry in the configuration. */
static const struct builtin_provider {
	const char *name, *type, *base_url, *base_url_variable, *model;
	const char *key_variables[2]; /* the first that is set counts */
} builtin_providers[] = {
	{"openai", "openai-responses", "https://api.openai.com/v1", "OPENAI_BASE_URL", "gpt-5-mini",
		{"OPENAI_API_KEY", NULL}},
	{"anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "claude-sonnet-4-5",
		{"ANTHROPIC_API_KEY", NULL}},
	{"google", "google", "https://generativelanguage.googleapis.com", "GOOGLE_BASE_URL",
		"gemini-2.5-flash", {"GOOGLE_API_KEY", "GEMINI_API_KEY"}},
	{"practice", "openai-chat", NULL, NULL, IK_PRACTICE_MODEL, {NULL, NULL}},
};

/* For any provider whose own variable is not named. */
#define COMMON_KEY_VARIABLE "IKIGAI_API_KEY"

static const char *variable(const char *name)
{
	const char *value = name == NULL ? NULL : getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

static const struct builtin_provider *find_builtin(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof builtin_providers / sizeof builtin_providers[0]; i++)
		if (ik_text_equal(builtin_providers[i].name, name))
			return &builtin_providers[i];
	return NULL;
}

/* The configured name, or the first provider that can be reached, or practice. */
static const char *choose_provider(const struct ik_config *config)
{
	size_t i;

	if (config->provider != NULL)
		return config->provider;
	for (i = 0; i < sizeof builtin_providers / sizeof builtin_providers[0]; i++) {
		const struct builtin_provider *b = &builtin_providers[i];

		if (variable(b->key_variables[0]) != NULL || variable(b->key_variables[1]) != NULL ||
		    variable(b->base_url_variable) != NULL)
			return b->name;
	}
	return "practice";
}

/* Name every provider there is. */
static enum ik_status unknown_provider(const struct ik_config *config, const char *name,
	struct ik_error *error)
{
	struct ik_buf names;
	enum ik_status status;
	size_t i;

	ik_buf_init(&names, IK_KIB(4));
	for (i = 0; i < sizeof builtin_providers / sizeof builtin_providers[0]; i++)
		ik_buf_printf(&names, "%s%s", i > 0 ? ", " : "", builtin_providers[i].name);
	for (i = 0; i < config->provider_count; i++)
		ik_buf_printf(&names, ", %s", config->providers[i].name);
	status = ik_error_set(error, IK_INVALID, _("there is no provider \"%s\" (known: %s); make one "
		"with \"providers\": {\"%s\": {\"base_url\": \"...\"}} in config.json"),
		name, names.data, name);
	ik_buf_done(&names);
	return status;
}

/* Name every format there is. */
static enum ik_status unknown_type(const char *name, const char *type, struct ik_error *error)
{
	struct ik_buf types;
	enum ik_status status;
	size_t i;

	ik_buf_init(&types, IK_KIB(1));
	for (i = 0; ik_wire_format_at(i) != NULL; i++)
		ik_buf_printf(&types, "%s%s", i > 0 ? ", " : "", ik_wire_format_at(i)->type);
	status = ik_error_set(error, IK_INVALID, _("providers.%s.type is \"%s\", which this version "
		"does not speak (it speaks: %s)"), name, type, types.data);
	ik_buf_done(&types);
	return status;
}

/* Headers of the configuration as a NULL-terminated array. */
static char **copy_list(const struct ik_string_list *list)
{
	char **copy = ik_alloc((list->count + 1) * sizeof *copy);
	size_t i;

	for (i = 0; i < list->count; i++)
		copy[i] = ik_strdup(list->items[i]);
	return copy;
}

/* Find the key; its variable is remembered even when it is not set. */
static void choose_key(struct ik_model_choice *choice, const struct builtin_provider *builtin,
	const struct ik_provider_config *own)
{
	const char *candidates[4];
	size_t count = 0, i;

	if (own != NULL && own->api_key_env != NULL)
		candidates[count++] = own->api_key_env;
	for (i = 0; builtin != NULL && i < 2; i++)
		if (builtin->key_variables[i] != NULL)
			candidates[count++] = builtin->key_variables[i];
	candidates[count++] = COMMON_KEY_VARIABLE;
	choice->key_variable = ik_strdup(candidates[0]);
	for (i = 0; i < count; i++) {
		if (variable(candidates[i]) == NULL)
			continue;
		free(choice->key_variable);
		choice->key_variable = ik_strdup(candidates[i]);
		choice->api_key = ik_strdup(variable(candidates[i]));
		return;
	}
}

/*
 * What is spoken where the configuration does not say: what the built-in
 * provider speaks, but the format that compatible servers know when a server
 * other than OpenAI's own stands at its address.
 */
static const char *standard_type(const struct builtin_provider *builtin, const char *base_url)
{
	if (builtin == NULL || (ik_text_equal(builtin->type, "openai-responses") &&
	    !ik_text_equal(base_url, builtin->base_url)))
		return "openai-chat";
	return builtin->type;
}

/* Decide on provider, model, address and key. */
static enum ik_status choose_model(const struct ik_options *options, const struct ik_config *config,
	struct ik_model_choice *choice, struct ik_error *error)
{
	const char *name = options->base_url != NULL && config->provider == NULL ? "openai" :
		choose_provider(config);
	const struct builtin_provider *builtin = find_builtin(name);
	const struct ik_provider_config *own = ik_config_provider(config, name);
	const char *type, *url, *model;
	size_t length;

	if (builtin == NULL && own == NULL)
		return unknown_provider(config, name, error);
	choice->provider = ik_strdup(name);
	choice->practice = ik_text_equal(name, "practice") && options->base_url == NULL;
	url = options->base_url;
	if (url == NULL && own != NULL)
		url = own->base_url;
	if (url == NULL && builtin != NULL)
		url = variable(builtin->base_url_variable) != NULL ?
			variable(builtin->base_url_variable) : builtin->base_url;
	if (url == NULL && !choice->practice)
		return ik_error_set(error, IK_INVALID, _("provider \"%s\" has no address: set "
			"providers.%s.base_url or use --base-url URL"), name, name);
	if (url != NULL && !ik_text_starts(url, "http://") && !ik_text_starts(url, "https://"))
		return ik_error_set(error, IK_INVALID, _("the address of provider \"%s\" is \"%s\", but it "
			"must begin with http:// or https://"), name, url);
	if (url != NULL) {
		length = strlen(url);
		while (length > 0 && url[length - 1] == '/')
			length--;
		choice->base_url = ik_strndup(url, length);
	}
	type = own != NULL && own->type != NULL ? own->type : standard_type(builtin, choice->base_url);
	choice->format = ik_wire_format_find(type);
	if (choice->format == NULL)
		return unknown_type(name, type, error);
	model = config->model != NULL ? config->model : own != NULL && own->model != NULL ? own->model :
		builtin != NULL ? builtin->model : NULL;
	if (model == NULL)
		return ik_error_set(error, IK_INVALID, _("provider \"%s\" has no model: set "
			"providers.%s.model or use -m MODEL"), name, name);
	choice->model = ik_strdup(model);
	if (!choice->practice)
		choose_key(choice, builtin, own);
	if (builtin != NULL && choice->base_url != NULL && ik_text_equal(choice->base_url, builtin->base_url) &&
	    choice->api_key == NULL)
		return ik_error_set(error, IK_INVALID, _("provider \"%s\" needs a key: set %s, or try the "
			"built-in practice model with -p practice"), name, choice->key_variable);
	if (own != NULL) {
		choice->headers = copy_list(&own->headers);
		choice->max_output_tokens = own->max_output_tokens;
	}
	return IK_OK;
}

/* Lay file, environment and command line over the defaults. */
static enum ik_status read_config(const struct ik_options *options, struct ik_setup *setup,
	struct ik_error *error)
{
	const struct { const char *key, *value, *where; } settings[] = {
		{"provider", options->provider, "--provider"},
		{"model", options->model, "--model"},
		{"system_prompt", options->system_prompt, "--system-prompt"},
		{"database", options->database, "--database"},
		{"max_tool_turns", options->max_tool_turns, "--max-tool-turns"},
	};
	enum ik_status status = IK_OK;
	char *file = options->config_file != NULL ? ik_strdup(options->config_file) :
		ik_places_file(&setup->places, "config.json");
	size_t i;

	setup->config = ik_config_new();
	/* A file that is named has to be there. */
	if (options->config_file != NULL && access(file, F_OK) != 0)
		status = ik_error_set_errno(error, errno, _("cannot read %s (--config)"), file);
	else if (file != NULL)
		status = ik_config_load(setup->config, file, IK_ORIGIN_USER, error);
	if (status == IK_OK)
		status = ik_config_environment(setup->config, error);
	free(file);
	for (i = 0; status == IK_OK && i < sizeof settings / sizeof settings[0]; i++)
		if (settings[i].value != NULL)
			status = ik_config_set(setup->config, settings[i].key, settings[i].value,
				IK_ORIGIN_OPTION, settings[i].where, error);
	/* A rule that does not hold must not look as if it did. */
	if (setup->config->policy != NULL)
		ik_config_warn(setup->config, _("policy is not applied by this version: every tool call is "
			"allowed. To keep tools from being used, name them in tools.disabled."));
	return status;
}

/* Let ui.language stand before the locale's language, for gettext. */
static void use_language(struct ik_setup *setup)
{
	if (setup->config->ui_language == NULL)
		return;
	if (getenv("LANGUAGE") != NULL)
		setup->language = ik_strdup(getenv("LANGUAGE"));
	(void)setenv("LANGUAGE", setup->config->ui_language, 1);
	/* gettext looks at the variable again after a change of domain only. */
	(void)textdomain(textdomain(NULL));
}

/* The system prompt is named as a file. */
static enum ik_status read_system_prompt(struct ik_setup *setup, struct ik_error *error)
{
	struct ik_buf raw, clean;
	enum ik_status status;
	char *path;

	if (setup->config->system_prompt == NULL)
		return IK_OK;
	path = ik_path_expand(setup->config->system_prompt, setup->places.user_home);
	ik_buf_init(&raw, IK_MIB(1));
	ik_buf_init(&clean, IK_MIB(4));
	status = ik_file_read(path, &raw, error);
	if (status == IK_OK) {
		ik_utf8_repair(&clean, raw.data, raw.length);
		status = ik_buf_check(&clean, path, error);
	}
	if (status == IK_OK)
		setup->system_prompt = ik_buf_take(&clean, NULL);
	ik_buf_done(&raw);
	ik_buf_done(&clean);
	free(path);
	return status;
}

/* Begin the log at the level that the configuration names. */
static void open_log(const struct ik_setup *setup)
{
	static const char *const names[] = {"off", "error", "info", "debug"};
	char *path = ik_places_file(&setup->places, "log");
	size_t i;

	for (i = 1; path != NULL && i < sizeof names / sizeof names[0]; i++)
		if (ik_text_equal(setup->config->log_level, names[i]))
			ik_log_open(path, (enum ik_log_level)i);
	free(path);
}

/* Where sessions are kept. */
static enum ik_status choose_database(struct ik_setup *setup, struct ik_error *error)
{
	static const char scheme[] = "sqlite:";
	const char *named = setup->config->database;

	if (named == NULL) {
		setup->database = ik_places_file(&setup->places, "ikigai.db");
		return IK_OK;
	}
	if (ik_text_starts(named, scheme))
		named += strlen(scheme);
	else if (strstr(named, "://") != NULL)
		return ik_error_set(error, IK_INVALID, _("database is \"%.*s://...\", but this version keeps "
			"sessions in SQLite only: name a file, or sqlite:FILE"), (int)strcspn(named, ":"), named);
	if (named[0] == '\0')
		return ik_error_set(error, IK_INVALID, _("database is \"sqlite:\", which lacks the name of a file"));
	setup->database = ik_path_expand(named, setup->places.user_home);
	return IK_OK;
}

enum ik_status ik_setup_read(const struct ik_options *options, struct ik_setup *ret_setup,
	struct ik_error *error)
{
	enum ik_status status;

	memset(ret_setup, 0, sizeof *ret_setup);
	status = ik_places_find(options->directory, &ret_setup->places, error);
	if (status == IK_OK)
		status = read_config(options, ret_setup, error);
	if (status == IK_OK)
		use_language(ret_setup);
	if (status == IK_OK)
		open_log(ret_setup);
	/* Tools and configuration can be looked at without a model. */
	if (status != IK_OK || (options->verb != IK_VERB_CHAT && options->verb != IK_VERB_EXEC))
		return status;
	status = choose_model(options, ret_setup->config, &ret_setup->choice, error);
	if (status == IK_OK)
		status = read_system_prompt(ret_setup, error);
	if (status == IK_OK)
		status = choose_database(ret_setup, error);
	return status;
}

/* Release a NULL-terminated array of strings. */
static void free_list(char **list)
{
	size_t i;

	for (i = 0; list != NULL && list[i] != NULL; i++)
		free(list[i]);
	free(list);
}

void ik_setup_done(struct ik_setup *setup)
{
	struct ik_model_choice *choice = &setup->choice;

	ik_log_close();
	free(choice->provider);
	free(choice->model);
	free(choice->base_url);
	if (choice->api_key != NULL)
		explicit_bzero(choice->api_key, strlen(choice->api_key));
	free(choice->api_key);
	free(choice->key_variable);
	free_list(choice->headers);
	free(setup->system_prompt);
	free(setup->database);
	free(setup->language);
	setup->config = ik_config_free(setup->config);
	ik_places_done(&setup->places);
	memset(setup, 0, sizeof *setup);
}

/* Put LANGUAGE back as it was: ui.language is for the screen, not for tools. */
static void restore_language(const struct ik_setup *setup, char **environment)
{
	static const char variable_name[] = "LANGUAGE=";
	char **entry, **kept = environment;

	for (entry = environment; *entry != NULL; entry++) {
		if (!ik_text_starts(*entry, variable_name)) {
			*kept++ = *entry;
			continue;
		}
		free(*entry);
		if (setup->language != NULL)
			*kept++ = ik_format("%s%s", variable_name, setup->language);
	}
	*kept = NULL;
}

char **ik_setup_tool_environment(const struct ik_setup *setup)
{
	static const char *const known[] = {
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY",
		COMMON_KEY_VARIABLE, "PGPASSWORD",
	};
	const size_t known_count = sizeof known / sizeof known[0];
	const struct ik_config *config = setup->config;
	const char **secrets = ik_alloc((known_count + config->provider_count + 1) * sizeof *secrets);
	char **environment;
	size_t count = 0, i;

	for (i = 0; i < known_count; i++)
		secrets[count++] = known[i];
	for (i = 0; i < config->provider_count; i++)
		if (config->providers[i].api_key_env != NULL)
			secrets[count++] = config->providers[i].api_key_env;
	environment = ik_environment_for_tools(secrets, (const char *const *)config->tools_env.items);
	free(secrets);
	if (config->ui_language != NULL)
		restore_language(setup, environment);
	return environment;
}

void ik_model_choice_endpoint(const struct ik_model_choice *choice, struct ik_endpoint *ret_endpoint)
{
	memset(ret_endpoint, 0, sizeof *ret_endpoint);
	ret_endpoint->provider = choice->provider;
	ret_endpoint->base_url = choice->base_url;
	ret_endpoint->api_key = choice->api_key;
	ret_endpoint->key_variable = choice->key_variable;
	ret_endpoint->headers = (const char *const *)choice->headers;
}
