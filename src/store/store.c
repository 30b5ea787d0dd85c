#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "store/left_behind.h"
#include "store/lock_private.h"
#include "store/spare.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"

/* Until what was not stored, or not journaled, is tried again. */
#define RETRY_MS 1000
/* Further words of a search are not looked at anyway. */
#define QUERY_BYTES 65536
/* How long the end of the program waits: until all is stored, then until the store program has
 * closed its database. */
#define LAST_MS 3000
#define END_MS 500

/* A large text that the journal does not have whole yet. */
struct ik_store_blob {
	struct ik_store_blob *next;
	char session[IK_UUID_TEXT], id[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	size_t part;
};

/* ---- telling ---- */

static void tell_forks(struct ik_store *store)
{
	struct ik_session_writer *writer = store->writers;
	char from[IK_UUID_TEXT];

	while (writer) {
		if (!writer->forked) {
			writer = writer->next;
			continue;
		}
		/* From here on callers use the new id; the old one means the session as others have it. */
		writer->forked = false;
		memcpy(from, writer->id, sizeof(from));
		memcpy(writer->id, writer->stored_as, sizeof(writer->id));
		writer->parent[0] = '\0';
		if (store->on_fork)
			store->on_fork(store->fork_arg, from, writer->id);
		writer = store->writers; /* the list may have changed */
	}
}

/* Deferred: tell what has changed. */
static void tell(void *arg)
{
	struct ik_store *store = arg;
	size_t waiting = store->trouble != IK_STORE_FINE || store->left > 0 ? ik_store_waiting(store)
																		: 0;

	store->telling = false;
	while (store->on_notice && store->notices.length > 0) {
		char *sentence = ik_strdup(store->notices.data);

		ik_buf_consume(&store->notices, strlen(sentence) + 1);
		store->on_notice(store->notice_arg, sentence);
		free(sentence);
	}
	tell_forks(store);
	if (store->on_state && (store->told_waiting != waiting || store->state_is_new)) {
		store->told_waiting = waiting;
		store->state_is_new = false;
		store->on_state(store->state_arg, waiting, store->reason);
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

/* Note how the store is doing; sentence is "" where all is well. */
static void set_trouble(struct ik_store *store, enum ik_store_trouble trouble, const char *sentence)
{
	if (store->trouble != trouble || !ik_text_equal(store->reason, sentence)) {
		if (sentence[0])
			ik_log(IK_LOG_ERROR, "store: %zu waiting: %s", ik_store_waiting(store), sentence);
		store->trouble = trouble;
		(void)snprintf(store->reason, sizeof(store->reason), "%s", sentence);
		store->state_is_new = true;
	}
	if (store->state_is_new || store->told_waiting > 0 || trouble != IK_STORE_FINE)
		tell_later(store);
}

static void set_error(struct ik_store *store, const struct ik_error *error)
{
	set_trouble(store,
		error->status != IK_UNAVAILABLE ? IK_STORE_REFUSES
			: store->server             ? IK_STORE_AWAY
										: IK_STORE_IN_USE,
		error->text);
}

size_t ik_store_waiting(const struct ik_store *store)
{
	const struct ik_session_writer *writer;
	size_t waiting = store->left;

	for (writer = store->writers; writer; writer = writer->next)
		waiting += writer->events - writer->stored;
	return waiting;
}

bool ik_store_is_kept(const struct ik_store *store)
{
	const struct ik_session_writer *writer = store->writers;

	while (writer && !writer->first)
		writer = writer->next;
	return !writer;
}

enum ik_store_trouble ik_store_trouble(const struct ik_store *store)
{
	return store->trouble;
}

/* ---- storing what the journals have ---- */

static void take(struct ik_store *store, struct ik_session_writer *writer, bool now);
static void take_all(struct ik_store *store);

/* Try again in a while. */
static void retry_later(struct ik_store *store)
{
	if (!ik_timer_running(store->retry))
		ik_timer_start(store->retry, RETRY_MS);
}

static void remove_writer(struct ik_store *store, struct ik_session_writer *writer)
{
	struct ik_session_writer **link = &store->writers;

	while (*link != writer)
		link = &(*link)->next;
	*link = writer->next;
	(void)ik_session_writer_free(writer);
}

/* The journal is stored as far as it was when that was asked. */
static void on_stored(struct ik_store *store, struct ik_session_writer *writer,
	struct ik_json_span answer)
{
	char session[IK_UUID_TEXT], *sentence;
	int64_t damaged = 0;

	if (ik_json_integer(ik_json_member(answer, "damaged"), &damaged) && damaged > 0) {
		sentence =
			ik_format(ngettext("%lld line of the journal %s/%s is damaged and was passed over.",
						  "%lld lines of the journal %s/%s are damaged and were passed over.",
						  (unsigned long)damaged),
				(long long)damaged, store->journals, writer->name);

		add_notice(store, sentence);
		free(sentence);
	}
	if (ik_event_line_id(answer, "session", session) && !ik_text_equal(session, writer->id) &&
		!writer->forked) {
		memcpy(writer->stored_as, session, sizeof(writer->stored_as));
		writer->forked = true;
		sentence =
			ik_format(_("Another ikigai went on with session %s meanwhile: what was said here "
						"since is kept as its fork, session %s."),
				writer->id, session);
		add_notice(store, sentence);
		free(sentence);
	}
}

/* All of it is stored: whoever waited for that may go on. */
static void settle(struct ik_store *store, const struct ik_session_writer *writer)
{
	struct ik_session_writer *other;

	for (other = writer->next; other; other = other->next)
		if (ik_text_equal(other->id, writer->id))
			take(store, other, false);
	if (store->listener && ik_store_waiting(store) == 0)
		store->listener->settled(store);
}

/* Has somebody removed the journal? */
static bool is_gone(const struct ik_session_writer *writer, const struct ik_store_answer *answer)
{
	char *path = ik_path_join(writer->owner->journals, writer->name);
	bool gone = answer->status == IK_NOT_FOUND && access(path, F_OK) != 0;

	free(path);
	return gone;
}

static bool has_blob(const struct ik_store *store, const char *session)
{
	const struct ik_store_blob *blob = store->blobs;

	while (blob && !ik_text_equal(blob->session, session))
		blob = blob->next;
	return blob;
}

/* End the journal of a session that nobody has open, once all is stored. */
static void end_if_resting(struct ik_store *store, struct ik_session_writer *writer)
{
	if (!writer->resting || !writer->journal || writer->spared || writer->changed ||
		writer->takes || writer->stored != writer->events || has_blob(store, writer->id))
		return;
	ik_session_writer_end(writer);
	writer->changed = true; /* its file is to be removed */
	take(store, writer, true);
}

static void on_taken(void *arg, const struct ik_store_answer *answer)
{
	struct ik_session_writer *writer = arg;
	struct ik_store *store = writer->owner;
	struct ik_writer_take *take_done = writer->takes;
	size_t events = take_done->events;

	writer->takes = take_done->next;
	free(take_done);
	if (answer->status != IK_OK && !is_gone(writer, answer)) {
		writer->changed = true;
		set_error(store, &answer->error);
		retry_later(store);
		return;
	}
	if (answer->status == IK_OK) {
		on_stored(store, writer, answer->last);
	} else if (writer->journal) { /* somebody has removed the file */
		add_notice(store, answer->error.text);
		ik_session_writer_end(writer);
	} /* else it was stored with those that nobody writes any more */
	if (events > writer->stored)
		writer->stored = events;
	if (ik_store_is_kept(store) && !store->blobs)
		set_trouble(store, IK_STORE_FINE, "");
	tell_later(store);
	if (writer->changed || writer->takes) {
		take(store, writer, false);
		return;
	}
	settle(store, writer);
	if (writer->leaving && writer->stored == writer->events)
		remove_writer(store, writer);
	else
		end_if_resting(store, writer);
}

static void notice_stored_now(struct ik_store *store)
{
	char *sentence =
		ik_format(ngettext("%zu event that an earlier ikigai could not store is stored now.",
					  "%zu events that an earlier ikigai could not store are stored now.",
					  store->left),
			store->left);

	add_notice(store, sentence);
	free(sentence);
}

static void on_abandoned_taken(void *arg, const struct ik_store_answer *answer)
{
	struct ik_store *store = arg;

	store->searching = false;
	if (answer->status == IK_UNAVAILABLE || answer->status == IK_IO) {
		set_error(store, &answer->error);
		retry_later(store);
		return;
	}
	/* Ours are not to wait for one that cannot be stored. */
	if (answer->status != IK_OK && answer->status != IK_NOT_FOUND)
		ik_log(IK_LOG_ERROR, "store: %s", answer->error.text);
	/* Ours continue what these said. */
	if (store->left > 0 && store->stranded) {
		retry_later(store);
		return;
	}
	if (store->left > 0 && (answer->status == IK_OK || answer->status == IK_NOT_FOUND))
		notice_stored_now(store);
	store->searched = true;
	store->left = 0;
	take_all(store);
}

/* Have what earlier processes could not store stored. */
static void take_abandoned(struct ik_store *store)
{
	if (store->searching)
		return;
	if (!store->searched && store->spare)
		store->stranded = !ik_spare_adopt(store->spare, store->journals);
	store->searching = true;
	(void)ik_request_send(ik_request_new(store->requests, "take", on_abandoned_taken, store),
		IK_REQUEST_OWN | IK_REQUEST_CHANGES | IK_REQUEST_LONG);
}

/* Does an earlier journal of the same session have something that is not stored? */
static bool is_preceded(const struct ik_store *store, const struct ik_session_writer *writer)
{
	const struct ik_session_writer *other = store->writers;

	while (other != writer &&
		(other->stored == other->events || !ik_text_equal(other->id, writer->id)))
		other = other->next;
	return other != writer;
}

/* Have what is new in the journal of a session stored; if that is being done, not before it is done,
 * unless it has to be now: a read follows. */
static void take(struct ik_store *store, struct ik_session_writer *writer, bool now)
{
	struct ik_writer_take **link = &writer->takes;
	struct ik_store_read *read;

	if (store->ending || (writer->takes && !now) || !writer->changed || !writer->name ||
		writer->spared || is_preceded(store, writer))
		return;
	/* Those come first: a session may continue what an earlier process said. */
	if (!store->searched) {
		take_abandoned(store);
		if (!now || store->trouble != IK_STORE_FINE)
			return;
	}
	writer->changed = false;
	while (*link)
		link = &(*link)->next;
	*link = ik_alloc(sizeof(**link));
	(*link)->events = writer->events - (size_t)(writer->last - writer->journaled);
	read = ik_request_new(store->requests, "take", on_taken, writer);
	ik_request_text(read, "journal", writer->name);
	(void)ik_request_send(read, IK_REQUEST_OWN | IK_REQUEST_CHANGES);
}

static void take_all(struct ik_store *store)
{
	struct ik_session_writer *writer;

	for (writer = store->writers; writer; writer = writer->next)
		take(store, writer, true);
}

/* ---- writing ---- */

static struct ik_writer_place place_of(const struct ik_session_writer *writer)
{
	const struct ik_store *store = writer->owner;

	return (struct ik_writer_place){
		.directory = writer->spared ? store->spare : store->journals,
		.process = store->process,
	};
}

/* A record is in the journal, or has to wait. */
static void note_journaled(struct ik_store *store, struct ik_session_writer *writer,
	enum ik_status status, const struct ik_error *error)
{
	if (status != IK_OK) {
		set_trouble(store, IK_STORE_REFUSES, error->text);
		retry_later(store);
	} else if (!ik_timer_running(store->retry)) {
		take(store, writer, false);
	}
}

/* The newest writer of a session; NULL: none adds to it. */
static struct ik_session_writer *find_writer(const struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer, *found = NULL;

	for (writer = store->writers; writer; writer = writer->next)
		if (!writer->leaving && ik_text_equal(writer->id, session))
			found = writer;
	return found;
}

static struct ik_session_writer *add_writer(struct ik_store *store, const char *session,
	const char *directory, int64_t sequence)
{
	struct ik_session_writer **link = &store->writers;

	while (*link)
		link = &(*link)->next;
	*link = ik_session_writer_new(session, directory);
	(*link)->owner = store;
	(*link)->last = (*link)->journaled = sequence;
	return *link;
}

/* The session goes on in another journal, with what this one did not take: return the writer for
 * it. One that never had a journal is gone then. */
static struct ik_session_writer *succeed(struct ik_session_writer *writer)
{
	struct ik_store *store = writer->owner;
	struct ik_session_writer *next = add_writer(store, writer->id, writer->directory,
		writer->journaled);
	size_t waiting = (size_t)(writer->last - writer->journaled);

	memcpy(next->parent, writer->parent, sizeof(next->parent));
	next->forked_at = writer->forked_at;
	next->created_ms = writer->created_ms;
	next->last = writer->last;
	writer->last = writer->journaled;
	next->events = waiting;
	writer->events -= waiting;
	next->first = writer->first;
	next->end = writer->first ? writer->end : &next->first;
	writer->first = NULL;
	writer->end = &writer->first;
	writer->leaving = true;
	ik_session_writer_end(writer);
	if (!writer->name)
		remove_writer(store, writer);
	return next;
}

/* The journal does not take what waits: have it in one on the spare disk. */
static enum ik_status spill(struct ik_session_writer *writer, struct ik_error *error)
{
	struct ik_session_writer *next;
	struct ik_writer_place place;

	writer->changed = true;
	next = succeed(writer);
	next->spared = true;
	place = place_of(next);
	return ik_session_writer_flush(next, &place, error);
}

/* Write what no journal took so far. */
static void flush_all(struct ik_store *store)
{
	struct ik_session_writer *writer;

	for (writer = store->writers; writer; writer = writer->next) {
		struct ik_writer_place place = place_of(writer);
		struct ik_error error;

		if (writer->first)
			note_journaled(store, writer, ik_session_writer_flush(writer, &place, &error), &error);
	}
}

/* Bring journals back from the spare disk, those of earlier processes too. */
static void bring_back(struct ik_store *store)
{
	struct ik_session_writer *writer, *next;

	for (writer = store->writers; writer; writer = next) {
		next = writer->next;
		if (writer->spared && !writer->leaving)
			(void)succeed(writer);
	}
	store->stranded = !ik_spare_adopt(store->spare, store->journals);
	for (writer = store->writers; writer; writer = writer->next) {
		char *path = writer->spared && writer->name ? ik_path_join(store->journals, writer->name)
													: NULL;

		if (path && access(path, F_OK) == 0) {
			writer->spared = false;
			writer->changed = true;
		}
		free(path);
	}
}

/* Is anything on the spare disk? */
static bool is_spared(const struct ik_store *store)
{
	const struct ik_session_writer *writer = store->writers;

	while (writer && !writer->spared)
		writer = writer->next;
	return writer;
}

static void blobs_later(struct ik_store *store);

static void on_retry(void *arg)
{
	struct ik_store *store = arg;

	if (store->spare)
		bring_back(store);
	if (is_spared(store))
		retry_later(store);
	flush_all(store);
	blobs_later(store);
	if (store->left > 0) {
		store->searched = false;
		take_abandoned(store);
	}
	take_all(store);
}

void ik_store_begin(struct ik_store *store, const char *session, const char *directory)
{
	if (!find_writer(store, session))
		(void)add_writer(store, session, directory, 0);
}

void ik_store_leave(struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer = find_writer(store, session);

	if (!writer)
		return;
	writer->leaving = true;
	if (!writer->name && !writer->first) {
		remove_writer(store, writer);
		return;
	}
	ik_session_writer_end(writer);
	writer->changed = true; /* its file is to be removed */
	take(store, writer, true);
}

void ik_store_rest(struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer = find_writer(store, session);

	if (!writer)
		return;
	writer->resting = true;
	end_if_resting(store, writer);
}

void ik_store_continue(struct ik_store *store, const char *session, const char *directory,
	int64_t sequence)
{
	const struct ik_session_writer *writer = find_writer(store, session);

	if (writer && writer->last == sequence)
		return;
	ik_store_leave(store, session);
	(void)add_writer(store, session, directory, sequence);
}

struct ik_message **ik_store_left_behind(struct ik_store *store, const char *session,
	int64_t sequence, size_t *ret_count)
{
	const char *directories[] = { store->journals, store->spare };
	const struct ik_session_writer *writer;
	struct ik_message **messages;
	size_t own = 0;

	*ret_count = 0;
	if (!store->path)
		return NULL;
	messages = ik_left_behind(directories, 2, session, sequence, ret_count);
	for (writer = store->writers; writer; writer = writer->next)
		own += ik_text_equal(writer->id, session) ? writer->events - writer->stored : 0;
	store->left = *ret_count > own ? *ret_count - own : 0;
	if (store->left > 0) {
		tell_later(store);
		retry_later(store);
	}
	return messages;
}

void ik_store_begin_fork(struct ik_store *store, const char *session, const char *directory,
	const char *parent, int64_t sequence)
{
	struct ik_session_writer *writer = add_writer(store, session, directory, sequence);

	memcpy(writer->parent, parent, strnlen(parent, sizeof(writer->parent) - 1));
	writer->forked_at = sequence;
}

void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message)
{
	struct ik_session_writer *writer;
	struct ik_writer_place place;
	enum ik_status status;
	struct ik_error error;

	if (!store->path)
		return;
	ik_store_begin(store, session, "");
	writer = find_writer(store, session);
	writer->resting = false;
	place = place_of(writer);
	status = ik_session_writer_append(writer, &place, message, &error);
	note_journaled(store, writer, status, &error);
	if (status != IK_OK && store->spare && !writer->spared && spill(writer, &error) != IK_OK)
		ik_log(IK_LOG_ERROR, "store: %s", error.text);
}

void ik_store_keep_reply(struct ik_store *store, const char *session,
	const struct ik_message *message)
{
	struct ik_session_writer *writer = find_writer(store, session);
	struct ik_writer_place place;
	struct ik_error error;

	if (!store->path || !writer)
		return;
	place = place_of(writer);
	if (ik_session_writer_keep_reply(writer, &place, message, &error) != IK_OK)
		ik_log(IK_LOG_ERROR, "store: %s", error.text);
}

void ik_store_drop_replies(struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer = find_writer(store, session);

	if (writer)
		ik_session_writer_drop_replies(writer);
}

enum ik_status ik_store_put_part(struct ik_store *store, const char *session, const char *id,
	size_t part, const char *bytes, size_t length, struct ik_error *error)
{
	struct ik_session_writer *writer;
	struct ik_writer_place place;
	enum ik_status status;

	if (!store->path)
		return IK_OK;
	ik_store_begin(store, session, "");
	writer = find_writer(store, session);
	place = place_of(writer);
	status = ik_session_writer_put_part(writer, &place, id, part, bytes, length, error);
	if (status == IK_OK && !ik_timer_running(store->retry))
		take(store, writer, false);
	return status;
}

/* Journal the next part of the first text; false: there is none, or it does not fit now. */
static bool put_next_part(struct ik_store *store)
{
	struct ik_store_blob *blob = store->blobs;
	size_t from, length;
	struct ik_error error;

	if (!blob)
		return false;
	from = blob->part * IK_LIMIT_PART;
	length = blob->bytes->length - from;
	if (ik_store_put_part(store, blob->session, blob->id, blob->part, blob->bytes->data + from,
			length < IK_LIMIT_PART ? length : IK_LIMIT_PART, &error) != IK_OK) {
		set_trouble(store, IK_STORE_REFUSES, error.text);
		retry_later(store);
		return false;
	}
	blob->part++;
	if (length <= IK_LIMIT_PART) {
		store->blobs = blob->next;
		if (!store->blobs)
			store->blobs_end = &store->blobs;
		(void)ik_bytes_unref(blob->bytes);
		free(blob);
	}
	return true;
}

/* Deferred: one part in each turn of the loop. */
static void on_blobs(void *arg)
{
	struct ik_store *store = arg;

	store->blobs_later = false;
	if (put_next_part(store))
		blobs_later(store);
}

static void blobs_later(struct ik_store *store)
{
	if (!store->blobs || store->blobs_later)
		return;
	store->blobs_later = true;
	ik_loop_defer(store->loop, on_blobs, store);
}

void ik_store_put_blob(struct ik_store *store, const char *session, const char *id,
	struct ik_bytes *bytes)
{
	struct ik_store_blob *blob;

	if (!store->path || !bytes)
		return;
	blob = ik_alloc(sizeof(*blob));
	memcpy(blob->session, session, strnlen(session, sizeof(blob->session) - 1));
	memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
	blob->bytes = ik_bytes_ref(bytes);
	*store->blobs_end = blob;
	store->blobs_end = &blob->next;
	blobs_later(store);
}

void ik_store_end_now(struct ik_store *store)
{
	store->ending = true;
	flush_all(store);
	while (put_next_part(store))
		;
}

/* ---- reading ---- */

/* Begin a read: what was handed over before it is stored first, and if fresh, what others have
 * left. */
static struct ik_store_read *begin(struct ik_store *store, const char *verb, bool fresh,
	ik_store_reader *reader, void *arg)
{
	take_all(store);
	if (fresh && store->path)
		take_abandoned(store);
	return ik_request_new(store->requests, verb, reader, arg);
}

struct ik_store_read *ik_store_newest(struct ik_store *store, const char *directory,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "newest", true, reader, arg);

	ik_request_text(read, "directory", directory);
	ik_request_missing(read,
		directory ? ik_format(_("There is no stored session of %s."), directory)
				  : ik_strdup(_("There is no stored session.")));
	return ik_request_send(read, 0);
}

struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "find", true, reader, arg);

	ik_request_text(read, "prefix", id_prefix);
	ik_request_missing(read,
		ik_format(_("There is no session %s. --resume without an id takes the newest of this "
					"directory."),
			id_prefix));
	return ik_request_send(read, 0);
}

