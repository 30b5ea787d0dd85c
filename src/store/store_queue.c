#include "store/store_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/lock_private.h"
#include "store/rescue.h"
#include "store/spool.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* More files in TMPDIR are not told of at one start. */
#define MOST_TOLD 8

/* A file of events that an earlier process could not store. */
struct ik_taken_file {
	struct ik_taken_file *next;
	char *path;
	int fd;                    /* locked: nobody else takes it in */
	char writer[IK_UUID_TEXT]; /* the process, as a holder of locks; "": not known */
	size_t count, left;        /* its events; those that are still in the queue */
	bool spoilt;               /* one of them can never be stored: it has to stay */
	bool begun; /* they are of a reply that was on its way: nothing is told of them */
};

struct ik_store_session *ik_store_session(struct ik_store *store, struct ik_taken_file *file,
	const char *id)
{
	struct ik_store_session *session;

	for (session = store->sessions; session; session = session->next) {
		if (session->file == file &&
			(ik_text_equal(session->id, id) || ik_text_equal(session->stored_as, id)))
			break;
	}
	return session;
}

struct ik_store_session *ik_store_session_add(struct ik_store *store, struct ik_taken_file *file,
	const char *id, const char *directory, int64_t created_ms, int64_t known)
{
	struct ik_store_session *session = ik_alloc(sizeof(*session));

	memcpy(session->id, id, strnlen(id, sizeof(session->id) - 1));
	memcpy(session->stored_as, session->id, sizeof(session->id));
	session->file = file;
	if (file)
		memcpy(session->writer, file->writer, sizeof(session->writer));
	else if (store->backend)
		memcpy(session->writer, store->backend->process, sizeof(session->writer));
	session->directory = ik_strdup(directory);
	session->created_ms = created_ms;
	session->known = known;
	session->told_forks = known == 0 ? 0 : file ? -1 : ik_locks_late_forks(store, session->id);
	session->late_forks = session->told_forks > 0 ? session->told_forks : 0;
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

struct ik_record *ik_store_enqueue(struct ik_store *store, struct ik_store_session *session,
	struct ik_message *message)
{
	struct ik_record *record = make_record(session, ik_message_ref(message));

	*store->end = record;
	store->end = &record->next;
	store->waiting++;
	return record;
}

/* The ids of a file's sessions with commas between, in new memory. */
static char *ids_of(const struct ik_store *store, const struct ik_taken_file *file)
{
	const struct ik_store_session *session;
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(4));
	for (session = store->sessions; session; session = session->next) {
		if (session->file == file)
			ik_buf_printf(&out, "%s%s", out.length > 0 ? ", " : "", session->stored_as);
	}
	return ik_buf_take(&out, NULL);
}

/* All events of a file are out of the queue: let it go. */
static void finish_file(struct ik_store *store, struct ik_taken_file *file)
{
	struct ik_taken_file **link;
	struct ik_store_session **session = &store->sessions;

	if (!file->spoilt && remove(file->path) == 0 && file->count > 0 && !file->begun) {
		char *ids = ids_of(store, file), *sentence;

		sentence = ik_format(ngettext("%zu event that an earlier run could not store is stored "
									  "now, in session %s.",
								 "%zu events that an earlier run could not store are stored now, "
								 "in session %s.",
								 file->count),
			file->count, ids);
		ik_store_add_notice(store, sentence);
		free(sentence);
		free(ids);
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
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->path);
	free(file);
}

/* An event of an earlier process leaves the queue: who goes on with its session here knows of it,
 * where it was handed out. */
static void count_for_own(struct ik_store *store, const struct ik_record *record, bool stored)
{
	struct ik_store_session *own = record->given
		? ik_store_session(store, NULL, record->session->stored_as)
		: NULL;

	if (!own)
		return;
	own->behind--;
	if (stored && own->known == record->message->sequence - 1)
		own->known++;
}

size_t ik_store_waiting(const struct ik_store *store)
{
	return store->waiting;
}

bool ik_store_is_kept(const struct ik_store *store)
{
	return (store->spool && !store->spool_told) || !store->first;
}

void ik_store_dequeue(struct ik_store *store, bool stored)
{
	struct ik_record *record = store->first;
	struct ik_taken_file *file = record->session->file;

	count_for_own(store, record, stored);
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
	bool forged; /* perhaps, by a tool */
	struct ik_taken_file *file;
	struct ik_record *first, **end;
};

