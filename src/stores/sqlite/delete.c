#include "stores/sqlite/delete.h"

#include <string.h>

#include "stores/answer.h"
#include "stores/sqlite/index.h"
#include "util/uuid.h"

/* Events of one transaction: between two of them others can write. */
#define BATCH_EVENTS 5000

/* Run a statement about a session (?1) and a number of events (?2); *ret_rows (may be NULL): how
 * many rows it changed. */
static enum ik_status change(struct ik_database *database, const char *literal, const char *session,
	int64_t count, int *ret_rows, struct ik_error *error)
{
	sqlite3_stmt *statement = ik_database_statement(database, literal, error);
	enum ik_status status;

	if (!statement)
		return error->status;
	ik_database_bind(statement, 1, session);
	(void)sqlite3_bind_int64(statement, 2, count); /* not every one has it */
	status = ik_database_finish(database, statement, error);
	if (ret_rows)
		*ret_rows = sqlite3_changes(database->db);
	return status;
}

/* Delete some events of a session; *ret_more: there may be others. */
static enum ik_status delete_events(struct ik_database *database, const char *session,
	bool *ret_more, struct ik_error *error)
{
	int64_t count = 0;
	enum ik_status status = ik_index_drop(database, session, BATCH_EVENTS, &count, error);

	if (status == IK_OK)
		status = change(database,
			"DELETE FROM blobs WHERE id IN (SELECT"
			" json_extract(data_json, '$.blobs.' || stream.value || '.id')"
			" FROM events, json_each('[\"stdout\",\"stderr\"]') AS stream"
			" WHERE events.rowid IN (SELECT rowid FROM " IK_OWN_EVENTS ")"
			" AND kind IN ('tool_result', 'command') AND json_valid(data_json))",
			session, count, NULL, error);
	if (status == IK_OK)
		status = change(database,
			"DELETE FROM events WHERE rowid IN (SELECT rowid FROM " IK_OWN_EVENTS ")", session,
			count, NULL, error);
	/* The next event may get a row that is free again. */
	if (status == IK_OK)
		status = ik_database_run(database,
			"UPDATE search_state SET"
			" indexed = min(indexed, (SELECT coalesce(max(rowid), 0) FROM events)),"
			" plain_rows = min(plain_rows, (SELECT coalesce(max(rowid), 0) FROM events))",
			error);
	*ret_more = count > 0;
	return status;
}

/* Delete the row of a session that has neither events nor forks. */
static enum ik_status delete_row(struct ik_database *database, const char *session,
	struct ik_error *error)
{
	return change(database,
		"DELETE FROM sessions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM events WHERE session = "
		"?1)"
		" AND NOT EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent = ?1)",
		session, 0, NULL, error);
}

/* Hide a session, then delete what no fork shares, in transactions of a bounded size. */
static enum ik_status delete_session(struct ik_database *database, const char *session,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	bool more = true;

	while (status == IK_OK && more) {
		status = ik_database_begin(database, error);
		if (status != IK_OK)
			return status;
		status = change(database,
			"UPDATE sessions SET event_count = 0, updated_ms = 0 WHERE id = ?1", session, 0, NULL,
			error);
		if (status == IK_OK)
			status = delete_events(database, session, &more, error);
		if (status == IK_OK && !more)
			status = delete_row(database, session, error);
		status = ik_database_end(database, status, error);
	}
	return status;
}

/* A hidden session that no fork needs: its last fork was deleted, or its deletion was killed. */
static enum ik_status find_hidden(struct ik_database *database, char ret_id[IK_UUID_TEXT],
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT id FROM sessions WHERE updated_ms = 0 AND event_count = 0"
		" AND NOT EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent = sessions.id) LIMIT "
		"1",
		error);
	int step;

	ret_id[0] = '\0';
	if (!query)
		return error->status;
	step = sqlite3_step(query);
	if (step == SQLITE_ROW) {
		const char *id = (const char *)sqlite3_column_text(query, 0);

		memset(ret_id, 0, IK_UUID_TEXT);
		memcpy(ret_id, id ? id : "", strnlen(id ? id : "", IK_UUID_TEXT - 1));
	}
	ik_database_reset(query);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(database, error);
}

enum ik_status ik_answer_delete(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *session = ik_connection_text(database->connection, "session");
	char hidden[IK_UUID_TEXT];
	int64_t count = 0;
	enum ik_status status = ik_database_number(database,
		"SELECT count(*) FROM sessions WHERE id = ?1", session ? session : "", NULL, &count, NULL,
		error);

	if (status == IK_OK && count == 0)
		return ik_answer_no_session(error);
	if (status == IK_OK)
		status = delete_session(database, session, error);
	if (status == IK_OK)
		status = find_hidden(database, hidden, error);
	while (status == IK_OK && hidden[0]) {
		status = delete_session(database, hidden, error);
		if (status == IK_OK)
			status = find_hidden(database, hidden, error);
	}
	return status;
}
