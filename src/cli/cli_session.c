#include "cli/session_verb.h"

#include <stdlib.h>
#include <string.h>

#include "commands/stored_session.h"
#include "core/print.h"
#include "json/scan.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- backup and recover: the file of an SQLite database ---- */

/* Ask the store program, which may take a while. file is the file that the request names, or
 * NULL. */
static enum ik_status ask(struct ik_cli *cli, const char *verb, const char *file,
	ik_store_reader *reader)
{
	struct ik_awaited awaited = { .loop = cli->loop, .reader = reader, .arg = cli };

	return ik_await(&awaited, ik_store_ask(cli->store, verb, file, ik_await_answer, &awaited),
		&cli->error);
}

/* Fail if the database is on a server, where the server's own programs do this. */
static enum ik_status need_file(struct ik_cli *cli)
{
	const char *database = cli->setup->database;

	if (database && !ik_postgres_is_uri(database))
		return IK_OK;
	return ik_error_set(&cli->error, IK_INVALID, "%s",
		_("This is for a database in a file; of one on a server its own programs make a copy."));
}

static enum ik_status backup(struct ik_cli *cli)
{
	const char *name = cli->options->first;
	char *file = ik_places_whole_path(&cli->setup->places, name, strlen(name));
	enum ik_status status = need_file(cli);

	if (status == IK_OK) {
		ik_complainf(_("Copying %s to %s…"), cli->setup->database, file);
		status = ask(cli, "backup", file, NULL);
	}
	free(file);
	return status;
}

static void on_recovered(void *arg, const struct ik_store_answer *answer)
{
	int64_t events = 0, sessions = 0;
	bool whole = false;

	(void)ik_json_integer(ik_json_member(answer->last, "events"), &events);
	(void)ik_json_integer(ik_json_member(answer->last, "sessions"), &sessions);
	(void)ik_json_bool(ik_json_member(answer->last, "whole"), &whole);
	ik_cli_print(arg,
		whole ? _("Everything could be read: sessions: %lld, events: %lld.\n")
			  : _("What could be read: sessions: %lld, events: %lld.\n"),
		(long long)sessions, (long long)events);
}

static enum ik_status recover(struct ik_cli *cli)
{
	enum ik_status status = need_file(cli);

	if (status != IK_OK)
		return status;
	ik_complainf(_("Checking %s…"), cli->setup->database);
	status = ask(cli, "check", NULL, NULL);
	if (status == IK_OK)
		ik_cli_print(cli, "%s\n", _("The database is whole."));
	if (status != IK_INVALID)
		return status;
	ik_complain(cli->error.text);
	ik_complain(_("Copying what can be read…"));
	return ask(cli, "recover", NULL, on_recovered);
}

/* ---- all verbs ---- */

static const struct {
	enum ik_verb verb;
	enum ik_status (*run)(struct ik_cli *cli);
	const char *interrupted; /* the message after a signal; NULL: none */
} verbs[] = {
	{ IK_VERB_SESSION_LIST, ik_cli_session_list, NULL },
	{ IK_VERB_SESSION_SHOW, ik_cli_session_show, NULL },
	{ IK_VERB_SESSION_EXPORT, ik_cli_session_export,
		N_("Interrupted: the export is not complete.") },
	{ IK_VERB_SESSION_IMPORT, ik_cli_session_import,
		N_("Interrupted. What is imported stays; the same command imports the rest.") },
	{ IK_VERB_SESSION_SEARCH, ik_cli_session_search, NULL },
	{ IK_VERB_SESSION_DELETE, ik_cli_session_delete, NULL },
	{ IK_VERB_SESSION_BACKUP, backup,
		N_("Interrupted. There is no copy; the same command begins anew.") },
	{ IK_VERB_SESSION_RECOVER, recover,
		N_("Interrupted. Nothing has changed; the same command begins anew.") },
};

static enum ik_status run_verb(struct ik_cli *cli)
{
	enum ik_status status;
	struct ik_buf done;
	size_t i = 0;

	while (verbs[i].verb != cli->options->verb)
		i++;
	status = verbs[i].run(cli);
	ik_cli_erase(cli);
	if (status == IK_OK || cli->signal == 0)
		return status;
	ik_buf_init(&done, IK_KIB(4));
	if (ik_progress_put(&cli->progress, &done))
		ik_complain(done.data);
	if (verbs[i].interrupted)
		ik_complain(_(verbs[i].interrupted));
	ik_buf_done(&done);
	return status;
}

static void on_notice(void *arg, const char *sentence)
{
	ik_cli_erase(arg);
	ik_complain(sentence);
}

/* Show the store program's progress. A deletion may be one of many. */
static void on_progress(void *arg, const char *work, int64_t done, int64_t of)
{
	struct ik_cli *cli = arg;

	if (cli->signal != 0)
		return;
	if (cli->all == 0)
		ik_cli_show(cli, work, done, of);
	else if (work && ik_text_equal(work, "delete"))
		ik_cli_show(cli, work, cli->done + done, cli->all);
}

int ik_cli_session(const struct ik_options *options, struct ik_setup *setup)
{
	static const struct ik_store_events events = { .notice = on_notice, .progress = on_progress };
	struct ik_error closing = { .status = IK_OK };
	enum ik_status status;
	struct ik_cli cli;

	if (!ik_cli_open(&cli, options, setup))
		return 1;
	cli.store = ik_setup_open_store(setup, cli.loop, &cli.error);
	if (cli.store)
		ik_store_listen(cli.store, &events, &cli);
	status = cli.store ? run_verb(&cli) : cli.error.status;
	if (status != IK_OK && cli.signal == 0)
		ik_complain(cli.error.text);
	if (cli.store)
		cli.store = ik_store_close(cli.store, NULL, &closing);
	if (closing.text[0] != '\0')
		ik_complain(closing.text);
	return ik_cli_close(&cli, status != IK_OK || closing.status != IK_OK);
}
