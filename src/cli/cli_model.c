#include <stdlib.h>

#include "cli/cli.h"
#include "core/model_choice.h"
#include "core/print.h"
#include "json/write.h"
#include "provider/models.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

enum { NAME_COLUMNS = 32, WINDOW_COLUMNS = 8, OUTPUT_COLUMNS = 8, LEVELS_COLUMNS = 14 };

/* The command in progress. */
struct model_command {
	struct ik_cli cli;
	struct ik_model *model; /* the one in use */
	char **names;           /* of the provider's list, copied */
	size_t count;
	char *problem; /* why there is no list */
};

/* ---- one model ---- */

/* Append the levels of thinking that a model has: all of them, or the first and the last. */
static void put_levels(const struct ik_model_facts *facts, bool all, struct ik_buf *out)
{
	const char *last = NULL;

	for (int level = IK_THINKING_OFF; level <= IK_THINKING_MAX; level++) {
		if (!(facts->levels & 1u << level))
			continue;
		if (!last || all)
			ik_buf_printf(out, "%s%s", last ? ", " : "", ik_thinking_name((enum ik_thinking)level));
		last = ik_thinking_name((enum ik_thinking)level);
	}
	if (!all && last && facts->levels & (facts->levels - 1))
		ik_buf_printf(out, "..%s", last);
}

static void put_json(const char *name, const struct ik_model_facts *facts, struct ik_buf *out)
{
	struct ik_buf levels;

	ik_buf_init(&levels, IK_KIB(1));
	put_levels(facts, true, &levels);
	ik_json_printf(out, "{'name':'%s'", name);
	if (facts->context_window > 0)
		ik_json_printf(out, "'context_window':%lld", (long long)facts->context_window);
	if (facts->max_output > 0)
		ik_json_printf(out, "'max_output':%lld", (long long)facts->max_output);
	ik_json_printf(out, "'thinking':'%s'", levels.length > 0 ? levels.data : NULL);
	ik_json_printf(out, "'input':['text'");
	if (facts->inputs & IK_ACCEPTS_IMAGES)
		ik_json_printf(out, "'image'");
	if (facts->inputs & IK_ACCEPTS_PDF)
		ik_json_printf(out, "'pdf'");
	ik_json_printf(out, "]");
	if (facts->price.input >= 0)
		ik_json_printf(out, "'price':{'input':%g,'output':%g}", facts->price.input,
			facts->price.output);
	if (facts->retires[0])
		ik_json_printf(out, "'retires':'%s'", facts->retires);
	ik_json_printf(out, "}");
	ik_buf_putc(out, '\n');
	ik_buf_done(&levels);
}

/* Append a text in a column, and two blanks. */
static void put_cell(struct ik_buf *row, const char *text, int columns)
{
	ik_utf8_put_cell(row, text, (size_t)columns);
	ik_buf_puts(row, "  ");
}

static void put_row(const char *name, bool current, const struct ik_model_facts *facts,
	struct ik_buf *out)
{
	struct ik_buf cell, row;

	ik_buf_init(&cell, IK_KIB(1));
	ik_buf_init(&row, IK_KIB(4));
	ik_buf_puts(&row, current ? "* " : "  ");
	put_cell(&row, name, NAME_COLUMNS);
	if (facts->context_window > 0)
		ik_tokens_put(&cell, facts->context_window);
	put_cell(&row, cell.data, WINDOW_COLUMNS);
	ik_buf_clear(&cell);
	if (facts->max_output > 0)
		ik_tokens_put(&cell, facts->max_output);
	put_cell(&row, cell.data, OUTPUT_COLUMNS);
	ik_buf_clear(&cell);
	put_levels(facts, false, &cell);
	put_cell(&row, cell.data, LEVELS_COLUMNS);
	if (facts->price.input >= 0)
		ik_buf_printf(&row, "$%g/$%g  ", facts->price.input, facts->price.output);
	if (facts->retires[0])
		ik_buf_printf(&row, _("until %s"), facts->retires);
	ik_buf_trim(&row, 0, " ");
	ik_buf_printf(out, "%s\n", row.data);
	ik_buf_done(&cell);
	ik_buf_done(&row);
}

/* Append a line of a description, unless the value is unknown (0). */
static void put_tokens(struct ik_buf *out, const char *what, int64_t tokens)
{
	if (tokens <= 0)
		return;
	ik_buf_printf(out, "%s: ", what);
	ik_count_put(out, tokens);
	ik_buf_putc(out, '\n');
}

