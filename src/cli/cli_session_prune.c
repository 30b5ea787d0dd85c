/* Sessions that nobody has used for long, deleted together. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli_session_private.h"
#include "commands/session_taken.h"
#include "core/print.h"
#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

#define DAY_MS (24 * 60 * 60 * INT64_C(1000))
#define MOST_DAYS 36500

/* Keep and show one that is old enough. */
static enum ik_status take(struct ik_cli_session *cli, const struct ik_session_info *info)
{
	if (info->updated_ms >= cli->limit_ms)
		return IK_OK;
	cli->old = ik_alloc_array(cli->old, cli->count + 1, sizeof(*cli->old));
	memcpy(cli->old[cli->count], info->id, sizeof(*cli->old));
	ik_cli_session_print_row(cli, info); /* which counts it */
	return IK_OK;
}

/* Print a sentence, which is released. */
static void tell(struct ik_cli_session *cli, char *sentence)
{
	cli->failed |= ik_print(sentence, strlen(sentence)) != 0;
	free(sentence);
}

/* Delete them; where one cannot be now (it may be open), the others are all the same; the last reason
 * is told. */
static enum ik_status delete_all(struct ik_cli_session *cli)
{
	struct ik_awaited awaited = { .loop = cli->loop };
	enum ik_status worst = IK_OK;
	size_t deleted = 0, i;

	for (i = 0; i < cli->count && cli->signal == 0; i++) {
		enum ik_status status = ik_take_sessions(cli->loop, cli->store, &cli->taken, cli->old[i],
			&cli->error);

		if (status == IK_OK)
			status = ik_await(&awaited,
				ik_store_delete(cli->store, cli->old[i], ik_await_answer, &awaited), &cli->error);
		if (status == IK_OK)
			ik_undo_session_deleted(&cli->setup->places, cli->old[i]);
		cli->taken = ik_taken_close(cli->taken);
		deleted += status == IK_OK;
		worst = status != IK_OK ? status : worst;
	}
	tell(cli,
		ik_format(ngettext("%zu session is deleted.\n", "%zu sessions are deleted.\n", deleted),
			deleted));
	return worst;
}

enum ik_status ik_cli_session_prune(struct ik_cli_session *cli)
{
	const char *text = cli->options->older_than;
	enum ik_status status;
	char *end, *question;
	long days = strtol(text, &end, 10);

	if (*end != '\0' || end == text || days < 1 || days > MOST_DAYS) {
		cli->failed = true;
		return ik_error_set(&cli->error, IK_INVALID,
			_("--older-than takes a number of days, 1 to %d"), MOST_DAYS);
	}
	cli->limit_ms = ik_clock_wall_ms() - days * DAY_MS;
	status = ik_cli_session_each(cli, take);
	if (status != IK_OK)
		return status;
	if (cli->count == 0 || cli->options->dry_run) {
		tell(cli,
			ik_format(ngettext("%zu session would be deleted.\n",
						  "%zu sessions would be deleted.\n", cli->count),
				cli->count));
		return IK_OK;
	}
	question = ik_format(ngettext("Delete this %zu session for good? [y/N] ",
							 "Delete these %zu sessions for good? [y/N] ", cli->count),
		cli->count);
	status = ik_cli_session_agree(cli, question);
	free(question);
	return status == IK_OK ? delete_all(cli) : status;
}
