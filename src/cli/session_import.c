/*
 * session import: import a file of JSON Lines, or those of a directory, into the sessions that it
 * names.
 *
 * A fork shares the events of its parent by reference, with the same ids: the file of either has
 * the events of both, and the store has each id once. If an imported session lacks such an event,
 * it gets a copy. The copy's id is derived from the ids of session and event, so that importing the
 * file again adds nothing. The ids of its large outputs are derived in the same way: they are
 * deleted with the session that names them.
 */
#include "cli/session_verb.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/import_event.h"
#include "commands/stored_session.h"
#include "conversation/attachment.h"
#include "json/scan.h"
#include "store/lock.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/sha256.h"
#include "util/text.h"
#include "util/uuid.h"

/* Limits on what the store gets before the import waits for it. */
#define BATCH 2000
#define BATCH_BYTES IK_MIB(8)
/* Ids in one question to the store. */
#define ASKED 1000

struct import_ids {
	char (*ids)[IK_UUID_TEXT];
	size_t count;
};

/* An import in progress. It learns which events of a batch are new only when the batch is stored,
 * unless all events of the session are. */
struct session_import {
	struct ik_cli *cli;
	const char *path;
	size_t count, bytes; /* events given to the store but not stored yet */
	size_t fresh;        /* new events in the last stored batch */
	size_t all, added;
	size_t outputs; /* large outputs of which a part was stored */
	/* Each session of the file, followed by its first event there; and, sorted, those of these ids
	 * that the store has or that occur more than once. */
	struct import_ids starts, known;

	/* The session of the last event, and its first event in the file. */
	char session[IK_UUID_TEXT], first[IK_UUID_TEXT];
	bool is_new;            /* nothing of it is stored, nor of what it was forked from */
	struct ik_taken *taken; /* lock of the session; NULL if it needs none, or has none yet */
	struct import_ids ids;  /* of the session's events, including its parents', sorted */
	int64_t newest;         /* sequence of its newest event */
	bool met;               /* the file has had one of its events */
	bool probing; /* store events one by one, because the last one belonged to another session */
	bool copied;  /* the last event was stored as a copy */
};

/* ---- ids ---- */

static int compare_ids(const void *one, const void *other)
{
	return memcmp(one, other, IK_UUID_TEXT);
}

static void add_id(struct import_ids *ids, const char *id)
{
	ids->ids = ik_alloc_more(ids->ids, ids->count, sizeof(*ids->ids));
	memcpy(ids->ids[ids->count++], id, IK_UUID_TEXT);
}

static void sort_ids(struct import_ids *ids)
{
	if (ids->count > 0)
		qsort(ids->ids, ids->count, sizeof(*ids->ids), compare_ids);
}

/* Is the id among these, which are sorted? */
static bool has_id(const struct import_ids *ids, const char *id)
{
	return ids->count > 0 && bsearch(id, ids->ids, ids->count, sizeof(*ids->ids), compare_ids);
}

/* ---- the events of a session, and copies of other sessions' ---- */

static bool take_id(void *arg, struct ik_message *message)
{
	struct session_import *import = arg;

	add_id(&import->ids, message->id);
	import->newest = message->sequence;
	return true;
}

/* Make the id of a copy. */
static void copy_id(const struct session_import *import, const char *id, char out[IK_UUID_TEXT])
{
	char digest[IK_SHA256_TEXT];
	char *text = ik_format("%s %s", import->session, id);
	size_t i, from = 0;

	ik_sha256_of(text, strlen(text), digest);
	free(text);
	for (i = 0; i < IK_UUID_TEXT - 1; i++)
		out[i] = id[i] == '-' ? '-' : digest[from++];
	out[i] = '\0';
	out[14] = '8'; /* a custom UUID (RFC 9562, section 5.8) */
	out[19] = '8';
}

/* Replace an id by that of its copy. */
static void replace_id(const struct session_import *import, char *data, const char *id)
{
	char copy[IK_UUID_TEXT];

	copy_id(import, id, copy);
	for (char *place = data; (place = strstr(place, id)); place += IK_UUID_TEXT - 1)
		memcpy(place, copy, IK_UUID_TEXT - 1);
}

/* Return a copy of an event, a new message. */
static struct ik_message *copy_of(struct session_import *import, const struct ik_message *message)
{
	char *data = message->data ? ik_strndup(message->data, message->data_length) : NULL;
	char id[IK_UUID_TEXT];
	struct ik_message *copy;
	struct ik_blob blob;
	char *from = ik_json_text_new(ik_json_member(ik_message_data(message), "from"));

