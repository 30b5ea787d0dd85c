#include "stores/postgres/event_rows.h"

#include <string.h>

#include "json/write.h"
#include "stores/answer.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/text.h"

#define SESSIONS "SELECT " IK_PG_SESSION("s") " FROM sessions s "
#define LAST_UUID "ffffffff-ffff-ffff-ffff-ffffffffffff"
#define LIST_COUNT 100
#define PAGE_COUNT 100

void ik_pg_put_session(struct ik_buf *line, const PGresult *result, int row, int first)
{
	const struct ik_session_line session = {
		.id = ik_result_text(result, row, first),
		.title = ik_result_text(result, row, first + 1),
		.directory = ik_result_text(result, row, first + 2),
		.created_ms = ik_result_number(result, row, first + 3),
		.updated_ms = ik_result_number(result, row, first + 4),
		.event_count = ik_result_number(result, row, first + 5),
		.parent = ik_result_text(result, row, first + 6),
		.forked_at = ik_result_number(result, row, first + 7),
		.owner = ik_result_text(result, row, first + 8),
	};

	ik_answer_put_session(line, &session);
}

/* Run a statement that gives sessions and send them; IK_NOT_FOUND: there are none. */
static enum ik_status send_sessions(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error)
{
	PGresult *result = ik_server_ask(server, statement, error);
	int rows;

	if (!result)
		return error->status;
	rows = PQntuples(result);
	for (int row = 0; row < rows; row++) {
		ik_pg_put_session(ik_connection_begin(server->client), result, row, 0);
		ik_connection_send(server->client);
	}
	PQclear(result);
	return rows > 0 ? IK_OK : ik_answer_no_session(error);
}

enum ik_status ik_pg_answer_newest(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	struct ik_statement statement;

	ik_statement_init(&statement,
		SESSIONS "WHERE ($1::text IS NULL OR s.directory = $1) AND s.event_count > 0"
				 " ORDER BY s.updated_ms DESC, s.id DESC LIMIT 1");
	ik_statement_put(&statement, ik_connection_text(server->client, "directory"));
	return send_sessions(server, &statement, error);
}

/* A beginning of a UUID, filled up with one digit; false: it is none. */
static bool put_bound(struct ik_statement *statement, const char *prefix, char digit)
{
	static const char shape[] = "00000000-0000-0000-0000-000000000000";
	char text[sizeof(shape)];
	size_t at = 0;

	memcpy(text, shape, sizeof(shape));
	for (; *prefix; prefix++) {
		if (*prefix == '-')
			continue;
		at += shape[at] == '-';
		if (at >= sizeof(shape) - 1 || !strchr("0123456789abcdef", *prefix))
			return false;
		text[at++] = *prefix;
	}
	for (; at < sizeof(shape) - 1; at++)
		if (shape[at] != '-')
			text[at] = digit;
	ik_statement_put_uuid(statement, text);
	return true;
}

enum ik_status ik_pg_answer_find(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *prefix = ik_connection_text(server->client, "prefix");
	struct ik_statement statement;
	enum ik_status status = IK_OK;
	PGresult *result;
	int rows;

	/* Not what was deleted and is kept for its forks; what is half deleted is found, to be deleted. */
	ik_statement_init(&statement,
		SESSIONS "WHERE s.id >= $1::uuid AND s.id <= $2::uuid AND (s.event_count > 0"
				 " OR NOT EXISTS (SELECT FROM sessions child WHERE child.parent = s.id))"
				 " ORDER BY s.id LIMIT 2");
	if (!prefix || !put_bound(&statement, prefix, '0') || !put_bound(&statement, prefix, 'f'))
		return ik_answer_no_session(error);
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	rows = PQntuples(result);
	if (rows == 0) {
		status = ik_answer_no_session(error);
	} else if (rows > 1) {
		status = ik_answer_several(prefix, error);
	} else {
		ik_pg_put_session(ik_connection_begin(server->client), result, 0, 0);
		ik_connection_send(server->client);
	}
	PQclear(result);
	return status;
}

enum ik_status ik_pg_answer_list(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *after = ik_connection_text(server->client, "session");
	const char *words = ik_connection_text(server->client, "words");
	struct ik_statement statement;
	struct ik_buf pattern;
	enum ik_status status;

	ik_buf_init(&pattern, IK_MIB(2));
	if (words)
		ik_answer_put_pattern(&pattern, words);
	ik_statement_init(&statement,
		SESSIONS
		"WHERE s.event_count > 0 AND (s.updated_ms, s.id) < ($2::bigint, $1::uuid)"
		" AND ($3::text IS NULL OR s.directory = $3) AND ($6::text IS NULL OR s.owner = $6)"
		" AND ($4::text IS NULL"
		"  OR s.title || chr(10) || s.directory || chr(10) || s.id::text ILIKE $4)"
		" ORDER BY s.updated_ms DESC, s.id DESC LIMIT $5::bigint");
	ik_statement_put_uuid(&statement, after ? after : LAST_UUID);
	ik_statement_put_number(&statement,
		after ? ik_connection_number(server->client, "updated_ms", INT64_MAX) : INT64_MAX);
	ik_statement_put(&statement, ik_connection_text(server->client, "directory"));
	ik_statement_put(&statement, words ? pattern.data : NULL);
	ik_statement_put_number(&statement, ik_connection_number(server->client, "count", LIST_COUNT));
	ik_statement_put(&statement, ik_connection_text(server->client, "owner"));
	ik_buf_done(&pattern);
	status = send_sessions(server, &statement, error);
	return status == IK_NOT_FOUND ? IK_OK : status; /* a list may be empty */
}

/* ---- events ---- */

