#include "cli/cli.h"

#include <unistd.h>

#include "commands/tool_text.h"
#include "core/print.h"
#include "json/write.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sanitize.h"
#include "util/text.h"

/* ---- tool list, tool show ---- */

/* Append a tool as it is sent to a provider. */
static enum ik_status put_view(const struct ik_cli *cli, const struct ik_tool *tool,
	struct ik_buf *out, struct ik_error *error)
{
	struct ik_json_span view;
	struct ik_buf text;
	enum ik_status status;

	ik_buf_init(&text, IK_LIMIT_ENVELOPE);
	status = ik_model_put_tool(cli->setup->config, cli->options->for_provider, tool, &text, error);
	if (status == IK_OK && cli->options->json)
		ik_buf_append(out, text.data, text.length);
	else if (status == IK_OK && ik_json_check(text.data, text.length, &view, NULL) == IK_OK)
		ik_json_pretty(out, view);
	ik_buf_putc(out, '\n');
	ik_buf_done(&text);
	return status;
}

/* Append all tools as another program reads them: one that calls tools itself, or a provider. */
static enum ik_status put_list_for(const struct ik_cli *cli, const struct ik_registry *registry,
	struct ik_buf *out, struct ik_error *error)
{
	static const struct {
		const char *program, *parameters;
	} programs[] = {
		{ "gemini-cli", "parametersJsonSchema" }, /* tools.discoveryCommand */
		{ "llm-functions", "parameters" },        /* functions.json */
	};
	const char *reader = cli->options->for_provider, *parameters = NULL;
	enum ik_status status = IK_OK;
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (ik_text_equal(reader, programs[i].program))
			parameters = programs[i].parameters;
	ik_json_open(out, '[');
	for (i = 0; i < ik_registry_count(registry) && status == IK_OK; i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (tool->state == IK_TOOL_OK && parameters)
			ik_json_printf(out, "{'name':'%s','description':'%s','%s':%s}", tool->name,
				tool->description, parameters, tool->parameters);
		else if (tool->state == IK_TOOL_OK)
			status = ik_model_put_tool(cli->setup->config, reader, tool, out, error);
	}
	ik_json_close(out, ']');
	ik_buf_putc(out, '\n');
	return status;
}

/* Print the list or one tool, and return the exit status. */
static int show(struct ik_cli *cli, const struct ik_registry *registry)
{
	static const char hint[] = "\"ikigai tool list\"";
	const struct ik_options *options = cli->options;
	const struct ik_tool *tool = options->first ? ik_registry_find(registry, options->first) : NULL;
	struct ik_error error;
	struct ik_buf out;
	int status = 0;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	if (options->first && !tool) {
		ik_tool_text_show(registry, options->first, hint, &out);
		ik_buf_truncate(&out, out.length - 1); /* drop the line feed */
		ik_complain(out.data);
		status = 1;
	} else if (options->for_provider) {
		if ((tool ? put_view(cli, tool, &out, &error)
				  : put_list_for(cli, registry, &out, &error)) != IK_OK) {
			ik_complain(error.text);
			status = 2;
		}
	} else if (tool && options->json) {
		ik_tool_json_show(tool, &out);
		ik_buf_putc(&out, '\n');
	} else if (tool) {
		ik_tool_text_show(registry, options->first, hint, &out);
	} else if (options->json) {
		ik_tool_json_list(registry, options->all, &out);
		ik_buf_putc(&out, '\n');
	} else {
		ik_tool_text_list(registry, options->all, &out);
	}
	if (status == 0)
		ik_cli_print_buf(cli, &out);
	ik_buf_done(&out);
	return status;
}

/* ---- tool run ---- */

/* A call. */
struct tool_call {
	struct ik_cli *cli;
	struct ik_sanitize_state sanitize; /* of the tool's standard error */
	int status;
};

static void on_run_output(void *arg, enum ik_stream stream, const char *bytes, size_t length)
{
	struct tool_call *call = arg;
	struct ik_buf clean;

	if (stream != IK_STDERR)
		return;
	ik_buf_init(&clean, IK_LIMIT_TOOL_OUTPUT);
	if (isatty(STDERR_FILENO) == 1)
		ik_sanitize_piece(&call->sanitize, &clean, bytes, length);
	else
		ik_buf_append(&clean, bytes, length);
	(void)!ik_write_all(STDERR_FILENO, clean.data, clean.length);
	ik_buf_done(&clean);
}

static void on_run_done(void *arg, const struct ik_run_result *result)
{
	struct tool_call *call = arg;
	struct ik_json_span envelope;
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	if (call->cli->options->json &&
		ik_json_check(result->envelope, result->envelope_length, &envelope, NULL) == IK_OK)
		ik_json_put_raw(&out, envelope);
	else
		ik_buf_append(&out, result->envelope, result->envelope_length);
	ik_buf_putc(&out, '\n');
	call->status = ik_print_buf(&out) != 0 || !result->success;
	ik_buf_done(&out);
	ik_cli_go_on(call->cli);
}

