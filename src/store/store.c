#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "store/store_private.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/redact.h"
#include "util/text.h"

/* Delay before records that weren't stored or journaled are retried. */
#define RETRY_MS 1000
/* Limit on a search query; longer ones are cut, as the rest is ignored anyway. */
#define QUERY_BYTES 65536
/* A larger journal is ended once all of it is stored. */
#define JOURNAL_BYTES ((int64_t)IK_MIB(8))
/* Limits on the wait at exit: until all is stored, then until the store program has closed its
 * database. */
#define LAST_MS 3000
#define END_MS 500

/* ---- reporting ---- */

static void tell_notices(struct ik_store *store)
{
	while (store->events->notice && store->notices.length > 0) {
		char *sentence = ik_strdup(store->notices.data);

		ik_buf_consume(&store->notices, strlen(sentence) + 1);
		store->events->notice(store->events_arg, sentence);
		free(sentence);
	}
}

/* Report what has changed (deferred). */
static void tell(void *arg)
{
	struct ik_store *store = arg;
	size_t waiting = store->trouble != IK_STORE_FINE || store->left > 0 ? ik_store_waiting(store)
																		: 0;

	store->telling = false;
	tell_notices(store);
	if (store->events->state && (store->told_waiting != waiting || store->state_is_new)) {
		store->told_waiting = waiting;
		store->state_is_new = false;
		store->events->state(store->events_arg, waiting, store->reason);
	}
}

static void tell_later(struct ik_store *store)
{
	if (!store->telling)
		ik_loop_defer(store->loop, tell, store);
	store->telling = true;
}

static void add_notice(struct ik_store *store, const char *sentence)
{
	ik_log(IK_LOG_INFO, "store: %s", sentence);
	ik_buf_append(&store->notices, sentence, strlen(sentence) + 1);
	tell_later(store);
}

