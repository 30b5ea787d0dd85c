/*
 * config: the effective configuration, and where each value comes from.
 *
 * Defaults, user file, project file, environment, command line: later ones win. One const table
 * (config/config_keys.h) holds every key with its type, range, default and meaning; checking,
 * `ikigai config` and the man page use it.
 *
 * Owns its strings. May include: util, json.
 */
#ifndef IK_CONFIG_CONFIG_H
#define IK_CONFIG_CONFIG_H

#include "json/scan.h"
#include "util/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ik_origin {
	IK_ORIGIN_DEFAULT,
	IK_ORIGIN_USER,    /* $IKIGAI_HOME/config.json */
	IK_ORIGIN_PROJECT, /* .ikigai/config.json of a trusted directory */
	IK_ORIGIN_ENVIRONMENT,
	IK_ORIGIN_OPTION
};

struct ik_string_list {
	char **items; /* NULL-terminated unless empty; NULL if empty */
	size_t count;
};
/* Add a text, which is taken over. */
void ik_string_list_add(struct ik_string_list *list, char *text);
/* Release all of it; it is empty then. */
void ik_string_list_done(struct ik_string_list *list);

/* providers.NAME */
struct ik_provider_config {
	char *name;
	char *type; /* a wire format; NULL if not set, as for all strings below */
	char *base_url;
	char *api_key_env;
	char *model;
	char *fallback;                /* "PROVIDER" or "PROVIDER/MODEL" */
	struct ik_string_list headers; /* "Name: value" */
	char *body;                    /* members of requests: JSON text of an object */
	int64_t max_output_tokens;     /* 0: not set, as for all numbers below */
	int64_t context_window;
	bool strict_tools, strict_tools_set;
	bool web_search;
	char *thinking;  /* "off", "low", "medium", "high" */
	char *cache_ttl; /* "off", "5m", "1h" */
	double price_input, price_output, price_cached, price_written; /* per million tokens; -1: not
	                                                                  set */
	enum ik_origin *origins; /* private, like that of struct ik_config */
};

struct ik_tool_timeout {
	char *name;
	int64_t seconds;
};

/*
 * Checks an object whose form another layer knows (ui.keys: tui/edit/keymap.h). On failure
 * *ret_place points to the faulty part; the error's sentence is shown after the key's name.
 */
typedef enum ik_status ik_config_checker(struct ik_json_span object, const char **ret_place,
	struct ik_error *error);

struct ik_config {
	char *provider, *model; /* NULL: not set */
	char *system_prompt;    /* name of the file that contains the prompt; NULL: not set */
	struct ik_provider_config *providers;
	size_t provider_count;

	bool tools_enabled;
	char *tools_system_dir, *tools_user_dir, *tools_project_dir; /* NULL: the built-in directory */
	int64_t tools_scan_timeout_ms, tools_timeout_s, tools_max_output_size, tools_concurrency;
	struct ik_tool_timeout *tools_timeouts;
	size_t tools_timeout_count;
	bool tools_schema_cache, tools_watch, tools_undo;
	char *tools_offer; /* "schemas" or "names" */
	bool skills_enabled;
	struct ik_string_list tools_disabled, tools_env;
	int64_t tools_memory_limit_mb; /* 0: no limit */

	bool custom_enabled;
	char *custom_global_dir, *custom_local_dir;
	int64_t custom_timeout_ms, custom_max_output_size;
	struct ik_string_list custom_env_whitelist;
	bool hooks_claude;

	int64_t max_tool_turns, compact_at;
	char *model_lists;          /* directory of agent/model_cache.h; NULL: no home */
	char *model_rules;          /* of models.json (provider/models.h), checked; NULL: no file */
	char *database;             /* NULL: SQLite in ikigai's home */
	int64_t database_timeout_s; /* time limit for a statement on a server */
	int64_t keep_sessions_days; /* 0: forever */
	int64_t keep_undo_days, keep_outputs_mb, keep_history_mb;
	int64_t retry_max, retry_base_ms, retry_cap_ms;
	int64_t http_connect_timeout_s, http_idle_timeout_s;
	char *http_proxy, *http_ca_file;

