/* Which sessions there are, and how one goes. */
#include "store/sqlite/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"

/* So long one turn of the loop looks for sessions. */
#define LISTED_US 4000
enum { UPDATED_COLUMN = 4, FITS_COLUMN = 8 };

/* Events that are deleted in one turn of the loop: some milliseconds' worth, at most. */
#define DELETED_AT_ONCE 2000

/* Take those that are wanted, until there are enough or the time is over. */
static enum ik_status take_wanted(struct sqlite *sqlite, sqlite3_stmt *query,
	struct ik_store_read *read, struct ik_error *error)
{
	int64_t begun_us = ik_clock_us();
	int step = SQLITE_ROW;

	read->again = false;
	while (read->found < read->count && !read->again &&
		(step = sqlite3_step(query)) == SQLITE_ROW) {
		if (sqlite3_column_int64(query, FITS_COLUMN) != 0)
			ik_sqlite_take_session(sqlite, query, read);
		read->again = ik_clock_us() - begun_us >= LISTED_US && read->found < read->count;
	}
	if (read->again) {
		const char *id = (const char *)sqlite3_column_text(query, 0);

		read->continued = true;
		free(read->text);
		read->text = ik_strdup(id ? id : "");
		read->number = sqlite3_column_int64(query, UPDATED_COLUMN);
	}
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_sqlite_explain(sqlite, error);
}

enum ik_status ik_sqlite_read_list(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, LIST);
	enum ik_status status;
	char *last;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	last = ik_strdup(read->text); /* which changes while the statement has it */
	ik_sqlite_bind_text(query, 1, last, strlen(last));
	/* Before all of them where there was none. */
	sqlite3_bind_int64(query, 2, last[0] ? read->number : INT64_MAX);
	if (read->directory)
		ik_sqlite_bind_text(query, 3, read->directory, strlen(read->directory));
	if (read->pattern)
		ik_sqlite_bind_text(query, 4, read->pattern, strlen(read->pattern));
	status = take_wanted(sqlite, query, read, error);
	ik_sqlite_rewind(query);
	free(last);
	return status;
}