/* Set the store's problem; sentence is "" if there is none. */
static void set_trouble(struct ik_store *store, enum ik_store_trouble trouble, const char *sentence)
{
	if (store->trouble != trouble || !ik_text_equal(store->reason, sentence)) {
		if (sentence[0])
			ik_log(IK_LOG_ERROR, "store: %zu waiting: %s", ik_store_waiting(store), sentence);
		store->trouble = trouble;
		(void)snprintf(store->reason, sizeof(store->reason), "%s", sentence);
		store->state_is_new = true;
	}
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

/* Count the events that aren't in a journal, and with texts also the large texts. */
static size_t count_queued(const struct ik_store *store, bool texts)
{
	const struct ik_session_writer *writer;
	const struct ik_writer_queued *queued;
	size_t count = 0;

	for (writer = store->writers; writer; writer = writer->next)
		for (queued = writer->first; queued; queued = queued->next)
			count += texts || queued->message;
	return count;
}

size_t ik_store_waiting(const struct ik_store *store)
{
	return store->left + store->appended - store->stored;
}

enum ik_store_trouble ik_store_trouble(const struct ik_store *store)
{
	return store->trouble;
}

/* ---- storing the journals ---- */

static void take(struct ik_store *store, bool now);

/* Retry after a delay. */
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

/* Return the newest writer of a session; NULL if there is none. */
static struct ik_session_writer *find_writer(const struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer, *found = NULL;

	for (writer = store->writers; writer; writer = writer->next)
		if (!writer->leaving && ik_text_equal(writer->id, session))
			found = writer;
	return found;
}

/* Return the writer of a journal, or NULL if it is gone. */
static struct ik_session_writer *writer_of(const struct ik_store *store, const char *journal)
{
	struct ik_session_writer *writer = store->writers;

	while (writer && !(writer->name && ik_text_equal(writer->name, journal)))
		writer = writer->next;
	return writer;
}

/* What this writer (NULL: it is gone) wrote for a session was stored as its fork. From now on callers
 * use the new ID; the old one means the session that the other process continues. */
static void note_fork(struct ik_store *store, struct ik_session_writer *writer, const char *from,
	const char *to)
{
	char *sentence;

	if (!writer) /* the session's newest has the same fork */
		writer = find_writer(store, from);
	/* The fork has been reported. */
	if (!writer || !ik_text_equal(writer->id, from))
		return;
	memcpy(writer->id, to, sizeof(writer->id));
	writer->parent[0] = '\0';
	sentence = ik_format(_("Another ikigai went on with session %s meanwhile: what was said here "
						   "since is kept as its fork, session %s."),
		from, to);
	add_notice(store, sentence);
	free(sentence);
	tell_notices(store);
	if (store->events->forked)
		store->events->forked(store->events_arg, from, to);
}

/* Process a line about a journal that the program has stored. */
static void take_line(struct ik_store *store, struct ik_json_span line)
{
	char *journal = ik_json_text_new(ik_json_member(line, "journal"));
	struct ik_session_writer *writer = journal ? writer_of(store, journal) : NULL;
	char from[IK_UUID_TEXT], to[IK_UUID_TEXT];

	if (writer)
		writer->due = false;
	if (journal && ik_event_line_id(line, "of", from) && ik_event_line_id(line, "session", to) &&
		!ik_text_equal(from, to))
		note_fork(store, writer, from, to);
	free(journal);
}

/* End journals that were deleted while open; the next record starts a new one. */
static void check_journals(struct ik_store *store)
{
	struct ik_session_writer *writer;
	struct ik_error error;

	for (writer = store->writers; writer; writer = writer->next) {
		if (!writer->journal || ik_journal_check(writer->journal, &error) == IK_OK)
			continue;
		add_notice(store, error.text);
		ik_session_writer_end(writer);
		writer->due = false;
	}
}

/* Everything journaled is stored: end the journals that aren't needed any more, and free the
 * writers of sessions that were left. */
static void settle(struct ik_store *store)
{
	struct ik_session_writer *writer, *next;

	for (writer = store->writers; writer; writer = next) {
		bool busy = writer->first || writer->reply_count > 0;
		bool ends = writer->resting || writer->leaving || writer->spared ||
			(writer->journal && ik_journal_size(writer->journal) > JOURNAL_BYTES);

		next = writer->next;
		if (writer->journal && ends && !busy) {
			ik_session_writer_end(writer);
			store->changed = true; /* its file can be removed now */
		} else if (writer->leaving && !writer->journal && !writer->first) {
			remove_writer(store, writer);
		}
	}
	take(store, false);
	ik_locks_settle(store);
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
	store->left = 0;
}

/* Has the program passed over a journal of ours, since it could not open it? */
static bool is_passed_over(const struct ik_store *store)
{
	const struct ik_session_writer *writer = store->writers;

	while (writer && !writer->due)
		writer = writer->next;
	return writer;
}

static void note_taken(struct ik_store *store, const char *refused)
{
	if (refused)
		ik_log(IK_LOG_ERROR, "store: %s", refused);
	if (store->left > 0 && !refused)
		notice_stored_now(store);
	if (store->takes == 0)
		store->stored = store->asked;
	if (count_queued(store, true) == 0)
		set_trouble(store, IK_STORE_FINE, "");
	tell_later(store);
	if (store->changed)
		take(store, false);
	else if (store->takes == 0)
		settle(store);
}

static void on_taken(void *arg, const struct ik_store_answer *answer)
{
	char *refused = ik_json_text_new(ik_json_member(answer->last, "refused"));
	struct ik_store *store = arg;
	struct ik_error error = answer->error;

	store->takes--;
	if (answer->status == IK_OK)
		check_journals(store);
	if (answer->status == IK_OK && refused && is_passed_over(store))
		(void)ik_error_set(&error, IK_IO, "%s", refused);
	if (error.status == IK_OK) {
		note_taken(store, refused);
	} else {
		store->changed = true;
		set_error(store, &error);
		retry_later(store);
	}
	free(refused);
}

/* Ask the program to store what is new in the journals. While such a request is running, wait for
 * its end, unless now is set because a read follows. */
static void take(struct ik_store *store, bool now)
{
	if (!store->changed || !store->path || store->ending || (store->takes > 0 && !now))
		return;
	store->changed = false;
	store->takes++;
	store->asked = store->appended - count_queued(store, false);
	for (struct ik_session_writer *writer = store->writers; writer; writer = writer->next)
		writer->due = writer->due || writer->journal;
	(void)ik_request(store->requests, IK_REQUEST_OWN | IK_REQUEST_CHANGES, on_taken, store,
		"'do':'take','writer':'%s'", store->place.writer);
}

/* ---- writing ---- */

/* Update the state after a record was journaled, or failed to be. */
static void note_journaled(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	store->changed = true;
	if (status != IK_OK) {
		set_trouble(store, IK_STORE_REFUSES, error->text);
		retry_later(store);
	} else if (!ik_timer_running(store->retry)) {
		take(store, false);
	}
}

static struct ik_session_writer *add_writer(struct ik_store *store, const char *session,
	const char *directory, int64_t sequence)
{
	struct ik_session_writer **link = &store->writers;

	while (*link)
		link = &(*link)->next;
	*link = ik_session_writer_new(&store->place, session, directory);
	(*link)->last = (*link)->journaled = sequence;
	return *link;
}

/* Return the writer of a session. If the session was left, create one that ends once all is
 * stored. */
static struct ik_session_writer *need_writer(struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer = find_writer(store, session);

	if (writer)
		return writer;
	writer = add_writer(store, session, "", 0);
	writer->resting = true;
	return writer;
}

/* Journal what is queued: all of it, or only the next part of large texts. */
static void flush(struct ik_store *store, bool all)
{
	struct ik_session_writer *writer;
	struct ik_error error;

	for (writer = store->writers; writer; writer = writer->next)
		if (writer->first)
			note_journaled(store, ik_session_writer_flush(writer, all, &error), &error);
}

/* Journal one part of the large texts per turn of the loop, until one fails (deferred). */
static void on_flush(void *arg)
{
	struct ik_store *store = arg;

	flush(store, false);
	store->flushing = !ik_timer_running(store->retry) && count_queued(store, true) > 0;
	if (store->flushing)
		ik_loop_defer(store->loop, on_flush, store);
}

static void on_retry(void *arg)
{
	struct ik_store *store = arg;

	if (!store->flushing)
		on_flush(store);
	store->changed = true;
	take(store, false);
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
	if (!writer->journal && !writer->first) {
		remove_writer(store, writer);
		return;
	}
	ik_session_writer_end(writer);
	store->changed = true; /* its file can be removed now */
	take(store, false);
}

void ik_store_rest(struct ik_store *store, const char *session)
{
	struct ik_session_writer *writer = find_writer(store, session);

	if (!writer)
		return;
	writer->resting = true;
	if (!store->changed && store->takes == 0)
		settle(store);
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
	struct ik_error error;

	if (!store->path)
		return;
	writer = need_writer(store, session);
	writer->resting = false;
	store->appended++;
	note_journaled(store, ik_session_writer_append(writer, message, &error), &error);
}

void ik_store_keep_reply(struct ik_store *store, const char *session,
	const struct ik_message *message)
{
	struct ik_session_writer *writer = find_writer(store, session);
	struct ik_error error;

	if (store->path && writer && ik_session_writer_keep_reply(writer, message, &error) != IK_OK)
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
	enum ik_status status;

	if (!store->path)
		return IK_OK;
	status = ik_session_writer_put_part(need_writer(store, session), id, part, bytes, length,
		error);
	if (status == IK_OK)
		note_journaled(store, status, error);
	return status;
}

void ik_store_put_blob(struct ik_store *store, const char *session, const char *id,
	struct ik_bytes *bytes)
{
	if (!store->path || !bytes)
		return;
	ik_session_writer_add_text(need_writer(store, session), id, bytes);
	if (!store->flushing)
		ik_loop_defer(store->loop, on_flush, store);
	store->flushing = true;
}

void ik_store_end_now(struct ik_store *store)
{
	store->ending = true;
	flush(store, true);
}

/* ---- reading ---- */

/* Before a read: store what was handed over first, and if fresh, also what earlier processes
 * left. */
static struct ik_requests *prepare(struct ik_store *store, bool fresh)
{
	store->changed = store->changed || fresh;
	take(store, true);
	return store->requests;
}

struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, true), 0, reader, arg, "'do':'find','prefix':'%s'", id_prefix);
}

