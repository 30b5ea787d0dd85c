/*
 * config: the effective configuration, each value with where it came from.
 *
 * Defaults, user file, project file, environment, command line: later ones
 * win.  One const table in config_keys.c holds every key with its type, range,
 * default and meaning; checking, `ikigai config` and the man page use it.
 *
 * Owns its strings.  May include: util, json.
 */
#ifndef IK_CONFIG_CONFIG_H
#define IK_CONFIG_CONFIG_H

#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ik_origin {
	IK_ORIGIN_DEFAULT,
	IK_ORIGIN_USER,        /* $IKIGAI_HOME/config.json */
	IK_ORIGIN_PROJECT,     /* .ikigai/config.json of a trusted directory */
	IK_ORIGIN_ENVIRONMENT,
	IK_ORIGIN_OPTION
};
const char *ik_origin_name(enum ik_origin origin);

struct ik_string_list {
	char **items; /* NULL-terminated once it has any; NULL when empty */
	size_t count;
};

/* providers.NAME */
struct ik_provider_config {
	char *name;
	char *type;        /* NULL where not said, as all strings below */
	char *base_url;
	char *api_key_env;
	char *model;
	struct ik_string_list headers; /* "Name: value" */
	int64_t max_output_tokens;     /* 0: not said, as all numbers below */
	int64_t context_window;
	bool strict_tools, strict_tools_set;
	char *thinking;
	double price_input, price_output, price_cached; /* per million tokens; -1: not said */
};

struct ik_tool_timeout { char *name; int64_t seconds; };

struct ik_config {
	char *provider, *model, *system_prompt; /* NULL: not said */
	struct ik_provider_config *providers;
	size_t provider_count;

	bool tools_enabled;
	char *tools_system_dir, *tools_user_dir, *tools_project_dir; /* NULL: the built-in place */
	int64_t tools_scan_timeout_ms, tools_timeout_s, tools_max_output_size, tools_concurrency;
	struct ik_tool_timeout *tools_timeouts;
	size_t tools_timeout_count;
	bool tools_schema_cache, tools_watch;
	struct ik_string_list tools_disabled, tools_env;
	int64_t tools_memory_limit_mb; /* 0: none */

	bool custom_enabled;
	char *custom_global_dir, *custom_local_dir;
	int64_t custom_timeout_ms, custom_max_output_size;
	struct ik_string_list custom_env_whitelist;

	int64_t max_tool_turns;
	char *database;                /* NULL: sqlite in the home */
	int64_t retry_max, retry_base_ms, retry_cap_ms;
	int64_t http_connect_timeout_s, http_idle_timeout_s;
	char *http_proxy, *http_ca_file;

	char *ui_theme, *ui_language, *ui_inspector;
	bool ui_mouse, ui_show_thinking, ui_markdown;
	char *log_level;

	struct ik_string_list warnings; /* sentences to show: unknown keys, ... */
	struct ik_config_origins *origins; /* private */
};

/* The defaults. */
struct ik_config *ik_config_new(void);
struct ik_config *ik_config_free(struct ik_config *config);

/*
 * Lay a file over what is there. No such file: nothing changes, IK_OK. A file
 * that cannot be read, is no JSON (comments allowed) or holds a value of the
 * wrong type or out of range is an error that names file, line, key, the value
 * found and what is allowed; nothing of it is taken then. An unknown key is a
 * warning with the nearest known key. From a project file, providers, database
 * and whatever names an executable are left out with a warning.
 */
enum ik_status ik_config_load(struct ik_config *config, const char *path,
	enum ik_origin origin, struct ik_error *error) IK_MUST_USE;

/* Set one plain key ("max_tool_turns", "http.proxy") from text: the value of a
 * variable or an option. where names it in an error ("--max-tool-turns"). */
enum ik_status ik_config_set(struct ik_config *config, const char *key, const char *value,
	enum ik_origin origin, const char *where, struct ik_error *error) IK_MUST_USE;

const struct ik_provider_config *ik_config_provider(const struct ik_config *config, const char *name);

/* Append {KEY: {"value", "origin"}} as JSON, or "KEY = value (origin)" lines. */
void ik_config_print(const struct ik_config *config, bool json, struct ik_buf *out);

#endif
