#include "stores/sqlite/session_rows.h"

#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "stores/answer.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

#define INFO_COLUMNS \
	"id, title, directory, created_ms, updated_ms, event_count + forked_at, parent, forked_at"
/* A circle of forks, which only damage makes, ends here. */
#define PARENTS_LIMIT 10000
#define LIST_COUNT 100
#define PAGE_COUNT 100

static const char *column(sqlite3_stmt *row, int index)
{
	const char *text = (const char *)sqlite3_column_text(row, index);

	return text ? text : "";
}

/* Append the session of a row with INFO_COLUMNS. */
static void put_row(struct ik_buf *line, sqlite3_stmt *row)
{
	const struct ik_session_line session = {
		.id = column(row, 0),
		.title = column(row, 1),
		.directory = column(row, 2),
		.created_ms = sqlite3_column_int64(row, 3),
		.updated_ms = sqlite3_column_int64(row, 4),
		.event_count = sqlite3_column_int64(row, 5),
		.parent = column(row, 6),
		.forked_at = sqlite3_column_int64(row, 7),
	};

	ik_answer_put_session(line, &session);
}

enum ik_status ik_put_session(struct ik_database *database, const char *id, struct ik_buf *line,
	bool *ret_found, struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT " INFO_COLUMNS " FROM sessions WHERE id = ?1 AND event_count > 0", error);
	int step;

	if (!query)
		return error->status;
	ik_database_bind(query, 1, id);
	step = sqlite3_step(query);
	*ret_found = step == SQLITE_ROW;
	if (*ret_found)
		put_row(line, query);
	ik_database_reset(query);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(database, error);
}

/* Send the sessions of a bound query, and reset it; IK_NOT_FOUND: there were none. */
static enum ik_status send_sessions(struct ik_database *database, sqlite3_stmt *query,
	struct ik_error *error)
{
	bool found = false;
	int step;

	while ((step = sqlite3_step(query)) == SQLITE_ROW) {
		put_row(ik_connection_begin(database->connection), query);
		ik_connection_send(database->connection);
		found = true;
	}
	ik_database_reset(query);
	if (step != SQLITE_DONE)
		return ik_database_explain(database, error);
	return found ? IK_OK : ik_answer_no_session(error);
}

enum ik_status ik_answer_newest(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *directory = ik_connection_text(database->connection, "directory");
	sqlite3_stmt *query = directory
		? ik_database_statement(database,
			  "SELECT " INFO_COLUMNS " FROM sessions WHERE directory = ?1 AND event_count > 0"
			  " ORDER BY updated_ms DESC, id DESC LIMIT 1",
			  error)
		: ik_database_statement(database,
			  "SELECT " INFO_COLUMNS " FROM sessions WHERE event_count > 0"
			  " ORDER BY updated_ms DESC, id DESC LIMIT 1",
			  error);

	if (!query)
		return error->status;
	if (directory)
		ik_database_bind(query, 1, directory);
	return send_sessions(database, query, error);
}

/* The first two sessions whose ids begin with ?1, deleted ones that only their forks need aside. */
#define BEGIN_SO \
	" FROM sessions WHERE id >= ?1 AND id < ?1 || char(127) AND (event_count > 0 OR NOT EXISTS" \
	" (SELECT 1 FROM sessions AS child WHERE child.parent = sessions.id))"

enum ik_status ik_answer_find(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *prefix = ik_connection_text(database->connection, "prefix");
	int64_t matches = 0;
	sqlite3_stmt *query;
	enum ik_status status = ik_database_number(database,
		"SELECT count(*) FROM (SELECT 1" BEGIN_SO " LIMIT 2)", prefix ? prefix : "-", NULL,
		&matches, NULL, error);

	if (status != IK_OK)
		return status;
	if (matches == 0)
		return ik_answer_no_session(error);
	if (matches > 1)
		return ik_answer_several(prefix, error);
	query = ik_database_statement(database, "SELECT " INFO_COLUMNS BEGIN_SO, error);
	if (!query)
		return error->status;
	ik_database_bind(query, 1, prefix);
	return send_sessions(database, query, error);
}

enum ik_status ik_answer_list(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *directory = ik_connection_text(database->connection, "directory");
	const char *words = ik_connection_text(database->connection, "words");
	const char *after = ik_connection_text(database->connection, "session");
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT " INFO_COLUMNS " FROM sessions WHERE event_count > 0"
		" AND (updated_ms, id) < (?2, ?1) AND (?3 IS NULL OR directory = ?3)"
		" AND (?4 IS NULL OR title || char(10) || directory || char(10) || id LIKE ?4 ESCAPE '\\')"
		" ORDER BY updated_ms DESC, id DESC LIMIT ?5",
		error);
	enum ik_status status;
	struct ik_buf pattern;

	if (!query)
		return error->status;
	ik_buf_init(&pattern, IK_MIB(2));
	if (words)
		ik_answer_put_pattern(&pattern, words);
	ik_database_bind(query, 1, after ? after : "");
	sqlite3_bind_int64(query, 2,
		after ? ik_connection_number(database->connection, "updated_ms", INT64_MAX) : INT64_MAX);
	if (directory)
		ik_database_bind(query, 3, directory);
	if (words)
		ik_database_bind(query, 4, pattern.data);
	sqlite3_bind_int64(query, 5, ik_connection_number(database->connection, "count", LIST_COUNT));
	status = send_sessions(database, query, error);
	ik_buf_done(&pattern);
	return status == IK_NOT_FOUND ? IK_OK : status; /* a list may be empty */
}