struct ik_store_read *ik_store_list(struct ik_store *store, const struct ik_session_choice *choice,
	int64_t updated_ms, const char *id, size_t count, ik_store_reader *reader, void *arg)
{
	const char *words = choice && choice->words ? choice->words : "";

	words += strspn(words, " ");
	return ik_request(prepare(store, !id[0]), 0, reader, arg,
		"'do':'list','directory':'%s','words':'%s','mine':%s,'session':'%s','updated_ms':%lld,"
		"'count':%zu",
		choice ? choice->directory : NULL, words[0] ? words : NULL,
		ik_json_word(!choice || !choice->everybody), id[0] ? id : NULL, (long long)updated_ms,
		count);
}

struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, false), IK_REQUEST_CHANGES | IK_REQUEST_LONG, reader, arg,
		"'do':'delete','session':'%s'", session);
}

struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, before == 0), IK_REQUEST_BACKWARDS | IK_REQUEST_PAGE, reader,
		arg, "'do':'page','session':'%s','before':%lld,'count':%zu,'writer':'%s'", session,
		(long long)(before > 0 ? before : INT64_MAX), count, store->place.writer);
}

struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, true), IK_REQUEST_PAGE, reader, arg,
		"'do':'after','session':'%s','sequence':%lld,'count':%zu", session, (long long)sequence,
		count);
}