/* Append what is known about the model. */
static void describe(const struct ik_model *model, struct ik_buf *out)
{
	const struct ik_model_facts *facts = &model->facts;
	char *warning = ik_model_warning(model);

	ik_buf_printf(out, _("%s of %s"), model->name, model->endpoint.provider);
	ik_buf_putc(out, '\n');
	put_tokens(out, _("context window, in tokens"), facts->context_window);
	put_tokens(out, _("longest output, in tokens"), facts->max_output);
	ik_buf_printf(out, "%s: ", _("thinking"));
	put_levels(facts, true, out);
	ik_buf_puts(out, facts->levels ? "\n" : "-\n");
	if (facts->search[0])
		ik_buf_printf(out, _("search of the web: %s\n"), facts->search);
	ik_buf_puts(out,
		facts->inputs & IK_ACCEPTS_PDF          ? _("accepts: text, pictures, PDF\n")
			: facts->inputs & IK_ACCEPTS_IMAGES ? _("accepts: text, pictures\n")
												: _("accepts: text\n"));
	if (facts->price.input >= 0)
		ik_buf_printf(out, _("price of a million tokens: $%g in, $%g out\n"), facts->price.input,
			facts->price.output);
	if (facts->retires[0])
		ik_buf_printf(out, _("switched off on: %s\n"), facts->retires);
	if (warning)
		ik_buf_printf(out, "%s\n", warning);
	free(warning);
}

/* ---- the provider's list ---- */

static void on_models(void *arg, char *const *names, size_t count, const char *sentence)
{
	struct model_command *command = arg;

	command->names = ik_alloc_array(NULL, count + 1, sizeof(char *));
	for (size_t i = 0; names && i < count; i++)
		command->names[command->count++] = ik_strdup(names[i]);
	command->problem = names ? NULL : ik_strdup(sentence);
	ik_cli_go_on(&command->cli);
}

/* Fetch the list. Return false if the command must end. */
static bool fetch(struct model_command *command)
{
	const struct ik_config *config = command->cli.setup->config;
	const struct ik_http_options options = ik_setup_http(command->cli.setup);
	struct ik_http *http = ik_http_new(command->cli.loop, &options);
	struct ik_model_list *list = ik_model_list_start(command->cli.loop, http, command->model,
		config->http_idle_timeout_s * 1000, on_models, command);
	bool fetched = ik_cli_wait(&command->cli);

	(void)ik_model_list_close(list);
	(void)ik_http_free(http);
	return fetched;
}

/* Append the models with what their provider and the rules say of them. */
static void put_list(const struct model_command *command, struct ik_buf *out)
{
	const struct ik_model *model = command->model;
	struct ik_model_facts *facts = ik_model_facts_of_all(command->cli.setup->config, model,
		command->names, command->count);

	for (size_t i = 0; i < command->count; i++) {
		const char *name = command->names[i];

		if (command->cli.options->json)
			put_json(name, &facts[i], out);
		else
			put_row(name, ik_text_equal(name, model->name), &facts[i], out);
	}
	free(facts);
}

/* Choose the model that the command line names, or the default. Return false after a message. */
static bool choose(struct model_command *command)
{
	const struct ik_options *options = command->cli.options;
	const struct ik_model_wish wish = { .model = options->first, .base_url = options->base_url };
	struct ik_error error;

	ik_model_unref(command->model);
	command->model = ik_model_choose(command->cli.setup->config, &wish, &error);
	if (!command->model)
		ik_complain(error.text);
	return command->model;
}

/* Do what the command line asks for. Return the exit status. */
static int run(struct model_command *command, struct ik_buf *out)
{
	const struct ik_options *options = command->cli.options;

	if (options->verb == IK_VERB_MODEL_SHOW && options->json)
		put_json(command->model->name, &command->model->facts, out);
	else if (options->verb == IK_VERB_MODEL_SHOW)
		describe(command->model, out);
	else if (!fetch(command))
		return 1;
	else if (command->problem)
		ik_complain(command->problem);
	else if (choose(command)) /* the new list may have another default */
		put_list(command, out);
	return command->problem ? 1 : 0;
}

int ik_cli_model(const struct ik_options *options, struct ik_setup *setup)
{
	struct model_command command = { .count = 0 };
	struct ik_buf out;
	int status = 2;

	if (!ik_cli_open(&command.cli, options, setup))
		return 1;
	ik_buf_init(&out, IK_LIMIT_MODEL_LIST);
	if (choose(&command))
		status = run(&command, &out);
	if (status == 0)
		ik_cli_print_buf(&command.cli, &out);
	while (command.count > 0)
		free(command.names[--command.count]);
	free(command.names);
	free(command.problem);
	ik_model_unref(command.model);
	ik_buf_done(&out);
	return ik_cli_close(&command.cli, status);
}
