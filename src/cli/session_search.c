#include "cli/session_verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/stored_session.h"
#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "core/print.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

#define PAGE 50     /* matches per read */
#define PRINTED 200 /* limit on matches without --all */
#define GROUPED 400 /* matches that are grouped by session before they are printed */

/* A session with its matches, newest first, as rows of text. */
struct session_matches {
	char session[IK_UUID_TEXT];
	struct ik_buf rows;
};

/* A search that is being printed. */
struct cli_session_search {
	struct ik_cli *cli;
	struct ik_search_query query;
	char *row; /* end of this page, from which the next continues; NULL: there are no more
	              matches */
	bool more;
	size_t matches;
	struct session_matches groups[GROUPED]; /* sorted by their newest match */
	size_t group_count, grouped;            /* groups and matches that are not printed yet */
};

static void put_json(struct ik_buf *out, const struct ik_session_info *info,
	const struct ik_message *message, const struct ik_snippet *snippet)
{
	char time[IK_CLOCK_TEXT];
	size_t i;

	ik_clock_text(message->time_ms, time);
	ik_json_printf(out,
		"{'session':'%s','title':'%s','directory':'%s','sequence':%lld,'kind':'%s','time':'%s',"
		"'snippet':'%.*s','marks':[",
		info->id, info->title, info->directory, (long long)message->sequence,
		ik_kind_name(message->kind), time, (int)snippet->line.length, snippet->line.data);
	for (i = 0; i < snippet->count; i++)
		ik_json_printf(out, "[%zu,%zu]", snippet->marks[i].start, snippet->marks[i].length);
	ik_json_printf(out, "]}");
	ik_buf_putc(out, '\n');
}

/* Print the groups and remove them. */
static void print_groups(struct cli_session_search *search)
{
	size_t i;

	for (i = 0; i < search->group_count; i++) {
		struct ik_buf *rows = &search->groups[i].rows;

		if (!search->cli->failed)
			ik_cli_print_buf(search->cli, rows);
		ik_buf_done(rows);
	}
	search->group_count = search->grouped = 0;
}

/* Return the rows of a session, starting with the session's own row. */
static struct ik_buf *rows_of(struct cli_session_search *search, const struct ik_session_info *info)
{
	struct session_matches *group = search->groups;

	while (group < search->groups + search->group_count && !ik_text_equal(group->session, info->id))
		group++;
	if (group == search->groups + search->group_count) {
		memcpy(group->session, info->id, sizeof(group->session));
		ik_buf_init(&group->rows, IK_MIB(1));
		ik_cli_session_put_row(search->cli, info, &group->rows);
		search->group_count++;
	}
	return &group->rows;
}

/* Print a match as JSON, or add it to the rows of its session. */
static void put_match(struct cli_session_search *search, const struct ik_session_info *info,
	const struct ik_message *message)
{
	struct ik_cli *cli = search->cli;
	struct ik_snippet snippet;
	char time[IK_CLOCK_TEXT];
	struct ik_buf text, line, *rows;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_search_text(&text, message);
	(void)ik_snippet_make(&snippet, &search->query, text.data, text.length);
	if (cli->options->json) {
		ik_buf_init(&line, IK_LIMIT_REQUEST);
		put_json(&line, info, message, &snippet);
		ik_cli_print_buf(cli, &line);
		ik_buf_done(&line);
	} else {
		rows = rows_of(search, info);
		ik_clock_text(message->time_ms, time);
		ik_buf_printf(rows, "      %6" PRId64 "  %.16s  ", message->sequence, time);
		ik_buf_append(rows, snippet.line.data, snippet.line.length);
		ik_buf_putc(rows, '\n');
		if (++search->grouped == GROUPED)
			print_groups(search);
	}
	search->matches++;
	ik_snippet_done(&snippet);
	ik_buf_done(&text);
}

static void print_page(void *arg, const struct ik_store_answer *answer)
{
	struct cli_session_search *search = arg;
	struct ik_cli *cli = search->cli;
	size_t i;

	for (i = 0; i < answer->count && !cli->failed; i++)
		put_match(search, &answer->sessions[i], answer->messages[i]);
	free(search->row);
	search->row = answer->row ? ik_strdup(answer->row) : NULL;
	search->more = answer->row;
}

/* Append the words of the command line, separated by blanks. */
static void put_words(struct ik_buf *out, char *const *words)
{
	for (; *words; words++) {
		ik_buf_puts(out, *words);
		if (words[1])
			ik_buf_putc(out, ' ');
	}
}

enum ik_status ik_cli_session_search(struct ik_cli *cli)
{
	struct cli_session_search search = { .cli = cli, .more = true };
	struct ik_awaited awaited = { .loop = cli->loop, .reader = print_page, .arg = &search };
	enum ik_status status;
	struct ik_buf words;

	ik_buf_init(&words, IK_LIMIT_USER_TEXT);
	put_words(&words, cli->options->operands);
	status = ik_search_query_read(&search.query, words.data, words.length, &cli->error);
	cli->misused = status == IK_INVALID;
	while (status == IK_OK && !cli->failed && search.more &&
		(cli->options->all || search.matches < PRINTED))
		status = ik_await(&awaited,
			ik_store_search(cli->store,
				&(struct ik_session_choice){
					.words = words.data,
					.everybody = cli->options->everybody,
				},
				search.row, PAGE, ik_await_answer, &awaited),
			&cli->error);
	print_groups(&search);
	free(search.row);
	if (status == IK_OK && search.matches == 0)
		status = ik_error_set(&cli->error, IK_NOT_FOUND, _("Nothing in any session has \"%s\"."),
			words.data);
	else if (status == IK_OK && search.more && !cli->failed)
		ik_complain(_("There are more places: --all prints them, another word leaves some out."));
	ik_buf_done(&words);
	return status;
}
