/* Our own JSON Lines, back into the store: those of an export, and those of events that could not
 * be stored (store/rescue.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli_session_private.h"
#include "cli/import_event.h"
#include "cli/import_line.h"
#include "core/export_output.h"
#include "core/print.h"
#include "json/scan.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define BATCH 200 /* events that are handed to the store before their numbers are looked at */

/* Events that were handed to the store; which of them were new is known a turn later. */
struct batch {
	struct ik_message *messages[BATCH];
	size_t count;
	size_t all, added;
	size_t outputs;              /* large ones, of which there was something */
	struct ik_import_line *line; /* of the session of the last event */
	bool probing;                /* each event by itself: the one before it was another session's */
	bool copied;                 /* the last event is there as a copy */
};

/* How the store stands was told: all is stored, or it cannot be now. */
static void on_state(void *arg, size_t waiting, const char *message)
{
	struct ik_cli_session *cli = arg;

	if (waiting == 0 || message[0] != '\0')
		ik_loop_stop(cli->loop);
	if (waiting > 0 && message[0] != '\0')
		ik_error_set(&cli->error, IK_UNAVAILABLE, "%s", message);
}

/* Turn the loop until what was handed to the store is stored. */
static enum ik_status wait_stored(struct ik_cli_session *cli)
{
	enum ik_status status = IK_OK;

	if (ik_store_waiting(cli->store) == 0)
		return IK_OK;
	cli->error = (struct ik_error){ .status = IK_OK };
	ik_store_on_state(cli->store, on_state, cli);
	status = ik_loop_run(cli->loop, &cli->error);
	ik_store_on_state(cli->store, NULL, NULL);
	if (status != IK_OK || ik_store_waiting(cli->store) == 0)
		return status;
	return cli->error.status != IK_OK ? cli->error.status
									  : ik_error_set(&cli->error, IK_FAILED, _("Interrupted."));
}

/* Let the store have its turn, and count. */
static enum ik_status settle(struct ik_cli_session *cli, struct batch *batch)
{
	struct ik_awaited awaited = { .loop = cli->loop };
	enum ik_status status = ik_await(&awaited,
		ik_store_list(cli->store, 0, "", 1, ik_await_answer, &awaited), &cli->error);
	size_t i;

	if (status == IK_OK)
		status = wait_stored(cli);
	for (i = 0; i < batch->count; i++) {
		batch->added += batch->messages[i]->sequence > 0;
		ik_message_unref(batch->messages[i]);
	}
	batch->all += batch->count;
	batch->count = 0;
	return status;
}

static void on_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_holder *holder = arg;

	if (answer->status == IK_OK && answer->count == 1)
		*holder = answer->sessions[0].holder;
}

/* Does nobody have it open? A file may have any number of sessions: they are not all locked. */
static enum ik_status check_free(struct ik_cli_session *cli, const char *session)
{
	struct ik_holder holder = { .pid = 0 };
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_found, .arg = &holder };
	enum ik_status status = ik_await(&awaited,
		ik_store_find(cli->store, session, ik_await_answer, &awaited), &cli->error);
	struct ik_buf sentence;

	if (status != IK_OK && status != IK_NOT_FOUND)
		return status;
	if (holder.pid == 0)
		return IK_OK;
	ik_buf_init(&sentence, IK_KIB(4));
	ik_holder_put_sentence(&sentence, &holder);
	ik_error_set(&cli->error, IK_UNAVAILABLE, "%s", sentence.data);
	ik_buf_done(&sentence);
	return IK_UNAVAILABLE;
}

static void on_parent(void *arg, const struct ik_store_answer *answer)
{
	int64_t *count = arg;

	if (answer->status == IK_OK && answer->count == 1)
		*count = answer->sessions[0].event_count;
}

