#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/backend.h"
#include "store/blob.h"
#include "store/rescue.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"
#include "util/utf8.h"

/* Events written in one go before the loop turns. */
#define BATCH 256
/* The wait before another try: first and longest, when somebody else is at the
 * database, and when the disk or the system refuses. */
#define BUSY_FIRST_MS 20
#define BUSY_LONGEST_MS 1000
#define REFUSED_FIRST_MS 500
#define REFUSED_LONGEST_MS 30000
/* Bytes of a title. */
#define TITLE 60

struct ik_store {
	struct ik_loop *loop;
	struct ik_backend *backend; /* NULL: keeps nothing */
	char *path;
	struct ik_store_session *sessions;
	struct ik_record *first, **end;
	size_t waiting;
	struct ik_blob_queue blobs;
	bool flushing; /* in the next turn */
	struct ik_timer *timer;
	int64_t delay_ms;
	bool given_up;      /* this database will not be used */
	bool rescues_taken; /* files of earlier processes were looked for */
	char reason[sizeof(((struct ik_error *)0)->text)];

	void (*on_state)(void *arg, size_t waiting, const char *message);
	void *state_arg;
	void (*on_notice)(void *arg, const char *sentence);
	void *notice_arg;
	struct ik_buf notices; /* NUL-terminated sentences, one after the other */
	size_t told_waiting;
	bool telling;
};

/* ---- telling ---- */

/* Deferred: tell what has changed. */
static void tell(void *arg)
{
	struct ik_store *store = arg;

	store->telling = false;
	while (store->on_notice && store->notices.length > 0) {
		char *sentence = ik_strdup(store->notices.data);

		ik_buf_consume(&store->notices, strlen(sentence) + 1);
		store->on_notice(store->notice_arg, sentence);
		free(sentence);
	}
	if (store->on_state && store->told_waiting != store->waiting) {
		store->told_waiting = store->waiting;
		store->on_state(store->state_arg, store->waiting, store->reason);
	}
}

static void tell_later(struct ik_store *store)
{
	if (store->telling)
		return;
	store->telling = true;
	ik_loop_defer(store->loop, tell, store);
}

static void add_notice(struct ik_store *store, const char *sentence)
{
	ik_log(IK_LOG_INFO, "store: %s", sentence);
	ik_buf_append(&store->notices, sentence, strlen(sentence) + 1);
	tell_later(store);
}

/* ---- the queue ---- */

static void record_free(struct ik_record *record)
{
	ik_message_unref(record->message);
	free(record);
}

/* Take the first record off the queue. */
static void drop_first(struct ik_store *store)
{
	struct ik_record *record = store->first;

	store->first = record->next;
	if (!store->first)
		store->end = &store->first;
	store->waiting--;
	record_free(record);
}

/* Put a record at the end; the reference of message is taken over. */
static void enqueue(struct ik_store *store, struct ik_store_session *session,
	struct ik_message *message)
{
	struct ik_record *record = ik_alloc(sizeof(*record));

	record->session = session;
	record->message = message;
	*store->end = record;
	store->end = &record->next;
	store->waiting++;
}

/* The entry of a session, made where there is none. */
static struct ik_store_session *find_session(struct ik_store *store, const char *id,
	const char *directory, int64_t created_ms)
{
	struct ik_store_session *session;

	for (session = store->sessions; session; session = session->next) {
		if (strcmp(session->id, id) == 0)
			return session;
	}
	session = ik_alloc(sizeof(*session));
	memcpy(session->id, id, strnlen(id, sizeof(session->id) - 1));
	session->directory = ik_strdup(directory);
	session->created_ms = created_ms;
	session->next = store->sessions;
	store->sessions = session;
	return session;
}

/* ---- files of earlier processes ---- */

static struct ik_store_session *rescued_session(void *arg, const char *id, const char *directory,
	int64_t created_ms)
{
	return find_session(arg, id, directory, created_ms);
}

static void rescued_record(void *arg, struct ik_store_session *session, struct ik_message *message)
{
	enqueue(arg, session, message);
}

/* Write all that waits, as long as that goes well. */
static enum ik_status write_all(struct ik_store *store, struct ik_error *error)
{
	enum ik_status status = IK_OK;

	while (store->first && status == IK_OK) {
		size_t written = 0;

		status = store->backend->ops->write(store->backend, store->first, BATCH,
			&written, error);
		for (; written > 0; written--)
			drop_first(store);
	}
	return status;
}