/* The bytes of a bytea column, appended. */
static void put_bytes(struct ik_buf *out, const PGresult *result, int row, int column)
{
	size_t length = 0;
	unsigned char *bytes = PQunescapeBytea((const unsigned char *)ik_result_text(result, row,
											   column),
		&length);

	if (bytes)
		ik_buf_append(out, (const char *)bytes, length);
	else
		out->status = IK_NO_MEMORY;
	PQfreemem(bytes);
}

/* What a text column holds, or, where there is one, the exact one beside it. */
static void put_exact(struct ik_buf *out, const PGresult *result, int row, int text, int exact)
{
	if (!PQgetisnull(result, row, exact))
		put_bytes(out, result, row, exact);
	else
		ik_buf_append(out, ik_result_text(result, row, text),
			(size_t)PQgetlength(result, row, text));
}

struct ik_message *ik_pg_event(const PGresult *result, int row, int first)
{
	bool has_data = !PQgetisnull(result, row, first + 4) || !PQgetisnull(result, row, first + 6);
	struct ik_message *message = NULL;
	struct ik_buf content, data;
	enum ik_kind kind;

	if (!ik_kind_from_name(ik_result_text(result, row, first + 2), &kind))
		return NULL;
	ik_buf_init(&content, IK_LIMIT_ENVELOPE);
	ik_buf_init(&data, IK_LIMIT_ENVELOPE);
	put_exact(&content, result, row, first + 3, first + 5);
	put_exact(&data, result, row, first + 4, first + 6);
	if (ik_buf_status(&content) == IK_OK && ik_buf_status(&data) == IK_OK)
		message = ik_message_stored(kind, ik_result_text(result, row, first),
			ik_result_number(result, row, first + 1), ik_result_number(result, row, first + 7),
			content.data, content.length, has_data ? data.data : NULL, data.length);
	ik_buf_done(&content);
	ik_buf_done(&data);
	return message;
}

/* Run a statement that gives events and their session, and send them. */
static enum ik_status send_events(struct ik_server *server, struct ik_statement *statement,
	struct ik_error *error)
{
	PGresult *result = ik_server_ask(server, statement, error);
	enum ik_status status = IK_OK;

	if (!result)
		return error->status;
	for (int row = 0; row < PQntuples(result) && status == IK_OK; row++) {
		struct ik_message *message = ik_pg_event(result, row, 0);

		if (ik_connection_is_cancelled(server->client))
			status = ik_error_set(error, IK_FAILED, "The request was cancelled.");
		if (!message || status != IK_OK) {
			ik_message_unref(message);
			continue;
		}
		ik_answer_put_event(ik_connection_begin(server->client),
			ik_result_text(result, row, IK_PG_EVENT_COLUMNS), message);
		ik_connection_send(server->client);
		ik_message_unref(message);
	}
	PQclear(result);
	return status;
}

enum ik_status ik_pg_answer_page(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *session = ik_connection_text(server->client, "session");
	struct ik_statement statement;

	/* A session's own events, and before them those of its parents up to where they part. */
	ik_statement_init(&statement,
		"WITH RECURSIVE line(id, below, parent, forked_at, depth) AS ("
		" SELECT id, $2::bigint, parent, forked_at, 0 FROM sessions WHERE id = $1::uuid"
		" UNION ALL SELECT s.id, least(line.below, line.forked_at + 1), s.parent, s.forked_at,"
		"  depth + 1 FROM line JOIN sessions s ON s.id = line.parent WHERE depth < 10000)"
		" SELECT " IK_PG_EVENT("e") ", e.session FROM line, LATERAL (SELECT * FROM events"
									" WHERE session = line.id AND sequence < line.below ORDER BY "
									"sequence DESC"
									" LIMIT $3::bigint) e ORDER BY e.sequence DESC LIMIT "
									"$3::bigint");
	ik_statement_put_uuid(&statement, session ? session : "");
	ik_statement_put_number(&statement, ik_connection_number(server->client, "before", INT64_MAX));
	ik_statement_put_number(&statement, ik_connection_number(server->client, "count", PAGE_COUNT));
	return send_events(server, &statement, error);
}

enum ik_status ik_pg_answer_after(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *session = ik_connection_text(server->client, "session");
	struct ik_statement statement;

	ik_statement_init(&statement,
		"SELECT " IK_PG_EVENT("e") ", e.session FROM events e WHERE e.session = $1::uuid"
								   " AND e.sequence > $2::bigint ORDER BY e.sequence LIMIT "
								   "$3::bigint");
	ik_statement_put_uuid(&statement, session ? session : "");
	ik_statement_put_number(&statement, ik_connection_number(server->client, "sequence", 0));
	ik_statement_put_number(&statement, ik_connection_number(server->client, "count", PAGE_COUNT));
	return send_events(server, &statement, error);
}

enum ik_status ik_pg_answer_part(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *blob = ik_connection_text(server->client, "blob");
	struct ik_statement statement;
	struct ik_buf bytes, *line;
	enum ik_status status = IK_OK;
	PGresult *result;

	ik_statement_init(&statement,
		"SELECT bytes FROM blobs WHERE id = $1::uuid AND part = $2::integer");
	ik_statement_put_uuid(&statement, blob ? blob : "");
	ik_statement_put_number(&statement, ik_connection_number(server->client, "part", 0));
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	if (PQntuples(result) == 0) {
		status = ik_error_set(error, IK_NOT_FOUND, "There is no such part.");
	} else {
		ik_buf_init(&bytes, 2 * IK_LIMIT_PART);
		put_bytes(&bytes, result, 0, 0);
		line = ik_connection_begin(server->client);
		ik_json_key(line, "base64");
		ik_json_quote_open(line);
		ik_base64_put(line, bytes.data, bytes.length);
		ik_json_quote_close(line);
		ik_buf_done(&bytes);
	}
	PQclear(result);
	return status;
}
