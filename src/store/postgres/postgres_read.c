#include "store/postgres/postgres_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

#define INFO \
	"SELECT " IK_PQ_SESSION_COLUMNS("s") ", l.host, l.user_name, l.pid::text, l.since::text," \
										 " l.place, l.started::text" \
										 " FROM sessions s LEFT JOIN locks l" \
										 " ON l.session = s.id AND l.holder IS NOT NULL AND " \
										 "l.expires > now()"
enum { HOLDER_COLUMN = 8 };

/* Orders name the table's columns: the answer's are texts. */
static const char newest[] = INFO " WHERE event_count > 0 ORDER BY s.updated_ms DESC LIMIT 1";
static const char newest_of_directory[] = INFO " WHERE directory = $1 AND event_count > 0"
											   " ORDER BY s.updated_ms DESC LIMIT 1";
/* Not what was deleted and is kept for its forks; what is half deleted is found, to be deleted. */
static const char found[] = INFO
	" WHERE s.id >= $1 AND s.id <= $2 AND (event_count > 0 OR NOT EXISTS"
	" (SELECT FROM sessions child WHERE child.parent = s.id)) ORDER BY s.id LIMIT 2";
static const char list[] = INFO
	" WHERE event_count > 0"
	" AND (s.updated_ms, s.id) < ($2, $1) AND ($4 IS NULL OR directory = $4)"
	" AND ($5 IS NULL OR title || chr(10) || directory || chr(10) || s.id::text ILIKE $5)"
	" ORDER BY s.updated_ms DESC, s.id DESC LIMIT $3";

/* A part of a deletion: hidden first, so that what is half deleted is never listed. */
#define DELETED_AT_ONCE 2000
#define OLDEST \
	"(SELECT id FROM events WHERE session = $1" /* what its forks have is theirs */ \
	" AND sequence > coalesce((SELECT max(forked_at) FROM sessions WHERE parent = $1), 0)" \
	" ORDER BY sequence LIMIT 2000)"
static const char *const deletion[] = {
	"UPDATE sessions SET event_count = 0, updated_ms = 0 WHERE id = $1 RETURNING 1::text",
	"DELETE FROM blobs WHERE id IN (SELECT (data->'blobs'->stream->>'id')::uuid FROM events,"
	" unnest(ARRAY['stdout', 'stderr']) stream WHERE kind IN ('tool_result', 'command')"
	" AND events.id IN " OLDEST ")",
	"DELETE FROM search WHERE (session, sequence) IN (SELECT session, sequence FROM events"
	" WHERE id IN " OLDEST ")",
	"DELETE FROM events WHERE id IN " OLDEST " RETURNING 1::text",
	/* The one that it was forked from goes with it, where that was deleted before it; then one whose
	 * deletion was killed. */
	("DELETE FROM sessions s WHERE id = $1 AND NOT EXISTS (SELECT FROM events WHERE session = $1)"
	 " AND NOT EXISTS (SELECT FROM sessions WHERE parent = $1)"
	 " RETURNING coalesce((SELECT p.id::text FROM sessions p WHERE p.id = s.parent"
	 " AND p.event_count = 0), (SELECT h.id::text FROM sessions h WHERE h.updated_ms = 0"
	 " AND h.event_count = 0 AND h.id <> s.id AND NOT EXISTS (SELECT FROM sessions c"
	 " WHERE c.parent = h.id) ORDER BY h.id LIMIT 1))"),
};
/* Behind the time-out. */
enum { DELETE_FOUND = 1, DELETE_EVENTS = 4, DELETE_SESSION = 5, SEARCH_FOUND = 2 };