/* Write the events of one file, then remove it; it stays whole if any of them
 * cannot be written, which is no harm: an event is stored once, by its id. */
static void take_in(struct ik_store *store, const char *path)
{
	static const struct ik_rescue_reader reader = { rescued_session, rescued_record };
	struct ik_record *kept = store->first, **kept_end = store->end;
	size_t kept_count = store->waiting, count;
	struct ik_error error = { 0 };
	enum ik_status status;

	store->first = NULL;
	store->end = &store->first;
	store->waiting = 0;
	status = ik_rescue_read(path, &reader, store, &error);
	count = store->waiting;
	if (status == IK_OK)
		status = write_all(store, &error);
	while (store->first)
		drop_first(store);
	store->first = kept;
	store->end = kept ? kept_end : &store->first;
	store->waiting = kept_count;

	if (status != IK_OK) {
		ik_log(IK_LOG_ERROR, "store: %s was not taken in: %s", path, error.text);
	} else if (remove(path) == 0) {
		char *sentence = ik_format(ngettext(
			"%zu event that an earlier run could not store is stored now.",
			"%zu events that an earlier run could not store are stored now.", count), count);

		add_notice(store, sentence);
		free(sentence);
	}
}

/* Look for such files, once. */
static void take_in_rescues(struct ik_store *store)
{
	char **paths;
	size_t i;

	store->rescues_taken = true;
	paths = ik_rescue_find(store->path);
	for (i = 0; paths && paths[i]; i++)
		take_in(store, paths[i]);
	ik_rescue_find_free(paths);
}

/* ---- writing ---- */

/* Make the database ready, if it is not. */
static enum ik_status make_ready(struct ik_store *store, struct ik_error *error)
{
	const struct ik_backend_ops *ops = store->backend->ops;
	struct ik_buf notice;
	enum ik_status status;

	if (ops->is_open(store->backend))
		return IK_OK;
	ik_buf_init(&notice, IK_KIB(4));
	status = ops->open(store->backend, &notice, error);
	if (notice.length > 0)
		add_notice(store, notice.data);
	ik_buf_done(&notice);
	if (status == IK_OK && !store->rescues_taken)
		take_in_rescues(store);
	return status;
}

/* The queue cannot go on now: note why, and when to try again. */
static void wait_for_retry(struct ik_store *store, const struct ik_error *error)
{
	bool busy = error->status == IK_UNAVAILABLE;
	int64_t first = busy ? BUSY_FIRST_MS : REFUSED_FIRST_MS;
	int64_t longest = busy ? BUSY_LONGEST_MS : REFUSED_LONGEST_MS;

	memcpy(store->reason, error->text, sizeof(store->reason));
	ik_log(IK_LOG_ERROR, "store: %zu waiting: %s", store->waiting, store->reason);
	if (error->status == IK_DENIED) {
		store->given_up = true;
		return;
	}
	store->delay_ms = store->delay_ms ? store->delay_ms * 2 : first;
	if (store->delay_ms > longest)
		store->delay_ms = longest;
	ik_timer_start(store->timer, store->delay_ms);
}

static bool is_all_written(const struct ik_store *store)
{
	return !store->first && ik_blob_queue_is_empty(&store->blobs);
}

static void flush(struct ik_store *store);

static void flush_deferred(void *arg)
{
	struct ik_store *store = arg;

	store->flushing = false;
	flush(store);
}

static void flush_later(struct ik_store *store)
{
	if (store->flushing)
		return;
	store->flushing = true;
	ik_loop_defer(store->loop, flush_deferred, store);
}

/* Write one batch of events, or, where none wait, a part of a large text. */
static enum ik_status write_some(struct ik_store *store, size_t *ret_written,
	struct ik_error *error)
{
	enum ik_status status;

	if (store->first)
		status = store->backend->ops->write(store->backend, store->first, BATCH,
			ret_written, error);
	else
		return ik_blob_queue_write(&store->blobs, store->backend, error);
	if (status == IK_TOO_LARGE)
		*ret_written = 1;
	return status;
}

/* Write one batch of what waits. The rest: in the next turn, or when it is
 * worth another try. */
