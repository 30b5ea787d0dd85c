/*
 * setup: read the configuration and choose the model from the command line, the environment and
 * files.
 *
 * May include: util, json, config, store/store.h, tool/run.h, provider, tui/term/theme.h.
 */
#ifndef IK_CORE_SETUP_H
#define IK_CORE_SETUP_H

#include "core/custom_commands.h"
#include "core/model_choice.h"
#include "core/options.h"
#include "core/places.h"
#include "core/project.h"
#include "guard/sandbox.h"
#include "net/http.h"
#include "store/store.h"
#include "tui/term/theme.h"

struct ik_setup {
	struct ik_places places;
	char *config_file; /* the user's; it may be missing; NULL: there is no home */
	struct ik_config *config;
	struct ik_project project;
	char *servers; /* more MCP servers than files have, in the form of mcp.json; NULL: none */
	struct ik_custom_commands *custom_commands;
	struct ik_model *model;     /* a reference; NULL if the verb needs none */
	char *system_prompt;        /* the file's text, or NULL */
	char *output_schema;        /* the schema in --output-schema's file, or NULL */
	char *instructions;         /* of the project (core/project.h), or NULL */
	char *language;             /* LANGUAGE before ui.language replaced it, or NULL */
	char *database;             /* for ik_store_open(); NULL: in memory */
	struct ik_sandbox *sandbox; /* of tools */
	bool asks;                  /* the user can be asked what a call wants to know */
	char **kodelet_environment; /* for Kodelet's tools (custom_tools.env_whitelist) */
	struct ik_themes themes;    /* the user's */
};

/* Read everything; model, system prompt and database only for verbs that need them. A configuration
 * error has exit status 2. Release *ret_setup with ik_setup_done() in any case. */
enum ik_status ik_setup_read(const struct ik_options *options, struct ik_setup *ret_setup,
	struct ik_error *error) IK_MUST_USE;
void ik_setup_done(struct ik_setup *setup);

/* Check that there is the theme that is configured: the user's themes have been read. */
enum ik_status ik_setup_check_theme(const struct ik_setup *setup,
	struct ik_error *error) IK_MUST_USE;

/* Set a key in the user's configuration file, and append where it is kept, for the user. A
 * project's file stays as it is, because others share it and it is trusted for its contents; if it
 * has the key, the answer says so. */
enum ik_status ik_setup_keep(struct ik_setup *setup, const char *key, const char *value,
	struct ik_buf *answer, struct ik_error *error) IK_MUST_USE;

/* Open the store. Return NULL and set *error on failure. */
struct ik_store *ik_setup_open_store(const struct ik_setup *setup, struct ik_loop *loop,
	struct ik_error *error);

/* Return what the configuration says of connections; borrows from it. */
struct ik_http_options ik_setup_http(const struct ik_setup *setup);

/* Return the environment for tools: this program's, without providers' keys and database
 * passwords. Release it with ik_environment_free(). */
char **ik_setup_tool_environment(const struct ik_setup *setup);

#endif
