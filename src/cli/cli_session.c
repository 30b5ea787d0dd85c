#include "cli/cli_session.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_session_private.h"
#include "commands/session_find.h"
#include "core/export.h"
#include "core/export_output.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "json/write.h"
#include "store/lock.h"
#include "store/spool.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define PAGE 100           /* sessions that are read at once */
#define TERMINAL_LIMIT 100 /* sessions on a terminal, unless --limit says how many */

/* ---- which session ---- */

static void on_found(void *arg, const struct ik_session_info *info, const struct ik_error *error)
{
	struct ik_cli_session *cli = arg;

	cli->found = true;
	if (info) {
		cli->info = *info;
		cli->info.title = ik_strdup(info->title);
		cli->info.directory = ik_strdup(info->directory);
	} else {
		cli->error = *error;
	}
	ik_loop_stop(cli->loop);
}

/* The session that the person named, in cli->info. */
static enum ik_status find(struct ik_cli_session *cli)
{
	struct ik_session_find *asked = ik_session_find(cli->store, cli->options->first, on_found, cli);
	enum ik_status status = ik_loop_run(cli->loop, &cli->error);

	if (!cli->found)
		ik_session_find_close(asked);
	if (status != IK_OK || cli->info.title)
		return status;
	return cli->found ? cli->error.status : ik_error_set(&cli->error, IK_FAILED, _("Interrupted."));
}

/* ---- list ---- */

static void complain_and_free(char *sentence)
{
	ik_complain(sentence);
	free(sentence);
}

void ik_cli_session_put_row(const struct ik_session_info *info, struct ik_buf *out)
{
	struct ik_buf age;

	ik_buf_init(&age, IK_KIB(1));
	ik_age_text(&age, ik_clock_wall_ms() - info->updated_ms);
	ik_buf_printf(out, "%s  %8s  %6" PRId64 "  ", info->id, age.data, info->event_count);
	ik_sanitize_line(out, info->directory, strlen(info->directory));
	ik_buf_puts(out, "  ");
	ik_sanitize_line(out, info->title, strlen(info->title));
	if (info->holder.pid != 0) {
		ik_buf_puts(out, "  [");
		ik_holder_put(out, &info->holder);
		ik_buf_putc(out, ']');
	}
	ik_buf_putc(out, '\n');
	ik_buf_done(&age);
}

void ik_cli_session_print_row(struct ik_cli_session *cli, const struct ik_session_info *info)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out, "%4zu  ", ++cli->count);
	ik_cli_session_put_row(info, &out);
	cli->failed |= ik_print_buf(&out) != 0;
	ik_buf_done(&out);
}

/* A page of sessions: their rows are kept, since more is asked about each. */
static void take_sessions(void *arg, const struct ik_store_answer *answer)
{
	struct ik_cli_session *cli = arg;
	size_t i;

	cli->page_count = answer->count;
	for (i = 0; i < answer->count; i++) {
		cli->page[i] = answer->sessions[i];
		cli->page[i].title = ik_strdup(answer->sessions[i].title);
		cli->page[i].directory = ik_strdup(answer->sessions[i].directory);
	}
}

enum ik_status ik_cli_session_each(struct ik_cli_session *cli,
	enum ik_status (*take)(struct ik_cli_session *, const struct ik_session_info *))
{
	struct ik_session_info page[PAGE];
	struct ik_awaited awaited = { .loop = cli->loop, .reader = take_sessions, .arg = cli };
	enum ik_status status = IK_OK;
	char last[IK_UUID_TEXT] = "";
	int64_t updated_ms = 0;
	size_t i;

	cli->page = page;
	do {
		cli->page_count = 0;
		status = ik_await(&awaited,
			ik_store_list(cli->store, updated_ms, last, PAGE, ik_await_answer, &awaited),
			&cli->error);
		for (i = 0; i < cli->page_count; i++) {
			if (status == IK_OK && !cli->failed && !cli->enough)
				status = take(cli, &page[i]);
			memcpy(last, page[i].id, sizeof(last));
			updated_ms = page[i].updated_ms;
			free(page[i].title);
			free(page[i].directory);
		}
	} while (status == IK_OK && !cli->failed && !cli->enough && cli->page_count == PAGE);
	return status;
}