struct ik_store_read *ik_store_list(struct ik_store *store, int64_t updated_ms, const char *id,
	size_t count, ik_store_reader *reader, void *arg)
{
	const struct ik_session_choice all = { .words = NULL };

	return ik_store_select(store, &all, updated_ms, id, count, reader, arg);
}

struct ik_store_read *ik_store_select(struct ik_store *store,
	const struct ik_session_choice *choice, int64_t updated_ms, const char *id, size_t count,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "list", id[0] == '\0', reader, arg);
	const char *words = choice->words ? choice->words + strspn(choice->words, " ") : "";

	ik_request_text(read, "directory", choice->directory);
	ik_request_text(read, "words", words[0] ? words : NULL);
	if (id[0]) {
		ik_request_text(read, "session", id);
		ik_request_number(read, "updated_ms", updated_ms);
	}
	ik_request_number(read, "count", (int64_t)count);
	return ik_request_send(read, 0);
}

struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "delete", false, reader, arg);

	ik_request_text(read, "session", session);
	ik_request_missing(read, ik_format(_("There is no session %s."), session));
	return ik_request_send(read, IK_REQUEST_CHANGES | IK_REQUEST_LONG);
}

struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "page", before == 0, reader, arg);

	ik_request_text(read, "session", session);
	if (before > 0)
		ik_request_number(read, "before", before);
	ik_request_number(read, "count", (int64_t)count);
	return ik_request_send(read, IK_REQUEST_BACKWARDS | IK_REQUEST_PAGE);
}

struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "after", true, reader, arg);

	ik_request_text(read, "session", session);
	ik_request_number(read, "sequence", sequence);
	ik_request_number(read, "count", (int64_t)count);
	return ik_request_send(read, IK_REQUEST_PAGE);
}

struct ik_store_read *ik_store_search(struct ik_store *store, const char *words,
	const char *directory, const char *row, size_t count, ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = begin(store, "search", !row, reader, arg);
	char *query = ik_strndup(words, strnlen(words, QUERY_BYTES));

	ik_request_text(read, "query", query);
	free(query);
	ik_request_text(read, "directory", directory);
	ik_request_json(read, "row", row);
	ik_request_number(read, "count", (int64_t)count);
	return ik_request_send(read, IK_REQUEST_LONG);
}

struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read;

	while (put_next_part(store))
		;
	read = begin(store, "part", false, reader, arg);
	ik_request_text(read, "blob", id);
	ik_request_number(read, "part", (int64_t)part);
	return ik_request_send(read, 0);
}

struct ik_store_read *ik_store_ask(struct ik_store *store, const char *verb, const char *file,
	ik_store_reader *reader, void *arg)
{
	struct ik_store_read *read = ik_request_new(store->requests, verb, reader, arg);

	ik_request_text(read, "file", file);
	return ik_request_send(read, IK_REQUEST_LONG);
}

