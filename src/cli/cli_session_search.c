/* `ikigai session search`: the places of all sessions that have the words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli_session_private.h"
#include "core/print.h"
#include "json/write.h"
#include "store/search_query.h"
#include "store/search_text.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

#define PAGE 50     /* places that are asked for at once */
#define ENOUGH 200  /* that are printed, but for --all */
#define AT_ONCE 400 /* that are put in order by their sessions */

/* A session with the places in it, newest first, as they will be printed. */
struct group {
	char session[IK_UUID_TEXT];
	struct ik_buf rows;
};

/* A search that is being printed. */
struct cli_session_search {
	struct ik_cli_session *cli;
	struct ik_search_query query;
	struct ik_search_place place;
	bool more, behind; /* the index is not done yet */
	bool partly;       /* a page takes so long that it comes in parts */
	size_t places;
	struct group groups[AT_ONCE]; /* sessions by their newest place */
	size_t group_count, held;     /* that are not printed yet; places in them */
};

static void put_json(struct ik_buf *out, const struct ik_session_info *info,
	const struct ik_message *message, const struct ik_snippet *snippet)
{
	char time[IK_CLOCK_TEXT];
	size_t i;

	ik_clock_text(message->time_ms, time);
	ik_json_open(out, '{');
	ik_json_key(out, "session");
	ik_json_put_text(out, info->id);
	ik_json_key(out, "title");
	ik_json_put_text(out, info->title);
	ik_json_key(out, "directory");
	ik_json_put_text(out, info->directory);
	ik_json_key(out, "sequence");
	ik_json_put_integer(out, message->sequence);
	ik_json_key(out, "kind");
	ik_json_put_text(out, ik_kind_name(message->kind));
	ik_json_key(out, "time");
	ik_json_put_text(out, time);
	ik_json_key(out, "snippet");
	ik_json_put_string(out, snippet->line.data, snippet->line.length);
	ik_json_key(out, "marks");
	ik_json_open(out, '[');
	for (i = 0; i < snippet->count; i++) {
		ik_json_open(out, '[');
		ik_json_put_integer(out, (int64_t)snippet->marks[i].start);
		ik_json_put_integer(out, (int64_t)snippet->marks[i].length);
		ik_json_close(out, ']');
	}
	ik_json_close(out, ']');
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

/* Print what has gathered. */
static void print_groups(struct cli_session_search *search)
{
	size_t i;

	for (i = 0; i < search->group_count; i++) {
		struct ik_buf *rows = &search->groups[i].rows;

		if (!search->cli->failed)
			search->cli->failed = ik_print_buf(rows) != 0;
		ik_buf_done(rows);
	}
	search->group_count = search->held = 0;
}

/* The rows of a session, which begin with its own. */
static struct ik_buf *rows_of(struct cli_session_search *search, const struct ik_session_info *info)
{
	struct group *group = search->groups;

	while (group < search->groups + search->group_count && !ik_text_equal(group->session, info->id))
		group++;
	if (group == search->groups + search->group_count) {
		memcpy(group->session, info->id, sizeof(group->session));
		ik_buf_init(&group->rows, IK_MIB(1));
		ik_cli_session_put_row(info, &group->rows);
		search->group_count++;
	}
	return &group->rows;
}

/* A place goes below its session. */
static void put_place(struct cli_session_search *search, const struct ik_session_info *info,
	const struct ik_message *message)
{
	struct ik_cli_session *cli = search->cli;
	struct ik_snippet snippet;
	char time[IK_CLOCK_TEXT];
	struct ik_buf text, *rows;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_search_text(&text, message);
	(void)ik_snippet_make(&snippet, &search->query, text.data, text.length);
	if (cli->options->json) {
		put_json(&cli->out, info, message, &snippet);
		cli->failed |= ik_print_buf(&cli->out) != 0;
		ik_buf_clear(&cli->out);
	} else {
		rows = rows_of(search, info);
		ik_clock_text(message->time_ms, time);
		ik_buf_printf(rows, "      %6" PRId64 "  %.16s  ", message->sequence, time);
		ik_buf_append(rows, snippet.line.data, snippet.line.length);
		ik_buf_putc(rows, '\n');
		if (++search->held == AT_ONCE)
			print_groups(search);
	}
	search->places++;
	ik_snippet_done(&snippet);
	ik_buf_done(&text);
}

/* How far it is, where somebody waits for it. */
static void say_progress(const char *what, int64_t done, int64_t all)
{
	if (isatty(STDERR_FILENO) != 1 || all == 0)
		return;
	(void)fprintf(stderr, "\r%s %d %%", what, (int)((done < all ? done : all) * 100 / all));
	if (done >= all)
		(void)fputs("\r\033[K", stderr);
}

static void take_page(void *arg, const struct ik_store_answer *answer)
{
	struct cli_session_search *search = arg;
	struct ik_cli_session *cli = search->cli;
	bool was_behind = search->behind, was_partly = search->partly;
	size_t i;

	search->behind = answer->indexed < answer->events;
	if (search->behind || was_behind)
		say_progress(_("Sessions are looked through for the first time:"), answer->indexed,
			answer->events);
	if (search->behind)
		return;
	search->partly = answer->more && answer->count < PAGE;
	if (search->partly || was_partly)
		say_progress(_("Searching:"), search->partly ? answer->place->looked : answer->events,
			answer->events);
	for (i = 0; i < answer->count && !cli->failed; i++)
		put_place(search, &answer->sessions[i], answer->messages[i]);
	search->place = *answer->place;
	search->more = answer->more;
}

/* All that was said on the command line, with blanks between. */
static void put_words(struct ik_buf *out, char *const *words)
{
	for (; *words; words++) {
		ik_buf_puts(out, *words);
		if (words[1])
			ik_buf_putc(out, ' ');
	}
}

enum ik_status ik_cli_session_search(struct ik_cli_session *cli)
{
	struct cli_session_search search = { .cli = cli, .behind = true };
	struct ik_awaited awaited = { .loop = cli->loop, .reader = take_page, .arg = &search };
	enum ik_status status;
	struct ik_buf words;
	bool first = true;

	ik_buf_init(&words, IK_LIMIT_USER_TEXT);
	put_words(&words, cli->options->operands);
	status = ik_search_query_read(&search.query, words.data, words.length, &cli->error);
	if (status == IK_INVALID)
		cli->failed = true;
	while (status == IK_OK && !cli->failed && (search.behind || search.more) &&
		(cli->options->all || search.places < ENOUGH)) {
		status = ik_await(&awaited,
			ik_store_search(cli->store, &search.query, NULL, first ? NULL : &search.place, PAGE,
				ik_await_answer, &awaited),
			&cli->error);
		first = search.behind;
	}
	print_groups(&search);
	if (status == IK_OK && search.places == 0)
		status = ik_error_set(&cli->error, IK_NOT_FOUND, _("Nothing in any session has \"%s\"."),
			words.data);
	else if (status == IK_OK && search.more && !cli->failed)
		ik_complain(_("There are more places: --all prints them, another word leaves some out."));
	ik_buf_done(&words);
	return status;
}
