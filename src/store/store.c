#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "store/spool.h"
#include "store/store_private.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/redact.h"
#include "util/text.h"

/* The wait before another try: first and longest, when somebody else is at the
 * database, and when the disk or the system refuses. */
#define BUSY_FIRST_MS 5
#define BUSY_LONGEST_MS 1000
#define REFUSED_FIRST_MS 500
#define REFUSED_LONGEST_MS 30000

/* So long a server may take over what is left when the program ends. */
#define LAST_TRY_MS 3000

/* ---- telling ---- */

static void tell_forks(struct ik_store *store)
{
	struct ik_store_session *session = store->sessions;

	while (store->on_fork && session) {
		if (session->forked) {
			session->forked = false;
			store->on_fork(store->fork_arg, session->parent, session->stored_as);
			session = store->sessions; /* the list may be another one now */
		} else {
			session = session->next;
		}
	}
}

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
	tell_forks(store);
	if (store->on_state && !store->quiet &&
		(store->told_waiting != store->waiting || store->reason_is_new)) {
		store->told_waiting = store->waiting;
		store->reason_is_new = false;
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

/* The number of waiting events may be another one. */
void ik_store_tell_waiting(struct ik_store *store)
{
	if (!store->quiet && (store->told_waiting != store->waiting || store->reason_is_new))
		tell_later(store);
}

void ik_store_add_notice(struct ik_store *store, const char *sentence)
{
	ik_log(IK_LOG_INFO, "store: %s", sentence);
	ik_buf_append(&store->notices, sentence, strlen(sentence) + 1);
	tell_later(store);
}

void ik_store_tell_fork(struct ik_store *store, struct ik_store_session *session)
{
	session->forked = true;
	tell_later(store);
}

/* ---- what is done next ---- */

static void advance(struct ik_store *store);

/* Deferred: the store's part of a turn of the loop. */
static void turn(void *arg)
{
	struct ik_store *store = arg;

	store->turning = false;
	ik_store_reads_deliver(store);
	if (store->spool && ik_blob_queue_keep(&store->blobs, store->spool))
		ik_store_turn_later(store);
	advance(store);
}

void ik_store_turn_later(struct ik_store *store)
{
	if (store->turning || store->closing)
		return;
	store->turning = true;
	ik_loop_defer(store->loop, turn, store);
}

/* Is there anything that could be written now? */
static bool can_write(const struct ik_store *store)
{
	return (store->first || !ik_blob_queue_is_empty(&store->blobs)) && !store->given_up &&
		!store->failed && !ik_timer_running(store->timer);
}

/* What has to wait, since the backend is behind with its own work. */
static enum ik_backlog backlog(const struct ik_store *store)
{
	if (!store->backend || !store->backend->ops->backlog || store->closing)
		return IK_BACKLOG_NONE;
	return store->backend->ops->backlog(store->backend);
}

/* Events first; a large text only when nobody wants to read. */
static enum ik_store_work next_work(struct ik_store *store)
{
	struct ik_store_read *read = store->held ? NULL : ik_store_read_first(store);
	enum ik_backlog waits = backlog(store);
	bool index = waits == IK_BACKLOG_NONE && ik_store_index_first(store, read);

	if (can_write(store) && store->first)
		return IK_WORK_EVENTS;
	if (read && read->kind != IK_READ_WRITE_PART)
		return index ? IK_WORK_INDEX : IK_WORK_READ;
	if (waits == IK_BACKLOG_ALL)
		return IK_WORK_NONE;
	if (read)
		return IK_WORK_READ;
	if (can_write(store))
		return IK_WORK_PART;
	return index ? IK_WORK_INDEX : IK_WORK_NONE;
}

/* Answer the next read without the database, where that is possible. */
static bool answer_at_once(struct ik_store *store)
{
	struct ik_store_read *read = ik_store_read_first(store);
	struct ik_error error = { .status = IK_NOT_FOUND };

	bool acts = read->kind == IK_READ_DELETE || read->kind == IK_READ_LOCK ||
		read->kind == IK_READ_WRITE_PART;

	if ((!read->reader && !acts) ||
		(read->kind == IK_READ_PART &&
			ik_blob_queue_read(&store->blobs, read->text, (size_t)read->number, &read->bytes)))
		ik_store_read_finish(read, IK_OK, NULL);
	else if (!store->backend && read->kind == IK_READ_PART)
		ik_store_read_finish(read, IK_NOT_FOUND, &error);
	else if (!store->backend)
		ik_store_read_finish(read, IK_NOT_FOUND,
			(ik_error_set(&error, IK_NOT_FOUND, _("No sessions are stored.")), &error));
	else
		return false;
	return true;
}

/* Have the backend do one thing; it may be done when this returns. */
static void start(struct ik_store *store, enum ik_store_work work)
{
	const struct ik_backend_ops *ops = store->backend->ops;
	struct ik_blob_part part;

	store->work = work;
	switch (work) {
	case IK_WORK_EVENTS:
		ops->write(store->backend, store->first, ops->batch);
		break;
	case IK_WORK_PART:
		part = ik_blob_queue_next(&store->blobs);
		ops->write_part(store->backend, part.id, part.part, part.bytes, part.length);
		break;
	case IK_WORK_READ:
		ops->read(store->backend, ik_store_read_first(store));
		break;
	case IK_WORK_INDEX:
		ops->index(store->backend);
		break;
	case IK_WORK_OPEN:
		ops->open(store->backend);
		break;
	case IK_WORK_NONE:
		break;
	}
}

/* Begin the next thing that is to be done, unless one is being done. */
static void advance(struct ik_store *store)
{
	enum ik_store_work work = store->work ? IK_WORK_NONE : next_work(store);

	while (work == IK_WORK_READ && answer_at_once(store)) {
		ik_store_turn_later(store);
		work = next_work(store);
	}
	if (work && !store->backend->ops->is_open(store->backend)) {
		start(store, IK_WORK_OPEN);
		if (store->work || !store->backend->ops->is_open(store->backend))
			return;              /* it is under way, or has failed */
		work = next_work(store); /* events of earlier processes come first */
	}
	if (work)
		start(store, work);
}

/* The time for another try has come. */
static void retry(void *arg)
{
	ik_store_turn_later(arg);
}

/* Writing cannot go on now: note why, and when to try again. */
static void wait_for_retry(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	bool busy = status == IK_UNAVAILABLE;
	int64_t first = busy ? BUSY_FIRST_MS : REFUSED_FIRST_MS;
	int64_t longest = busy ? BUSY_LONGEST_MS : REFUSED_LONGEST_MS;

	store->reason_is_new = !ik_text_equal(store->reason, error->text);
	memcpy(store->reason, error->text, sizeof(store->reason));
	ik_store_keep_waiting(store);
	if (!ik_store_in_use(store, status))
		store->in_use_since = 0;
	else if (!store->in_use_since)
		store->in_use_since = ik_clock_ms();
	store->quiet = store->in_use_since &&
		ik_clock_ms() - store->in_use_since < IK_STORE_TELL_BUSY_MS;
	if (!store->quiet)
		ik_log(IK_LOG_ERROR, "store: %zu waiting: %s", store->waiting, store->reason);
	if (store->closing) {
		store->failed = true;
		return;
	}
	if (status == IK_DENIED) {
		store->given_up = true;
		return;
	}
	store->delay_ms = store->delay_ms ? store->delay_ms * 2 : first;
	if (store->delay_ms > longest)
		store->delay_ms = longest;
	ik_timer_start(store->timer, store->delay_ms);
}

/* What was to be written is, or it has to wait. */
static void take_outcome(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	store->work = IK_WORK_NONE;
	if (status != IK_OK) {
		wait_for_retry(store, status, error);
	} else {
		store->delay_ms = 0;
		store->reason[0] = '\0';
		store->in_use_since = 0;
		store->reason_is_new = store->reason_is_new || store->quiet; /* they are stored now */
		store->quiet = false;
	}
	ik_store_tell_waiting(store);
	if (next_work(store))
		ik_store_turn_later(store);
}

/* ---- the backend's reports ---- */

void ik_store_opened(struct ik_store *store, const char *notice, enum ik_status status,
	const struct ik_error *error)
{
	store->work = IK_WORK_NONE;
	if (notice[0])
		ik_store_add_notice(store, notice);
	if (status == IK_OK) {
		ik_store_index_later(store);
		ik_store_search_index_first(store);
		ik_store_take_files(store);
		ik_store_tell_waiting(store);
		if (next_work(store))
			ik_store_turn_later(store);
		return;
	}
	if (!ik_store_hold_reads(store, status, error)) {
		ik_store_reads_fail(store, status, error);
		ik_store_reads_held_no_more(store, status);
		ik_store_turn_later(store); /* tells them */
	}
	if (can_write(store))
		wait_for_retry(store, status, error);
	ik_store_tell_waiting(store);
}

void ik_store_written(struct ik_store *store, size_t count, struct ik_store_session *conflict,
	enum ik_status status, const struct ik_error *error)
{
	int64_t known = conflict ? conflict->known : 0;

	if (count > 0)
		ik_store_index_later(store);
	for (; count > 0; count--)
		ik_store_dequeue(store, true);
	/* Unless what stands there was of an earlier process, and is known here. */
	if (conflict && conflict->known == known)
		ik_store_fork(store, conflict);
	ik_store_look_for_forks(store);
	if (status == IK_TOO_LARGE) {
		ik_store_add_notice(store, error->text);
		ik_store_dequeue(store, false);
		status = IK_OK;
	}
	if (!store->first && store->spool)
		ik_spool_clear(store->spool);
	if (!store->first) {
		ik_store_kept_clear(store);
		ik_locks_settle(store);
	}
	take_outcome(store, status, error);
}

void ik_store_part_written(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	if (status == IK_OK) {
		ik_blob_queue_written(&store->blobs);
	} else if (status == IK_TOO_LARGE) {
		ik_store_add_notice(store, error->text);
		ik_blob_queue_drop(&store->blobs);
		status = IK_OK;
	}
	take_outcome(store, status, error);
}

void ik_store_relieved(struct ik_store *store)
{
	ik_store_turn_later(store);
}

void ik_store_answered(struct ik_store *store, enum ik_status status, const struct ik_error *error)
{
	struct ik_store_read *read = ik_store_read_first(store);

	store->work = IK_WORK_NONE;
	if (ik_store_hold_reads(store, status, error))
		return;
	if (status == IK_OK && read->again)
		read->again = false;
	else
		ik_store_read_finish(read, status, error);
	ik_store_reads_held_no_more(store, status);
	ik_store_turn_later(store);
}

/* ---- writing ---- */

void ik_store_begin(struct ik_store *store, const char *session, const char *directory)
{
	if (!ik_store_session(store, NULL, session))
		(void)ik_store_session_add(store, NULL, session, directory, ik_clock_wall_ms(), 0);
}

void ik_store_continue(struct ik_store *store, const char *session, const char *directory,
	int64_t sequence)
{
	struct ik_store_session *found = ik_store_session(store, NULL, session);

	if (!found)
		found = ik_store_session_add(store, NULL, session, directory, ik_clock_wall_ms(), -1);
	found->known = sequence;
}

void ik_store_begin_fork(struct ik_store *store, const char *session, const char *directory,
	const char *parent, int64_t sequence)
{
	struct ik_store_session *made = ik_store_session_add(store, NULL, session, directory,
		ik_clock_wall_ms(), sequence);

	memcpy(made->parent, parent, strnlen(parent, sizeof(made->parent) - 1));
	made->forked_at = sequence;
	made->told_forks = 0; /* it is new */
	made->chosen = true;
}

/* Keep an event where it survives this process, before it is sent. */
static void spool(struct ik_store *store, struct ik_record *record)
{
	struct ik_error error;

	ik_store_keep(store, record);
	if (!store->spool || ik_spool_add(store->spool, record, &error) == IK_OK) {
		store->spool_told = false;
		return;
	}
	if (!store->spool_told)
		ik_store_add_notice(store, error.text);
	store->spool_told = true;
}

/* Put an event into the queue. */
static void append(struct ik_store *store, const char *session, struct ik_message *message)
{
	struct ik_store_session *found = ik_store_session(store, NULL, session);

	if (!found)
		found = ik_store_session_add(store, NULL, session, "", message->time_ms, -1);
	/* What is taken in from elsewhere is older than its session here. */
	if (found->known == 0 && found->parent[0] == '\0' && message->time_ms > 0 &&
		message->time_ms < found->created_ms)
		found->created_ms = message->time_ms;
	spool(store, ik_store_enqueue(store, found, message));
}

void ik_store_append_later(struct ik_store *store, const char *session, struct ik_message *message)
{
	if (!store->backend)
		return;
	append(store, session, message);
	ik_store_turn_later(store);
}

void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message)
{
	bool was_empty = !store->first;

	if (!store->backend)
		return;
	append(store, session, message);
	/* Else the queue is on its way, or waits for its time. */
	if (was_empty)
		advance(store);
	if (was_empty && store->first && can_write(store))
		advance(store); /* its session became a fork just now */
	ik_store_tell_waiting(store);
}