/* Ask for something that is done to the journal of a session; NULL: it has none. */
static struct ik_store_read *ask_journal(struct ik_store *store, const char *verb, int flags,
	const char *session, ik_store_reader *reader, void *arg)
{
	const struct ik_session_writer *writer = find_writer(store, session);
	struct ik_store_read *read;

	if (!writer || !writer->name || !writer->journal)
		return NULL;
	read = ik_request_new(store->requests, verb, reader, arg);
	ik_request_text(read, "journal", writer->name);
	return ik_request_send(read, flags);
}

struct ik_store_read *ik_store_settle(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	take_all(store);
	return ask_journal(store, "take", 0, session, reader, arg);
}

struct ik_store_read *ik_store_sync(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	return ask_journal(store, "sync", IK_REQUEST_APART, session, reader, arg);
}

/* ---- what the store program says ---- */

static void on_answered(void *arg, const struct ik_error *error)
{
	struct ik_store *store = arg;

	if (error) {
		set_error(store, error);
		return;
	}
	/* What can be read may still not be written. */
	if (ik_store_waiting(store) == 0)
		set_trouble(store, IK_STORE_FINE, "");
}

static void on_slow(void *arg)
{
	struct ik_store *store = arg;
	struct ik_error error;

	(void)ik_error_set(&error, IK_UNAVAILABLE,
		store->server ? _("The database %s does not answer.")
					  : _("The database %s is in use by another program."),
		store->path);
	set_error(store, &error);
}