	char *ui_theme;     /* "auto" or the name of a theme (tui/term/theme.h) */
	char *ui_editing;   /* "emacs", "vi" */
	char *ui_inspector; /* "open", "closed" */
	char *ui_language;  /* NULL: from the locale */
	char *ui_keys;      /* JSON object {ACTION: "KEY, KEY"}; NULL: none */
	bool ui_mouse, ui_show_thinking, ui_markdown, ui_screen_reader;
	char *ui_status_command; /* or NULL */
	char *ui_notify;         /* "auto", "off", or a program */
	char *ui_paste_image;    /* a shell command; NULL: wl-paste or xclip */
	char *ui_pictures;       /* "auto", "cells", "off" */
	bool ui_title, ui_progress, ui_marks;
	int64_t ui_tool_output, ui_prose_width;
	char *mode;         /* "auto", "ask", "read-only" */
	char *policy;       /* JSON array of rules (config/rules.h); NULL: none */
	char *sandbox_mode; /* "off", "project", "read-only" */
	struct ik_string_list sandbox_write, sandbox_hide, sandbox_except;
	bool sandbox_network, sandbox_rules;
	char *log_level; /* "off", "error", "info", "debug" */

	struct ik_string_list warnings; /* sentences to show: unknown keys and the like */
	ik_config_checker *check_keys;  /* checks ui.keys; set before anything is loaded; NULL: no
	                                   check */
	enum ik_origin *origins;        /* private: origins of the keys, in the table's order */
};

/* Return a configuration with the defaults. */
struct ik_config *ik_config_new(void);
struct ik_config *ik_config_free(struct ik_config *config);

/*
 * Load a file over the current values. If it does not exist, return IK_OK and change nothing. A
 * file that is unreadable, is not JSON (comments allowed) or contains a value of the wrong type or
 * range is an error that names file, line, key, the value found and what is allowed; then only the
 * values before it are set. An unknown key is a warning that suggests the nearest known one. In a
 * project file, providers, database and everything that names an executable are skipped with a
 * warning.
 */
enum ik_status ik_config_load(struct ik_config *config, const char *path, enum ik_origin origin,
	struct ik_error *error) IK_MUST_USE;

/* Load the contents of a file that are already in memory. Comments in text become blanks. */
enum ik_status ik_config_load_text(struct ik_config *config, const char *path, struct ik_buf *text,
	enum ik_origin origin, struct ik_error *error) IK_MUST_USE;

/*
 * Set one key ("max_tool_turns", "http.proxy", "providers.NAME.base_url") from the text of a
 * variable or an option. A list or object must be JSON text. where names the source in an error
 * ("--max-tool-turns").
 */
enum ik_status ik_config_set(struct ik_config *config, const char *key, const char *value,
	enum ik_origin origin, const char *where, struct ik_error *error) IK_MUST_USE;

/* Set what the environment specifies: IKIGAI_MODEL and others, OPENAI_BASE_URL and others (as
 * providers.openai.base_url). An empty variable counts as unset. */
enum ik_status ik_config_environment(struct ik_config *config, struct ik_error *error) IK_MUST_USE;

/* Add a sentence to the warnings. */
void ik_config_warn(struct ik_config *config, const char *format, ...) IK_PRINTF(2, 3);

/* Return the origin of a key's value. */
enum ik_origin ik_config_origin(const struct ik_config *config, const char *key);

/* Return the entry called name in providers, or NULL. */
const struct ik_provider_config *ik_config_provider(const struct ik_config *config,
	const char *name);

/* Append {KEY: {"value", "origin"}} as JSON, or lines of "KEY = value (origin)". Passwords in URLs
 * and the values of headers are omitted. */
void ik_config_print(const struct ik_config *config, bool json, struct ik_buf *out);

#endif