/* Run a statement about a session; *ret_changes: how many rows it changed. */
static enum ik_status change(struct sqlite *sqlite, const char *text, const char *session,
	int64_t number, int *ret_changes, struct ik_error *error)
{
	sqlite3_stmt *prepared = NULL;
	enum ik_status status = IK_OK;

	if (sqlite3_prepare_v2(sqlite->db, text, -1, &prepared, NULL) == SQLITE_OK) {
		ik_sqlite_bind_text(prepared, 1, session, strlen(session));
		sqlite3_bind_int64(prepared, 2, number);
	}
	if (!prepared || sqlite3_step(prepared) != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	else
		*ret_changes = sqlite3_changes(sqlite->db);
	sqlite3_finalize(prepared);
	return status;
}

/* Statements about a session (?1) and its oldest events (?2 of them). Those that its forks have
 * are theirs, too: they stay, and so does the session, hidden, until the last fork is deleted. */
#define OLDEST \
	"(SELECT rowid FROM events WHERE session = ?1 AND sequence > coalesce(" \
	"(SELECT max(forked_at) FROM sessions WHERE parent = ?1), 0) ORDER BY sequence LIMIT ?2)"
static const char hide[] = "UPDATE sessions SET event_count = 0, updated_ms = 0"
						   " WHERE id = ?1 AND ?2";
static const char delete_blobs[] =
	"DELETE FROM blobs WHERE id IN (SELECT"
	" json_extract(data_json, '$.blobs.' || stream.value || '.id')"
	" FROM events, json_each('[\"stdout\",\"stderr\"]') AS stream"
	" WHERE events.rowid IN " OLDEST
	" AND kind IN ('tool_result', 'command') AND json_valid(data_json))";
static const char delete_events[] = "DELETE FROM events WHERE rowid IN " OLDEST;
/* The next event may get a row that is free again. */
#define LAST "(SELECT coalesce(max(rowid), 0) FROM events)" /* in a FROM it would read them all */
static const char lower_index[] = "UPDATE search_state SET indexed = min(indexed, " LAST "),"
								  " plain_rows = min(plain_rows, " LAST ") WHERE ?1 <> '' AND ?2";
static const char delete_session[] = "DELETE FROM sessions WHERE id = ?1 AND ?2"
									 " AND NOT EXISTS (SELECT 1 FROM events WHERE session = ?1)"
									 " AND NOT EXISTS (SELECT 1 FROM sessions WHERE parent = ?1)";
/* The one that it was forked from, where that was deleted before it; else one whose deletion was
 * killed. */
static const char next_hidden[] =
	"SELECT parent.id FROM sessions JOIN sessions AS parent"
	" ON parent.id = sessions.parent WHERE sessions.id = ?1 AND parent.event_count = 0"
	" UNION ALL SELECT id FROM sessions WHERE updated_ms = 0 AND event_count = 0 AND id <> ?1"
	" AND NOT EXISTS (SELECT 1 FROM sessions AS child WHERE child.parent = sessions.id) LIMIT 1";

/* Delete the row of a session that has no events any more, unless forks hang on it; what was
 * kept for it of one that was deleted, or is left of another one, is deleted next. */
static enum ik_status delete_row(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	sqlite3_stmt *query = NULL;
	enum ik_status status = IK_OK;
	char *next = NULL;
	int step = SQLITE_ERROR, deleted = 0;

	if (sqlite3_prepare_v2(sqlite->db, next_hidden, -1, &query, NULL) == SQLITE_OK) {
		ik_sqlite_bind_text(query, 1, read->text, strlen(read->text));
		step = sqlite3_step(query);
	}
	if (step == SQLITE_ROW)
		next = ik_strdup((const char *)sqlite3_column_text(query, 0));
	else if (step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	sqlite3_finalize(query);
	if (status == IK_OK)
		status = change(sqlite, delete_session, read->text, 1, &deleted, error);
	if (status == IK_OK && deleted > 0 && next) {
		free(read->text);
		read->text = next;
		read->number = 1;
		read->again = true;
		next = NULL;
	}
	free(next);
	return status;
}

/* One transaction of a deletion. Hidden first, so that what is half deleted is never listed. */
static enum ik_status delete_some(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	int sessions = 0, events = 0, blobs;
	size_t count = 0;
	enum ik_status status;
	bool merged = false;

	status = change(sqlite, hide, read->text, 1, &sessions, error);
	if (status == IK_OK && sessions == 0)
		return read->number != 0 ? IK_OK : ik_store_read_not_found(read, error);
	/* Of each slice there is a piece of the index that says what went. */
	if (status == IK_OK)
		status = ik_sqlite_merge(sqlite, ik_clock_us(), &merged, error);
	if (status != IK_OK || !merged) {
		read->again = status == IK_OK;
		return status;
	}
	/* First out of the index, which asks for their texts. */
	if (status == IK_OK)
		status = ik_sqlite_unindex(sqlite, read->text, DELETED_AT_ONCE, &count, error);
	if (status == IK_OK)
		status = change(sqlite, delete_blobs, read->text, (int64_t)count, &blobs, error);
	if (status == IK_OK)
		status = change(sqlite, delete_events, read->text, (int64_t)count, &events, error);
	if (status == IK_OK)
		status = change(sqlite, lower_index, read->text, 1, &sessions, error);
	read->again = status == IK_OK && count > 0;
	if (status == IK_OK && !read->again)
		status = delete_row(sqlite, read, error);
	return status;
}

enum ik_status ik_sqlite_delete_some(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	enum ik_status status = ik_sqlite_begin_transaction(sqlite, error);

	if (status != IK_OK)
		return status;
	status = delete_some(sqlite, read, error);
	if (status == IK_OK)
		status = ik_sqlite_execute(sqlite, "COMMIT", error);
	if (status != IK_OK && !sqlite3_get_autocommit(sqlite->db))
		(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}