	copy_id(import, message->id, id);
	for (size_t i = 0; ik_message_blob_at(message, i, &blob); i++)
		replace_id(import, data, blob.id);
	/* The events before a copy are copies. */
	if (message->summarises && from && strlen(from) == IK_UUID_TEXT - 1)
		replace_id(import, data, from);
	free(from);
	copy = ik_message_stored(message->kind, id, 0, message->time_ms, message->content,
		message->content_length, data, message->data_length);
	free(data);
	return copy;
}

/* Does the session begin like this file? If not, it has events, but none of those read so far, so
 * that a copy would follow later events. */
static bool fits(const struct session_import *import)
{
	return import->ids.count == 0 || import->met;
}

/* Does the session have the event, or a copy of it? */
static bool has(struct session_import *import, const char *id)
{
	char copy[IK_UUID_TEXT];
	bool there = has_id(&import->ids, id);

	copy_id(import, id, copy);
	import->copied = !there && has_id(&import->ids, copy);
	import->met = import->met || there || import->copied;
	return there || import->copied;
}

/* ---- storing ---- */

static void on_settled(void *arg, const struct ik_store_answer *answer)
{
	(void)ik_json_integer(ik_json_member(answer->last, "sequence"), arg);
}

/* Wait until the batch is stored, count its new events (only those get a sequence), and empty
 * it. */
static enum ik_status settle(struct session_import *import)
{
	struct ik_cli *cli = import->cli;
	int64_t newest = import->newest;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_settled, .arg = &newest };
	enum ik_status status;

	if (import->bytes == 0 && import->count == 0)
		return IK_OK;
	status = ik_await(&awaited,
		ik_store_settle(cli->store, import->session, ik_await_answer, &awaited), &cli->error);
	if (status == IK_OK) {
		import->fresh = import->is_new ? import->count : (size_t)(newest - import->newest);
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

/* Fail if the session is open elsewhere. Don't lock it: a file may have any number of sessions. */
static enum ik_status check_free(struct ik_cli *cli, const char *session)
{
	struct ik_holder holder = { .pid = 0 };
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_found, .arg = &holder };
	enum ik_status status = ik_await(&awaited,
		ik_store_find(cli->store, session, ik_await_answer, &awaited), &cli->error);

	if (status != IK_OK && status != IK_NOT_FOUND)
		return status;
	return holder.pid == 0 ? IK_OK : ik_holder_refuse(&holder, &cli->error);
}

/* Switch to the session of this event, and read the ids of its events. */
static enum ik_status begin_session(struct session_import *import,
	const struct ik_import_event *first)
{
	struct ik_cli *cli = import->cli;
	const char *session = first->session, *directory = cli->setup->places.directory;
	bool is_new = !has_id(&import->known, session) && !has_id(&import->known, first->message->id);
	/* New sessions, one after another, are stored in one batch. */
	enum ik_status status = is_new && import->is_new ? IK_OK : settle(import);

	import->taken = ik_taken_close(import->taken);
	if (status != IK_OK)
		return status;
	if (import->session[0] != '\0')
		ik_store_leave(cli->store, import->session); /* the last session gets no more events */
	memcpy(import->session, session, sizeof(import->session));
	import->is_new = is_new;
	import->ids.count = 0;
	import->newest = 0;
	import->met = false;
	import->probing = !is_new;
	if (!is_new)
		status = ik_session_walk(cli->loop, cli->store, session, take_id, import, &cli->error);
	if (status != IK_OK && status != IK_NOT_FOUND)
		return status;
	sort_ids(&import->ids);
	if (import->ids.count == 0)
		ik_store_begin(cli->store, session, directory);
	else
		ik_store_continue(cli->store, session, directory, import->newest);
	return IK_OK;
}

/* Give an event to the store. A new session isn't locked, because that costs far more than an
 * event. */
static enum ik_status store_message(struct session_import *import, struct ik_message *message)
{
	struct ik_cli *cli = import->cli;
	enum ik_status status = IK_OK;

	if (!import->taken && import->ids.count > 0)
		status = ik_take_sessions(cli->loop, cli->store, &import->taken, import->session,
			&cli->error);
	if (status != IK_OK)
		return status;
	ik_store_append(cli->store, import->session, message);
	import->count++;
	import->bytes += message->content_length + message->data_length;
	return import->probing || import->count == BATCH || import->bytes > BATCH_BYTES ? settle(import)
																					: IK_OK;
}

