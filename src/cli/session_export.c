#include "cli/session_verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/stored_session.h"
#include "core/export.h"
#include "core/export_output.h"
#include "core/print.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/sanitize.h"
#include "util/text.h"

/* An export in progress, to standard output. */
struct session_export {
	struct ik_cli *cli;
	const char *session;
	bool json;
	struct ik_buf out;         /* not printed yet */
	struct ik_outputs outputs; /* large outputs of the current message */
	size_t missing;            /* incomplete outputs of all messages */
	enum ik_status status;
};

static bool flush(struct session_export *export)
{
	ik_cli_print_buf(export->cli, &export->out);
	return !export->cli->failed;
}

static void put_part(void *arg, const struct ik_store_answer *answer)
{
	struct session_export *export = arg;

	export->missing += !ik_outputs_put(&export->outputs, answer->bytes, answer->length,
		&export->out);
}

/* Append the large outputs of a message, one part at a time. */
static bool export_outputs(struct session_export *export, const struct ik_message *message)
{
	struct ik_cli *cli = export->cli;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = put_part, .arg = export };
	struct ik_store_read *read;

	ik_outputs_begin(&export->outputs, message);
	while (export->status == IK_OK && !cli->failed &&
		(read = ik_outputs_ask(&export->outputs, cli->store, ik_await_answer, &awaited))) {
		export->status = ik_await(&awaited, read, &cli->error);
		if (export->status == IK_NOT_FOUND) {
			export->missing++;
			ik_outputs_skip(&export->outputs);
			export->status = IK_OK;
		}
		(void)flush(export);
	}
	return export->status == IK_OK && !cli->failed;
}

static bool export_one(void *arg, struct ik_message *message)
{
	struct session_export *export = arg;

	if (!ik_cli_progress(export->cli, "export", export->cli->done++, export->cli->all))
		return false;
	if (!export->json) {
		ik_export_markdown(&export->out, message);
	} else {
		ik_export_json(&export->out, export->session, message);
		if (!export_outputs(export, message))
			return false;
	}
	return export->out.length < IK_KIB(64) || flush(export);
}

static enum ik_status export_all(struct session_export *export)
{
	struct ik_cli *cli = export->cli;
	enum ik_status status = ik_session_walk(cli->loop, cli->store, export->session, export_one,
		export, &cli->error);

	(void)flush(export);
	if (export->missing > 0) {
		char *sentence = ik_outputs_missing(export->missing);

		ik_cli_erase(cli);
		ik_complain(sentence);
		free(sentence);
	}
	if (cli->signal != 0)
		return IK_FAILED;
	return status != IK_OK ? status : export->status;
}

/* Append a session's properties: as a line of JSON, or as a heading and a list. */
static void put_head(const struct ik_session_info *info, bool json, struct ik_buf *out)
{
	char created[IK_CLOCK_TEXT], updated[IK_CLOCK_TEXT];
	const char *title = info->title[0] != '\0' ? info->title : _("without a title");

	if (json) {
		ik_cli_session_put_json(info, out);
		return;
	}
	ik_clock_text(info->created_ms, created);
	ik_clock_text(info->updated_ms, updated);
	ik_buf_puts(out, "# ");
	ik_sanitize_line(out, title, strlen(title));
	ik_buf_printf(out, "\n\n- %s %s\n- %s ", _("Session:"), info->id, _("Directory:"));
	ik_sanitize_line(out, info->directory, strlen(info->directory));
	ik_buf_printf(out, "\n- %s %s\n- %s %s\n- %s %" PRId64 "\n\n", _("Begun:"), created,
		_("Last used:"), updated, _("Messages:"), info->event_count);
}

static enum ik_status export_session(struct ik_cli *cli, const struct ik_session_info *info,
	bool with_head, bool json)
{
	struct session_export export = { .cli = cli, .json = json, .session = info->id };
	enum ik_status status;

	ik_buf_init(&export.out, IK_LIMIT_REQUEST);
	if (with_head)
		put_head(info, json, &export.out);
	status = export_all(&export);
	ik_buf_done(&export.out);
	return status;
}

static enum ik_status export_found(struct ik_cli *cli, bool with_head, bool json)
{
	struct ik_session_info info;
	enum ik_status status = ik_cli_session_find(cli, &info);

	if (status != IK_OK)
		return status;
	cli->all = info.event_count;
	status = export_session(cli, &info, with_head, json);
	free(info.title);
	free(info.directory);
	return status;
}

/* ---- all sessions ---- */

struct session_infos {
	struct ik_session_info *items;
	size_t count;
	int64_t events; /* number of events in all sessions */
};

static bool keep_info(void *arg, const struct ik_session_info *info)
{
	struct session_infos *infos = arg;
	struct ik_session_info *kept;

	infos->items = ik_alloc_more(infos->items, infos->count, sizeof(*infos->items));
	kept = &infos->items[infos->count++];
	*kept = *info;
	kept->title = ik_strdup(info->title);
	kept->directory = ik_strdup(info->directory);
	infos->events += info->event_count;
	return true;
}

/* Sort by id, which means by age: a fork follows its parent, so that import finds the events they
 * share in the parent. */
static int compare_infos(const void *one, const void *other)
{
	return strcmp(((const struct ik_session_info *)one)->id,
		((const struct ik_session_info *)other)->id);
}

static enum ik_status export_every(struct ik_cli *cli, bool json)
{
	struct session_infos infos = { .count = 0 };
	enum ik_status status = ik_cli_session_each(cli, keep_info, &infos);

	cli->all = infos.events;
	if (infos.count > 0)
		qsort(infos.items, infos.count, sizeof(*infos.items), compare_infos);
	for (size_t i = 0; i < infos.count; i++) {
		if (status == IK_OK && !cli->failed)
			status = export_session(cli, &infos.items[i], !json, json);
		if (status == IK_NOT_FOUND) /* deleted meanwhile */
			status = IK_OK;
		free(infos.items[i].title);
		free(infos.items[i].directory);
	}
	free(infos.items);
	return status;
}

enum ik_status ik_cli_session_show(struct ik_cli *cli)
{
	return export_found(cli, true, cli->options->json);
}

enum ik_status ik_cli_session_export(struct ik_cli *cli)
{
	const char *format = cli->options->format ? cli->options->format : "jsonl";
	bool json = ik_text_equal(format, "jsonl");

	if (!json && !ik_text_equal(format, "markdown"))
		return ik_cli_session_misused(cli, _("--format is jsonl or markdown"));
	if (cli->options->all == !!cli->options->first)
		return ik_cli_session_misused(cli, _("session export needs either a session or --all"));
	return cli->options->all ? export_every(cli, json) : export_found(cli, false, json);
}
