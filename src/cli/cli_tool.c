#include "cli/cli_tool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/tool_text.h"
#include "commands/tool_view.h"
#include "core/core.h"
#include "core/memory.h"
#include "core/print.h"
#include "json/write.h"
#include "loop/child.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

struct cli {
	const struct ik_options *options;
	struct ik_setup *setup;
	struct ik_loop *loop;
	struct ik_discovery *discovery;
	struct ik_run *run;
	struct ik_buf arguments;
	struct ik_sanitize_state sanitize; /* of the tool's standard error */
	char **environment;
	bool asked_again; /* tools that timed out, because the one to run was missing */
	int status;
};

static void on_run_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct cli *cli = arg;
	struct ik_buf clean;

	if (stream != IK_STDERR)
		return;
	ik_buf_init(&clean, IK_LIMIT_TOOL_OUTPUT);
	if (isatty(STDERR_FILENO) == 1)
		ik_sanitize_piece(&cli->sanitize, &clean, bytes, length);
	else
		ik_buf_append(&clean, bytes, length);
	(void)!ik_write_all(STDERR_FILENO, clean.data, clean.length);
	ik_buf_done(&clean);
}

static void on_run_done(void *arg, const struct ik_run_result *result)
{
	struct cli *cli = arg;

	struct ik_json_span envelope;
	struct ik_buf out;

	cli->status = !result->success;
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	if (cli->options->json &&
		ik_json_check(result->envelope, result->envelope_length, &envelope, NULL) == IK_OK)
		ik_json_put_raw(&out, envelope);
	else
		ik_buf_append(&out, result->envelope, result->envelope_length);
	ik_buf_putc(&out, '\n');
	if (ik_print_buf(&out) != 0)
		cli->status = 1;
	ik_buf_done(&out);
	ik_loop_stop(cli->loop);
}

/* Call the tool with the arguments from the command line. */
static void run_tool(struct cli *cli, struct ik_registry *registry)
{
	static const struct ik_run_events events = { on_run_output, on_run_done };
	struct ik_run_options run = ik_core_run_options(cli->loop, cli->setup, cli->environment);

	cli->run = ik_run_start(&run, registry, cli->options->first, cli->arguments.data,
		cli->arguments.length, &events, cli);
}

/* Print a tool as a provider gets it. Return 0, 1 or 2 (no such provider). */
static int show_view(const struct cli *cli, const struct ik_tool *tool)
{
	struct ik_json_span view;
	struct ik_buf text, out;
	struct ik_error error;
	int status = 2;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	if (ik_tool_view(cli->setup->config, cli->options->for_provider, tool, &text, &error) !=
		IK_OK) {
		ik_complain(error.text);
	} else if (cli->options->json) {
		ik_buf_putc(&text, '\n');
		status = ik_print_buf(&text);
	} else if (ik_json_check(text.data, text.length, &view, NULL) == IK_OK) {
		ik_json_pretty(&out, view);
		ik_buf_putc(&out, '\n');
		status = ik_print_buf(&out);
	}
	ik_buf_done(&text);
	ik_buf_done(&out);
	return status;
}

/* Print the list or one tool, and return the exit status. */
static int show(const struct cli *cli, const struct ik_registry *registry)
{
	const struct ik_options *options = cli->options;
	struct ik_buf out;
	int status = 0;

	if (options->for_provider && ik_registry_find(registry, options->first))
		return show_view(cli, ik_registry_find(registry, options->first));
	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	if (options->verb == IK_VERB_TOOL_LIST) {
		if (options->json)
			ik_tool_json_list(registry, options->all, &out);
		else
			ik_tool_text_list(registry, options->all, &out);
	} else if (options->json
			? !ik_tool_json_show(registry, options->first, &out)
			: !ik_tool_text_show(registry, options->first, "\"ikigai tool list\"", &out)) {
		if (out.length == 0)
			(void)ik_tool_text_show(registry, options->first, "\"ikigai tool list\"", &out);
		if (out.length > 0 && out.data[out.length - 1] == '\n')
			ik_buf_truncate(&out, out.length - 1);
		ik_complain(out.data);
		ik_buf_done(&out);
		return 1;
	}
	if (options->json)
		ik_buf_putc(&out, '\n');
	status = ik_print_buf(&out);
	ik_buf_done(&out);
	return status;
}

/* Report problems of the scan, so that a missing tool is explained. */
static void warn_of_failures(const struct ik_registry *registry)
{
	size_t failed = ik_registry_failed_count(registry), i;

	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_complain(ik_registry_problem(registry, i));
	if (failed > 0)
		(void)fprintf(stderr,
			ngettext("ikigai: %zu tool failed; ikigai tool list --all says why\n",
				"ikigai: %zu tools failed; ikigai tool list --all says why\n", failed),
			failed);
}