/* Append a session as a line of JSON. */
static void put_json(const struct ik_session_info *info, struct ik_buf *out)
{
	char begun[IK_CLOCK_TEXT], changed[IK_CLOCK_TEXT];

	ik_clock_text(info->created_ms, begun);
	ik_clock_text(info->updated_ms, changed);
	ik_json_open(out, '{');
	ik_json_key(out, "id");
	ik_json_put_text(out, info->id);
	ik_json_key(out, "title");
	ik_json_put_text(out, info->title);
	ik_json_key(out, "directory");
	ik_json_put_text(out, info->directory);
	ik_json_key(out, "created");
	ik_json_put_text(out, begun);
	ik_json_key(out, "updated");
	ik_json_put_text(out, changed);
	ik_json_key(out, "events");
	ik_json_put_integer(out, info->event_count);
	ik_json_key(out, "parent");
	ik_json_put_text(out, info->parent[0] != '\0' ? info->parent : NULL);
	ik_json_key(out, "open");
	ik_json_put_bool(out, info->holder.pid != 0);
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

static enum ik_status list_one(struct ik_cli_session *cli, const struct ik_session_info *info)
{
	struct ik_buf out;

	if (cli->limit > 0 && cli->count == cli->limit) {
		cli->enough = true;
		return IK_OK;
	}
	if (!cli->json) {
		ik_cli_session_print_row(cli, info);
		return IK_OK;
	}
	cli->count++;
	ik_buf_init(&out, IK_KIB(64));
	put_json(info, &out);
	cli->failed |= ik_print_buf(&out) != 0;
	ik_buf_done(&out);
	return IK_OK;
}

/* All sessions, or the newest of them. */
static enum ik_status list(struct ik_cli_session *cli)
{
	const char *text = cli->options->limit;
	enum ik_status status;
	char *end = NULL;
	long limit = text                              ? strtol(text, &end, 10)
		: !cli->json && isatty(STDOUT_FILENO) == 1 ? TERMINAL_LIMIT
												   : 0;

	if (text && (*end != '\0' || end == text || limit < 0)) {
		cli->failed = true;
		return ik_error_set(&cli->error, IK_INVALID,
			_("--limit takes a number of sessions (0: all)"));
	}
	cli->limit = (size_t)limit;
	status = ik_cli_session_each(cli, list_one);
	if (status == IK_OK && cli->enough && !text)
		complain_and_free(ik_format(_("These are the newest %d sessions: --limit 0 lists all."),
			TERMINAL_LIMIT));
	return status;
}

/* ---- show, export ---- */

/* Print what has gathered. */
static bool flush(struct ik_cli_session *cli)
{
	if (ik_print_buf(&cli->out) != 0)
		cli->failed = true;
	ik_buf_clear(&cli->out);
	return !cli->failed;
}

/* What is behind a message, a part at a time. */
struct outputs {
	struct ik_cli_session *cli;
	struct ik_outputs at;
	size_t missing; /* of all messages: outputs that are not whole */
	enum ik_status status;
};

static void put_part(void *arg, const struct ik_store_answer *answer)
{
	struct outputs *outputs = arg;

	outputs->missing += !ik_outputs_put(&outputs->at, answer->bytes, answer->length,
		&outputs->cli->out);
}

/* The large outputs of a message. */
static bool export_outputs(struct outputs *outputs, const struct ik_message *message)
{
	struct ik_cli_session *cli = outputs->cli;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = put_part, .arg = outputs };
	struct ik_store_read *read;

	ik_outputs_begin(&outputs->at, message);
	while (outputs->status == IK_OK && !cli->failed &&
		(read = ik_outputs_ask(&outputs->at, cli->store, ik_await_answer, &awaited))) {
		outputs->status = ik_await(&awaited, read, &cli->error);
		if (outputs->status == IK_NOT_FOUND) {
			outputs->missing++;
			ik_outputs_skip(&outputs->at);
			outputs->status = IK_OK;
		}
		(void)flush(cli);
	}
	return outputs->status == IK_OK && !cli->failed;
}

