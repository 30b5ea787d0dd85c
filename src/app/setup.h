/*
 * setup: command line, environment and files made into what the program runs
 * with: its configuration and the model it talks to.
 *
 * May include: util, json, config, tool/run.h, provider.
 */
#ifndef IK_APP_SETUP_H
#define IK_APP_SETUP_H

#include "app/options.h"
#include "app/places.h"
#include "config/config.h"
#include "provider/provider.h"

/* Which model, and how to reach it. Owns its strings. */
struct ik_model_choice {
	char *provider;
	char *model;
	char *base_url;      /* NULL: the practice model's, known once it listens */
	char *api_key;
	char *key_variable;
	char **headers;      /* NULL-terminated */
	int64_t max_output_tokens;
	const struct ik_wire_format *format;
	bool practice;
};

struct ik_setup {
	struct ik_places places;
	struct ik_config *config;
	struct ik_model_choice choice;
	char *system_prompt;  /* the file's text, or NULL */
	char *language;       /* LANGUAGE as it was before ui.language took its place, or NULL */
	char *database;       /* for ik_store_open(); NULL: memory */
};

/*
 * Read it all; model, system prompt and database only for the verbs that need
 * them. Wrong configuration is an error in words (exit status 2).
 * ret_setup is to be released with ik_setup_done() in any case.
 */
enum ik_status ik_setup_read(const struct ik_options *options, struct ik_setup *ret_setup,
	struct ik_error *error) IK_MUST_USE;
void ik_setup_done(struct ik_setup *setup);

/* The environment for tools: the one that this program was given, less
 * providers' keys and database passwords. Release with ik_environment_free(). */
char **ik_setup_tool_environment(const struct ik_setup *setup);

/* The endpoint of a choice, borrowing from it. */
void ik_model_choice_endpoint(const struct ik_model_choice *choice, struct ik_endpoint *ret_endpoint);

#endif