static void flush(struct ik_store *store)
{
	struct ik_error error = { 0 };
	enum ik_status status;
	size_t written = 0;

	if (is_all_written(store) || store->given_up || ik_timer_running(store->timer))
		return;
	status = make_ready(store, &error);
	if (status == IK_OK)
		status = write_some(store, &written, &error);
	if (status == IK_TOO_LARGE) {
		add_notice(store, error.text);
		status = IK_OK;
	}
	for (; written > 0; written--)
		drop_first(store);
	if (status != IK_OK) {
		error.status = status;
		wait_for_retry(store, &error);
	} else {
		store->delay_ms = 0;
		store->reason[0] = '\0';
		if (!is_all_written(store))
			flush_later(store);
	}
	if (store->told_waiting != store->waiting)
		tell_later(store);
}

void ik_store_begin(struct ik_store *store, const char *session, const char *directory)
{
	find_session(store, session, directory, ik_clock_wall_ms());
}

void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message)
{
	bool was_empty = !store->first;

	if (!store->backend)
		return;
	enqueue(store, find_session(store, session, "", message->time_ms), ik_message_ref(message));
	if (was_empty)
		flush(store); /* else the queue is on its way, or waits for its time */
	else
		tell_later(store);
}

void ik_store_put_blob(struct ik_store *store, const char *id, struct ik_bytes *bytes)
{
	if (!store->backend || !bytes)
		return;
	ik_blob_queue_add(&store->blobs, id, bytes);
	flush_later(store);
}

/* ---- reading ---- */

/* Before anything is read: the database open, and all written that can be. */
static enum ik_status prepare_to_read(struct ik_store *store, struct ik_error *error)
{
	enum ik_status status;

	if (!store->backend)
		return ik_error_set(error, IK_NOT_FOUND, _("No sessions are stored."));
	status = make_ready(store, error);
	if (status == IK_OK && store->first && !ik_timer_running(store->timer))
		flush(store);
	if (status == IK_OK && !store->backend->ops->is_open(store->backend))
		status = make_ready(store, error); /* it was found damaged just now */
	return status;
}

enum ik_status ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	struct ik_buf *out, struct ik_error *error)
{
	enum ik_status status;

	if (ik_blob_queue_read(&store->blobs, id, part, out))
		return IK_OK;
	status = prepare_to_read(store, error);
	return status != IK_OK ? status :
		store->backend->ops->read_part(store->backend, id, part, out, error);
}

enum ik_status ik_store_newest(struct ik_store *store, const char *directory,
	struct ik_session_info *ret_info, struct ik_error *error)
{
	enum ik_status status = prepare_to_read(store, error);

	return status != IK_OK ? status :
		store->backend->ops->newest(store->backend, directory, ret_info, error);
}

enum ik_status ik_store_find(struct ik_store *store, const char *id_prefix,
	struct ik_session_info *ret_info, struct ik_error *error)
{
	enum ik_status status = prepare_to_read(store, error);

	return status != IK_OK ? status :
		store->backend->ops->find(store->backend, id_prefix, ret_info, error);
}

enum ik_status ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, struct ik_message ***ret_messages, size_t *ret_count, struct ik_error *error)
{
	enum ik_status status = prepare_to_read(store, error);

	return status != IK_OK ? status :
		store->backend->ops->page(store->backend, session, before, count, ret_messages,
			ret_count, error);
}

enum ik_status ik_store_list(struct ik_store *store,
	bool (*each)(void *arg, const struct ik_session_info *info), void *arg,
	struct ik_error *error)
{
	enum ik_status status = prepare_to_read(store, error);

	return status != IK_OK ? status : store->backend->ops->list(store->backend, each, arg, error);
}

void ik_session_info_done(struct ik_session_info *info)
{
	free(info->title);
	free(info->directory);
	info->title = NULL;
	info->directory = NULL;
}

char *ik_session_title(const char *text, size_t length)
{
	struct ik_buf title;
	bool gap = false;
	size_t i;

	ik_buf_init(&title, 2 * TITLE + 8);
	for (i = 0; i < length && title.length <= TITLE; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte <= ' ' || byte == 0x7f) {
			gap = title.length > 0;
			continue;
		}
		if (gap)
			ik_buf_putc(&title, ' ');
		gap = false;
		ik_buf_putc(&title, (char)byte);
	}
	if (title.length > TITLE) {
		const char *blank;

		ik_buf_truncate(&title, ik_utf8_cut(title.data, title.length, TITLE));
		blank = memrchr(title.data, ' ', title.length);
		if (blank && blank > title.data + TITLE / 2)
			ik_buf_truncate(&title, (size_t)(blank - title.data));
		ik_buf_puts(&title, "…");
	}
	return ik_buf_take(&title, NULL);
}

