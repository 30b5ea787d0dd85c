/*
 * setup: command line, environment and files made into what the program runs
 * with: its configuration and the model it talks to.
 *
 * May include: util, json, config, store/store.h, tool/run.h, provider.
 */
#ifndef IK_CORE_SETUP_H
#define IK_CORE_SETUP_H

#include "core/model_choice.h"
#include "core/options.h"
#include "core/places.h"
#include "core/project.h"
#include "guard/sandbox.h"
#include "store/store.h"

struct ik_setup {
	struct ik_places places;
	struct ik_config *config;
	struct ik_project project;
	struct ik_model_choice choice;
	char *system_prompt;        /* the file's text, or NULL */
	char *instructions;         /* of the project: the text of core/agents_file.h, or NULL */
	char *language;             /* LANGUAGE as it was before ui.language took its place, or NULL */
	char *database;             /* for ik_store_open(); NULL: memory */
	struct ik_sandbox *sandbox; /* of the tools, by whoever runs them */
	char **kodelet_environment; /* for Kodelet's tools: what custom_tools.env_whitelist names */
};

/*
 * Read it all; model, system prompt and database only for the verbs that need
 * them. Wrong configuration is an error in words (exit status 2).
 * ret_setup is to be released with ik_setup_done() in any case.
 */
enum ik_status ik_setup_read(const struct ik_options *options, struct ik_setup *ret_setup,
	struct ik_error *error) IK_MUST_USE;
void ik_setup_done(struct ik_setup *setup);

/* Tell an open store what the configuration says of it, and where it may keep events on this
 * machine. */
void ik_setup_store(const struct ik_setup *setup, struct ik_store *store);

/* The environment for tools: the one that this program was given, less
 * providers' keys and database passwords. Release with ik_environment_free(). */
char **ik_setup_tool_environment(const struct ik_setup *setup);

#endif