void ik_store_put_blob(struct ik_store *store, const char *id, struct ik_bytes *bytes)
{
	if (!store->backend || !bytes)
		return;
	ik_blob_queue_add(&store->blobs, id, bytes);
	ik_store_turn_later(store);
}

/* ---- opening and closing ---- */

struct ik_store *ik_store_open(struct ik_loop *loop, const char *uri, struct ik_error *error)
{
	struct ik_store *store;
	const char *path = uri;
	bool server = uri && ik_postgres_is_uri(uri);

	if (uri && ik_text_starts(uri, "sqlite:"))
		path = uri + strlen("sqlite:");
	if (path && !path[0]) {
		ik_error_set(error, IK_INVALID, _("The database needs a path."));
		return NULL;
	}
	store = ik_alloc(sizeof(*store));
	store->loop = loop;
	store->search_ms = IK_SEARCH_MS;
	store->end = &store->first;
	store->reads_end = &store->reads;
	ik_blob_queue_init(&store->blobs);
	ik_buf_init(&store->notices, IK_KIB(64));
	store->timer = ik_timer_new(loop, retry, store);
	if (path) {
		store->uri = ik_strdup(uri);
		store->path = server ? ik_redact(uri) : ik_strdup(path);
		store->backend = server ? ik_postgres_new(loop, uri) : ik_sqlite_new(loop, path);
		store->backend->store = store;
		store->rescue.database = store->path;
	}
	return store;
}