static void taken_writer(void *arg, const char *id)
{
	struct taking *taking = arg;

	memcpy(taking->file->writer, id, sizeof(taking->file->writer));
}

static void taken_begun(void *arg)
{
	struct taking *taking = arg;

	taking->file->begun = true;
}

static struct ik_store_session *taken_session(void *arg, const struct ik_store_session *said)
{
	struct taking *taking = arg;
	struct ik_store_session *session = ik_store_session(taking->store, taking->file, said->id);

	/* Its first line knows where it begins. */
	if (!session)
		session = ik_store_session_add(taking->store, taking->file, said->id, said->directory,
			said->created_ms, said->known);
	if (said->parent[0] && !ik_text_equal(session->stored_as, said->stored_as)) {
		memcpy(session->stored_as, said->stored_as, sizeof(session->stored_as));
		memcpy(session->parent, said->parent, sizeof(session->parent));
		session->forked_at = session->known = said->forked_at;
		session->chosen = said->chosen;
	}
	return session;
}

static void taken_record(void *arg, struct ik_store_session *session, struct ik_message *message)
{
	struct taking *taking = arg;

	/* It tells the model what to do: a tool could only begin a session with one. */
	if (message->kind == IK_KIND_SYSTEM && session->known != 0 && taking->forged) {
		struct ik_message *notice = ik_message_system_notice(message);

		ik_message_unref(message);
		message = notice;
	}
	*taking->end = make_record(session, message);
	taking->end = &(*taking->end)->next;
	taking->file->count++;
}

/* Put the events of one file in at *where; where those of the next one go. */
static struct ik_record **take_in(struct ik_store *store, const char *path, int fd,
	struct ik_record **where)
{
	static const struct ik_rescue_reader reader = { taken_writer, taken_begun, taken_session,
		taken_record };
	struct taking taking = {
		.store = store,
		.forged = ik_rescue_may_be_forged(&store->rescue, path),
	};
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	taking.file = ik_alloc(sizeof(*taking.file));
	taking.file->fd = fd;
	taking.file->path = ik_strdup(path);
	taking.file->next = store->files;
	store->files = taking.file;
	taking.end = &taking.first;
	status = ik_rescue_read(fd, path, &reader, &taking, &error);
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

/* Open a file of events; -1: it cannot be, or is in use by another process. */
static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* Put the events of files (freed) in at where; where those of the next ones go. */
static struct ik_record **take_all(struct ik_store *store, char **paths, struct ik_record **where)
{
	size_t i;

	for (i = 0; paths && paths[i]; i++) {
		int fd = open_file(paths[i]);

		if (fd >= 0)
			where = take_in(store, paths[i], fd, where);
	}
	ik_rescue_find_free(paths);
	return where;
}

/* Tell the user of the files that anybody may have written. */
static void tell_temporary(struct ik_store *store)
{
	char **paths = ik_rescue_find_temporary(&store->rescue);
	size_t i;

	for (i = 0; paths && paths[i] && i < MOST_TOLD; i++) {
		int fd = open_file(paths[i]);
		struct stat about;
		char *sentence;

		if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
			about.st_uid == geteuid()) {
			sentence = ik_format(_("%s looks like events that an earlier run could not store. Any "
								   "tool may "
								   "have written it, so it is not used. If you trust it, store it "
								   "with \"ikigai session "
								   "import\", then remove it."),
				paths[i]);
			ik_store_add_notice(store, sentence);
			free(sentence);
		}
		if (fd >= 0)
			(void)close(fd);
	}
	ik_rescue_find_free(paths);
}

void ik_store_take_files(struct ik_store *store)
{
	struct ik_record **where = &store->first;

	if (store->files_taken)
		return;
	store->files_taken = true;
	if (store->spool)
		where = take_all(store, ik_spool_find(store->spool, IK_RESCUE_TAIL), where);
	(void)take_all(store, ik_rescue_find(&store->rescue), where);
	tell_temporary(store);
	if (store->spool)
		ik_blob_queue_take(&store->blobs, store->spool);
}

/* The event, where it is among what is shown behind a number, stored or not; or NULL. */
static const struct ik_message *find_shown(const struct ik_conversation *shown, int64_t behind,
	const char *id)
{
	size_t i = shown ? ik_conversation_count(shown) : 0;

	while (i > 0) {
		const struct ik_message *message = ik_conversation_at(shown, --i);

		if (message->sequence > 0 && message->sequence <= behind)
			break;
		if (ik_text_equal(message->id, id))
			return message;
	}
	return NULL;
}