static bool export_one(void *arg, struct ik_message *message)
{
	struct outputs *outputs = arg;
	struct ik_cli_session *cli = outputs->cli;

	if (!cli->json) {
		ik_export_markdown(&cli->out, message);
	} else {
		ik_export_json(&cli->out, cli->info.id, message);
		if (!export_outputs(outputs, message))
			return false;
	}
	return cli->out.length < IK_KIB(64) || flush(cli);
}

static enum ik_status export_all(struct ik_cli_session *cli)
{
	struct outputs outputs = { .cli = cli };
	enum ik_status status = ik_session_walk(cli->loop, cli->store, cli->info.id, export_one,
		&outputs, &cli->error);

	(void)flush(cli);
	if (outputs.missing > 0)
		complain_and_free(ik_outputs_missing(outputs.missing));
	return status != IK_OK ? status : outputs.status;
}

/* What the session is called, for people. */
static void put_title(const struct ik_cli_session *cli, struct ik_buf *out)
{
	const char *title = cli->info.title[0] != '\0' ? cli->info.title : _("without a title");

	ik_sanitize_line(out, title, strlen(title));
}

static enum ik_status show(struct ik_cli_session *cli)
{
	char begun[IK_CLOCK_TEXT], changed[IK_CLOCK_TEXT];

	if (cli->json) {
		put_json(&cli->info, &cli->out);
		return export_all(cli);
	}
	ik_clock_text(cli->info.created_ms, begun);
	ik_clock_text(cli->info.updated_ms, changed);
	ik_buf_puts(&cli->out, "# ");
	put_title(cli, &cli->out);
	ik_buf_printf(&cli->out, "\n\n- %s %s\n- %s ", _("Session:"), cli->info.id, _("Directory:"));
	ik_sanitize_line(&cli->out, cli->info.directory, strlen(cli->info.directory));
	ik_buf_printf(&cli->out, "\n- %s %s\n- %s %s\n- %s %" PRId64 "\n\n", _("Begun:"), begun,
		_("Last used:"), changed, _("Messages:"), cli->info.event_count);
	return export_all(cli);
}

/* ---- delete ---- */

enum ik_status ik_cli_session_agree(struct ik_cli_session *cli, const char *question)
{
	char answer[16] = "";

	if (cli->options->yes)
		return IK_OK;
	if (isatty(STDIN_FILENO) != 1) {
		cli->failed = true;
		return ik_error_set(&cli->error, IK_INVALID,
			_("Without a terminal nobody can be asked: --yes deletes at once."));
	}
	(void)ik_print(question, strlen(question));
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return IK_OK;
	return ik_error_set(&cli->error, IK_FAILED, _("Nothing was deleted."));
}

static enum ik_status delete (struct ik_cli_session *cli) {
	struct ik_awaited awaited = { .loop = cli->loop }; enum ik_status status; struct ik_buf title;
	char * question;

	ik_buf_init(&title, IK_KIB(64));
	put_title(cli, &title);
	question = ik_format(ngettext("Delete \"%s\" with its %lld message? [y/N] ",
							 "Delete \"%s\" with its %lld messages? [y/N] ",
							 (unsigned long)cli->info.event_count),
		title.data, (long long)cli->info.event_count);
	status = ik_cli_session_agree(cli, question);
	free(question);
	ik_buf_done(&title);
	if (status != IK_OK) return status;
	status = ik_take_sessions(cli->loop, cli->store, &cli->taken, cli->info.id, &cli->error);
	if (status == IK_OK) status = ik_await(&awaited,
		ik_store_delete(cli->store, cli->info.id, ik_await_answer, &awaited), &cli->error);
	if (status == IK_OK) ik_undo_session_deleted(&cli->setup->places, cli->info.id);
	return status;
}

/* ---- all of it ---- */

static enum ik_status run(struct ik_cli_session *cli)
{
	enum ik_verb verb = cli->options->verb;
	enum ik_status status = IK_OK;

