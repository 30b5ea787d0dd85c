#include "cli/session_verb.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/model_cache.h"
#include "config/config_keys.h"
#include "core/model_choice.h"
#include "json/scan.h"
#include "tui/term/theme.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

/* A shell waits for the answer: after this many milliseconds it gets what has been found. */
#define LIMIT_MS 1500
#define SESSIONS 100 /* the newest ones */

/* The word to complete. */
struct completing {
	const char *word;
	size_t start; /* of the value in the word */
	struct ik_buf out;
	struct ik_cli cli;
	size_t count;
};

/* Offer a value, as a line: the whole word, a tab, and what it means. */
static void offer(void *arg, const char *value, const char *meaning)
{
	struct completing *completing = arg;
	const char *begun = completing->word + completing->start;

	if (strncmp(value, begun, strlen(begun)) != 0)
		return;
	ik_buf_append(&completing->out, completing->word, completing->start);
	ik_sanitize_line(&completing->out, value, strlen(value));
	ik_buf_putc(&completing->out, '\t');
	ik_sanitize_line(&completing->out, meaning, strlen(meaning));
	ik_buf_putc(&completing->out, '\n');
}

static void offer_providers(struct completing *completing)
{
	const char *name;

	for (size_t i = 0; (name = ik_model_provider_at(completing->cli.setup->config, i)); i++)
		offer(completing, name, "");
}

/* Offer the models in the list that was kept of the provider. */
static void offer_models(struct completing *completing)
{
	const struct ik_options *options = completing->cli.options;
	const struct ik_model_wish wish = { .provider = options->provider,
		.base_url = options->base_url };
	struct ik_error error;
	struct ik_model *model = ik_model_choose(completing->cli.setup->config, &wish, &error);
	struct ik_json_span list;
	char *kept, *name;

	if (!model)
		return;
	kept = model->lists && model->endpoint.base_url
		? ik_model_cache_read(model->lists, model->endpoint.provider, model->endpoint.base_url,
			  NULL)
		: NULL;
	if (kept && ik_json_check(kept, strlen(kept), &list, NULL) == IK_OK) {
		for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);) {
			name = ik_json_text_new(ik_json_member(walk.value, "name"));
			if (name)
				offer(completing, name, "");
			free(name);
		}
	} else {
		offer(completing, model->name, "");
	}
	free(kept);
	ik_model_unref(model);
}

static void offer_themes(struct completing *completing)
{
	const struct ik_theme *theme;

	offer(completing, "auto", "");
	for (size_t i = 0; (theme = ik_theme_at(&completing->cli.setup->themes, i)); i++)
		offer(completing, theme->name, "");
}

/* ---- the configuration ---- */

static void offer_keys(struct completing *completing)
{
	const struct ik_config *config = completing->cli.setup->config;
	const char *provider;

	for (size_t i = 0; i < ik_config_keys.count; i++)
		offer(completing, ik_config_keys.keys[i].name, _(ik_config_keys.keys[i].meaning));
	for (size_t i = 0; (provider = ik_model_provider_at(config, i)); i++)
		for (size_t j = 0; j < ik_provider_keys.count; j++) {
			const struct ik_config_key *key = &ik_provider_keys.keys[j];
			char *name = ik_format("providers.%s.%s", provider, key->name);

			offer(completing, name, _(key->meaning));
			free(name);
		}
}

static void offer_key_values(struct completing *completing)
{
	const char *name = completing->cli.options->first;
	char *provider = NULL;
	const struct ik_config_key *key = ik_config_key_named(name, &provider);

	free(provider);
	if (!key)
		return;
	if (ik_text_equal(name, "ui.theme"))
		offer_themes(completing);
	else if (ik_text_equal(name, "provider"))
		offer_providers(completing);
	else if (ik_text_equal(name, "model"))
		offer_models(completing);
	for (size_t i = 0; key->type == IK_KEY_CHOICE && key->choices && key->choices[i]; i++)
		offer(completing, key->choices[i], "");
	if (key->type == IK_KEY_BOOL) {
		offer(completing, "true", "");
		offer(completing, "false", "");
	}
}

/* ---- sessions and tools ---- */

static bool offer_session(void *arg, const struct ik_session_info *info)
{
	struct completing *completing = arg;

	offer(completing, info->id, info->title[0] != '\0' ? info->title : info->directory);
	return ++completing->count < SESSIONS;
}

static void offer_sessions(struct completing *completing)
{
	struct ik_cli *cli = &completing->cli;
	struct ik_error error;

	cli->store = ik_setup_open_store(cli->setup, cli->loop, &error);
	if (!cli->store)
		return;
	(void)!ik_cli_session_each(cli, offer_session, completing);
	cli->store = ik_store_close(cli->store, NULL, &error);
}

static void offer_tools(struct completing *completing)
{
	struct ik_registry *registry = ik_cli_scan(&completing->cli, false);

	for (size_t i = 0; registry && i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK)
			offer(completing, tool->name, tool->description);
	}
}

static void offer_servers(struct completing *completing)
{
	struct ik_setup *setup = completing->cli.setup;
	struct ik_mcp_servers servers = { .items = NULL };

	ik_project_read_servers(&setup->project, &setup->places, setup->config, &servers);
	for (size_t i = 0; i < servers.count; i++)
		offer(completing, servers.items[i].name, "");
	ik_mcp_servers_done(&servers);
}

/* What can stand for a word; NULL: nothing that ikigai knows. */
static void (*const offers[IK_OPERAND_COUNT])(struct completing *completing) = {
	[IK_OPERAND_PROVIDER] = offer_providers,
	[IK_OPERAND_MODEL] = offer_models,
	[IK_OPERAND_SESSION] = offer_sessions,
	[IK_OPERAND_TOOL] = offer_tools,
	[IK_OPERAND_SERVER] = offer_servers,
	[IK_OPERAND_KEY] = offer_keys,
	[IK_OPERAND_KEY_VALUE] = offer_key_values,
};

/* The shell has waited long enough. */
static void on_limit(void *arg)
{
	struct ik_cli *cli = arg;

	cli->signal = SIGALRM;
	ik_loop_stop(cli->loop);
}

static void offer_live(struct completing *completing, const struct ik_options *options,
	enum ik_operand word)
{
	struct ik_timer *timer;
	struct ik_setup setup;
	struct ik_error error;

	if (ik_setup_read(options, &setup, &error) == IK_OK &&
		ik_cli_open(&completing->cli, options, &setup)) {
		timer = ik_timer_new(completing->cli.loop, on_limit, &completing->cli);
		ik_timer_start(timer, LIMIT_MS);
		offers[word](completing);
		(void)ik_timer_close(timer);
		(void)ik_cli_close(&completing->cli, 0);
	}
	ik_setup_done(&setup);
}

int ik_cli_complete(int argc, char **argv)
{
	struct completing completing = { .word = argv[argc - 1] };
	struct ik_options options = { .verb = IK_VERB_CHAT };
	enum ik_operand word;

	ik_buf_init(&completing.out, IK_LIMIT_ENVELOPE);
	word = ik_options_complete(argc, argv, &options, &completing.start, offer, &completing);
	options.trust_project = false; /* the line isn't entered yet */
	if (word == IK_OPERAND_FILE || word == IK_OPERAND_DIRECTORY)
		ik_buf_printf(&completing.out, "\t%s\n", word == IK_OPERAND_FILE ? "files" : "directories");
	else if (offers[word])
		offer_live(&completing, &options, word);
	if (completing.out.length > 0)
		(void)fputs(completing.out.data, stdout);
	ik_buf_done(&completing.out);
	return 0;
}
