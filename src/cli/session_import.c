#include "cli/session_verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/import_event.h"
#include "cli/import_line.h"
#include "commands/session_taken.h"
#include "commands/session_walk.h"
#include "core/export_output.h"
#include "core/print.h"
#include "json/scan.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* What is given to the store before it is waited for. */
#define BATCH 2000
#define BATCH_BYTES IK_MIB(8)

/* An import in progress. Which of a batch's events are new is known only when it is stored. */
struct session_import {
	size_t count, bytes; /* given to the store, and not stored yet */
	size_t fresh;        /* of the last batch that was stored, those that were new */
	int64_t newest;      /* number of the session's newest event */
	size_t all, added;
	size_t outputs;              /* large outputs of which a part was stored */
	struct ik_import_line *line; /* of the session of the last event */
	struct ik_taken *taken;      /* the lock of that session */
	bool probing; /* check events one by one: the last one belonged to another session */
	bool copied;  /* the last event was stored as a copy */
};

static void on_settled(void *arg, const struct ik_store_answer *answer)
{
	(void)ik_json_integer(ik_json_member(answer->last, "sequence"), arg);
}

/* Have the batch stored, count its new events, and empty it: each of them got a number. */
static enum ik_status settle(struct ik_session_verb *cli, struct session_import *import)
{
	int64_t newest = import->newest;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_settled, .arg = &newest };
	struct ik_store_read *read = ik_store_settle(cli->store, ik_import_line_session(import->line),
		ik_await_answer, &awaited);
	enum ik_status status = read ? ik_await(&awaited, read, &cli->error) : IK_OK;

	if (status == IK_OK) {
		import->fresh = (size_t)(newest - import->newest);
		import->added += import->fresh;
		import->newest = newest;
	}
	import->all += import->count;
	import->count = import->bytes = 0;
	return status;
}

static void on_found(void *arg, const struct ik_store_answer *answer)
{
	struct ik_holder *holder = arg;

	if (answer->status == IK_OK && answer->count == 1)
		*holder = answer->sessions[0].holder;
}

/* Fail if the session is open elsewhere. A file may have any number of sessions, so they are not
 * all locked. */
static enum ik_status check_free(struct ik_session_verb *cli, const char *session)
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

/* Begin a session that is new here: as a fork again, if its parent has the events that they
 * share. */
static enum ik_status begin_new(struct ik_session_verb *cli, const struct ik_import_event *event,
	struct session_import *import)
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
	if (event->parent && count >= event->forked_at) {
		ik_store_begin_fork(cli->store, event->session, directory, event->parent, event->forked_at);
		import->newest = event->forked_at;
	} else {
		ik_store_begin(cli->store, event->session, directory);
	}
	return IK_OK;
}

/* The session of the last event gets no more. */
static void leave(struct ik_session_verb *cli, const struct session_import *import)
{
	if (import->line)
		ik_store_leave(cli->store, ik_import_line_session(import->line));
}

/* Switch to the session of this event, and read which events it has. */
static enum ik_status begin_session(struct ik_session_verb *cli,
	const struct ik_import_event *event, struct session_import *import)
{
	const char *session = event->session;
	enum ik_status status = import->line ? settle(cli, import) : IK_OK;

	import->taken = ik_taken_close(import->taken);
	if (status != IK_OK)
		return status;
	leave(cli, import);
	import->line = ik_import_line_free(import->line);
	import->probing = true;
	status = ik_import_line_read(cli->loop, cli->store, session, &import->line, &cli->error);
	if (status != IK_OK)
		return status;
	import->newest = ik_import_line_last(import->line);
	if (import->newest == 0)
		return begin_new(cli, event, import);
	ik_store_continue(cli->store, session, cli->setup->places.directory,
		ik_import_line_last(import->line));
	return IK_OK;
}

/* Give an event to the store. */
static enum ik_status store_message(struct ik_session_verb *cli, struct ik_message *message,
	struct session_import *import)
{
	enum ik_status status = IK_OK;

	/* A new session needs no lock, which costs far more than an event. */
	if (!import->taken && ik_import_line_last(import->line) > 0)
		status = ik_take_sessions(cli->loop, cli->store, &import->taken,
			ik_import_line_session(import->line), &cli->error);
	if (status != IK_OK)
		return status;
	ik_store_append(cli->store, ik_import_line_session(import->line), message);
	import->count++;
	import->bytes += message->content_length + message->data_length;
	return import->probing || import->count == BATCH || import->bytes > BATCH_BYTES
		? settle(cli, import)
		: IK_OK;
}