/* Call the tool with the arguments from the command line. Return the exit status. */
static int run_tool(struct ik_cli *cli, struct ik_registry *registry,
	const struct ik_buf *arguments)
{
	static const struct ik_run_events events = { .output = on_run_output, .done = on_run_done };
	struct ik_run_options options = ik_core_run_options(cli->loop, cli->setup, cli->environment);
	struct tool_call call = { .cli = cli, .status = 1 };
	struct ik_run *run = ik_run_start(&options, registry, cli->options->first, arguments->data,
		arguments->length, &events, &call);

	(void)!ik_cli_wait(cli);
	(void)ik_run_close(run);
	return call.status;
}

/* Read the JSON arguments of `tool run`: from word, from standard input for "-", or {} without a
 * word. */
static enum ik_status read_arguments(const char *word, struct ik_buf *out, struct ik_error *error)
{
	int number = 0;

	if (!word || !ik_text_equal(word, "-"))
		ik_buf_puts(out, word ? word : "{}");
	else
		number = ik_read_all(STDIN_FILENO, out, 0);
	if (number != 0)
		return ik_error_set_errno(error, number, _("cannot read standard input"));
	return ik_buf_check(out, _("the text of the arguments"), error);
}

/* Has a tool timed out? It may be the one to run, because a file need not be named like its
 * tool. */
static bool has_timed_out(const struct ik_registry *registry)
{
	for (size_t i = 0; i < ik_registry_count(registry); i++) {
		const char *code = ik_registry_at(registry, i)->code;

		if (code && ik_text_equal(code, IK_CODE_SCHEMA_TIMEOUT))
			return true;
	}
	return false;
}

/* ---- warnings ---- */

/* Report why a tool that was asked for (NULL: none was) is not offered. */
static void explain_missing(const struct ik_registry *registry, const char *name)
{
	for (size_t i = 0; name && i < ik_registry_count(registry); i++) {
		const struct ik_tool *tool = ik_registry_at(registry, i);

		if (ik_text_equal(tool->name, name) && tool->code && tool->reason)
			ik_complainf("%s: %s: %s", name, tool->code, tool->reason);
	}
}

/* Report the scan's problems, to explain a missing tool. */
static void warn_of_failures(const struct ik_registry *registry)
{
	size_t failed = ik_registry_failed_count(registry), i;

	for (i = 0; i < ik_registry_problem_count(registry); i++)
		ik_complain(ik_registry_problem(registry, i));
	if (failed > 0)
		ik_complainf(ngettext("%zu tool failed; ikigai tool list --all says why",
						 "%zu tools failed; ikigai tool list --all says why", failed),
			failed);
}

/* Scan, warn about what concerns the command, and run it. */
static int carry_out(struct ik_cli *cli, const struct ik_buf *arguments)
{
	const struct ik_options *options = cli->options;
	bool run = options->verb == IK_VERB_TOOL_RUN, known, found;
	/* A list should be current; running one tool shouldn't wait for others. */
	struct ik_registry *registry = ik_cli_scan(cli, !run);

	if (registry && run && !ik_registry_find(registry, options->first) && has_timed_out(registry))
		registry = ik_cli_scan(cli, true);
	if (!registry)
		return 1;
	known = options->first && ik_registry_find(registry, options->first);
	found = run && known;
	if (!known)
		explain_missing(registry, options->first);
	/* The tool that runs isn't one of those that failed; the list of all shows them anyway. */
	if (!options->all && !found)
		warn_of_failures(registry);
	ik_cli_warn_of_trust(cli->setup, options->all || found ? NULL : registry);
	return run ? run_tool(cli, registry, arguments) : show(cli, registry);
}

int ik_cli_tool(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_buf arguments;
	struct ik_error error;
	struct ik_cli cli;
	int status = 1;

	ik_cli_warn(setup);
	ik_buf_init(&arguments, IK_LIMIT_ARGUMENTS);
	if (read_arguments(options->second, &arguments, &error) != IK_OK)
		ik_complain(error.text);
	else if (ik_cli_open(&cli, options, setup))
		status = ik_cli_close(&cli, carry_out(&cli, &arguments));
	ik_buf_done(&arguments);
	return status;
}

int ik_cli_config(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_buf out;
	int status;

	ik_cli_warn(setup);
	ik_cli_warn_of_trust(setup, NULL);
	ik_buf_init(&out, IK_LIMIT_CONFIG);
	ik_config_print(setup->config, options->json, &out);
	if (out.length > 0 && out.data[out.length - 1] != '\n')
		ik_buf_putc(&out, '\n');
	status = ik_print_buf(&out);
	ik_buf_done(&out);
	return status;
}

int ik_cli_config_set(const struct ik_options *options, struct ik_setup *setup)
{
	const char *key = options->first, *value = options->second;
	struct ik_error error;
	struct ik_buf out;
	int status = 2;

	ik_buf_init(&out, IK_KIB(64));
	/* The running configuration checks what the file's text cannot: that keys can be bound, and
	 * that there is the theme. */
	if (ik_config_set(setup->config, key, value, ik_config_origin(setup->config, key), key,
			&error) != IK_OK ||
		(ik_text_equal(key, "ui.theme") && ik_setup_check_theme(setup, &error) != IK_OK) ||
		ik_setup_keep(setup, key, value, &out, &error) != IK_OK)
		ik_complain(error.text);
	else
		status = ik_print_buf(&out);
	ik_buf_done(&out);
	return status;
}
