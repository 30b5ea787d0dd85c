/* The words of events in SQLite's FTS5: taken in and out in slices (sqlite_find.c searches). */
#include "store/sqlite/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/search_text.h"
#include "store/sqlite/merge.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"

/* So long a slice of work may take; what it has begun by then is finished. */
#define SLICE_US 5000
/* Of events' texts in one slice: they come as one piece into the index, which takes as long
 * again, when the transaction ends. */
#define SLICE_BYTES IK_KIB(128)

enum { ROW_COLUMN = 6 };

/* Run a statement with a number that gives nothing. */
static enum ik_status run(struct sqlite *sqlite, enum ik_sqlite_statement which, int64_t number,
	struct ik_error *error)
{
	sqlite3_stmt *prepared = ik_sqlite_statement(sqlite, which);
	enum ik_status status = IK_OK;

	if (!prepared)
		return ik_sqlite_explain(sqlite, error);
	sqlite3_bind_int64(prepared, 1, number);
	if (sqlite3_step(prepared) != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(prepared);
	return status;
}

enum ik_status ik_sqlite_ask(struct sqlite *sqlite, enum ik_sqlite_statement which,
	int64_t *ret_number, struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, which);
	enum ik_status status = IK_OK;

	if (query && sqlite3_step(query) == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(query, 0);
	else
		status = ik_sqlite_explain(sqlite, error);
	if (query)
		ik_sqlite_rewind(query);
	return status;
}

/* ---- into the index, and out of it ---- */

/* Put the words of an event into the index (ADD_WORDS), or take them out of it (DROP_WORDS). */
static enum ik_status change_words(struct sqlite *sqlite, enum ik_sqlite_statement which,
	sqlite3_stmt *event, size_t *bytes, struct ik_error *error)
{
	int64_t row = sqlite3_column_int64(event, ROW_COLUMN);
	struct ik_message *message = ik_sqlite_take_event(event);
	sqlite3_stmt *change = ik_sqlite_statement(sqlite, which);
	enum ik_status status = IK_OK;
	struct ik_buf text, words;

	if (!message || !change) {
		ik_message_unref(message);
		return change ? IK_OK : ik_sqlite_explain(sqlite, error);
	}
	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&words, 8 * IK_SEARCH_BYTES);
	ik_search_text(&text, message);
	ik_search_words(&words, text.data, text.length, IK_SEARCH_BLANKS);
	*bytes += message->content_length + message->data_length;
	ik_message_unref(message);
	if (words.length > 0) {
		if (row > sqlite->plain_rows)
			ik_sqlite_put_block(&words, row);
		sqlite3_bind_int64(change, 1, row);
		ik_sqlite_bind_text(change, 2, words.data, words.length);
		if (sqlite3_step(change) != SQLITE_DONE)
			status = ik_sqlite_explain(sqlite, error);
		ik_sqlite_rewind(change);
	}
	ik_buf_done(&text);
	ik_buf_done(&words);
	return status;
}

/* Is a slice over that began then and has handled so much? */
static bool is_over(int64_t begun_us, size_t bytes)
{
	return bytes >= SLICE_BYTES || ik_clock_us() - begun_us >= SLICE_US;
}

/* Are the pieces that come next so large that the helper is to put them together? */
static bool is_for_helper(struct sqlite *sqlite)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, MERGE_RECORD);
	const void *record = NULL;
	bool large;

	if (!query)
		return false;
	if (sqlite3_step(query) == SQLITE_ROW)
		record = sqlite3_column_blob(query, 0);
	large = record &&
		ik_merge_next(record, (size_t)sqlite3_column_bytes(query, 0)) > IK_MERGE_LARGE;
	ik_sqlite_rewind(query);
	return large && ik_checkpoint_has_log(sqlite->db) && ik_checkpoint_merge(sqlite->checkpoint);
}

enum ik_status ik_sqlite_merge(struct sqlite *sqlite, int64_t begun_us, bool *ret_all,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	int before;

	*ret_all = false;
	do {
		if (is_for_helper(sqlite)) {
			*ret_all = true;
			return IK_OK;
		}
		before = sqlite3_total_changes(sqlite->db);
		status = run(sqlite, MERGE, 0, error);
		*ret_all = sqlite3_total_changes(sqlite->db) - before < 2; /* as FTS5 says it */
	} while (status == IK_OK && !*ret_all && !is_over(begun_us, 0));
	return status;
}

