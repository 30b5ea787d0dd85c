#include "stores/sqlite/index.h"

#include <string.h>

#include "json/write.h"
#include "store/search_query.h"
#include "store/search_text.h"
#include "stores/answer.h"
#include "stores/sqlite/session_rows.h"
#include "util/limits.h"
#include "util/text.h"

/* Events and bytes of one transaction, between two of which others can write; where it gives
 * way, a request that comes meanwhile ends it. */
#define BATCH_EVENTS 5000
#define BATCH_BYTES IK_MIB(16)
#define SEARCH_COUNT 100
/* Databases of earlier programs have a word in each row that says its block of rows; rows keep it,
 * since a row can only be taken out of the index with the words that it was put in with. */
#define BLOCK_ROWS 16384

enum { ROW_COLUMN = 6, SESSION_COLUMN = 7 };

static enum ik_status ask(struct ik_database *database, const char *literal, int64_t *ret_number,
	struct ik_error *error)
{
	return ik_database_number(database, literal, NULL, NULL, ret_number, NULL, error);
}

static enum ik_status indexed_row(struct ik_database *database, int64_t *ret_row,
	struct ik_error *error)
{
	return ask(database, "SELECT indexed FROM search_state", ret_row, error);
}

static enum ik_status plain_rows(struct ik_database *database, int64_t *ret_row,
	struct ik_error *error)
{
	return ask(database, "SELECT plain_rows FROM search_state", ret_row, error);
}

static const char add_words[] = "INSERT INTO search(rowid, words) VALUES(?1, ?2)";
static const char drop_words[] =
	"INSERT INTO search(search, rowid, words) VALUES('delete', ?1, ?2)";

/* Put the words of an event into the index, or take them out; *bytes grows by its size. */
static enum ik_status change_words(struct ik_database *database, const char *literal,
	sqlite3_stmt *event, int64_t plain, size_t *bytes, struct ik_error *error)
{
	int64_t row = sqlite3_column_int64(event, ROW_COLUMN);
	sqlite3_stmt *change = ik_database_statement(database, literal, error);
	struct ik_message *message = ik_event_of_row(event);
	enum ik_status status = change ? IK_OK : error->status;
	struct ik_buf text, words;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&words, 8 * IK_SEARCH_BYTES);
	if (message && change) {
		ik_search_text(&text, message);
		ik_search_words(&words, text.data, text.length, IK_SEARCH_BLANKS);
		*bytes += message->content_length + message->data_length;
	}
	if (words.length > 0) {
		if (row > plain)
			ik_buf_printf(&words, "\xff%lld", (long long)(row / BLOCK_ROWS));
		sqlite3_bind_int64(change, 1, row);
		(void)sqlite3_bind_text64(change, 2, words.data, words.length, SQLITE_STATIC, SQLITE_UTF8);
		status = ik_database_finish(database, change, error);
	}
	ik_message_unref(message);
	ik_buf_done(&text);
	ik_buf_done(&words);
	return status;
}

static enum ik_status set_indexed(struct ik_database *database, int64_t row, struct ik_error *error)
{
	sqlite3_stmt *update = ik_database_statement(database, "UPDATE search_state SET indexed = ?1",
		error);

	if (!update)
		return error->status;
	sqlite3_bind_int64(update, 1, row);
	return ik_database_finish(database, update, error);
}

/* Index events after the row *indexed, which moves on. */
static enum ik_status add_events(struct ik_database *database, bool gives_way, int64_t *indexed,
	bool *ret_more, struct ik_error *error)
{
	sqlite3_stmt *events = ik_database_statement(database,
		"SELECT " IK_EVENT_COLUMNS ", rowid FROM events WHERE rowid > ?1 ORDER BY rowid", error);
	enum ik_status status;
	int64_t plain = 0;
	size_t bytes = 0;
	int step = SQLITE_ROW, count = 0;

	if (!events)
		return error->status;
	status = plain_rows(database, &plain, error);
	sqlite3_bind_int64(events, 1, *indexed);
	while (status == IK_OK && count < BATCH_EVENTS && bytes < BATCH_BYTES &&
		!(gives_way && ik_connection_has_input(database->connection)) &&
		(step = sqlite3_step(events)) == SQLITE_ROW) {
		status = change_words(database, add_words, events, plain, &bytes, error);
		*indexed = sqlite3_column_int64(events, ROW_COLUMN);
		count++;
	}
	if (status == IK_OK && step != SQLITE_ROW && step != SQLITE_DONE)
		status = ik_database_explain(database, error);
	ik_database_reset(events);
	*ret_more = step == SQLITE_ROW;
	return status;
}

enum ik_status ik_index_some(struct ik_database *database, bool gives_way, bool *ret_more,
	struct ik_error *error)
{
	int64_t indexed = 0, last = 0;
	enum ik_status status;

	*ret_more = false;
	status = indexed_row(database, &indexed, error);
	if (status == IK_OK)
		status = ask(database, "SELECT coalesce(max(rowid), 0) FROM events", &last, error);
	if (status != IK_OK || indexed >= last)
		return status;
	status = ik_database_begin(database, error);
	if (status != IK_OK)
		return status;
	/* Again: another program may have been at it meanwhile. */
	status = indexed_row(database, &indexed, error);
	if (status == IK_OK)
		status = add_events(database, gives_way, &indexed, ret_more, error);
	if (status == IK_OK)
		status = set_indexed(database, indexed, error);
	return ik_database_end(database, status, error);
}