/* Begin a session that is new here: as the fork that it was, where its parent has what they share. */
static enum ik_status begin_new(struct ik_cli_session *cli, const struct ik_import_event *event)
{
	const char *directory = cli->setup->places.directory;
	int64_t count = -1;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_parent, .arg = &count };
	enum ik_status status = !event->parent
		? IK_OK
		: ik_await(&awaited, ik_store_find(cli->store, event->parent, ik_await_answer, &awaited),
			  &cli->error);

	if (status != IK_OK && status != IK_NOT_FOUND)
		return status;
	if (event->parent && count >= event->forked_at)
		ik_store_begin_fork(cli->store, event->session, directory, event->parent, event->forked_at);
	else
		ik_store_begin(cli->store, event->session, directory);
	return IK_OK;
}

/* The events from here on are this event's session's: look what it has. */
static enum ik_status begin_session(struct ik_cli_session *cli, const struct ik_import_event *event,
	struct batch *batch)
{
	const char *session = event->session;
	enum ik_status status = batch->count > 0 ? settle(cli, batch) : IK_OK;

	cli->taken = ik_taken_close(cli->taken);
	if (status != IK_OK)
		return status;
	batch->line = ik_import_line_free(batch->line);
	batch->probing = true;
	status = ik_import_line_read(cli->loop, cli->store, session, &batch->line, &cli->error);
	if (status != IK_OK)
		return status;
	if (ik_import_line_last(batch->line) == 0)
		return begin_new(cli, event);
	ik_store_continue(cli->store, session, cli->setup->places.directory,
		ik_import_line_last(batch->line));
	return IK_OK;
}

/* Hand an event to the store. */
static enum ik_status hand_over(struct ik_cli_session *cli, struct ik_message *message,
	struct batch *batch)
{
	enum ik_status status = IK_OK;

	/* One that is new is nobody's, and most are: a lock costs far more than an event. */
	if (!cli->taken && ik_import_line_last(batch->line) > 0)
		status = ik_take_sessions(cli->loop, cli->store, &cli->taken,
			ik_import_line_session(batch->line), &cli->error);
	if (status != IK_OK)
		return status;
	ik_store_append_later(cli->store, ik_import_line_session(batch->line), message);
	batch->messages[batch->count++] = ik_message_ref(message);
	return batch->probing || batch->count == BATCH ? settle(cli, batch) : IK_OK;
}

/* Hand the copy of an event to the store. */
static enum ik_status store_copy(struct ik_cli_session *cli, const struct ik_message *message,
	struct batch *batch)
{
	struct ik_message *copy = ik_import_line_copy(batch->line, message, &cli->error);
	enum ik_status status;

	if (!copy)
		return cli->error.status;
	status = hand_over(cli, copy, batch);
	ik_message_unref(copy);
	return status;
}

/* Store an event; where it is another session's, a copy. Only the first events of a session can be
 * another's, from which it was forked, or which was forked from it. */
static enum ik_status store_event(struct ik_cli_session *cli, struct ik_message *message,
	struct batch *batch)
{
	bool first = !ik_import_line_fits(batch->line);
	enum ik_status status;

	if (ik_import_line_has(batch->line, message->id, &batch->copied)) {
		/* One that was deleted, but kept for its forks, comes back with an event of its own. */
		if (first)
			return batch->copied ? store_copy(cli, message, batch) : hand_over(cli, message, batch);
		batch->all++;
		return IK_OK;
	}
	status = hand_over(cli, message, batch);
	if (status != IK_OK || !batch->probing)
		return status;
	batch->probing = message->sequence == 0;
	if (!batch->probing || !ik_import_line_fits(batch->line))
		return IK_OK;
	batch->copied = true;
	batch->all--; /* it is one event */
	return store_copy(cli, message, batch);
}

/* Store what a line holds. */
static enum ik_status store_line(struct ik_cli_session *cli, const struct ik_import_event *event,
	struct batch *batch)
{
	struct ik_awaited awaited = { .loop = cli->loop };
	enum ik_status status = IK_OK;
	char copy[IK_UUID_TEXT];