/* A session's own events, below them those of its parents up to where they part. */
/* clang-format off */
static const char page[] =
	"WITH RECURSIVE line(id, below, parent, forked_at, depth) AS ("
	" SELECT id, $2::bigint, parent, forked_at, 0 FROM sessions WHERE id = $1"
	" UNION ALL SELECT s.id, least(line.below, line.forked_at + 1), s.parent, s.forked_at,"
	"  depth + 1 FROM line JOIN sessions s ON s.id = line.parent WHERE depth < 10000),"
	" chosen AS (SELECT e.* FROM line, LATERAL (SELECT * FROM events WHERE session = line.id"
	"  AND sequence < line.below AND kind = ANY($5) ORDER BY sequence DESC LIMIT $3) e"
	"  ORDER BY sequence DESC LIMIT $3)"
	" SELECT " IK_PQ_EVENT_COLUMNS("c")
	" FROM (SELECT *, sum(size) OVER (ORDER BY sequence DESC) - size AS before FROM chosen) c"
	" WHERE before < $4 ORDER BY c.sequence DESC";
/* clang-format on */

/* What was added behind a number. */
static const char after[] =
	"SELECT id::text, sequence::text, kind, content, data_json::text, exact_content, exact_data,"
	"  time::text FROM (SELECT *, sum(size) OVER (ORDER BY sequence) - size AS before FROM"
	"  (SELECT * FROM events WHERE session = $1 AND sequence > $2 AND kind = ANY($5)"
	"  ORDER BY sequence LIMIT $3) e) c WHERE before < $4 ORDER BY c.sequence";

/* ---- questions ---- */

/* A beginning of a UUID filled up with one digit; false: it is none. */
static bool put_bound(struct ik_pq_statement *statement, const char *prefix, char digit)
{
	char text[33], bytes[16];
	size_t count = 0;

	for (; *prefix && count < 32; prefix++) {
		if (*prefix != '-')
			text[count++] = *prefix;
	}
	if (*prefix || count == 0)
		return false;
	memset(text + count, digit, 32 - count);
	text[32] = '\0';
	if (!ik_pq_uuid(text, bytes))
		return false;
	ik_pq_put_bytes(statement, IK_PQ_UUID, bytes, sizeof(bytes));
	return true;
}

static void put_text_or_null(struct ik_pq_statement *statement, const char *text)
{
	if (text)
		ik_pq_put_text(statement, text);
	else
		ik_pq_put_null(statement, IK_PQ_TEXT);
}

/* The kinds that are known here: a newer program may have others. */
static void put_kinds(struct ik_pq_statement *statement)
{
	enum ik_kind kind;

	ik_pq_begin_array(statement, IK_PQ_TEXT, IK_KIND_COUNT);
	for (kind = 0; kind < IK_KIND_COUNT; kind++) {
		const char *name = ik_kind_name(kind);

		ik_pq_put_element(statement, name, strlen(name));
	}
	ik_pq_end_array(statement);
}

/* The statement for a read; false: there can be no answer. */
static bool make_statement(const struct ik_store_read *read, struct ik_pq_statement *statement)
{
	switch (read->kind) {
	case IK_READ_NEWEST:
		ik_pq_statement_init(statement, read->text ? newest_of_directory : newest);
		if (read->text)
			ik_pq_put_text(statement, read->text);
		break;
	case IK_READ_FIND:
		ik_pq_statement_init(statement, found);
		return put_bound(statement, read->text, '0') && put_bound(statement, read->text, 'f');
	case IK_READ_LIST:
		ik_pq_statement_init(statement, list);
		/* Before all of them where there was none. */
		ik_pq_put_uuid(statement,
			read->text[0] ? read->text : "ffffffff-ffff-ffff-ffff-ffffffffffff");
		ik_pq_put_number(statement, read->text[0] ? read->number : INT64_MAX);
		ik_pq_put_number(statement, (int64_t)read->count);
		put_text_or_null(statement, read->directory);
		put_text_or_null(statement, read->pattern);
		break;
	case IK_READ_DELETE:
		ik_pq_statement_init(statement, deletion[0]);
		ik_pq_put_uuid(statement, read->text);
		break;
	case IK_READ_PAGE:
	case IK_READ_AFTER:
		ik_pq_statement_init(statement, read->kind == IK_READ_PAGE ? page : after);
		ik_pq_put_uuid(statement, read->text);
		ik_pq_put_number(statement,
			read->number > 0 || read->kind == IK_READ_AFTER ? read->number : INT64_MAX);
		ik_pq_put_number(statement, (int64_t)read->count);
		ik_pq_put_number(statement, (int64_t)IK_LIMIT_PAGE);
		put_kinds(statement);
		break;
	case IK_READ_PART:
		ik_pq_statement_init(statement, "SELECT bytes FROM blobs WHERE id = $1 AND part = $2");
		ik_pq_put_uuid(statement, read->text);
		ik_pq_put_number(statement, read->number);
		break;
	case IK_READ_WRITE_PART:
		ik_pq_part_statement(statement, read->text, (size_t)read->number, read->bytes.data,
			read->bytes.length);
		break;
	case IK_READ_SEARCH:
	case IK_READ_LOCK:
		ik_pq_statement_init(statement, "");
		break;
	}
	return true;
}

