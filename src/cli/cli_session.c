#include "cli/session_verb.h"
#include "core/print.h"
#include "util/text.h"

static const struct {
	enum ik_verb verb;
	enum ik_status (*run)(struct ik_cli *cli);
} verbs[] = {
	{ IK_VERB_SESSION_LIST, ik_cli_session_list },
	{ IK_VERB_SESSION_SHOW, ik_cli_session_show },
	{ IK_VERB_SESSION_EXPORT, ik_cli_session_export },
	{ IK_VERB_SESSION_IMPORT, ik_cli_session_import },
	{ IK_VERB_SESSION_SEARCH, ik_cli_session_search },
	{ IK_VERB_SESSION_DELETE, ik_cli_session_delete },
	{ IK_VERB_SESSION_BACKUP, ik_cli_session_backup },
	{ IK_VERB_SESSION_RECOVER, ik_cli_session_recover },
};

static enum ik_status run_verb(struct ik_cli *cli)
{
	size_t i = 0;

	while (verbs[i].verb != cli->options->verb)
		i++;
	return verbs[i].run(cli);
}

static void on_notice(void *arg, const char *sentence)
{
	ik_complain(sentence);
}

int ik_cli_session(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_error closing = { .status = IK_OK };
	enum ik_status status;
	struct ik_cli cli;

	if (!ik_cli_open(&cli, options, setup))
		return 1;
	cli.store = ik_setup_open_store(setup, cli.loop, &cli.error);
	if (cli.store)
		ik_store_on_notice(cli.store, on_notice, NULL);
	status = cli.store ? run_verb(&cli) : cli.error.status;
	if (status != IK_OK && cli.signal == 0)
		ik_complain(cli.error.text);
	if (cli.store)
		cli.store = ik_store_close(cli.store, NULL, &closing);
	if (closing.text[0] != '\0')
		ik_complain(closing.text);
	return ik_cli_close(&cli, status != IK_OK || closing.status != IK_OK);
}