struct ik_store_read *ik_store_search(struct ik_store *store,
	const struct ik_session_choice *choice, const char *row, size_t count, ik_store_reader *reader,
	void *arg)
{
	return ik_request(prepare(store, !row), IK_REQUEST_LONG, reader, arg,
		"'do':'search','query':'%.*s','directory':'%s','mine':%s,'row':%s,'count':%zu",
		(int)strnlen(choice->words, QUERY_BYTES), choice->words, choice->directory,
		ik_json_word(!choice->everybody), row, count);
}

struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg)
{
	flush(store, true);
	return ik_request(prepare(store, false), 0, reader, arg, "'do':'part','blob':'%s','part':%zu",
		id, part);
}

struct ik_store_read *ik_store_ask(struct ik_store *store, const char *verb, const char *file,
	ik_store_reader *reader, void *arg)
{
	return ik_request(store->requests, IK_REQUEST_LONG, reader, arg, "'do':'%s','file':'%s'", verb,
		file);
}

struct ik_store_read *ik_store_known(struct ik_store *store, const char *ids,
	ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, true), IK_REQUEST_LONG, reader, arg, "'do':'known','ids':'%s'",
		ids);
}

struct ik_store_read *ik_store_settle(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	return ik_request(prepare(store, false), 0, reader, arg,
		"'do':'take','writer':'%s','session':'%s'", store->place.writer, session);
}

struct ik_store_read *ik_store_sync(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg)
{
	const struct ik_session_writer *writer = find_writer(store, session);

	if (!writer || !writer->journal)
		return NULL;
	return ik_request(store->requests, IK_REQUEST_APART, reader, arg, "'do':'sync','session':'%s'",
		session);
}