void ik_store_set_spool(struct ik_store *store, const char *directory)
{
	/* An embedded database needs none: what it has taken is safe. */
	if (store->backend && store->backend->ops->wait && !store->spool)
		store->spool = ik_spool_new(directory, store->uri, store->backend->process);
}

void ik_store_add_rescue(struct ik_store *store, const char *directory)
{
	int i = 0;

	while (i < IK_RESCUE_PRIVATE_COUNT && store->rescue.directories[i])
		i++;
	if (i < IK_RESCUE_PRIVATE_COUNT)
		store->rescue.directories[i] = ik_strdup(directory);
}

void ik_store_trust_directory(struct ik_store *store)
{
	store->rescue.beside_is_private = true;
}

void ik_store_set_helper(struct ik_store *store, const char *program)
{
	if (store->backend && store->backend->ops->set_helper)
		store->backend->ops->set_helper(store->backend, program);
}

void ik_store_set_timeout(struct ik_store *store, int64_t seconds)
{
	if (store->backend)
		store->backend->timeout_ms = seconds * 1000;
}

/* Try once more. */
static void write_rest(struct ik_store *store)
{
	int64_t end = ik_clock_ms() + LAST_TRY_MS;

	ik_timer_stop(store->timer);
	while (store->work || can_write(store) || ik_store_read_first(store)) {
		int64_t left = end - ik_clock_ms();

		if (!store->work)
			advance(store);
		else if (left <= 0 || !store->backend->ops->wait(store->backend, left))
			break;
	}
}

