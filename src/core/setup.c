#include "core/setup.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config_edit.h"
#include "json/schema.h"
#include "provider/models.h"
#include "store/store.h"
#include "tool/run.h"
#include "tui/edit/keymap.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/uuid.h"

/* Apply file, environment and command line to the defaults. */
static enum ik_status read_config(const struct ik_options *options, struct ik_setup *setup,
	struct ik_error *error)
{
	const struct {
		const char *key, *value, *where;
	} settings[] = {
		{ "provider", options->provider, "--provider" },
		{ "model", options->model, "--model" },
		{ "system_prompt", options->system_prompt, "--system-prompt" },
		{ "database", options->database, "--database" },
		{ "sandbox.mode", options->sandbox, "--sandbox" },
		{ "max_tool_turns", options->max_tool_turns, "--max-tool-turns" },
	};
	enum ik_status status = IK_OK;
	const char *file = setup->config_file = options->config_file
		? ik_strdup(options->config_file)
		: ik_places_file(&setup->places, "config.json");
	size_t i;

	setup->config = ik_config_new();
	setup->config->check_keys = ik_keymap_check;
	ik_project_open(&setup->project, &setup->places, options->trust_project);
	/* A file that the user named must exist. */
	if (options->config_file && access(file, F_OK) != 0)
		status = ik_error_set_errno(error, errno, _("cannot read %s (--config)"), file);
	else if (file)
		status = ik_config_load(setup->config, file, IK_ORIGIN_USER, error);
	if (status == IK_OK)
		status = ik_project_read_config(&setup->project, &setup->places, file, setup->config,
			error);
	if (status == IK_OK)
		status = ik_config_environment(setup->config, error);
	for (i = 0; status == IK_OK && i < sizeof(settings) / sizeof(settings[0]); i++)
		if (settings[i].value)
			status = ik_config_set(setup->config, settings[i].key, settings[i].value,
				IK_ORIGIN_OPTION, settings[i].where, error);
	return status;
}

/* Read the user's rules about models, if there are any. */
static enum ik_status read_model_rules(struct ik_setup *setup, struct ik_error *error)
{
	char *path = ik_places_file(&setup->places, "models.json");
	enum ik_status status = IK_NOT_FOUND;
	struct ik_buf text;

	setup->config->model_lists = ik_places_file(&setup->places, "models");
	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (path)
		status = ik_file_read(path, &text, error);
	if (status == IK_OK)
		status = ik_model_rules_check(path, text.data, text.length, error);
	if (status == IK_OK)
		setup->config->model_rules = ik_buf_take(&text, NULL);
	ik_buf_done(&text);
	free(path);
	return status == IK_NOT_FOUND ? IK_OK : status;
}

/* Select the names of files with themes, for scandir(). */
static int is_theme(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && ik_text_ends(entry->d_name, ".json");
}

/* Read a theme of the user's; without it, the chat still works. */
static void read_theme(struct ik_setup *setup, const char *directory, const char *file)
{
	char *path = ik_path_join(directory, file);
	char *name = ik_strndup(file, strlen(file) - strlen(".json"));
	struct ik_error error;
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_CONFIG);
	if (ik_file_read(path, &text, &error) != IK_OK ||
		ik_themes_add(&setup->themes, name, path, text.data, text.length, &error) != IK_OK)
		ik_config_warn(setup->config, "%s", error.text);
	ik_buf_done(&text);
	free(name);
	free(path);
}

enum ik_status ik_setup_check_theme(const struct ik_setup *setup, struct ik_error *error)
{
	const char *wanted = setup->config->ui_theme;
	char *directory;

	if (ik_text_equal(wanted, "auto") || ik_theme_find(&setup->themes, wanted))
		return IK_OK;
	directory = ik_places_file(&setup->places, "themes");
	(void)ik_error_set(error, IK_INVALID,
		_("ui.theme: there is no theme \"%s\"; there are auto, dark, light, contrast, mono and "
		  "the files %s/NAME.json"),
		wanted, directory ? directory : "themes");
	free(directory);
	return IK_INVALID;
}