/* ---- events of the store program ---- */

static void on_answered(void *arg, struct ik_json_span line, const struct ik_error *error)
{
	struct ik_store *store = arg;
	int64_t unstored = 0;

	if (error) {
		set_error(store, error);
		return;
	}
	if (ik_json_integer(ik_json_member(line, "unstored"), &unstored) && unstored > 0) {
		store->left = (size_t)unstored;
		tell_later(store);
		retry_later(store);
	}
	/* Clear the problem only if nothing waits: a database that can be read may still refuse
	 * writes. */
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

static void tell_progress(struct ik_store *store, struct ik_json_span line)
{
	char *work = ik_json_text_new(ik_json_member(line, "progress"));
	int64_t done = 0, of = 0;

	(void)ik_json_integer(ik_json_member(line, "done"), &done);
	(void)ik_json_integer(ik_json_member(line, "of"), &of);
	store->events->progress(store->events_arg, work, done, of);
	free(work);
}

static void on_told(void *arg, struct ik_json_span line)
{
	struct ik_store *store = arg;
	char *notice = ik_json_text_new(ik_json_member(line, "notice"));

	take_line(store, line);
	if (store->events->progress &&
		ik_json_span_type(ik_json_member(line, "progress")) != IK_JSON_NONE)
		tell_progress(store, line);
	if (notice)
		add_notice(store, notice);
	free(notice);
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

/* Return the journal directory of this database: DIRECTORY/HASH, where HASH is of everything that
 * identifies the database. */
static char *own_journals(const struct ik_store *store, const char *directory)
{
	static const char *const variables[] = { "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE",
		"PGUSER", "PGOPTIONS", "PGSERVICE", "PGSERVICEFILE" };
	struct ik_buf name;
	char *path;

	if (!directory)
		return NULL;
	ik_buf_init(&name, IK_KIB(64));
	ik_buf_puts(&name, store->path);
	for (size_t i = 0; store->server && i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]))
			ik_buf_printf(&name, " %s=%s", variables[i], getenv(variables[i]));
	path = ik_format("%s/%016llx", directory, (unsigned long long)ik_text_hash(name.data));
	ik_buf_done(&name);
	return path;
}

static const struct ik_store_events no_events = { .state = NULL };

struct ik_store *ik_store_open(struct ik_loop *loop, const struct ik_store_options *options,
	struct ik_error *error)
{
	static const struct ik_requests_events events = {
		.answered = on_answered,
		.slow = on_slow,
		.told = on_told,
	};
	const char *database = options->database;
	struct ik_store_place *place;
	struct ik_store *store;

	if (database && ik_text_starts(database, "sqlite:"))
		database += strlen("sqlite:");
	if (database && !database[0]) {
		ik_error_set(error, IK_INVALID, _("The database needs a path."));
		return NULL;
	}
	store = ik_alloc(sizeof(*store));
	store->loop = loop;
	store->events = &no_events;
	place = &store->place;
	ik_uuid_new(place->writer);
	store->changed = true; /* earlier processes may have left journals */
	ik_buf_init(&store->notices, IK_KIB(64));
	store->retry = ik_timer_new(loop, on_retry, store);
	store->server = database && ik_postgres_is_uri(database);
	store->requests = ik_requests_new(loop, place, store->server ? options->patience_s * 1000 : 0,
		&events, store);
	if (!database)
		return store;
	store->path = store->server ? ik_redact(database) : ik_path_canonical(database);
	place->program = ik_path_join(options->programs,
		store->server ? "store-postgres" : "store-sqlite");
	place->database = ik_strdup(store->server ? database : store->path);
	place->journals = own_journals(store, options->journals);
	place->spare = own_journals(store, options->spare);
	place->locks = store->server ? ik_format("%s/.locks", place->journals)
								 : ik_format("%s-locks", store->path);
	return store;
}

