#include "store/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/title.h"
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

/* The sequence that the next event of a session gets. */
static enum ik_status next_sequence(struct sqlite *sqlite, const char *session,
	int64_t *ret_sequence, struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, LAST_SEQUENCE);
	enum ik_status status = IK_OK;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, session, strlen(session));
	if (sqlite3_step(query) == SQLITE_ROW)
		*ret_sequence = sqlite3_column_int64(query, 0) + 1; /* NULL reads 0 */
	else
		status = ik_sqlite_explain(sqlite, error);
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
	ik_sqlite_bind_text(insert, 1, session->id, strlen(session->id));
	ik_sqlite_bind_text(insert, 2, session->directory, strlen(session->directory));
	sqlite3_bind_int64(insert, 3, session->created_ms);
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
	ik_sqlite_bind_text(update, 1, record->session->id, strlen(record->session->id));
	sqlite3_bind_int64(update, 2, message->time_ms);
	ik_sqlite_bind_text(update, 3, title, strlen(title));
	sqlite3_bind_int64(update, 4, named && title[0]);
	status = step_once(sqlite, update, error);
	free(title);
	return status;
}

static enum ik_status add_event(struct sqlite *sqlite, struct ik_record *record,
	struct ik_error *error)
{
	struct ik_message *message = record->message;
	const char *kind = ik_kind_name(message->kind);
	sqlite3_stmt *insert = ik_sqlite_statement(sqlite, ADD_EVENT);
	enum ik_status status;
	int64_t sequence = 0;

	if (!insert)
		return ik_sqlite_explain(sqlite, error);
	status = next_sequence(sqlite, record->session->id, &sequence, error);
	if (status != IK_OK)
		return status;
	ik_sqlite_bind_text(insert, 1, message->id, strlen(message->id));
	ik_sqlite_bind_text(insert, 2, record->session->id, strlen(record->session->id));
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
	return touch_session(sqlite, record, error);
}

/* Write them in one transaction. */
static enum ik_status write_records(struct sqlite *sqlite, struct ik_record *first, size_t count,
	size_t *ret_count, struct ik_error *error)
{
	struct ik_record *record;
	enum ik_status status;
	size_t written = 0, bytes = 0;

	status = ik_sqlite_execute(sqlite, "BEGIN IMMEDIATE", error);
	if (status != IK_OK)
		return status;
	for (record = first; record && written < count && bytes < TRANSACTION_BYTES;
	     record = record->next) {
		status = add_session(sqlite, record->session, error);
		if (status == IK_OK)
			status = add_event(sqlite, record, error);
		if (status != IK_OK)
			break;
		written++;
		bytes += record->message->content_length + record->message->data_length;
	}
	/* Too large, but not the first: keep those before it. */
	if (status == IK_TOO_LARGE && written > 0)
		status = IK_OK;
	if (status == IK_OK)
		status = ik_sqlite_execute(sqlite, "COMMIT", error);
	if (status != IK_OK) {
		if (!sqlite3_get_autocommit(sqlite->db))
			(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
		return status;
	}
	*ret_count = written;
	return IK_OK;
}

void ik_sqlite_write(struct ik_backend *backend, struct ik_record *first, size_t count)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	size_t written = 0;
	enum ik_status status = write_records(sqlite, first, count, &written, &error);

	ik_store_written(backend->store, written, ik_sqlite_failed(sqlite, status), &error);
}
