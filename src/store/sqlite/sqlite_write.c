#include "store/sqlite/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "util/alloc.h"
#include "util/limits.h"

/* Bytes that a transaction takes: between two of a long queue the loop turns. */
#define TRANSACTION_BYTES IK_MIB(1)

/* Run a prepared statement that returns nothing. */
static enum ik_status step_once(struct sqlite *sqlite, sqlite3_stmt *prepared,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (sqlite3_step(prepared) != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(prepared);
	return status;
}

/* One number for up to two texts; *ret_found (may be NULL): is there a row? */
static enum ik_status ask_number(struct sqlite *sqlite, enum ik_sqlite_statement which,
	const char *first, const char *second, int64_t *ret_number, bool *ret_found,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, which);
	enum ik_status status = IK_OK;
	int step;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, first, strlen(first));
	if (second)
		ik_sqlite_bind_text(query, 2, second, strlen(second));
	step = sqlite3_step(query);
	if (step == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(query, 0);
	else if (step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	if (ret_found)
		*ret_found = step == SQLITE_ROW;
	ik_sqlite_rewind(query);
	return status;
}

/* The row of a session, unless it is there. */
static enum ik_status add_session(struct sqlite *sqlite, const struct ik_store_session *session,
	struct ik_error *error)
{
	sqlite3_stmt *insert = ik_sqlite_statement(sqlite, ADD_SESSION);

	if (!insert)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(insert, 1, session->stored_as, strlen(session->stored_as));
	ik_sqlite_bind_text(insert, 2, session->directory, strlen(session->directory));
	sqlite3_bind_int64(insert, 3, session->created_ms);
	if (session->parent[0])
		ik_sqlite_bind_text(insert, 4, session->parent, strlen(session->parent));
	sqlite3_bind_int64(insert, 5, session->forked_at);
	sqlite3_bind_int64(insert, 6, session->parent[0] && !session->chosen);
	return step_once(sqlite, insert, error);
}

/* Note a new event in its session's row. */
static enum ik_status touch_session(struct sqlite *sqlite, const struct ik_record *record,
	struct ik_error *error)
{
	const struct ik_message *message = record->message;
	sqlite3_stmt *update = ik_sqlite_statement(sqlite, TOUCH_SESSION);
	enum ik_status status;
	bool named;
	char *title;

	if (!update)
		return ik_sqlite_explain(sqlite, error);
	title = ik_session_title_of(message, &named);
	ik_sqlite_bind_text(update, 1, record->session->stored_as, strlen(record->session->stored_as));
	sqlite3_bind_int64(update, 2, message->time_ms);
	ik_sqlite_bind_text(update, 3, title, strlen(title));
	sqlite3_bind_int64(update, 4, named && title[0]);
	status = step_once(sqlite, update, error);
	free(title);
	return status;
}

/* Put an event behind those of its session. */
static enum ik_status insert_event(struct sqlite *sqlite, struct ik_record *record,
	int64_t sequence, struct ik_error *error)
{
	struct ik_message *message = record->message;
	const char *kind = ik_kind_name(message->kind);
	sqlite3_stmt *insert = ik_sqlite_statement(sqlite, ADD_EVENT);
	enum ik_status status;

	if (!insert)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(insert, 1, message->id, strlen(message->id));
	ik_sqlite_bind_text(insert, 2, record->session->stored_as, strlen(record->session->stored_as));
	sqlite3_bind_int64(insert, 3, sequence);
	ik_sqlite_bind_text(insert, 4, kind, strlen(kind));
	ik_sqlite_bind_text(insert, 5, message->content, message->content_length);
	if (message->data)
		ik_sqlite_bind_text(insert, 6, message->data, message->data_length);
	sqlite3_bind_int64(insert, 7, message->time_ms);
	status = step_once(sqlite, insert, error);
	if (status != IK_OK || sqlite3_changes(sqlite->db) == 0)
		return status;
	message->sequence = sequence;
	record->session->tentative = sequence;
	return touch_session(sqlite, record, error);
}

/* The same, unless it is there, or somebody else's stand where it should (a conflict). */
static enum ik_status add_event(struct sqlite *sqlite, struct ik_record *record, bool *ret_conflict,
	struct ik_error *error)
{
	struct ik_store_session *session = record->session;
	int64_t last = 0, there = 0;
	enum ik_status status;
	bool found = false;

	status = ask_number(sqlite, LAST_SEQUENCE, session->stored_as, NULL, &last, NULL, error);
	if (status == IK_OK && session->known < 0)
		session->tentative = last;
	/* Fewer than are known: it is another database, or one that has lost some. */
	if (status != IK_OK || last <= session->tentative)
		return status != IK_OK ? status : insert_event(sqlite, record, last + 1, error);
	status = ask_number(sqlite, EVENT_SEQUENCE, record->message->id, session->stored_as, &there,
		&found, error);
	if (found && there > session->tentative)
		session->tentative = there; /* an earlier process had stored it */
	*ret_conflict = status == IK_OK && !found;
	return status;
}

/* How many forks there are now of the session that was written to last. */
static enum ik_status count_forks(struct sqlite *sqlite, struct ik_store_session *session,
	struct ik_error *error)
{
	return session ? ask_number(sqlite, LATE_FORKS, session->stored_as, NULL, &session->late_forks,
						 NULL, error)
				   : IK_OK;
}

/* What is known of the sessions of records, before a transaction and after. */
static void begin_numbers(struct ik_record *record, size_t count)
{
	for (; record && count > 0; record = record->next, count--)
		record->session->tentative = record->session->known;
}

static void keep_numbers(struct ik_record *record, size_t count)
{
	for (; count > 0; record = record->next, count--) {
		if (record->session->known >= 0)
			record->session->known = record->session->tentative;
	}
}

/* Write them in one transaction. */
static enum ik_status write_records(struct sqlite *sqlite, struct ik_record *first, size_t count,
	size_t *ret_count, struct ik_store_session **ret_conflict, struct ik_error *error)
{
	struct ik_store_session *last = NULL;
	bool conflict = false;
	struct ik_record *record;
	enum ik_status status;
	size_t written = 0, bytes = 0;

	status = ik_sqlite_begin_transaction(sqlite, error);
	if (status != IK_OK)
		return status;
	begin_numbers(first, count);
	for (record = first; record && written < count && bytes < TRANSACTION_BYTES;
		 record = record->next) {
		status = add_session(sqlite, record->session, error);
		if (status == IK_OK)
			status = add_event(sqlite, record, &conflict, error);
		if (status != IK_OK || conflict)
			break;
		last = record->session;
		written++;
		bytes += record->message->content_length + record->message->data_length;
	}
	/* Too large, but not the first: keep those before it. */
	if (status == IK_TOO_LARGE && written > 0)
		status = IK_OK;
	if (status == IK_OK)
		status = count_forks(sqlite, last, error);
	if (status == IK_OK)
		status = ik_sqlite_execute(sqlite, "COMMIT", error);
	if (status != IK_OK) {
		if (!sqlite3_get_autocommit(sqlite->db))
			(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
		return status;
	}
	keep_numbers(first, written);
	*ret_count = written;
	*ret_conflict = conflict ? record->session : NULL;
	return IK_OK;
}

void ik_sqlite_write(struct ik_backend *backend, struct ik_record *first, size_t count)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	struct ik_store_session *conflict = NULL;
	size_t written = 0;
	enum ik_status status;

	ik_sqlite_begin(sqlite, true);
	status = write_records(sqlite, first, count, &written, &conflict, &error);
	ik_store_written(backend->store, written, conflict, ik_sqlite_failed(sqlite, status), &error);
}