/* Return the directory of the waiting journals. */
static const char *place_of_waiting(const struct ik_store *store)
{
	const struct ik_session_writer *writer = store->writers;

	while (writer && !writer->spared)
		writer = writer->next;
	return writer ? store->place.spare : store->place.journals;
}

/* Set notice to what could not be stored, and where it is. saved: it is in the spare directory, for
 * the user. */
static void say_what_waits(const struct ik_store *store, size_t lost, bool saved,
	struct ik_error *notice)
{
	size_t waiting = ik_store_waiting(store);

	if (saved)
		(void)ik_error_set(notice, IK_UNAVAILABLE,
			_("%s What could not be kept is in %s: ikigai session import %s stores it."),
			store->reason, store->place.spare, store->place.spare);
	else if (lost > 0)
		(void)ik_error_set(notice, IK_IO,
			ngettext("%zu event could not be kept: %s", "%zu events could not be kept: %s", lost),
			lost, store->reason);
	else if (waiting > 0)
		(void)ik_error_set(notice, IK_UNAVAILABLE,
			ngettext("%zu event waits in %s until the database can be used.",
				"%zu events wait in %s until the database can be used.", waiting),
			waiting, place_of_waiting(store));
}

/* Journal everything, store it, and release the locks. */
static void finish(struct ik_store *store)
{
	struct ik_session_writer *writer;

	flush(store, true);
	for (writer = store->writers; writer; writer = writer->next) {
		writer->due = writer->due || writer->journal;
		ik_session_writer_end(writer);
	}
	store->changed = true;
	take(store, true);
	ik_locks_end(store);
	ik_requests_finish(store->requests, LAST_MS, END_MS);
}

/* No directory of ours accepts what is queued: write it to journals in a temporary directory, to
 * which every tool can write, so that nothing reads them until the user imports them. Return true if
 * some of it is there. */
static bool save_elsewhere(struct ik_store *store)
{
	size_t queued = count_queued(store, true);

	if (count_queued(store, false) == 0)
		return false;
	free(store->place.spare);
	store->place.spare = ik_format("%s/ikigai-XXXXXX", ik_path_temporary());
	if (!mkdtemp(store->place.spare))
		return false;
	for (struct ik_session_writer *writer = store->writers; writer; writer = writer->next)
		writer->spared = false;
	flush(store, true);
	/* It stays if something is in it; our own disk may have room again. */
	return rmdir(store->place.spare) != 0 && count_queued(store, true) < queued;
}

struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	size_t lost = 0;
	bool saved;

	if (notice)
		*notice = (struct ik_error){ .status = IK_OK };
	store->events = &no_events;
	if (store->path) {
		finish(store);
		saved = save_elsewhere(store);
		lost = count_queued(store, true);
		if (notice && store->notices.length > 0)
			(void)snprintf(notice->text, sizeof(notice->text), "%s", store->notices.data);
		if (notice)
			say_what_waits(store, lost, saved, notice);
	}
	if (ret_lost)
		*ret_lost = lost;
	store->requests = ik_requests_close(store->requests);
	store->retry = ik_timer_close(store->retry);
	ik_loop_cancel_deferred(store->loop, tell, store);
	ik_loop_cancel_deferred(store->loop, on_flush, store);
	while (store->writers)
		remove_writer(store, store->writers);
	ik_buf_done(&store->notices);
	free(store->place.program);
	free(store->place.database);
	free(store->place.locks);
	free(store->place.journals);
	free(store->place.spare);
	free(store->path);
	free(store);
	return NULL;
}

void ik_store_listen(struct ik_store *store, const struct ik_store_events *events, void *arg)
{
	store->events = events;
	store->events_arg = arg;
	if (store->notices.length > 0)
		tell_later(store);
}

const char *ik_store_name(const struct ik_store *store)
{
	return !store->path ? "memory" : store->server ? "postgresql" : "sqlite";
}