/* What large texts are left stay in the spool, or are lost. */
static void close_blobs(struct ik_store *store, struct ik_error *notice)
{
	size_t lost, kept;
	char *path;

	while (store->spool && ik_blob_queue_keep(&store->blobs, store->spool))
		;
	path = store->blobs.spool.path ? ik_strdup(store->blobs.spool.path) : NULL;
	lost = ik_blob_queue_done(&store->blobs, &kept);
	if (lost > 0 && notice && notice->status == IK_OK)
		ik_error_set(notice, IK_IO,
			ngettext("The full output of %zu call could not be stored. %s",
				"The full output of %zu calls could not be stored. %s", lost),
			lost, store->reason);
	else if (kept > 0 && notice && notice->status == IK_OK)
		ik_error_set(notice, IK_UNAVAILABLE,
			ngettext("The full output of %zu call is kept in %s until the database can be used. %s",
				"The full output of %zu calls is kept in %s until the database can be used. %s",
				kept),
			kept, path, store->reason);
	free(path);
}

struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	size_t lost = 0;

	if (!store)
		return NULL;
	if (notice)
		*notice = (struct ik_error){ .status = IK_OK };
	store->closing = true;
	store->held = false;
	ik_loop_cancel_deferred(store->loop, turn, store);
	ik_store_reads_silence(store);
	if (store->backend && store->backend->ops->end)
		store->backend->ops->end(store->backend);
	/* On a server they are let go behind what is still to be stored. */
	if (store->backend && store->backend->ops->wait)
		ik_locks_done(store);
	write_rest(store);
	ik_locks_done(store);
	ik_store_reads_done(store);
	ik_store_leave_files(store);
	if (store->first)
		ik_store_rescue_rest(store, &lost, notice);
	else if (store->notices.length > 0)
		ik_error_set(notice, IK_OK, "%s", store->notices.data); /* nobody else will tell */
	ik_loop_cancel_deferred(store->loop, tell, store);
	if (ret_lost)
		*ret_lost = lost;
	close_blobs(store, notice);
	if (store->backend)
		store->backend->ops->free(store->backend);
	ik_store_queue_done(store);
	store->spool = ik_spool_free(store->spool);
	ik_store_kept_done(store);
	store->timer = ik_timer_close(store->timer);
	store->index_timer = ik_timer_close(store->index_timer);
	store->held_timer = ik_timer_close(store->held_timer);
	ik_buf_done(&store->notices);
	ik_rescue_done(&store->rescue);
	free(store->path);
	free(store->uri);
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

void ik_store_on_fork(struct ik_store *store,
	void (*fn)(void *arg, const char *from, const char *to), void *arg)
{
	store->on_fork = fn;
	store->fork_arg = arg;
}

const char *ik_store_name(const struct ik_store *store)
{
	return store->backend ? store->backend->ops->name : "memory";
}