/* ---- answers ---- */

void ik_pq_session(struct ik_session_info *info, const PGresult *result, int row, int first)
{
	const char *id = ik_pq_text(result, row, first), *parent = ik_pq_text(result, row, first + 6);

	memcpy(info->id, id, strnlen(id, sizeof(info->id) - 1));
	info->title = ik_strdup(ik_pq_text(result, row, first + 1));
	info->directory = ik_strdup(ik_pq_text(result, row, first + 2));
	info->created_ms = ik_pq_number(result, row, first + 3);
	info->updated_ms = ik_pq_number(result, row, first + 4);
	info->event_count = ik_pq_number(result, row, first + 5);
	memcpy(info->parent, parent, strnlen(parent, sizeof(info->parent) - 1));
	info->forked_at = ik_pq_number(result, row, first + 7);
}

/* The column that holds a text: the exact one, where there is one. */
static int column_of(const PGresult *result, int row, int text, int exact)
{
	return PQgetisnull(result, row, exact) ? text : exact;
}

struct ik_message *ik_pq_message(const PGresult *result, int row, int first)
{
	int content = column_of(result, row, first + 3, first + 5);
	int data = column_of(result, row, first + 4, first + 6);
	enum ik_kind kind;

	if (!ik_kind_from_name(ik_pq_text(result, row, first + 2), &kind))
		return NULL;
	return ik_message_stored(kind, ik_pq_text(result, row, first),
		ik_pq_number(result, row, first + 1), ik_pq_number(result, row, first + 7),
		PQgetvalue(result, row, content), (size_t)PQgetlength(result, row, content),
		PQgetisnull(result, row, data) ? NULL : PQgetvalue(result, row, data),
		(size_t)PQgetlength(result, row, data));
}

/* Add an event of a page. */
static void take_message(struct ik_store_read *read, const PGresult *result, int row)
{
	struct ik_message *message = read->found < read->count ? ik_pq_message(result, row, 0) : NULL;

	if (message)
		ik_store_read_add_message(read, message);
}

/* Add a session of a list. */
static void take_session(struct ik_store_read *read, const PGresult *result, int row)
{
	struct ik_session_info *info = ik_store_read_add_session(read);

	ik_pq_session(info, result, row, 0);
	ik_pq_take_holder(&info->holder, result, row, HOLDER_COLUMN);
	ik_pq_take_place(&info->holder, result, row, HOLDER_COLUMN + 4);
	if (ik_holder_is_dead(&info->holder))
		info->holder = (struct ik_holder){ .pid = 0 };
}

/* A session is deleted; what was kept for it of one that was deleted before, or is left of another
 * one, is deleted next. */
static void take_deleted(struct ik_store_read *read, const PGresult *result)
{
	read->again = !PQgetisnull(result, 0, 0);
	if (!read->again)
		return;
	free(read->text);
	read->text = ik_strdup(PQgetvalue(result, 0, 0));
	read->number = 1;
}