/* Give a copy of an event to the store. */
static enum ik_status store_copy(struct ik_session_verb *cli, const struct ik_message *message,
	struct session_import *import)
{
	struct ik_message *copy = ik_import_line_copy(import->line, message, &cli->error);
	enum ik_status status;

	if (!copy)
		return cli->error.status;
	status = store_message(cli, copy, import);
	ik_message_unref(copy);
	return status;
}

/* Store an event, or a copy if it belongs to another session. Only the first events of a session
 * can belong to another one: its parent, or a fork of it. */
static enum ik_status store_event(struct ik_session_verb *cli, struct ik_message *message,
	struct session_import *import)
{
	bool first = !ik_import_line_fits(import->line);
	enum ik_status status;

	if (ik_import_line_has(import->line, message->id, &import->copied)) {
		/* A session that was deleted, but whose events its forks keep, begins again here. */
		if (first)
			return import->copied ? store_copy(cli, message, import)
								  : store_message(cli, message, import);
		import->all++;
		return IK_OK;
	}
	status = store_message(cli, message, import);
	if (status != IK_OK || !import->probing)
		return status;
	import->probing = import->fresh == 0;
	if (!import->probing || !ik_import_line_fits(import->line))
		return IK_OK;
	import->copied = true;
	import->all--; /* the event and its copy count once */
	return store_copy(cli, message, import);
}

/* Store the event or the part of an output that a line holds. */
static enum ik_status store_line(struct ik_session_verb *cli, const struct ik_import_event *event,
	struct session_import *import)
{
	enum ik_status status = IK_OK;
	char copy[IK_UUID_TEXT];

	/* An output follows its event in parts, so that its size doesn't matter. */
	if (!event->message) {
		import->outputs += event->part == 0;
		if (import->copied)
			status = ik_import_line_copy_id(import->line, event->blob, copy, &cli->error);
		import->bytes += event->bytes.length;
		if (status == IK_OK)
			status = ik_store_put_part(cli->store, ik_import_line_session(import->line),
				import->copied ? copy : event->blob, event->part, event->bytes.data,
				event->bytes.length, &cli->error);
		return status == IK_OK && import->bytes > BATCH_BYTES ? settle(cli, import) : status;
	}
	if (!import->line || !ik_text_equal(ik_import_line_session(import->line), event->session))
		status = begin_session(cli, event, import);
	return status != IK_OK ? status : store_event(cli, event->message, import);
}

/* Read the file and import each line; if import is NULL, only check the lines. */
static enum ik_status read_file(struct ik_session_verb *cli, FILE *file,
	struct session_import *import)
{
	enum ik_status status = IK_OK;
	struct ik_outputs outputs = { .count = 0 };
	struct ik_import_event event = { .session = NULL };
	char checked[IK_UUID_TEXT] = ""; /* the session that was checked last */
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
		else if (import)
			status = store_line(cli, &event, import);
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

/* Open the file, or return NULL with an error. A pipe can't be read twice. */
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

enum ik_status ik_cli_session_import(struct ik_session_verb *cli)
{
	struct session_import import = { .count = 0 };
	struct ik_buf out;
	FILE *file = open_file(cli->options->first, &cli->error);
	enum ik_status status;

	if (!file)
		return cli->error.status;
	/* Check the whole file before anything is imported. */
	status = read_file(cli, file, NULL);
	if (status == IK_OK)
		status = read_file(cli, file, &import);
	if (import.line && settle(cli, &import) != IK_OK && status == IK_OK)
		status = cli->error.status;
	(void)fclose(file);
	import.line = ik_import_line_free(import.line);
	import.taken = ik_taken_close(import.taken);
	if (status != IK_OK)
		return status;
	ik_buf_init(&out, IK_KIB(4));
	ik_buf_printf(&out,
		ngettext("%zu event, %zu of them new\n", "%zu events, %zu of them new\n", import.all),
		import.all, import.added);
	if (import.outputs > 0)
		ik_buf_printf(&out, ngettext("%zu large output\n", "%zu large outputs\n", import.outputs),
			import.outputs);
	ik_cli_session_print(cli, &out);
	ik_buf_done(&out);
	return IK_OK;
}