/* Report what was skipped because it isn't trusted; registry is NULL if tools don't matter. */
static void warn_of_trust(const struct ik_setup *setup, const struct ik_registry *registry)
{
	const struct ik_project *project = &setup->project;
	char *warning = ik_project_warning(project, registry);

	if (ik_trust_problem(project->trust))
		ik_complain(ik_trust_problem(project->trust));
	if (warning)
		ik_complain(warning);
	free(warning);
}

/* Is the tool to run missing, and may it be one of those that timed out? Their names are unknown: a
 * file need not be named like its tool. */
static bool may_have_timed_out(const struct cli *cli, const struct ik_registry *registry)
{
	size_t i;

	if (ik_registry_find(registry, cli->options->first))
		return false;
	for (i = 0; i < ik_registry_count(registry); i++) {
		const char *code = ik_registry_at(registry, i)->code;

		if (code && ik_text_equal(code, IK_CODE_SCHEMA_TIMEOUT))
			return true;
	}
	return false;
}

static void on_finished(void *arg, struct ik_registry *registry)
{
	struct cli *cli = arg;
	bool run = cli->options->verb == IK_VERB_TOOL_RUN;

	if (run && !cli->asked_again && may_have_timed_out(cli, registry)) {
		cli->asked_again = true;
		ik_discovery_ask_failed(cli->discovery);
		return;
	}
	/* The tool that runs isn't one of them. */
	if (!cli->options->all && (!run || !ik_registry_find(registry, cli->options->first)))
		warn_of_failures(registry);
	/* The list shows them anyway. */
	warn_of_trust(cli->setup,
		cli->options->all || (run && ik_registry_find(registry, cli->options->first)) ? NULL
																					  : registry);
	if (run) {
		run_tool(cli, registry);
		return;
	}
	cli->status = show(cli, registry);
	ik_loop_stop(cli->loop);
}

static void on_signal(void *arg, int number)
{
	struct cli *cli = arg;

	cli->status = 128 + number;
	ik_loop_stop(cli->loop);
}

/* Read the JSON of `tool run`: an argument, standard input for "-", or {}. */
static enum ik_status read_arguments(struct cli *cli, struct ik_error *error)
{
	const char *word = cli->options->second;
	int number = 0;

	if (!word || !ik_text_equal(word, "-"))
		ik_buf_puts(&cli->arguments, word ? word : "{}");
	else
		number = ik_read_all(STDIN_FILENO, &cli->arguments, 0);
	if (number != 0)
		return ik_error_set_errno(error, number, _("cannot read standard input"));
	return ik_buf_check(&cli->arguments, _("the text of the arguments"), error);
}

/* Report warnings about the configuration and the places. */
static void warn_of_setup(const struct ik_setup *setup)
{
	size_t i;

	if (setup->places.problem)
		ik_complain(setup->places.problem);
	for (i = 0; i < setup->config->warnings.count; i++)
		ik_complain(setup->config->warnings.items[i]);
}

int ik_cli_tool(const struct ik_options *options, struct ik_setup *setup)
{
	static const struct ik_discovery_events events = { .finished = on_finished };
	struct cli cli = { .options = options, .setup = setup };
	struct ik_signal *interrupt, *terminate;
	struct ik_error error;

	warn_of_setup(setup);
	ik_buf_init(&cli.arguments, IK_LIMIT_ARGUMENTS);
	if (read_arguments(&cli, &error) != IK_OK || !(cli.loop = ik_loop_new(&error))) {
		ik_complain(error.text);
		ik_buf_done(&cli.arguments);
		return 1;
	}
	interrupt = ik_signal_new(cli.loop, SIGINT, on_signal, &cli);
	terminate = ik_signal_new(cli.loop, SIGTERM, on_signal, &cli);
	ik_children_become_reaper(cli.loop, "/proc/self/exe");
	ik_alloc_set_hook(ik_memory_gone);
	cli.environment = ik_setup_tool_environment(setup);
	cli.discovery = ik_core_discovery(cli.loop, setup, cli.environment, &events, &cli);
	/* A list should be current; running one tool shouldn't wait for others. */
	if (options->verb == IK_VERB_TOOL_RUN)
		ik_discovery_scan(cli.discovery);
	else
		ik_discovery_ask_failed(cli.discovery);
	if (ik_loop_run(cli.loop, &error) != IK_OK) {
		ik_complain(error.text);
		cli.status = 1;
	}
	cli.run = ik_run_close(cli.run);
	cli.discovery = ik_discovery_close(cli.discovery);
	interrupt = ik_signal_close(interrupt);
	terminate = ik_signal_close(terminate);
	ik_children_end(cli.loop);
	ik_loop_free(cli.loop);
	ik_environment_free(cli.environment);
	ik_buf_done(&cli.arguments);
	return cli.status;
}

int ik_cli_config(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_buf out;
	int status;

	warn_of_setup(setup);
	warn_of_trust(setup, NULL);
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_config_print(setup->config, options->json, &out);
	if (out.length > 0 && out.data[out.length - 1] != '\n')
		ik_buf_putc(&out, '\n');
	status = ik_print_buf(&out);
	ik_buf_done(&out);
	return status;
}