static void take_rows(struct postgres *postgres, int statement, const PGresult *result)
{
	struct ik_store_read *read = postgres->read;
	int row, rows = PQntuples(result);

	if (read->kind == IK_READ_DELETE && statement == DELETE_FOUND)
		postgres->count = (size_t)rows;
	if (read->kind == IK_READ_DELETE && statement == DELETE_EVENTS)
		read->again = rows == DELETED_AT_ONCE;
	if (read->kind == IK_READ_DELETE && statement == DELETE_SESSION && rows > 0)
		take_deleted(read, result); /* those were the last */
	if (read->kind == IK_READ_LOCK)
		ik_pq_take_lock_row(postgres, result);
	if (read->kind == IK_READ_SEARCH && statement == SEARCH_FOUND)
		ik_pq_take_hits(postgres, result);
	if (statement == 0 || read->kind == IK_READ_SEARCH || read->kind == IK_READ_LOCK ||
		read->kind == IK_READ_DELETE)
		return; /* the time-out, or nothing to be kept */
	for (row = 0; row < rows; row++) {
		if (read->kind == IK_READ_PAGE || read->kind == IK_READ_AFTER)
			take_message(read, result, row);
		else if (read->kind == IK_READ_PART)
			ik_buf_append(&read->bytes, PQgetvalue(result, row, 0),
				(size_t)PQgetlength(result, row, 0));
		else
			take_session(read, result, row);
	}
	if (read->kind == IK_READ_PART)
		read->found = (size_t)rows;
}

static void finish_reading(struct postgres *postgres, enum ik_status status, struct ik_error *error)
{
	struct ik_store_read *read = postgres->read;

	if (read->kind == IK_READ_SEARCH)
		status = ik_pq_finish_search(postgres, status);
	if (status == IK_OK && read->kind == IK_READ_PAGE)
		ik_store_read_turn_round(read);
	if (status == IK_OK && read->kind == IK_READ_FIND)
		status = ik_store_read_choose(read, error);
	if (status == IK_OK && read->kind == IK_READ_NEWEST && read->found == 0)
		status = ik_store_read_not_found(read, error);
	if (status == IK_OK && read->kind == IK_READ_DELETE && postgres->count == 0 &&
		read->number == 0)
		status = ik_store_read_not_found(read, error);
	if (status == IK_OK && read->kind == IK_READ_PART && read->found == 0) {
		error->text[0] = '\0';
		status = IK_NOT_FOUND;
	}
	ik_store_answered(postgres->base.store, status, error);
}

/* Send the statement, and those that belong to it. */
static bool send_all(struct postgres *postgres, struct ik_pq_statement *statement)
{
	size_t i;

	if (postgres->read->kind == IK_READ_LOCK)
		return ik_pq_send_lock_step(postgres);
	if (postgres->read->kind == IK_READ_SEARCH)
		return ik_pq_send_search(postgres);
	if (!ik_pq_begin(postgres) || !ik_pq_send(postgres, statement))
		return false;
	for (i = 1;
		 postgres->read->kind == IK_READ_DELETE && i < sizeof(deletion) / sizeof(deletion[0]);
		 i++) {
		statement->text = deletion[i];
		if (!ik_pq_send(postgres, statement))
			return false;
	}
	return true;
}

void ik_pq_read(struct ik_backend *backend, struct ik_store_read *read)
{
	static const struct ik_pq_operation operation = { take_rows, finish_reading };
	struct postgres *postgres = postgres_of(backend);
	struct ik_pq_statement statement;
	struct ik_error error = { .status = IK_OK };

	postgres->read = read;
	postgres->count = 0;
	if (make_statement(read, &statement))
		ik_pq_start(postgres, &operation, send_all(postgres, &statement));
	else
		finish_reading(postgres, IK_OK, &error);
	ik_pq_statement_done(&statement);
}
