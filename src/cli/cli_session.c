#include "cli/verbs.h"

#include <signal.h>
#include <stdlib.h>

#include "cli/session_verb.h"
#include "core/print.h"
#include "util/alloc.h"
#include "util/text.h"

static const struct {
	enum ik_verb verb;
	enum ik_status (*run)(struct ik_session_verb *cli);
} verbs[] = {
	{ IK_VERB_SESSION_LIST, ik_cli_session_list },
	{ IK_VERB_SESSION_SHOW, ik_cli_session_show },
	{ IK_VERB_SESSION_EXPORT, ik_cli_session_export },
	{ IK_VERB_SESSION_IMPORT, ik_cli_session_import },
	{ IK_VERB_SESSION_SEARCH, ik_cli_session_search },
	{ IK_VERB_SESSION_DELETE, ik_cli_session_delete },
};

static enum ik_status run_verb(struct ik_session_verb *cli)
{
	size_t i = 0;

	while (verbs[i].verb != cli->options->verb)
		i++;
	return verbs[i].run(cli);
}

static void on_signal(void *arg, int number)
{
	struct ik_session_verb *cli = arg;

	cli->signal = number;
	ik_loop_stop(cli->loop);
}

static void on_notice(void *arg, const char *sentence)
{
	(void)arg;
	ik_complain(sentence);
}

/* Check how the options go together; NULL, or what is wrong. */
static const char *options_problem(const struct ik_options *options)
{
	if (options->verb == IK_VERB_SESSION_DELETE && !options->first == !options->older_than)
		return _("session delete needs either a session or --older-than DAYS");
	if (options->format && !ik_text_equal(options->format, "jsonl") &&
		!ik_text_equal(options->format, "markdown"))
		return _("--format is jsonl or markdown");
	return NULL;
}

/* Is JSON to be printed? It is the default of export. */
static bool wants_json(const struct ik_options *options)
{
	return options->json ||
		(options->verb == IK_VERB_SESSION_EXPORT &&
			(!options->format || ik_text_equal(options->format, "jsonl")));
}

/* Open the store, run the verb, and close the store; the status, with a sentence in the error. */
static enum ik_status run_in_store(struct ik_session_verb *cli)
{
	struct ik_signal *interrupt, *terminate;
	struct ik_error closing = { .status = IK_OK };
	enum ik_status status;

	cli->store = ik_setup_open_store(cli->setup, cli->loop, &cli->error);
	if (!cli->store) {
		ik_complain(cli->error.text);
		return cli->error.status;
	}
	ik_store_on_notice(cli->store, on_notice, cli);
	interrupt = ik_signal_new(cli->loop, SIGINT, on_signal, cli);
	terminate = ik_signal_new(cli->loop, SIGTERM, on_signal, cli);
	status = run_verb(cli);
	if (status != IK_OK && cli->signal == 0)
		ik_complain(cli->error.text);
	ik_store_close(cli->store, NULL, &closing);
	if (closing.text[0] != '\0')
		ik_complain(closing.text);
	(void)ik_signal_close(interrupt);
	(void)ik_signal_close(terminate);
	return status != IK_OK ? status : closing.status;
}

int ik_cli_session(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_session_verb cli = {
		.options = options, .setup = setup, .json = wants_json(options)
	};
	const char *problem = options_problem(options);
	enum ik_status status;

	if (problem) {
		ik_complain(problem);
		return 2;
	}
	cli.loop = ik_loop_new(&cli.error);
	if (!cli.loop) {
		ik_complain(cli.error.text);
		return 1;
	}
	status = run_in_store(&cli);
	ik_loop_free(cli.loop);
	if (cli.signal != 0)
		return 128 + cli.signal;
	return cli.usage_error ? 2 : status != IK_OK || cli.print_failed;
}
