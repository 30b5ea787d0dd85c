#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/print.h"
#include "loop/children.h"
#include "loop/killer.h"
#include "tool/run.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/cluster.h"
#include "util/limits.h"

/* Milliseconds between two progress messages, on a terminal and elsewhere. */
#define TERMINAL_MS 200
#define FILE_MS 10000

static void on_signal(void *arg, int number)
{
	struct ik_cli *cli = arg;

	cli->signal = number;
	if (cli->interrupted)
		cli->interrupted(cli);
	else
		ik_loop_stop(cli->loop);
}

/* Watch the signals that end a command, except those that the parent (nohup, a shell's background)
 * ignores. */
static void watch_signals(struct ik_cli *cli)
{
	static const int numbers[IK_CLI_SIGNALS] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;

	for (size_t i = 0; i < IK_CLI_SIGNALS; i++)
		if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			cli->signals[i] = ik_watch_signal(cli->loop, numbers[i], on_signal, cli);
}

bool ik_cli_open(struct ik_cli *cli, const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_error error;

	*cli = (struct ik_cli){ .options = options, .setup = setup };
	cli->loop = ik_loop_new(&error);
	if (!cli->loop) {
		ik_complain(error.text);
		return false;
	}
	watch_signals(cli);
	ik_children_become_reaper(cli->loop);
	ik_killer_enable(cli->loop, "/proc/self/exe");
	ik_alloc_set_hook(ik_memory_gone);
	cli->environment = ik_setup_tool_environment(setup);
	return true;
}

int ik_cli_close(struct ik_cli *cli, int status)
{
	cli->discovery = ik_discovery_close(cli->discovery);
	for (size_t i = 0; i < IK_CLI_SIGNALS; i++)
		cli->signals[i] = ik_watch_close(cli->signals[i]);
	ik_children_end(cli->loop);
	ik_loop_free(cli->loop);
	cli->environment = ik_environment_free(cli->environment);
	if (cli->signal != 0)
		return 128 + cli->signal;
	return cli->misused ? 2 : cli->failed ? 1 : status;
}

bool ik_cli_wait(struct ik_cli *cli)
{
	struct ik_error error;

	if (cli->signal == 0 && !cli->failed && ik_loop_run(cli->loop, &error) != IK_OK) {
		ik_complain(error.text);
		cli->failed = true;
	}
	return cli->signal == 0 && !cli->failed;
}

void ik_cli_go_on(void *arg)
{
	struct ik_cli *cli = arg;

	ik_loop_stop(cli->loop);
}

static void on_scanned(void *arg, struct ik_registry *registry)
{
	struct ik_cli *cli = arg;

	/* A source may have a scan of its own begin, for which nobody waits. */
	if (cli->scanning)
		ik_cli_go_on(cli);
	cli->scanning = false;
}

const struct ik_discovery_events ik_cli_scan_events = { .finished = on_scanned };

struct ik_registry *ik_cli_scan(struct ik_cli *cli, bool again)
{
	if (!cli->discovery)
		cli->discovery = ik_core_discovery(cli->loop, cli->setup, cli->environment,
			&ik_cli_scan_events, cli);
	cli->scanning = true;
	ik_discovery_scan(cli->discovery, again ? IK_CACHE_ANSWERS : IK_CACHE_ALL);
	return ik_cli_wait(cli) ? ik_discovery_registry(cli->discovery) : NULL;
}

void ik_cli_erase(struct ik_cli *cli)
{
	if (cli->shown_length > 0)
		(void)fprintf(stderr, "\r%*s\r", (int)cli->shown_length, "");
	cli->shown_length = 0;
}

/* Print the progress, replacing the previous one on a terminal. */
static void show_progress(struct ik_cli *cli, bool terminal)
{
	struct winsize size = { .ws_col = 80 };
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	if (ik_progress_put(&cli->progress, &out) && !terminal) {
		ik_complain(out.data);
	} else if (out.length > 0) {
		(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
		ik_buf_truncate(&out,
			ik_utf8_fit(out.data, out.length, size.ws_col > 1 ? size.ws_col - 1 : 79, NULL));
		ik_cli_erase(cli);
		(void)fputs(out.data, stderr);
		cli->shown_length = ik_utf8_width(out.data, out.length);
	}
	if (out.length > 0)
		cli->shown_ms = cli->progress.now_ms;
	ik_buf_done(&out);
}

void ik_cli_show(struct ik_cli *cli, const char *work, int64_t done, int64_t of)
{
	bool terminal = isatty(STDERR_FILENO) == 1;

	ik_progress_note(&cli->progress, work, done, of);
	if (!work)
		ik_cli_erase(cli);
	if (cli->shown_ms < cli->progress.begun_ms)
		cli->shown_ms = cli->progress.begun_ms;
	if (cli->progress.now_ms - cli->shown_ms >= (terminal ? TERMINAL_MS : FILE_MS))
		show_progress(cli, terminal);
}

bool ik_cli_progress(struct ik_cli *cli, const char *work, int64_t done, int64_t of)
{
	struct ik_timer *moment;
	bool goes_on;

	if (ik_clock_ms() - cli->progress.now_ms < TERMINAL_MS)
		return cli->signal == 0 && !cli->failed;
	ik_cli_show(cli, work, done, of);
	/* Turn the loop once, so that signals are handled. */
	moment = ik_timer_new(cli->loop, ik_cli_go_on, cli);
	ik_timer_start(moment, 0);
	goes_on = ik_cli_wait(cli);
	(void)ik_timer_close(moment);
	return goes_on;
}

void ik_cli_print_buf(struct ik_cli *cli, struct ik_buf *out)
{
	if (isatty(STDOUT_FILENO) == 1)
		ik_cli_erase(cli);
	cli->failed = cli->failed || ik_print_buf(out) != 0;
	ik_buf_clear(out);
}

void ik_cli_print(struct ik_cli *cli, const char *format, ...)
{
	struct ik_buf out;
	va_list arguments;

	ik_buf_init(&out, IK_LIMIT_ENVELOPE);
	va_start(arguments, format);
	ik_buf_vprintf(&out, format, arguments);
	va_end(arguments);
	ik_cli_print_buf(cli, &out);
	ik_buf_done(&out);
}

void ik_cli_warn(const struct ik_setup *setup)
{
	if (setup->places.problem)
		ik_complain(setup->places.problem);
	for (size_t i = 0; i < setup->config->warnings.count; i++)
		ik_complain(setup->config->warnings.items[i]);
}

void ik_cli_warn_of_trust(const struct ik_setup *setup, const struct ik_registry *registry)
{
	const struct ik_project *project = &setup->project;
	char *warning = ik_project_warning(project, registry);

	if (ik_trust_problem(project->trust))
		ik_complain(ik_trust_problem(project->trust));
	if (warning)
		ik_complain(warning);
	free(warning);
}