/* Give a copy of an event to the store. */
static enum ik_status store_copy(struct session_import *import, const struct ik_message *message)
{
	struct ik_message *copy = copy_of(import, message);
	enum ik_status status = store_message(import, copy);

	ik_message_unref(copy);
	return status;
}

/* Store an event, or a copy if it belongs to another session: the parent or a fork of this one.
 * Only a session's first events can. */
static enum ik_status store_event(struct session_import *import, struct ik_message *message)
{
	bool first = !fits(import);
	enum ik_status status;

	if (has(import, message->id)) {
		/* A deleted session whose events its forks still use starts again here. */
		if (first)
			return import->copied ? store_copy(import, message) : store_message(import, message);
		import->all++;
		return IK_OK;
	}
	status = store_message(import, message);
	if (status != IK_OK || !import->probing)
		return status;
	import->probing = import->fresh == 0;
	if (!import->probing || !fits(import))
		return IK_OK;
	import->copied = true;
	import->all--; /* the event and its copy count once */
	return store_copy(import, message);
}

/* Store a part of an output. It follows its event in parts, so that its size doesn't matter. */
static enum ik_status store_part(struct session_import *import, const struct ik_import_event *part)
{
	struct ik_cli *cli = import->cli;
	char copy[IK_UUID_TEXT];
	enum ik_status status;

	import->outputs += part->part == 0;
	import->bytes += part->bytes.length;
	if (import->copied)
		copy_id(import, part->blob, copy);
	status = ik_store_put_part(cli->store, import->session, import->copied ? copy : part->blob,
		part->part, part->bytes.data, part->bytes.length, &cli->error);
	return status == IK_OK && import->bytes > BATCH_BYTES ? settle(import) : status;
}

/* Does a session begin with this event? Where files were put together, it may follow itself. */
static bool begins(struct session_import *import, const struct ik_import_event *event)
{
	if (ik_text_equal(import->session, event->session) &&
		!ik_text_equal(import->first, event->message->id))
		return false;
	memcpy(import->first, event->message->id, sizeof(import->first));
	return true;
}

/* Store the contents of a line. */
static enum ik_status store_line(struct session_import *import, const struct ik_import_event *event)
{
	enum ik_status status = IK_OK;

	if (!event->message)
		return event->blob ? store_part(import, event) : IK_OK;
	if (begins(import, event))
		status = begin_session(import, event);
	return status != IK_OK ? status : store_event(import, event->message);
}

/* ---- the file ---- */

/* Check the whole file before importing anything. */
static enum ik_status check_line(struct session_import *import, const struct ik_import_event *event)
{
	import->all += !!event->message;
	if (!event->message || !begins(import, event))
		return IK_OK;
	memcpy(import->session, event->session, sizeof(import->session));
	add_id(&import->starts, event->session);
	add_id(&import->starts, event->message->id);
	return IK_OK;
}

static void on_known(void *arg, const struct ik_store_answer *answer)
{
	struct ik_json_span ids = ik_json_member(answer->last, "known");
	char id[IK_UUID_TEXT];

	for (struct ik_json_walk walk = ik_json_walk(ids); ik_json_next(&walk);)
		if (ik_json_uuid(walk.value, id))
			add_id(arg, id);
}

/* Ask the store which of these ids it has. */
static enum ik_status ask_known(struct session_import *import, char (*ids)[IK_UUID_TEXT],
	size_t count)
{
	struct ik_cli *cli = import->cli;
	struct ik_awaited awaited = { .loop = cli->loop, .reader = on_known, .arg = &import->known };
	struct ik_buf text;
	enum ik_status status;

	ik_buf_init(&text, IK_MIB(1));
	for (size_t i = 0; i < count; i++)
		ik_buf_printf(&text, "%s%s", i > 0 ? "," : "", ids[i]);
	status = ik_await(&awaited, ik_store_known(cli->store, text.data, ik_await_answer, &awaited),
		&cli->error);
	ik_buf_done(&text);
	return status;
}

/* Find out what of the file may be stored already, and that none of its sessions is open
 * elsewhere. */
static enum ik_status check_sessions(struct session_import *import)
{
	const struct import_ids *starts = &import->starts;
	struct import_ids sorted = { .count = 0 };
	enum ik_status status = IK_OK;

