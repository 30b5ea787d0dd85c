#include "cli/session_verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/stored_session.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define DAY_MS (24 * 60 * 60 * INT64_C(1000))
#define MAX_DAYS 36500

static void on_typed(void *arg, int what)
{
	ik_cli_go_on(arg);
}

/* Read a line from the terminal, unless a signal ends the command first. */
static void read_answer(struct ik_cli *cli, char *answer, int size)
{
	struct ik_watch *watch = ik_watch_new(cli->loop, STDIN_FILENO, on_typed, cli);

	if (ik_watch_set(watch, IK_READABLE, NULL) == IK_OK && ik_cli_wait(cli))
		(void)!fgets(answer, size, stdin);
	(void)ik_watch_close(watch);
}

/* Ask on the terminal, unless --yes was given, and free the question. */
static enum ik_status confirm(struct ik_cli *cli, char *question)
{
	bool terminal = isatty(STDIN_FILENO) == 1;
	char answer[16] = "";

	if (!cli->options->yes && terminal) {
		ik_cli_print(cli, "%s", question);
		read_answer(cli, answer, sizeof(answer));
	}
	free(question);
	if (cli->options->yes || answer[0] == 'y' || answer[0] == 'Y')
		return IK_OK;
	if (!terminal)
		return ik_cli_session_misused(cli,
			_("Without a terminal nobody can be asked: --yes deletes at once."));
	return ik_error_set(&cli->error, IK_FAILED, _("Nothing was deleted."));
}

/* Delete a session, and what /undo has of it, while holding its lock. */
static enum ik_status delete_session(struct ik_cli *cli, const char *session)
{
	struct ik_awaited awaited = { .loop = cli->loop };
	struct ik_taken *taken = NULL;
	enum ik_status status = ik_take_sessions(cli->loop, cli->store, &taken, session, &cli->error);

	if (status == IK_OK)
		status = ik_await(&awaited, ik_store_delete(cli->store, session, ik_await_answer, &awaited),
			&cli->error);
	if (status == IK_OK)
		ik_undo_session_deleted(&cli->setup->places, session);
	/* A half-deleted session is no longer listed, but its id still finds it. */
	if (status != IK_OK && cli->signal != 0) {
		ik_cli_erase(cli);
		ik_complainf(_("Interrupted: ikigai session delete %s deletes the rest of it."), session);
	}
	(void)ik_taken_close(taken);
	return status;
}

static enum ik_status confirm_one(struct ik_cli *cli, const struct ik_session_info *info)
{
	const char *title = info->title[0] != '\0' ? info->title : _("without a title");
	enum ik_status status;
	struct ik_buf shown;

	ik_buf_init(&shown, IK_KIB(64));
	ik_sanitize_line(&shown, title, strlen(title));
	status = confirm(cli,
		ik_format(ngettext("Delete \"%s\" with its %lld message? [y/N] ",
					  "Delete \"%s\" with its %lld messages? [y/N] ",
					  (unsigned long)info->event_count),
			shown.data, (long long)info->event_count));
	ik_buf_done(&shown);
	return status;
}

static enum ik_status delete_one(struct ik_cli *cli)
{
	struct ik_session_info info;
	enum ik_status status = ik_cli_session_find(cli, &info);

	if (status != IK_OK)
		return status;
	status = confirm_one(cli, &info);
	if (status == IK_OK)
		status = delete_session(cli, info.id);
	free(info.title);
	free(info.directory);
	return status;
}

/* ---- --older-than ---- */

struct old_sessions {
	struct ik_cli *cli;
	int64_t before_ms; /* sessions last used before this time are old */
	struct old_session {
		char id[IK_UUID_TEXT];
		int64_t events;
	} * sessions;
	size_t count;
};

/* Print and remember a session that is old enough. */
static bool add_if_old(void *arg, const struct ik_session_info *info)
{
	struct old_sessions *old = arg;

	if (info->updated_ms >= old->before_ms)
		return true;
	old->sessions = ik_alloc_more(old->sessions, old->count, sizeof(*old->sessions));
	memcpy(old->sessions[old->count].id, info->id, IK_UUID_TEXT);
	old->sessions[old->count++].events = info->event_count;
	old->cli->all += info->event_count;
	ik_cli_session_print_row(old->cli, old->count, info);
	return true;
}

/* Delete all of them. If one fails (it may be open), go on with the others; report the last
 * error. */
static enum ik_status delete_all(const struct old_sessions *old)
{
	struct ik_cli *cli = old->cli;
	enum ik_status worst = IK_OK;
	size_t deleted = 0, i;

	for (i = 0; i < old->count && ik_cli_progress(cli, "delete", cli->done, cli->all); i++) {
		enum ik_status status = delete_session(cli, old->sessions[i].id);

		deleted += status == IK_OK;
		worst = status != IK_OK ? status : worst;
		cli->done += old->sessions[i].events;
	}
	if (i < old->count) {
		ik_cli_erase(cli);
		ik_complain(_("Interrupted. What is deleted is gone; the same command deletes the rest."));
		worst = IK_FAILED;
	}
	ik_cli_print(cli, ngettext("%zu session is deleted.\n", "%zu sessions are deleted.\n", deleted),
		deleted);
	return worst;
}

/* List the old sessions, and delete them unless it is a dry run. */
static enum ik_status delete_old(struct ik_cli *cli, long days)
{
	struct old_sessions old = {
		.cli = cli,
		.before_ms = ik_clock_wall_ms() - days * DAY_MS,
	};
	enum ik_status status = ik_cli_session_each(cli, add_if_old, &old);

	if (status == IK_OK && (old.count == 0 || cli->options->dry_run)) {
		ik_cli_print(cli,
			ngettext("%zu session would be deleted.\n", "%zu sessions would be deleted.\n",
				old.count),
			old.count);
	} else if (status == IK_OK) {
		status = confirm(cli,
			ik_format(ngettext("Delete this %zu session for good? [y/N] ",
						  "Delete these %zu sessions for good? [y/N] ", old.count),
				old.count));
		if (status == IK_OK)
			status = delete_all(&old);
	}
	free(old.sessions);
	return status;
}

enum ik_status ik_cli_session_delete(struct ik_cli *cli)
{
	const char *text = cli->options->older_than;
	enum ik_status status;
	char *end, *sentence;
	long days;

	if (!text == !cli->options->first)
		return ik_cli_session_misused(cli,
			_("session delete needs either a session or --older-than DAYS"));
	if (!text)
		return delete_one(cli);
	days = strtol(text, &end, 10);
	if (*end == '\0' && end != text && days >= 1 && days <= MAX_DAYS)
		return delete_old(cli, days);
	sentence = ik_format(_("--older-than takes a number of days, 1 to %d"), MAX_DAYS);
	status = ik_cli_session_misused(cli, sentence);
	free(sentence);
	return status;
}