/* Read the user's themes, and look whether there is the one that is configured. */
static void read_themes(struct ik_setup *setup)
{
	char *directory = ik_places_file(&setup->places, "themes");
	struct ik_error error;
	struct dirent **entries = NULL;
	int count = directory ? scandir(directory, &entries, is_theme, alphasort) : 0;

	for (int i = 0; i < count; i++) {
		read_theme(setup, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	free(directory);
	if (ik_setup_check_theme(setup, &error) != IK_OK)
		ik_config_warn(setup->config, "%s", error.text);
}

/* Let ui.language override the locale's language for gettext. */
static void use_language(struct ik_setup *setup)
{
	if (!setup->config->ui_language)
		return;
	if (getenv("LANGUAGE"))
		setup->language = ik_strdup(getenv("LANGUAGE"));
	(void)setenv("LANGUAGE", setup->config->ui_language, 1);
	/* gettext reads the variable again only when the domain is set. */
	(void)textdomain(textdomain(NULL));
}

/* Read the system prompt from its file. */
static enum ik_status read_system_prompt(struct ik_setup *setup, struct ik_error *error)
{
	struct ik_buf raw, clean;
	enum ik_status status;
	char *path;

	if (!setup->config->system_prompt)
		return IK_OK;
	path = ik_path_expand(setup->config->system_prompt, setup->places.user_home);
	if (ik_config_origin(setup->config, "system_prompt") == IK_ORIGIN_PROJECT &&
		!ik_path_within(setup->places.directory, path)) {
		/* A file outside of the directory would be sent to the provider without warning. */
		ik_config_warn(setup->config,
			_("system_prompt is %s, which lies outside of this directory: "
			  "a project's file may name only one of the project's"),
			path);
		free(path);
		return IK_OK;
	}
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

/* Read the schema of replies from its file, and check it. */
static enum ik_status read_output_schema(struct ik_setup *setup, const char *path,
	struct ik_error *error)
{
	struct ik_buf text, schema;
	struct ik_error why = { .at = NULL };
	struct ik_json_span value;
	enum ik_status status;

	if (!path)
		return IK_OK;
	ik_buf_init(&text, IK_LIMIT_SCHEMA);
	ik_buf_init(&schema, 4 * IK_LIMIT_SCHEMA);
	status = ik_file_read(path, &text, error);
	if (status == IK_OK && ik_json_check(text.data, text.length, &value, &why) != IK_OK)
		status = ik_error_set(error, IK_INVALID, "%s: %s", path, why.text);
	else if (status == IK_OK && ik_schema_read(value, &schema, &why) != IK_OK)
		status = ik_error_set(error, IK_INVALID, "%s:%d: %s", path,
			ik_json_line(text.data, why.at ? why.at : value.text), why.text);
	if (status == IK_OK)
		status = ik_buf_check(&schema, path, error);
	if (status == IK_OK)
		setup->output_schema = ik_buf_take(&schema, NULL);
	ik_buf_done(&text);
	ik_buf_done(&schema);
	return status;
}

/* Open the log at the configured level. */
static void open_log(const struct ik_setup *setup)
{
	static const char *const names[] = { "off", "error", "info", "debug" };
	char *path = ik_places_file(&setup->places, "log");
	size_t i;

	for (i = 1; path && i < sizeof(names) / sizeof(names[0]); i++)
		if (ik_text_equal(setup->config->log_level, names[i]))
			ik_log_open(path, (enum ik_log_level)i);
	free(path);
}

/* Print the warning about the chosen model. */
static void warn_of_model(struct ik_setup *setup)
{
	char *warning = ik_model_warning(setup->model);

	if (warning)
		ik_config_warn(setup->config, "%s", warning);
	free(warning);
}

/* Choose where sessions are stored. */
static enum ik_status choose_database(struct ik_setup *setup, struct ik_error *error)
{
	static const char scheme[] = "sqlite:";
	const char *named = setup->config->database;

	if (!named) {
		setup->database = ik_places_file(&setup->places, "ikigai.db");
		return IK_OK;
	}
	if (ik_postgres_is_uri(named)) {
		setup->database = ik_strdup(named);
		return IK_OK;
	}
	if (ik_text_starts(named, scheme))
		named += strlen(scheme);
	else if (strstr(named, "://"))
		return ik_error_set(error, IK_INVALID,
			_("database is \"%.*s://...\", which is "
			  "not known: name a file, sqlite:FILE, or postgresql://HOST/DATABASE"),
			(int)strcspn(named, ":"), named);
	if (named[0] == '\0')
		return ik_error_set(error, IK_INVALID,
			_("database is \"sqlite:\", which lacks the name of a file"));
	setup->database = ik_path_expand(named, setup->places.user_home);
	return IK_OK;
}

/* Restore LANGUAGE: ui.language is for the screen, not for tools. */
static void restore_language(const struct ik_setup *setup, char **environment)
{
	static const char variable_name[] = "LANGUAGE=";
	char **entry, **kept = environment;

	for (entry = environment; *entry; entry++) {
		if (!ik_text_starts(*entry, variable_name)) {
			*kept++ = *entry;
			continue;
		}
		free(*entry);
		if (setup->language)
			*kept++ = ik_format("%s%s", variable_name, setup->language);
	}
	*kept = NULL;
}

/* Return the listed variables of this program's environment, for Kodelet's tools. */
static char **kodelet_environment(const struct ik_setup *setup)
{
	const struct ik_string_list *names = &setup->config->custom_env_whitelist;
	char **environment = ik_environment_of(names->count > 0 ? (const char *const *)names->items
															: NULL);

	if (setup->config->ui_language)
		restore_language(setup, environment);
	return environment;
}

/* Protect the targets of links that affect the next session. */
static void guard_targets(struct ik_setup *setup)
{
	static const char *const names[] = {
		"config.json",
		"policy.json",
		"trust.json",
		"tools.json",
		"mcp.json",
		"tools",
		"prompts",
		"hooks.json",
		"hooks",
	};
	char *home = ik_path_canonical(setup->places.home);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *file = ik_places_file(&setup->places, names[i]), *target = ik_path_canonical(file);

		if (!ik_path_below(target, home))
			ik_sandbox_guard(setup->sandbox, target, IK_CONFINE_READING);
		free(target);
		free(file);
	}
	free(home);
}

static void make_sandbox(struct ik_setup *setup)
{
	char *undo = ik_places_file(&setup->places, "undo");

	setup->sandbox = ik_sandbox_new(setup->config, setup->places.directory,
		setup->places.user_home);
	/* Saved files may be older versions of hidden files. */
	if (undo)
		ik_sandbox_guard(setup->sandbox, undo, IK_CONFINE_NAMES);
	free(undo);
	/* Otherwise a tool could write to the user's home and decide what the next tool may do. */
	if (setup->places.home) {
		ik_sandbox_guard(setup->sandbox, setup->places.home, IK_CONFINE_READING);
		guard_targets(setup);
	}
	if (setup->config->hooks_claude && setup->places.user_home) {
		char *hooks = ik_path_join(setup->places.user_home, ".claude/settings.json");

		ik_sandbox_guard(setup->sandbox, hooks, IK_CONFINE_READING);
		free(hooks);
	}
}

enum ik_status ik_setup_read(const struct ik_options *options, struct ik_setup *ret_setup,
	struct ik_error *error)
{
	enum ik_status status;

	memset(ret_setup, 0, sizeof(*ret_setup));
	status = ik_places_find(options->directory, &ret_setup->places, error);
	if (status == IK_OK && options->verb == IK_VERB_TOOL_TRUST && options->first) {
		/* Treat the operand as if it were given with -C, relative to that directory. */
		ik_places_done(&ret_setup->places);
		status = ik_places_find(options->first, &ret_setup->places, error);
	}
	if (status == IK_OK)
		status = read_config(options, ret_setup, error);
	ret_setup->custom_commands = ik_custom_commands_new(&ret_setup->places, &ret_setup->project);
	if (status == IK_OK)
		status = read_model_rules(ret_setup, error);
	if (status == IK_OK)
		use_language(ret_setup);
	if (status == IK_OK)
		make_sandbox(ret_setup);
	if (status == IK_OK)
		ret_setup->kodelet_environment = kodelet_environment(ret_setup);
	if (status == IK_OK)
		open_log(ret_setup);
	if (status != IK_OK)
		return status;
	if (options->verb == IK_VERB_CHAT || options->verb == IK_VERB_DOCTOR ||
		options->verb == IK_VERB_CONFIG_SET)
		read_themes(ret_setup);
	if (options->verb == IK_VERB_DOCTOR || options->verb == IK_VERB_ACP ||
		(options->verb >= IK_VERB_SESSION_LIST && options->verb <= IK_VERB_SESSION_RECOVER))
		return choose_database(ret_setup, error);
	/* Tools and configuration need no model. */
	if (options->verb != IK_VERB_CHAT && options->verb != IK_VERB_EXEC)
		return status;
	ret_setup->model = ik_model_choose(ret_setup->config,
		&(struct ik_model_wish){ .base_url = options->base_url }, error);
	if (!ret_setup->model)
		return error->status;
	warn_of_model(ret_setup);
	status = read_system_prompt(ret_setup, error);
	if (status == IK_OK)
		status = read_output_schema(ret_setup, options->output_schema, error);
	if (status == IK_OK)
		ret_setup->instructions = ik_agents_files_read(&ret_setup->project, &ret_setup->places,
			ret_setup->config);
	if (status == IK_OK)
		status = choose_database(ret_setup, error);
	return status;
}

enum ik_status ik_setup_keep(struct ik_setup *setup, const char *key, const char *value,
	struct ik_buf *answer, struct ik_error *error)
{
	enum ik_origin origin = ik_config_origin(setup->config, key);
	const char *file = setup->config_file;
	char *shown;

	if (!file)
		return ik_error_set(error, IK_FAILED, _("there is no home directory to keep it in"));
	if (ik_config_edit(file, key, value, error) != IK_OK)
		return error->status;
	shown = ik_path_shorten(file, setup->places.user_home);
	ik_buf_printf(answer, _("Kept as \"%s\" in %s."), key, shown);
	free(shown);
	if (origin == IK_ORIGIN_PROJECT)
		ik_buf_printf(answer, " %s",
			_("In this directory, the project's .ikigai/config.json overrides it."));
	else if (origin == IK_ORIGIN_ENVIRONMENT)
		ik_buf_printf(answer, " %s", _("An environment variable overrides it."));
	ik_buf_putc(answer, '\n');
	if (origin == IK_ORIGIN_PROJECT || origin == IK_ORIGIN_ENVIRONMENT)
		return IK_OK;
	return ik_config_set(setup->config, key, value, IK_ORIGIN_USER, key, error);
}

void ik_setup_done(struct ik_setup *setup)
{
	free(setup->config_file);
	ik_model_unref(setup->model);
	free(setup->system_prompt);
	free(setup->output_schema);
	free(setup->instructions);
	free(setup->database);
	free(setup->servers);
	free(setup->language);
	ik_themes_done(&setup->themes);
	setup->kodelet_environment = ik_environment_free(setup->kodelet_environment);
	setup->sandbox = ik_sandbox_free(setup->sandbox);
	setup->custom_commands = ik_custom_commands_free(setup->custom_commands);
	ik_project_done(&setup->project);
	setup->config = ik_config_free(setup->config);
	ik_places_done(&setup->places);
	memset(setup, 0, sizeof(*setup));
}

/* ikigai's variables that may contain an address with a password. */
/* clang-format off */
static const char *const address_variables[] = {
	"IKIGAI_DATABASE", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_BASE_URL",
};
/* clang-format on */
#define ADDRESS_VARIABLE_COUNT (sizeof(address_variables) / sizeof(address_variables[0]))

/* Does the variable contain a password (NAME:PASSWORD@ or password=)? */
static bool holds_password(const char *variable)
{
	const char *value = getenv(variable);
	char *shown = ik_redact(value);
	bool holds = value && !ik_text_equal(shown, value);

	free(shown);
	return holds;
}

/* Return a directory that no tool can write to and that is on another disk than the home directory:
 * the runtime directory, or NULL. */
static char *spare_directory(const struct ik_setup *setup)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char *directory;

	if (!runtime || runtime[0] != '/' || access(runtime, W_OK) != 0)
		return NULL;
	directory = ik_path_join(runtime, "ikigai");
	if (!ik_sandbox_may_write(setup->sandbox, directory))
		return directory;
	free(directory);
	return NULL;
}

/* Return the directory for journals: in home; without a home, beside the database's file if
 * writable, else in the spare directory, where the next process finds it, else one for this
 * process. */
static char *journals_of(const struct ik_setup *setup, const char *spare)
{
	char *directory = ik_places_file(&setup->places, "journal");
	char *beside, id[IK_UUID_TEXT];

	if (directory && !setup->places.problem)
		return directory;
	free(directory);
	if (setup->database && !ik_postgres_is_uri(setup->database)) {
		beside = ik_path_directory(setup->database);
		directory = access(beside, W_OK) == 0 ? ik_format("%s-journal", setup->database) : NULL;
		free(beside);
		if (directory)
			return directory;
	}
	if (spare)
		return ik_strdup(spare);
	ik_uuid_new(id);
	return ik_format("%s/ikigai-%s", ik_path_temporary(), id);
}

struct ik_store *ik_setup_open_store(const struct ik_setup *setup, struct ik_loop *loop,
	struct ik_error *error)
{
	char *spare = spare_directory(setup), *journals = journals_of(setup, spare);
	char *programs = ik_path_join(setup->places.system_tools, "stores");
	const struct ik_store_options options = {
		.database = setup->database,
		.journals = journals,
		.spare = spare && !ik_text_equal(spare, journals) ? spare : NULL,
		.programs = programs,
		.patience_s = setup->config->database_timeout_s,
	};
	struct ik_store *store = ik_store_open(loop, &options, error);

	free(programs);
	free(spare);
	free(journals);
	return store;
}

struct ik_http_options ik_setup_http(const struct ik_setup *setup)
{
	return (struct ik_http_options){
		.connect_timeout_ms = setup->config->http_connect_timeout_s * 1000,
		.proxy = setup->config->http_proxy,
		.ca_file = setup->config->http_ca_file,
	};
}

char **ik_setup_tool_environment(const struct ik_setup *setup)
{
	const struct ik_config *config = setup->config;
	char **environment;
	const char **secrets;
	size_t count = 0, i;

	while (ik_model_key_variable(count))
		count++;
	secrets = ik_alloc((count + config->provider_count + ADDRESS_VARIABLE_COUNT + 3) *
		sizeof(*secrets));
	for (i = 0; i < count; i++)
		secrets[i] = ik_model_key_variable(i);
	secrets[count++] = "PGPASSWORD";
	secrets[count++] = "IKIGAI_MCP_TOKEN";
	for (i = 0; i < ADDRESS_VARIABLE_COUNT; i++)
		if (holds_password(address_variables[i]))
			secrets[count++] = address_variables[i];
	for (i = 0; i < config->provider_count; i++)
		if (config->providers[i].api_key_env)
			secrets[count++] = config->providers[i].api_key_env;
	environment = ik_environment_for_tools(secrets, (const char *const *)config->tools_env.items);
	free(secrets);
	if (config->ui_language)
		restore_language(setup, environment);
	return environment;
}