static void on_told(void *arg, struct ik_json_span line)
{
	struct ik_store *store = arg;
	char *notice = ik_json_text_new(ik_json_member(line, "notice"));
	char session[IK_UUID_TEXT];

	if (notice)
		add_notice(store, notice);
	free(notice);
	if (!store->listener)
		return;
	if (ik_event_line_id(line, "heard", session))
		store->listener->heard(store, session);
	if (ik_json_span_type(ik_json_member(line, "lost")) != IK_JSON_NONE)
		store->listener->lost(store);
}

/* A lock of a file says who has a session. */
static void on_session(void *arg, struct ik_session_info *info)
{
	const struct ik_store *store = arg;

	if (!store->server)
		ik_lock_file_holder(store->path, info->id, &info->holder);
}

static void on_program_ended(void *arg)
{
	struct ik_store *store = arg;

	if (store->listener)
		store->listener->lost(store);
}

/* ---- opening and closing ---- */

bool ik_postgres_is_uri(const char *uri)
{
	static const char *const words[] = { "host", "hostaddr", "port", "dbname", "user", "service" };
	size_t length = strcspn(uri, "= ");

	if (ik_text_starts(uri, "postgresql:") || ik_text_starts(uri, "postgres:"))
		return true;
	for (size_t i = 0; uri[length] && i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length && strncmp(uri, words[i], length) == 0)
			return uri[length + strspn(uri + length, " ")] == '=';
	return false;
}