/* Take events that come behind *indexed into the index, within a slice. */
static enum ik_status take_events(struct sqlite *sqlite, int64_t begun_us, int64_t *indexed,
	struct ik_error *error)
{
	sqlite3_stmt *events = ik_sqlite_statement(sqlite, UNINDEXED);
	enum ik_status status = IK_OK;
	size_t bytes = 0;
	int step = SQLITE_ROW;

	if (!events)
		return ik_sqlite_explain(sqlite, error);
	sqlite3_bind_int64(events, 1, *indexed);
	while (status == IK_OK && !is_over(begun_us, bytes) &&
		(step = sqlite3_step(events)) == SQLITE_ROW) {
		status = change_words(sqlite, ADD_WORDS, events, &bytes, error);
		*indexed = sqlite3_column_int64(events, ROW_COLUMN);
	}
	if (status == IK_OK && step != SQLITE_ROW && step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(events);
	return status;
}

/* A slice: merge what earlier ones have left, and when that is done, go on with events. */
static enum ik_status index_some(struct sqlite *sqlite, int64_t *indexed, struct ik_error *error)
{
	int64_t begun_us = ik_clock_us();
	bool merged = false;
	enum ik_status status = ik_sqlite_ask(sqlite, INDEXED, indexed, error);

	if (status == IK_OK)
		status = ik_sqlite_ask(sqlite, PLAIN_ROWS, &sqlite->plain_rows, error);
	if (status == IK_OK)
		status = ik_sqlite_merge(sqlite, begun_us, &merged, error);
	if (status == IK_OK && merged)
		status = take_events(sqlite, begun_us, indexed, error);
	if (status == IK_OK)
		status = run(sqlite, SET_INDEXED, *indexed, error);
	return status;
}

/* The same as one transaction. */
static enum ik_status index_slice(struct sqlite *sqlite, int64_t *indexed, struct ik_error *error)
{
	enum ik_status status = ik_sqlite_begin_transaction(sqlite, error);

	if (status != IK_OK)
		return status;
	status = index_some(sqlite, indexed, error);
	if (status == IK_OK)
		status = ik_sqlite_execute(sqlite, "COMMIT", error);
	if (status != IK_OK && !sqlite3_get_autocommit(sqlite->db))
		(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

bool ik_sqlite_is_read_only(struct sqlite *sqlite)
{
	return sqlite3_db_readonly(sqlite->db, "main") == 1;
}

void ik_sqlite_index(struct ik_backend *backend)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	int64_t indexed = 0, last = 0;
	enum ik_status status;

	ik_sqlite_begin(sqlite,
		false); /* it can be made anew: not worth putting a damaged file aside */
	status = ik_sqlite_ask(sqlite, INDEXED, &indexed, &error);
	if (status == IK_OK)
		status = ik_sqlite_ask(sqlite, LAST_ROW, &last, &error);
	if (status == IK_OK && ik_sqlite_is_read_only(sqlite))
		indexed = last; /* as far as it can be: a search reads the others */
	if (status == IK_OK && indexed < last)
		status = index_slice(sqlite, &indexed, &error);
	status = ik_sqlite_failed(sqlite, status);
	if (status != IK_UNAVAILABLE)
		sqlite->index_stuck = status != IK_OK;
	ik_store_indexed(backend->store, indexed, last, status, &error);
}

enum ik_status ik_sqlite_unindex(struct sqlite *sqlite, const char *session, size_t count,
	size_t *ret_count, struct ik_error *error)
{
	sqlite3_stmt *events = ik_sqlite_statement(sqlite, OLDEST_EVENTS);
	int64_t begun_us = ik_clock_us(), indexed = 0;
	enum ik_status status = ik_sqlite_ask(sqlite, INDEXED, &indexed, error);
	size_t bytes = 0, done = 0;
	int step = SQLITE_ROW;

	if (status == IK_OK)
		status = ik_sqlite_ask(sqlite, PLAIN_ROWS, &sqlite->plain_rows, error);
	if (status != IK_OK || !events)
		return events ? status : ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(events, 1, session, strlen(session));
	sqlite3_bind_int64(events, 2, (sqlite3_int64)count);
	/* One at least, however late it is: none means that there are none. */
	while (status == IK_OK && (done == 0 || !is_over(begun_us, bytes)) &&
		(step = sqlite3_step(events)) == SQLITE_ROW) {
		if (sqlite3_column_int64(events, ROW_COLUMN) <= indexed)
			status = change_words(sqlite, DROP_WORDS, events, &bytes, error);
		done++;
	}
	if (status == IK_OK && step != SQLITE_ROW && step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(events);
	*ret_count = done;
	return status;
}