enum ik_status ik_index_drop(struct ik_database *database, const char *session, int64_t count,
	int64_t *ret_count, struct ik_error *error)
{
	sqlite3_stmt *events = ik_database_statement(database,
		"SELECT " IK_EVENT_COLUMNS ", rowid FROM " IK_OWN_EVENTS, error);
	int64_t indexed = 0, plain = 0;
	enum ik_status status;
	size_t bytes = 0;
	int step = SQLITE_ROW;

	*ret_count = 0;
	if (!events)
		return error->status;
	status = indexed_row(database, &indexed, error);
	if (status == IK_OK)
		status = plain_rows(database, &plain, error);
	ik_database_bind(events, 1, session);
	sqlite3_bind_int64(events, 2, count);
	while (status == IK_OK && (step = sqlite3_step(events)) == SQLITE_ROW) {
		if (sqlite3_column_int64(events, ROW_COLUMN) <= indexed)
			status = change_words(database, drop_words, events, plain, &bytes, error);
		(*ret_count)++;
	}
	if (status == IK_OK && step != SQLITE_DONE)
		status = ik_database_explain(database, error);
	ik_database_reset(events);
	return status;
}

/* ---- searching ---- */

/* The session in which an event is seen: its own, or, if that was deleted, the newest fork that
 * still has it. */
static enum ik_status seen_in(struct ik_database *database, const char *session, int64_t sequence,
	char ret_id[IK_UUID_TEXT], struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database,
		"WITH RECURSIVE line(child) AS (SELECT ?1 UNION SELECT s.id FROM line"
		" JOIN sessions s ON s.parent = child WHERE s.forked_at >= ?2)"
		" SELECT id FROM line JOIN sessions ON id = child WHERE event_count > 0"
		" ORDER BY id = ?1 DESC, updated_ms DESC LIMIT 1",
		error);
	int step;

	ret_id[0] = '\0';
	if (!query)
		return error->status;
	ik_database_bind(query, 1, session);
	sqlite3_bind_int64(query, 2, sequence);
	step = sqlite3_step(query);
	if (step == SQLITE_ROW) {
		const char *id = (const char *)sqlite3_column_text(query, 0);

		memset(ret_id, 0, IK_UUID_TEXT);
		memcpy(ret_id, id ? id : "", strnlen(id ? id : "", IK_UUID_TEXT - 1));
	}
	ik_database_reset(query);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(database, error);
}

/* Send what a row of the search found, unless nobody has it any more or its session is in another
 * directory; *count grows if it was sent. */
static enum ik_status send_found(struct ik_database *database, sqlite3_stmt *row, int64_t *count,
	struct ik_error *error)
{
	const char *directory = ik_connection_text(database->connection, "directory");
	const char *own = (const char *)sqlite3_column_text(row, SESSION_COLUMN);
	struct ik_message *message = ik_event_of_row(row);
	char session[IK_UUID_TEXT];
	enum ik_status status;
	int64_t fits = 1;
	bool found = false;
	struct ik_buf *line;

	status = seen_in(database, own ? own : "", sqlite3_column_int64(row, 1), session, error);
	if (status == IK_OK && directory && session[0])
		status = ik_database_number(database,
			"SELECT count(*) FROM sessions WHERE id = ?1 AND directory = ?2", session, directory,
			&fits, NULL, error);
	if (status == IK_OK && message && session[0] && fits) {
		line = ik_connection_begin(database->connection);
		status = ik_put_session(database, session, line, &found, error);
		if (status == IK_OK && found) {
			ik_answer_put_event(line, session, message);
			ik_json_key(line, "row");
			ik_json_put_integer(line, sqlite3_column_int64(row, ROW_COLUMN));
			ik_connection_send(database->connection);
			(*count)++;
		}
	}
	ik_message_unref(message);
	return status;
}

/* Send the newest events that have the words, below a row; *ret_row: where to continue, 0: nowhere. */
static enum ik_status search(struct ik_database *database, const char *words, int64_t below,
	int64_t count, int64_t *ret_row, struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT " IK_EVENT_COLUMNS ", events.rowid, session FROM search"
		" CROSS JOIN events ON events.rowid = search.rowid"
		" WHERE search MATCH ?1 AND search.rowid < ?2 ORDER BY search.rowid DESC",
		error);
	enum ik_status status = IK_OK;
	int64_t sent = 0;
	int step = SQLITE_ROW;

	*ret_row = 0;
	if (!query)
		return error->status;
	ik_database_bind(query, 1, words);
	sqlite3_bind_int64(query, 2, below);
	while (status == IK_OK && sent < count && (step = sqlite3_step(query)) == SQLITE_ROW) {
		*ret_row = sqlite3_column_int64(query, ROW_COLUMN);
		status = send_found(database, query, &sent, error);
	}
	if (step == SQLITE_DONE)
		*ret_row = 0;
	else if (status == IK_OK && step != SQLITE_ROW)
		status = ik_database_explain(database, error);
	ik_database_reset(query);
	return status;
}

enum ik_status ik_answer_search(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *text = ik_connection_text(database->connection, "query");
	struct ik_search_query query;
	struct ik_buf words, *line;
	enum ik_status status;
	int64_t row = 0;
	bool more = true;

	status = ik_search_query_read(&query, text ? text : "", strlen(text ? text : ""), error);
	while (status == IK_OK && more && !ik_connection_is_cancelled(database->connection))
		status = ik_index_some(database, false, &more, error);
	if (status != IK_OK)
		return status;
	ik_buf_init(&words, IK_KIB(64));
	ik_search_query_put_fts(&query, NULL, 0, &words);
	status = search(database, words.data,
		ik_connection_number(database->connection, "row", INT64_MAX),
		ik_connection_number(database->connection, "count", SEARCH_COUNT), &row, error);
	ik_buf_done(&words);
	if (status == IK_OK) {
		line = ik_connection_begin(database->connection);
		ik_json_key(line, "row");
		if (row > 0)
			ik_json_put_integer(line, row);
		else
			ik_json_put_null(line);
	}
	return status;
}