/* The journals of this database: DIRECTORY/HASH, of what tells it from others. */
static char *own_journals(const struct ik_store *store, const char *directory)
{
	static const char *const variables[] = { "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE",
		"PGUSER", "PGOPTIONS", "PGSERVICE", "PGSERVICEFILE" };
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
	struct ik_buf name;
	char *path;

	ik_buf_init(&name, IK_KIB(64));
	ik_buf_puts(&name, store->path);
	for (size_t i = 0; store->server && i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]))
			ik_buf_printf(&name, " %s=%s", variables[i], getenv(variables[i]));
	for (size_t i = 0; i < name.length; i++)
		hash = (hash ^ (unsigned char)name.data[i]) * UINT64_C(1099511628211);
	path = ik_format("%s/%016llx", directory, (unsigned long long)hash);
	ik_buf_done(&name);
	return path;
}

struct ik_store *ik_store_open(struct ik_loop *loop, const struct ik_store_options *options,
	struct ik_error *error)
{
	static const struct ik_requests_events events = {
		.answered = on_answered,
		.slow = on_slow,
		.told = on_told,
		.session = on_session,
		.ended = on_program_ended,
	};
	const char *database = options->database;
	struct ik_store_program_options program = { .path = NULL };
	struct ik_store *store;

	if (database && ik_text_starts(database, "sqlite:"))
		database += strlen("sqlite:");
	if (database && !database[0]) {
		ik_error_set(error, IK_INVALID, _("The database needs a path."));
		return NULL;
	}
	store = ik_alloc(sizeof(*store));
	store->loop = loop;
	store->blobs_end = &store->blobs;
	ik_uuid_new(store->process);
	ik_buf_init(&store->notices, IK_KIB(64));
	store->retry = ik_timer_new(loop, on_retry, store);
	if (!database) {
		store->requests = ik_requests_new(loop, NULL, 0, &events, store);
		return store;
	}
	store->server = ik_postgres_is_uri(database);
	store->path = store->server ? ik_redact(database) : ik_path_canonical(database);
	store->journals = own_journals(store, options->journals);
	if (options->spare)
		store->spare = own_journals(store, options->spare);
	program = (struct ik_store_program_options){
		.path = ik_path_join(options->programs, store->server ? "store-postgres" : "store-sqlite"),
		.database = store->server ? database : store->path,
		.journals = store->journals,
	};
	store->requests = ik_requests_new(loop, &program,
		store->server ? options->patience_s * 1000 : 0, &events, store);
	free((char *)program.path);
	return store;
}