	for (size_t i = 0; i < starts->count; i++)
		add_id(&sorted, starts->ids[i]);
	sort_ids(&sorted);
	for (size_t i = 0; status == IK_OK && i < sorted.count; i += ASKED)
		status = ask_known(import, &sorted.ids[i],
			sorted.count - i < ASKED ? sorted.count - i : ASKED);
	for (size_t i = 1; i < sorted.count; i++)
		if (compare_ids(sorted.ids[i - 1], sorted.ids[i]) == 0)
			add_id(&import->known, sorted.ids[i]);
	free(sorted.ids);
	sort_ids(&import->known);
	for (size_t i = 0; status == IK_OK && i < starts->count; i += 2)
		if (has_id(&import->known, starts->ids[i]))
			status = check_free(import->cli, starts->ids[i]);
	return status;
}

/* Read the file and call handle for each line. all is the number of events in the file, 0 if they
 * haven't been counted yet. */
static enum ik_status read_file(FILE *file, struct session_import *import, size_t all,
	enum ik_status (*handle)(struct session_import *import, const struct ik_import_event *event))
{
	struct ik_cli *cli = import->cli;
	enum ik_status status = IK_OK;
	struct ik_outputs outputs = { .count = 0 };
	struct ik_import_event event = { .message = NULL };
	size_t capacity = 0, number = 0, bytes = 0;
	struct stat about = { .st_size = 0 };
	char *line = NULL;
	ssize_t length;

	rewind(file);
	(void)fstat(fileno(file), &about);
	ik_buf_init(&event.bytes, IK_LIMIT_PART);
	while (status == IK_OK && (length = getline(&line, &capacity, file)) >= 0) {
		const char *problem;

		number++;
		bytes += (size_t)length;
		if (!(all > 0 ? ik_cli_progress(cli, "import", (int64_t)(import->all + import->count),
							(int64_t)all)
					  : ik_cli_progress(cli, "check", (int64_t)bytes, about.st_size)))
			status = ik_error_set(&cli->error, IK_FAILED, _("Interrupted."));
		if (strspn(line, " \t\r\n") == (size_t)length)
			continue;
		if (event.in_journal && line[length - 1] != '\n')
			break; /* its writer was killed while it wrote this */
		problem = ik_import_event_read(line, (size_t)length, &outputs, &event);
		if (status == IK_OK)
			status = problem
				? ik_error_set(&cli->error, IK_INVALID, "%s:%zu: %s", import->path, number, problem)
				: handle(import, &event);
	}
	if (status == IK_OK && ferror(file))
		status = ik_error_set(&cli->error, IK_IO, _("%s cannot be read."), import->path);
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

static enum ik_status import_file(struct ik_cli *cli, const char *path)
{
	struct session_import check = { .cli = cli, .path = path }, import = check;
	FILE *file = open_file(path, &cli->error);
	enum ik_status status;

	if (!file)
		return cli->error.status;
	status = read_file(file, &check, 0, check_line);
	cli->all = (int64_t)check.all;
	if (status == IK_OK)
		status = check_sessions(&check);
	import.known = check.known;
	if (status == IK_OK)
		status = read_file(file, &import, check.all, store_line);
	if (settle(&import) != IK_OK && status == IK_OK)
		status = cli->error.status;
	(void)fclose(file);
	free(check.starts.ids);
	free(import.known.ids);
	free(import.ids.ids);
	import.taken = ik_taken_close(import.taken);
	if (status != IK_OK)
		return status;
	ik_cli_print(cli,
		ngettext("%zu event, %zu of them new\n", "%zu events, %zu of them new\n", import.all),
		import.all, import.added);
	if (import.outputs > 0)
		ik_cli_print(cli, ngettext("%zu large output\n", "%zu large outputs\n", import.outputs),
			import.outputs);
	return IK_OK;
}

/* Import the files of a directory, such as that where an ending ikigai kept what it couldn't
 * store. */
static enum ik_status import_directory(struct ik_cli *cli, const char *directory)
{
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, NULL, alphasort);
	enum ik_status status = IK_OK;

	if (count < 0)
		return ik_error_set_errno(&cli->error, errno, _("Cannot read %s"), directory);
	for (int i = 0; i < count; i++) {
		char *path = ik_path_join(directory, entries[i]->d_name);

		if (status == IK_OK && entries[i]->d_name[0] != '.')
			status = import_file(cli, path);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

enum ik_status ik_cli_session_import(struct ik_cli *cli)
{
	const char *path = cli->options->first;
	struct stat about;

	return stat(path, &about) == 0 && S_ISDIR(about.st_mode) ? import_directory(cli, path)
															 : import_file(cli, path);
}
