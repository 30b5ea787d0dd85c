#include "cli/session_verb.h"

#include <stdlib.h>
#include <string.h>

#include "commands/session_find.h"
#include "core/print.h"
#include "util/alloc.h"
#include "util/text.h"

void ik_cli_session_print(struct ik_session_verb *cli, struct ik_buf *out)
{
	cli->print_failed |= ik_print_buf(out) != 0;
	ik_buf_clear(out);
}

void ik_cli_session_tell(struct ik_session_verb *cli, char *sentence)
{
	cli->print_failed |= ik_print(sentence, strlen(sentence)) != 0;
	free(sentence);
}

void ik_cli_session_complain(char *sentence)
{
	ik_complain(sentence);
	free(sentence);
}

enum ik_status ik_cli_session_misused(struct ik_session_verb *cli, const char *sentence)
{
	cli->usage_error = true;
	return ik_error_set(&cli->error, IK_INVALID, "%s", sentence);
}

struct session_search_by_name {
	struct ik_session_verb *cli;
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

enum ik_status ik_cli_session_find(struct ik_session_verb *cli, struct ik_session_info *ret_info)
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