/* Say what could not be stored, and where it is. */
static void say_what_waits(const struct ik_store *store, size_t lost, const char *file,
	struct ik_error *notice)
{
	size_t waiting = ik_store_waiting(store);

	if (file)
		(void)ik_error_set(notice, IK_UNAVAILABLE,
			_("%s What could not be kept is in %s: ikigai session import %s stores it."),
			store->reason, file, file);
	else if (lost > 0)
		(void)ik_error_set(notice, IK_IO,
			ngettext("%zu event could not be kept: %s", "%zu events could not be kept: %s", lost),
			lost, store->reason);
	else if (waiting > 0)
		(void)ik_error_set(notice, IK_UNAVAILABLE,
			ngettext("%zu event waits in %s until the database can be used.",
				"%zu events wait in %s until the database can be used.", waiting),
			waiting, is_spared(store) ? store->spare : store->journals);
}

/* How many events no journal took. */
static size_t count_lost(const struct ik_store *store)
{
	const struct ik_session_writer *writer;
	size_t lost = 0;

	for (writer = store->writers; writer; writer = writer->next)
		lost += (size_t)(writer->last - writer->journaled);
	return lost;
}

/* Journal everything, have it stored, and let the locks go. */
static void finish(struct ik_store *store)
{
	struct ik_session_writer *writer;

	flush_all(store);
	if (store->spare)
		bring_back(store);
	while (put_next_part(store))
		;
	for (writer = store->writers; writer; writer = writer->next) {
		writer->changed = writer->changed || writer->journal;
		ik_session_writer_end(writer);
		take(store, writer, true);
	}
	if (store->listener)
		store->listener->done(store);
	ik_requests_finish(store->requests, LAST_MS, END_MS);
}

struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	struct ik_error error;
	char *file = NULL;
	size_t lost = 0;

	if (notice)
		*notice = (struct ik_error){ .status = IK_OK };
	if (store->path) {
		finish(store);
		if (!ik_store_is_kept(store))
			file = ik_spare_write(store->writers, &error);
		lost = count_lost(store);
		if (notice && store->notices.length > 0)
			(void)snprintf(notice->text, sizeof(notice->text), "%s", store->notices.data);
		if (notice)
			say_what_waits(store, lost, file, notice);
		free(file);
	}
	if (ret_lost)
		*ret_lost = lost;
	store->requests = ik_requests_close(store->requests);
	store->retry = ik_timer_close(store->retry);
	ik_loop_cancel_deferred(store->loop, tell, store);
	ik_loop_cancel_deferred(store->loop, on_blobs, store);
	while (store->writers)
		remove_writer(store, store->writers);
	while (store->blobs) {
		struct ik_store_blob *blob = store->blobs;

		store->blobs = blob->next;
		(void)ik_bytes_unref(blob->bytes);
		free(blob);
	}
	ik_buf_done(&store->notices);
	free(store->journals);
	free(store->spare);
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
	if (store->notices.length > 0)
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
	return !store->path ? "memory" : store->server ? "postgresql" : "sqlite";
}
