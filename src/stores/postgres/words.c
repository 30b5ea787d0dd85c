#include "stores/postgres/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/write.h"
#include "store/search_query.h"
#include "store/search_text.h"
#include "stores/answer.h"
#include "stores/postgres/event_rows.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/uuid.h"

#define SEARCH_COUNT 100

/*
 * The next events of a session that has some which are not indexed: one at random of the first of
 * these, since other programs index, too. Only such sessions are in the index that finds them, in
 * this order: nothing here may read all sessions, of which there can be a million.
 */
static const char unindexed[] =
	"WITH chosen AS (SELECT id, searched, last_sequence FROM (SELECT id, searched, last_sequence"
	"  FROM sessions WHERE searched < last_sequence ORDER BY id LIMIT 64) pending"
	"  ORDER BY uuid_hash_extended(id, pg_backend_pid()) LIMIT 1)"
	" SELECT " IK_PG_EVENT("e") ", c.id, c.searched, c.last_sequence FROM chosen c"
								" LEFT JOIN LATERAL (SELECT * FROM (SELECT *, sum(size) OVER "
								"(ORDER BY sequence) - size"
								"  AS before FROM (SELECT * FROM events WHERE session = c.id AND "
								"sequence > c.searched"
								"  ORDER BY sequence LIMIT 300) s) t WHERE before < 1048576) e ON "
								"true ORDER BY e.sequence";
enum { SESSION = IK_PG_EVENT_COLUMNS, SEARCHED, LAST };

/* Append an event's words as a tsvector. */
static void put_words(struct ik_statement *statement, const struct ik_message *message)
{
	struct ik_buf text, words;

	ik_buf_init(&text, SIZE_MAX / 2);
	ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
	if (message) {
		ik_search_text(&text, message);
		ik_search_words(&words, text.data, text.length, IK_SEARCH_PLACES);
	}
	ik_statement_put_element(statement, words.data, words.length);
	ik_buf_done(&text);
	ik_buf_done(&words);
}

static void put_numbers(struct ik_statement *statement, const PGresult *result, int rows,
	int column)
{
	ik_statement_begin_array(statement);
	for (int row = 0; row < rows; row++)
		ik_statement_put_element_number(statement, ik_result_number(result, row, column));
	ik_statement_end_array(statement);
}

enum ik_status ik_words_index_some(struct ik_server *server, bool *ret_more, struct ik_error *error)
{
	struct ik_statement statement;
	enum ik_status status;
	PGresult *result;
	int rows;

	*ret_more = false;
	ik_statement_init(&statement, unindexed);
	result = ik_server_ask(server, &statement, error);
	if (!result || PQntuples(result) == 0) {
		PQclear(result);
		return result ? IK_OK : error->status;
	}
	/* A fork without events of its own comes alone. */
	rows = PQgetisnull(result, 0, 0) ? 0 : PQntuples(result);
	ik_statement_init(&statement,
		"WITH mine AS (UPDATE sessions SET searched = $3::bigint WHERE id = $1::uuid"
		" AND searched = $2::bigint RETURNING id)"
		" INSERT INTO search(session, sequence, time, words) SELECT $1::uuid, g.sequence, g.time,"
		" g.words::tsvector FROM unnest($4::bigint[], $5::bigint[], $6::text[])"
		" AS g(sequence, time, words) WHERE EXISTS (SELECT FROM mine) ON CONFLICT DO NOTHING");
	ik_statement_put_uuid(&statement, ik_result_text(result, 0, SESSION));
	ik_statement_put_number(&statement, ik_result_number(result, 0, SEARCHED));
	ik_statement_put_number(&statement,
		rows > 0 ? ik_result_number(result, rows - 1, 1) : ik_result_number(result, 0, LAST));
	put_numbers(&statement, result, rows, 1);
	put_numbers(&statement, result, rows, 7);
	ik_statement_begin_array(&statement);
	for (int row = 0; row < rows; row++) {
		struct ik_message *message = ik_pg_event(result, row, 0);

		put_words(&statement, message);
		ik_message_unref(message);
	}
	ik_statement_end_array(&statement);
	PQclear(result);
	status = ik_server_do(server, &statement, error);
	*ret_more = status == IK_OK;
	return status;
}

/* ---- searching ---- */

enum { TIME, FOUND_SESSION, SEQUENCE, SHOWN, EVENT = SHOWN + IK_PG_SESSION_COLUMNS };

/* The newest events that have the words, before one of them; with each the session in which it is
 * seen: its own, or, if that was deleted, the newest fork that still has it. */
