#include "cli/session_verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/stored_session.h"
#include "core/print.h"
#include "json/write.h"
#include "store/lock.h"
#include "tui/text/quantity.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

#define PAGE 100           /* sessions per read */
#define TERMINAL_LIMIT 100 /* sessions on a terminal without --limit */

enum ik_status ik_cli_session_misused(struct ik_cli *cli, const char *sentence)
{
	cli->misused = true;
	return ik_error_set(&cli->error, IK_INVALID, "%s", sentence);
}

static void keep_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_info *info = arg;

	*info = answer->sessions[0];
	info->title = ik_strdup(info->title);
	info->directory = ik_strdup(info->directory);
}

enum ik_status ik_cli_session_find(struct ik_cli *cli, struct ik_session_info *ret_info)
{
	struct ik_awaited awaited = { .loop = cli->loop, .reader = keep_found, .arg = ret_info };
	struct ik_session_find *find = ik_session_find(cli->store, cli->options->first,
		cli->options->everybody, ik_await_answer, &awaited);
	enum ik_status status = ik_await(&awaited, NULL, &cli->error);
	struct ik_error error = cli->error;

	if (!awaited.answered)
		ik_session_find_close(find);
	if (status == IK_NOT_FOUND)
		(void)ik_error_set(&cli->error, status, "%s %s", error.text,
			_("ikigai session list shows which there are."));
	return status;
}

/* ---- sessions as rows and JSON ---- */

void ik_cli_session_put_row(const struct ik_cli *cli, const struct ik_session_info *info,
	struct ik_buf *out)
{
	struct ik_buf age;

	ik_buf_init(&age, IK_KIB(1));
	ik_age_text(&age, ik_clock_wall_ms() - info->updated_ms);
	ik_buf_printf(out, "%s  %8s  %6" PRId64 "  ", info->id, age.data, info->event_count);
	if (cli->options->everybody && info->owner[0] != '\0')
		ik_buf_printf(out, "%s  ", info->owner);
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

void ik_cli_session_put_json(const struct ik_session_info *info, struct ik_buf *out)
{
	char created[IK_CLOCK_TEXT], updated[IK_CLOCK_TEXT];

	ik_clock_text(info->created_ms, created);
	ik_clock_text(info->updated_ms, updated);
	ik_json_printf(out, "{'id':'%s','title':'%s','directory':'%s','created':'%s','updated':'%s'",
		info->id, info->title, info->directory, created, updated);
	ik_json_printf(out, "'events':%lld,'parent':'%s','open':%s", (long long)info->event_count,
		info->parent[0] != '\0' ? info->parent : NULL, ik_json_word(info->holder.pid != 0));
	if (info->owner[0] != '\0')
		ik_json_printf(out, "'owner':'%s'", info->owner);
	ik_buf_putc(out, '}');
	ik_buf_putc(out, '\n');
}

void ik_cli_session_print_row(struct ik_cli *cli, size_t number, const struct ik_session_info *info)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out, "%4zu  ", number);
	ik_cli_session_put_row(cli, info, &out);
	ik_cli_print_buf(cli, &out);
	ik_buf_done(&out);
}

/* ---- all sessions, a page at a time ---- */

struct session_pages {
	struct ik_cli *cli;
	ik_cli_session_visitor *visit;
	void *arg;
	char last[IK_UUID_TEXT];
	int64_t updated_ms;
	bool more;
};

static void take_page(void *arg, const struct ik_store_answer *answer)
{
	struct session_pages *pages = arg;

	pages->more = answer->count == PAGE;
	for (size_t i = 0; i < answer->count; i++) {
		const struct ik_session_info *info = &answer->sessions[i];

		if (pages->cli->failed || !pages->visit(pages->arg, info)) {
			pages->more = false;
			break;
		}
		memcpy(pages->last, info->id, sizeof(pages->last));
		pages->updated_ms = info->updated_ms;
	}
}

enum ik_status ik_cli_session_each(struct ik_cli *cli, ik_cli_session_visitor *visit, void *arg)
{
	struct session_pages pages = { .cli = cli, .visit = visit, .arg = arg };
	const struct ik_session_choice choice = { .everybody = cli->options->everybody };
	struct ik_awaited awaited = { .loop = cli->loop, .reader = take_page, .arg = &pages };
	enum ik_status status;

	do {
		status = ik_await(&awaited,
			ik_store_list(cli->store, &choice, pages.updated_ms, pages.last, PAGE, ik_await_answer,
				&awaited),
			&cli->error);
	} while (status == IK_OK && pages.more);
	return status;
}

/* ---- session list ---- */

struct session_listing {
	struct ik_cli *cli;
	size_t count, limit; /* limit 0: no limit */
	bool cut;            /* there are more sessions than the limit */
};

static bool list_one(void *arg, const struct ik_session_info *info)
{
	struct session_listing *listing = arg;
	struct ik_buf out;

	if (listing->limit > 0 && listing->count == listing->limit) {
		listing->cut = true;
		return false;
	}
	listing->count++;
	if (!listing->cli->options->json) {
		ik_cli_session_print_row(listing->cli, listing->count, info);
		return true;
	}
	ik_buf_init(&out, IK_KIB(64));
	ik_cli_session_put_json(info, &out);
	ik_cli_print_buf(listing->cli, &out);
	ik_buf_done(&out);
	return true;
}

enum ik_status ik_cli_session_list(struct ik_cli *cli)
{
	struct session_listing listing = { .cli = cli };
	const char *text = cli->options->limit;
	enum ik_status status;
	char *end = NULL;
	long limit = 0;

	if (text)
		limit = strtol(text, &end, 10);
	else if (!cli->options->json && isatty(STDOUT_FILENO) == 1)
		limit = TERMINAL_LIMIT;
	if (text && (*end != '\0' || end == text || limit < 0))
		return ik_cli_session_misused(cli, _("--limit takes a number of sessions (0: all)"));
	listing.limit = (size_t)limit;
	status = ik_cli_session_each(cli, list_one, &listing);
	if (status == IK_OK && listing.cut && !text)
		ik_complainf(_("These are the newest %d sessions: --limit 0 lists all."), TERMINAL_LIMIT);
	return status;
}