/* ---- events ---- */

struct ik_message *ik_event_of_row(sqlite3_stmt *row)
{
	const char *data = (const char *)sqlite3_column_text(row, 4);
	const char *content = column(row, 3);
	enum ik_kind kind;

	if (!ik_kind_from_name(column(row, 2), &kind))
		return NULL;
	return ik_message_stored(kind, column(row, 0), sqlite3_column_int64(row, 1),
		sqlite3_column_int64(row, 5), content, (size_t)sqlite3_column_bytes(row, 3), data,
		(size_t)sqlite3_column_bytes(row, 4));
}

/* Send the events of a bound query, at most *left; resets it. */
static enum ik_status send_events(struct ik_database *database, sqlite3_stmt *query,
	const char *session, int64_t *left, struct ik_error *error)
{
	int step = SQLITE_ROW;

	while (*left > 0 && (step = sqlite3_step(query)) == SQLITE_ROW) {
		struct ik_message *message = ik_event_of_row(query);

		if (!message)
			continue;
		ik_answer_put_event(ik_connection_begin(database->connection), session, message);
		ik_connection_send(database->connection);
		ik_message_unref(message);
		(*left)--;
	}
	ik_database_reset(query);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(database, error);
}

/* Turn to the session that this one is a fork of ("": of none), and to what both have. */
static enum ik_status go_to_parent(struct ik_database *database, char session[IK_UUID_TEXT],
	int64_t *before, struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT coalesce(parent, ''), forked_at FROM sessions WHERE id = ?1", error);
	char parent[IK_UUID_TEXT] = "";
	int step;

	if (!query)
		return error->status;
	ik_database_bind(query, 1, session);
	step = sqlite3_step(query);
	if (step == SQLITE_ROW) {
		const char *text = column(query, 0);

		memcpy(parent, text, strnlen(text, sizeof(parent) - 1));
		if (sqlite3_column_int64(query, 1) + 1 < *before)
			*before = sqlite3_column_int64(query, 1) + 1;
	}
	ik_database_reset(query);
	memcpy(session, parent, sizeof(parent));
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(database, error);
}

enum ik_status ik_answer_page(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *id = ik_connection_text(database->connection, "session");
	int64_t before = ik_connection_number(database->connection, "before", INT64_MAX);
	int64_t left = ik_connection_number(database->connection, "count", PAGE_COUNT);
	char session[IK_UUID_TEXT] = "";
	enum ik_status status = IK_OK;
	int depth = 0;

	if (id)
		memcpy(session, id, strnlen(id, sizeof(session) - 1));
	while (session[0] && before > 1 && left > 0 && depth++ < PARENTS_LIMIT && status == IK_OK) {
		sqlite3_stmt *query = ik_database_statement(database,
			"SELECT " IK_EVENT_COLUMNS " FROM events WHERE session = ?1 AND sequence < ?2"
			" ORDER BY sequence DESC",
			error);

		if (!query)
			return error->status;
		ik_database_bind(query, 1, session);
		sqlite3_bind_int64(query, 2, before);
		status = send_events(database, query, session, &left, error);
		if (status == IK_OK)
			status = go_to_parent(database, session, &before, error);
	}
	return status;
}

enum ik_status ik_answer_after(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *session = ik_connection_text(database->connection, "session");
	int64_t left = ik_connection_number(database->connection, "count", PAGE_COUNT);
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT " IK_EVENT_COLUMNS " FROM events WHERE session = ?1 AND sequence > ?2"
		" ORDER BY sequence",
		error);

	if (!query)
		return error->status;
	ik_database_bind(query, 1, session ? session : "");
	sqlite3_bind_int64(query, 2, ik_connection_number(database->connection, "sequence", 0));
	return send_events(database, query, session, &left, error);
}

enum ik_status ik_answer_part(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *blob = ik_connection_text(database->connection, "blob");
	sqlite3_stmt *query = ik_database_statement(database,
		"SELECT bytes FROM blobs WHERE id = ?1 AND part = ?2", error);
	struct ik_buf *line;
	int step;

	if (!query)
		return error->status;
	ik_database_bind(query, 1, blob ? blob : "");
	sqlite3_bind_int64(query, 2, ik_connection_number(database->connection, "part", 0));
	step = sqlite3_step(query);
	if (step == SQLITE_ROW) {
		const char *bytes = sqlite3_column_blob(query, 0);

		line = ik_connection_begin(database->connection);
		ik_json_key(line, "base64");
		ik_json_quote_open(line);
		ik_base64_put(line, bytes ? bytes : "", (size_t)sqlite3_column_bytes(query, 0));
		ik_json_quote_close(line);
	}
	ik_database_reset(query);
	if (step == SQLITE_DONE)
		return ik_error_set(error, IK_NOT_FOUND, "There is no such part.");
	return step == SQLITE_ROW ? IK_OK : ik_database_explain(database, error);
}