static const char search[] =
	"WITH hits AS (SELECT session, sequence, time FROM search WHERE words @@ $1::tsquery"
	"  AND (time, session, sequence) < ($2::bigint, $3::uuid, $4::bigint)"
	"  AND ($5::text IS NULL OR session IN (SELECT id FROM sessions WHERE directory = $5))"
	"  ORDER BY time DESC, session DESC, sequence DESC LIMIT $6::bigint)"
	" SELECT h.time, h.session, h.sequence, " IK_PG_SESSION("s") ", " IK_PG_EVENT(
		"e") " FROM hits h JOIN events e ON e.session = h.session AND e.sequence = h.sequence"
			 " LEFT JOIN LATERAL (WITH RECURSIVE line(id, own) AS (SELECT h.session, true"
			 "  UNION SELECT c.id, false FROM line JOIN sessions c ON c.parent = line.id"
			 "  WHERE c.forked_at >= h.sequence AND NOT EXISTS (SELECT FROM sessions o"
			 "  WHERE o.id = h.session AND o.event_count > 0))"
			 "  SELECT f.* FROM line JOIN sessions f ON f.id = line.id WHERE f.event_count > 0"
			 "  ORDER BY own DESC, f.updated_ms DESC LIMIT 1) s ON true"
			 " ORDER BY h.time DESC, h.session DESC, h.sequence DESC";

/* The row where a search continues, as the client got it: "TIME SESSION SEQUENCE". */
static void put_row(struct ik_statement *statement, const char *row)
{
	char session[IK_UUID_TEXT] = "ffffffff-ffff-ffff-ffff-ffffffffffff";
	long long time_ms = INT64_MAX, sequence = INT64_MAX;

	if (row && sscanf(row, "%lld %36s %lld", &time_ms, session, &sequence) != 3)
		time_ms = 0;
	ik_statement_put_number(statement, time_ms);
	ik_statement_put_uuid(statement, session);
	ik_statement_put_number(statement, sequence);
}

static void put_place(struct ik_buf *line, const PGresult *result, int row)
{
	struct ik_buf place;

	ik_buf_init(&place, 256);
	ik_buf_printf(&place, "%s %s %s", ik_result_text(result, row, TIME),
		ik_result_text(result, row, FOUND_SESSION), ik_result_text(result, row, SEQUENCE));
	ik_json_key(line, "row");
	ik_json_put_text(line, place.data);
	ik_buf_done(&place);
}

/* Send what was found and is still in a session. */
static void send_found(struct ik_server *server, const PGresult *result)
{
	for (int row = 0; row < PQntuples(result); row++) {
		struct ik_message *message = ik_pg_event(result, row, EVENT);
		struct ik_buf *line;

		if (message && !PQgetisnull(result, row, SHOWN)) {
			line = ik_connection_begin(server->client);
			ik_pg_put_session(line, result, row, SHOWN);
			ik_answer_put_event(line, ik_result_text(result, row, SHOWN), message);
			put_place(line, result, row);
			ik_connection_send(server->client);
		}
		ik_message_unref(message);
	}
}

static enum ik_status run_search(struct ik_server *server, const struct ik_search_query *query,
	struct ik_error *error)
{
	int64_t count = ik_connection_number(server->client, "count", SEARCH_COUNT);
	struct ik_statement statement;
	struct ik_buf words, *line;
	PGresult *result;

	ik_buf_init(&words, IK_KIB(64));
	ik_search_query_put_ts(query, &words);
	ik_statement_init(&statement, search);
	ik_statement_put(&statement, words.data);
	put_row(&statement, ik_connection_text(server->client, "row"));
	ik_statement_put(&statement, ik_connection_text(server->client, "directory"));
	ik_statement_put_number(&statement, count);
	ik_buf_done(&words);
	result = ik_server_ask(server, &statement, error);
	if (!result)
		return error->status;
	send_found(server, result);
	line = ik_connection_begin(server->client);
	if (PQntuples(result) == count && count > 0) {
		put_place(line, result, PQntuples(result) - 1);
	} else {
		ik_json_key(line, "row");
		ik_json_put_null(line);
	}
	PQclear(result);
	return IK_OK;
}

enum ik_status ik_pg_answer_search(void *store, struct ik_error *error)
{
	struct ik_server *server = store;
	const char *text = ik_connection_text(server->client, "query");
	struct ik_search_query query;
	enum ik_status status;
	bool more = true;

	status = ik_search_query_read(&query, text ? text : "", strlen(text ? text : ""), error);
	while (status == IK_OK && more && !ik_connection_is_cancelled(server->client))
		status = ik_words_index_some(server, &more, error);
	return status == IK_OK ? run_search(server, &query, error) : status;
}