/* ---- opening and closing ---- */

/* The time for another try has come. */
static void retry(void *arg)
{
	struct ik_store *store = arg;

	flush(store);
}

struct ik_store *ik_store_open(struct ik_loop *loop, const char *uri, struct ik_error *error)
{
	struct ik_store *store;
	const char *path = uri;

	if (uri && ik_text_starts(uri, "sqlite:"))
		path = uri + strlen("sqlite:");
	if (uri && (ik_text_starts(uri, "postgresql:") || ik_text_starts(uri, "postgres:"))) {
		ik_error_set(error, IK_INVALID,
			_("This ikigai keeps sessions in SQLite only: give a path as the database."));
		return NULL;
	}
	if (path && !path[0]) {
		ik_error_set(error, IK_INVALID, _("The database needs a path."));
		return NULL;
	}
	store = ik_alloc(sizeof(*store));
	store->loop = loop;
	store->end = &store->first;
	ik_blob_queue_init(&store->blobs);
	ik_buf_init(&store->notices, IK_KIB(64));
	store->timer = ik_timer_new(loop, retry, store);
	if (path) {
		store->path = ik_strdup(path);
		store->backend = ik_sqlite_new(path);
	}
	return store;
}

/* What is still in the queue goes to a file. */
static void rescue(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	struct ik_error error = { 0 };
	size_t count = store->waiting;
	char *path;

	if (ik_rescue_write(store->path, store->first, &path, &error) != IK_OK) {
		*ret_lost = count;
		ik_error_set(notice, IK_IO, ngettext(
			"%zu event is lost. %s %s", "%zu events are lost. %s %s", count),
			count, store->reason, error.text);
		return;
	}
	ik_error_set(notice, IK_UNAVAILABLE, ngettext(
		"%zu event could not be stored and is kept in %s until the database can be used. %s",
		"%zu events could not be stored and are kept in %s until the database can be used. %s",
		count), count, path, store->reason);
	free(path);
}

struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	struct ik_error error = { 0 };
	size_t lost = 0, count;

	if (!store)
		return NULL;
	if (notice)
		*notice = (struct ik_error){ .status = IK_OK };
	store->timer = ik_timer_close(store->timer);
	ik_loop_cancel_deferred(store->loop, flush_deferred, store);
	if (!is_all_written(store) && !store->given_up) {
		enum ik_status status = make_ready(store, &error);

		if (status == IK_OK)
			status = write_all(store, &error);
		while (status == IK_OK && !ik_blob_queue_is_empty(&store->blobs))
			status = ik_blob_queue_write(&store->blobs, store->backend, &error);
		if (status != IK_OK)
			memcpy(store->reason, error.text, sizeof(store->reason));
	}
	if (store->first)
		rescue(store, &lost, notice);
	else if (store->notices.length > 0)
		ik_error_set(notice, IK_OK, "%s", store->notices.data); /* nobody else will tell */
	ik_loop_cancel_deferred(store->loop, tell, store);
	if (ret_lost)
		*ret_lost = lost;
	count = ik_blob_queue_done(&store->blobs);
	if (count > 0 && notice && notice->status == IK_OK)
		ik_error_set(notice, IK_IO, ngettext(
			"The full output of %zu call could not be stored. %s",
			"The full output of %zu calls could not be stored. %s", count),
			count, store->reason);

	while (store->first)
		drop_first(store);
	while (store->sessions) {
		struct ik_store_session *session = store->sessions;

		store->sessions = session->next;
		free(session->directory);
		free(session);
	}
	if (store->backend)
		store->backend->ops->free(store->backend);
	ik_buf_done(&store->notices);
	free(store->path);
	free(store);
	return NULL;
}

void ik_store_on_state(struct ik_store *store,
	void (*fn)(void *arg, size_t waiting, const char *message), void *arg)
{
	store->on_state = fn;
	store->state_arg = arg;
}

void ik_store_on_notice(struct ik_store *store, void (*fn)(void *arg, const char *sentence),
	void *arg)
{
	store->on_notice = fn;
	store->notice_arg = arg;
	if (fn && store->notices.length > 0)
		tell_later(store);
}

const char *ik_store_name(const struct ik_store *store)
{
	return store->backend ? store->backend->ops->name : "memory";
}