/* How far the files' events of a session are one conversation with it. */
struct store_queue_chain {
	struct ik_store_session *own;
	const struct ik_store_session *from, *begun; /* whose event was the last of it; was looked at */
	int64_t last, there; /* numbers: of the last of it; of the last of begun's that is stored */
};

/* Does this event of an earlier process belong behind the session, as it is shown? Then it is said
 * here from here on, where the lock of the session is. */
static bool goes_behind(struct store_queue_chain *chain, struct ik_record *record,
	const struct ik_message *found)
{
	struct ik_store_session *session = record->session, *own = chain->own;

	if (chain->last < 0 || !ik_text_equal(session->stored_as, own->stored_as))
		return false;
	if (session != chain->begun)
		chain->there = session->known;
	chain->begun = session;
	if (found && found->sequence > 0) {
		chain->there = found->sequence;
		return false;
	}
	/* A process that died after it had gone on behind what another one left begins where
	 * that ends. */
	if (session != chain->from && chain->there != chain->last)
		return false;
	chain->from = session;
	chain->last++;
	if (!record->given)
		own->behind++;
	record->given = true;
	memcpy(session->writer, own->writer, sizeof(session->writer));
	return true;
}

struct ik_message **ik_store_left_behind(struct ik_store *store, const char *session,
	const struct ik_conversation *shown, size_t *ret_count)
{
	struct store_queue_chain chain = { .own = ik_store_session(store, NULL, session), .last = -1 };
	struct ik_message **messages = NULL;
	struct ik_record *record;

	*ret_count = 0;
	if (chain.own)
		chain.last = chain.own->known;
	for (record = store->first; chain.own && record; record = record->next) {
		const struct ik_message *found;

		if (record->session != chain.own && !record->session->file)
			continue;
		found = find_shown(shown, record->session->known, record->message->id);
		if (record->session != chain.own && !goes_behind(&chain, record, found))
			continue;
		if (found)
			continue;
		messages = ik_alloc_array(messages, *ret_count + 1, sizeof(*messages));
		messages[(*ret_count)++] = ik_message_ref(record->message);
	}
	return messages;
}

void ik_store_leave_files(struct ik_store *store)
{
	while (store->first && store->first->session->file) {
		store->first->given = false; /* it is still there, and before what is kept of ours */
		ik_store_dequeue(store, false);
	}
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

/* ---- forks ---- */

/* What was handed out of a file's session comes before nobody's events here any more. */
static void take_back(struct ik_store *store, const struct ik_store_session *session)
{
	struct ik_store_session *own = ik_store_session(store, NULL, session->stored_as);
	struct ik_record *record;

	for (record = store->first; record && record->session->file; record = record->next) {
		if (record->session != session || !record->given)
			continue;
		record->given = false;
		if (own)
			own->behind--;
	}
}

void ik_store_fork(struct ik_store *store, struct ik_store_session *session)
{
	char *sentence;

	if (session->file)
		take_back(store, session);
	memcpy(session->parent, session->stored_as, sizeof(session->parent));
	ik_uuid_new(session->stored_as);
	session->forked_at = session->known;
	session->late_forks = session->told_forks = 0;
	session->chosen = false;
	/* Before it is tried: a process that comes after this one has to make the same fork. */
	if (store->spool && !session->file)
		ik_spool_add_fork(store->spool, session);
	else if (session->file)
		ik_file_add_fork(session->file->path, session);
	else
		ik_store_keep_fork(store, session);
	sentence = ik_format(_("Another ikigai went on with session %s meanwhile: what was said here "
						   "since is kept as its fork, session %s."),
		session->parent, session->stored_as);
	ik_store_add_notice(store, sentence);
	free(sentence);
	if (!session->file)
		ik_store_tell_fork(store, session);
}

void ik_store_look_for_forks(struct ik_store *store)
{
	struct ik_store_session *session;

	for (session = store->sessions; session; session = session->next) {
		if (session->file || session->known < 0 || session->late_forks == session->told_forks)
			continue;
		if (session->told_forks >= 0 && session->late_forks > session->told_forks)
			ik_store_add_notice(store,
				_("Another ikigai went on with this session without "
				  "knowing of what is said here: its part is kept as a fork of its own."));
		session->told_forks = session->late_forks;
	}
}