	if (verb == IK_VERB_SESSION_SHOW || verb == IK_VERB_SESSION_EXPORT ||
		(verb == IK_VERB_SESSION_DELETE && !cli->options->older_than))
		status = find(cli);
	if (status != IK_OK)
		return status;
	switch (verb) {
	case IK_VERB_SESSION_SHOW:
		return show(cli);
	case IK_VERB_SESSION_EXPORT:
		return export_all(cli);
	case IK_VERB_SESSION_IMPORT:
		return ik_cli_session_import(cli);
	case IK_VERB_SESSION_SEARCH:
		return ik_cli_session_search(cli);
	case IK_VERB_SESSION_DELETE:
		return cli->options->older_than ? ik_cli_session_prune(cli) : delete (cli);
	default:
		return list(cli);
	}
}

static void on_signal(void *arg, int number)
{
	struct ik_cli_session *cli = arg;

	cli->signal = number;
	ik_loop_stop(cli->loop);
}

static void on_notice(void *arg, const char *sentence)
{
	(void)arg;
	ik_complain(sentence);
}

/* The database cannot be used: name what an earlier run could not store, either. */
static void say_what_waits(const char *spool, const char *database)
{
	struct ik_spooled spooled;

	if (!spool || !database || !ik_postgres_is_uri(database))
		return;
	spooled = ik_spool_look(spool, database);
	if (spooled.ours > 0)
		complain_and_free(ik_format(ngettext("%zu event waits in %s until the database can be "
											 "used.",
										"%zu events wait in %s until the database can be used.",
										spooled.ours),
			spooled.ours, spool));
	if (spooled.outputs > 0)
		complain_and_free(ik_format(ngettext("%zu large output waits in %s until the database can "
											 "be "
											 "used.",
										"%zu large outputs wait in %s until the database can be "
										"used.",
										spooled.outputs),
			spooled.outputs, spool));
	ik_spooled_done(&spooled);
}

int ik_cli_session(const struct ik_options *options, struct ik_setup *setup)
{
	struct ik_cli_session cli = { .options = options, .setup = setup };
	struct ik_signal *interrupt, *terminate;
	enum ik_status status;
	struct ik_error notice = { .status = IK_OK };
	char *spool;

	cli.json = options->json ||
		(options->verb == IK_VERB_SESSION_EXPORT &&
			(!options->format || ik_text_equal(options->format, "jsonl")));
	if (options->verb == IK_VERB_SESSION_DELETE && !options->first == !options->older_than) {
		ik_complain(_("session delete needs either a session or --older-than DAYS"));
		return 2;
	}
	if (options->format && !cli.json && !ik_text_equal(options->format, "markdown")) {
		ik_complain(_("--format is jsonl or markdown"));
		return 2;
	}
	cli.loop = ik_loop_new(&cli.error);
	if (cli.loop)
		cli.store = ik_store_open(cli.loop, setup->database, &cli.error);
	if (!cli.store) {
		ik_complain(cli.error.text);
		ik_loop_free(cli.loop);
		return 1;
	}
	spool = ik_places_file(&setup->places, "spool");
	ik_setup_store(setup, cli.store);
	ik_store_on_notice(cli.store, on_notice, &cli);
	ik_buf_init(&cli.out, IK_LIMIT_REQUEST);
	interrupt = ik_signal_new(cli.loop, SIGINT, on_signal, &cli);
	terminate = ik_signal_new(cli.loop, SIGTERM, on_signal, &cli);
	status = run(&cli);
	if (status != IK_OK && cli.signal == 0)
		ik_complain(cli.error.text);
	cli.taken = ik_taken_close(cli.taken);
	ik_store_close(cli.store, NULL, &notice);
	if (notice.text[0] != '\0')
		ik_complain(notice.text);
	if (status == IK_IO || status == IK_DENIED)
		say_what_waits(spool, setup->database);
	free(spool);
	interrupt = ik_signal_close(interrupt);
	terminate = ik_signal_close(terminate);
	ik_loop_free(cli.loop);
	free(cli.info.title);
	free(cli.info.directory);
	free(cli.old);
	ik_buf_done(&cli.out);
	if (cli.signal != 0)
		return 128 + cli.signal;
	return status != IK_OK && cli.failed ? 2
										 : status != IK_OK || cli.failed || notice.status != IK_OK;
}
