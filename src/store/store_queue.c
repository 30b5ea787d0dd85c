#include "store/store_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/rescue.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

/* A file of events that an earlier process could not store. */
struct ik_taken_file {
	struct ik_taken_file *next;
	char *path;
	size_t count, left; /* its events; those that are still in the queue */
	bool spoilt;        /* one of them can never be stored: it has to stay */
};

struct ik_store_session *ik_store_session(struct ik_store *store, struct ik_taken_file *file,
	const char *id, const char *directory, int64_t created_ms)
{
	struct ik_store_session *session;

	for (session = store->sessions; session; session = session->next) {
		if (session->file == file && strcmp(session->id, id) == 0)
			return session;
	}
	session = ik_alloc(sizeof(*session));
	memcpy(session->id, id, strnlen(id, sizeof(session->id) - 1));
	session->file = file;
	session->directory = ik_strdup(directory);
	session->created_ms = created_ms;
	session->next = store->sessions;
	store->sessions = session;
	return session;
}

static struct ik_record *make_record(struct ik_store_session *session, struct ik_message *message)
{
	struct ik_record *record = ik_alloc(sizeof(*record));

	record->session = session;
	record->message = message;
	return record;
}

void ik_store_enqueue(struct ik_store *store, struct ik_store_session *session,
	struct ik_message *message)
{
	struct ik_record *record = make_record(session, ik_message_ref(message));

	*store->end = record;
	store->end = &record->next;
	store->waiting++;
}

/* All events of a file are out of the queue: let it go. */
static void finish_file(struct ik_store *store, struct ik_taken_file *file)
{
	struct ik_taken_file **link;
	struct ik_store_session **session = &store->sessions;

	if (!file->spoilt && remove(file->path) == 0) {
		char *sentence = ik_format(ngettext(
			"%zu event that an earlier run could not store is stored now.",
			"%zu events that an earlier run could not store are stored now.",
			file->count), file->count);

		ik_store_add_notice(store, sentence);
		free(sentence);
	}
	while (*session) {
		struct ik_store_session *gone = *session;

		if (gone->file != file) {
			session = &gone->next;
			continue;
		}
		*session = gone->next;
		free(gone->directory);
		free(gone);
	}
	for (link = &store->files; *link != file; link = &(*link)->next)
		;
	*link = file->next;
	free(file->path);
	free(file);
}

void ik_store_dequeue(struct ik_store *store, bool stored)
{
	struct ik_record *record = store->first;
	struct ik_taken_file *file = record->session->file;

	store->first = record->next;
	if (!store->first)
		store->end = &store->first;
	store->waiting--;
	ik_message_unref(record->message);
	free(record);
	if (!file)
		return;
	file->spoilt = file->spoilt || !stored;
	if (--file->left == 0)
		finish_file(store, file);
}

/* ---- files of earlier processes ---- */

/* A file that is being read. */
struct taking {
	struct ik_store *store;
	struct ik_taken_file *file;
	struct ik_record *first, **end;
};

static struct ik_store_session *taken_session(void *arg, const char *id, const char *directory,
	int64_t created_ms)
{
	struct taking *taking = arg;

	return ik_store_session(taking->store, taking->file, id, directory, created_ms);
}

static void taken_record(void *arg, struct ik_store_session *session, struct ik_message *message)
{
	struct taking *taking = arg;

	*taking->end = make_record(session, message);
	taking->end = &(*taking->end)->next;
	taking->file->count++;
}

/* Put the events of one file in at *where; where those of the next one go. */
static struct ik_record **take_in(struct ik_store *store, const char *path,
	struct ik_record **where)
{
	static const struct ik_rescue_reader reader = { taken_session, taken_record };
	struct taking taking = { .store = store };
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	taking.file = ik_alloc(sizeof(*taking.file));
	taking.file->path = ik_strdup(path);
	taking.file->next = store->files;
	store->files = taking.file;
	taking.end = &taking.first;
	status = ik_rescue_read(path, &reader, &taking, &error);
	if (status != IK_OK) {
		ik_log(IK_LOG_ERROR, "store: %s was not taken in: %s", path, error.text);
		taking.file->spoilt = true;
	}
	taking.file->left = taking.file->count;
	if (taking.file->count == 0) {
		finish_file(store, taking.file);
		return where;
	}
	store->waiting += taking.file->count;
	*taking.end = *where;
	if (!*where)
		store->end = taking.end;
	*where = taking.first;
	return taking.end;
}

void ik_store_take_files(struct ik_store *store)
{
	struct ik_record **where = &store->first;
	char **paths;
	size_t i;

	if (store->files_taken)
		return;
	store->files_taken = true;
	paths = ik_rescue_find(store->path);
	for (i = 0; paths && paths[i]; i++)
		where = take_in(store, paths[i], where);
	ik_rescue_find_free(paths);
}

void ik_store_leave_files(struct ik_store *store)
{
	while (store->first && store->first->session->file)
		ik_store_dequeue(store, false);
}

void ik_store_queue_done(struct ik_store *store)
{
	while (store->first)
		ik_store_dequeue(store, false);
	while (store->sessions) {
		struct ik_store_session *session = store->sessions;

		store->sessions = session->next;
		free(session->directory);
		free(session);
	}
}
