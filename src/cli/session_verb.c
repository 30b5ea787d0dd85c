#include "cli/session_verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/session_find.h"
#include "commands/session_walk.h"
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

struct session_search_by_name {
	struct ik_cli *cli;
	struct ik_session_info *info; /* NULL once the search has ended */
};

static void on_found(void *arg, const struct ik_session_info *info, const struct ik_error *error)
{
	struct session_search_by_name *search = arg;

	if (info) {
		*search->info = *info;
		search->info->title = ik_strdup(info->title);
		search->info->directory = ik_strdup(info->directory);
	} else {
		search->cli->error = *error;
	}
	search->info = NULL;
	ik_loop_stop(search->cli->loop);
}

enum ik_status ik_cli_session_find(struct ik_cli *cli, struct ik_session_info *ret_info)
{
	struct ik_session_info info = { .title = NULL };
	struct session_search_by_name search = { .cli = cli, .info = &info };
	struct ik_session_find *find = ik_session_find(cli->store, cli->options->first, on_found,
		&search);
	enum ik_status status = ik_loop_run(cli->loop, &cli->error);

	if (search.info) {
		ik_session_find_close(find);
		if (status == IK_OK)
			status = ik_error_set(&cli->error, IK_FAILED, _("Interrupted."));
	}
	if (status != IK_OK)
		return status;
	if (!info.title)
		return cli->error.status;
	*ret_info = info;
	return IK_OK;
}

/* ---- sessions as rows and JSON ---- */

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

void ik_cli_session_put_json(const struct ik_session_info *info, struct ik_buf *out)
{
	char created[IK_CLOCK_TEXT], updated[IK_CLOCK_TEXT];

	ik_clock_text(info->created_ms, created);
	ik_clock_text(info->updated_ms, updated);
	ik_json_printf(out, "{'id':'%s','title':'%s','directory':'%s','created':'%s','updated':'%s'",
		info->id, info->title, info->directory, created, updated);
	ik_json_printf(out, "'events':%lld,'parent':'%s','open':%s}", (long long)info->event_count,
		info->parent[0] != '\0' ? info->parent : NULL, ik_json_word(info->holder.pid != 0));
	ik_buf_putc(out, '\n');
}

void ik_cli_session_print_row(struct ik_cli *cli, size_t number, const struct ik_session_info *info)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	ik_buf_printf(&out, "%4zu  ", number);
	ik_cli_session_put_row(info, &out);
	ik_cli_print_buf(cli, &out);
	ik_buf_done(&out);
}

/* ---- all sessions, a page at a time ---- */

struct session_page {
	struct ik_session_info sessions[PAGE];
	size_t count;
};

/* Copy a page: the visitor may ask the store about each session. */
static void keep_page(void *arg, const struct ik_store_answer *answer)
{
	struct session_page *page = arg;
	size_t i;

	page->count = answer->count;
	for (i = 0; i < answer->count; i++) {
		page->sessions[i] = answer->sessions[i];
		page->sessions[i].title = ik_strdup(answer->sessions[i].title);
		page->sessions[i].directory = ik_strdup(answer->sessions[i].directory);
	}
}

enum ik_status ik_cli_session_each(struct ik_cli *cli, ik_cli_session_visitor *visit, void *arg)
{
	struct session_page page;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = keep_page, .arg = &page };
	enum ik_status status = IK_OK;
	char last[IK_UUID_TEXT] = "";
	int64_t updated_ms = 0;
	bool more = true;
	size_t i;

	do {
		page.count = 0;
		status = ik_await(&awaited,
			ik_store_list(cli->store, updated_ms, last, PAGE, ik_await_answer, &awaited),
			&cli->error);
		for (i = 0; i < page.count; i++) {
			struct ik_session_info *info = &page.sessions[i];

			more = more && status == IK_OK && visit(arg, info) && !cli->failed;
			memcpy(last, info->id, sizeof(last));
			updated_ms = info->updated_ms;
			free(info->title);
			free(info->directory);
		}
	} while (status == IK_OK && more && page.count == PAGE);
	return status;
}

/* ---- the verb ---- */

struct session_listing {
	struct ik_cli *cli;
	size_t count, limit; /* limit 0: none */
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