	/* Behind its event, a part at a time: a text of any length takes no memory. */
	if (!event->message) {
		batch->outputs += event->part == 0;
		if (batch->copied)
			status = ik_import_line_copy_id(batch->line, event->blob, copy, &cli->error);
		return status != IK_OK
			? status
			: ik_await(&awaited,
				  ik_store_write_part(cli->store, batch->copied ? copy : event->blob, event->part,
					  event->bytes.data, event->bytes.length, ik_await_answer, &awaited),
				  &cli->error);
	}
	if (!batch->line || !ik_text_equal(ik_import_line_session(batch->line), event->session))
		status = begin_session(cli, event, batch);
	return status != IK_OK ? status : store_event(cli, event->message, batch);
}

/* Go through the file; batch NULL: only look whether all is right. */
static enum ik_status read_file(struct ik_cli_session *cli, FILE *file, struct batch *batch)
{
	enum ik_status status = IK_OK;
	struct ik_outputs outputs = { .count = 0 };
	struct ik_import_event event = { .session = NULL };
	char checked[IK_UUID_TEXT] = ""; /* while looking: the session of the last event */
	size_t capacity = 0, number = 0;
	char *line = NULL;
	ssize_t length;

	rewind(file);
	ik_buf_init(&event.bytes, IK_LIMIT_PART);
	while (status == IK_OK && (length = getline(&line, &capacity, file)) >= 0) {
		const char *problem;

		number++;
		if (strspn(line, " \t\r\n") == (size_t)length)
			continue;
		problem = ik_import_event_read(line, (size_t)length, &outputs, &event);
		if (problem)
			status = ik_error_set(&cli->error, IK_INVALID, "%s:%zu: %s", cli->options->first,
				number, problem);
		else if (!event.message && event.bytes.length == 0)
			continue;
		else if (batch)
			status = store_line(cli, &event, batch);
		else if (event.message && !ik_text_equal(event.session, checked)) {
			memcpy(checked, event.session, sizeof(checked));
			status = check_free(cli, checked);
		}
	}
	if (status == IK_OK && ferror(file))
		status = ik_error_set(&cli->error, IK_IO, _("%s cannot be read."), cli->options->first);
	free(line);
	ik_import_event_clear(&event);
	ik_buf_done(&event.bytes);
	return status;
}

/* Open the file; NULL: the error says why not. A pipe would be empty the second time. */
static FILE *open_file(const char *path, struct ik_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;
	FILE *file = NULL;

	if (fd < 0 || fstat(fd, &status) != 0)
		(void)ik_error_set_errno(error, errno, _("Cannot read %s"), path);
	else if (!S_ISREG(status.st_mode))
		(void)ik_error_set(error, IK_INVALID,
			_("%s is no regular file and cannot be read twice: "
			  "keep what it gives in a file, and import that."),
			path);
	else if (!(file = fdopen(fd, "r")))
		(void)ik_error_set_errno(error, errno, _("Cannot read %s"), path);
	if (!file && fd >= 0)
		(void)close(fd);
	return file;
}

enum ik_status ik_cli_session_import(struct ik_cli_session *cli)
{
	struct batch batch = { .count = 0 };
	FILE *file = open_file(cli->options->first, &cli->error);
	enum ik_status status;

	if (!file)
		return cli->error.status;
	/* Nothing of a file is taken before all of it is known to be right. */
	status = read_file(cli, file, NULL);
	if (status == IK_OK)
		status = read_file(cli, file, &batch);
	if (batch.count > 0 && settle(cli, &batch) != IK_OK && status == IK_OK)
		status = cli->error.status;
	(void)fclose(file);
	batch.line = ik_import_line_free(batch.line);
	if (status != IK_OK)
		return status;
	ik_buf_printf(&cli->out,
		ngettext("%zu event, %zu of them new\n", "%zu events, %zu of them new\n", batch.all),
		batch.all, batch.added);
	if (batch.outputs > 0)
		ik_buf_printf(&cli->out,
			ngettext("%zu large output\n", "%zu large outputs\n", batch.outputs), batch.outputs);
	cli->failed |= ik_print_buf(&cli->out) != 0;
	return IK_OK;
}
