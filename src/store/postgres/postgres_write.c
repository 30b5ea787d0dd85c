#include "store/postgres/postgres_private.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

/* Bytes that a transaction takes. */
#define TRANSACTION_BYTES IK_MIB(1)

/* The session's row, unless it is there; a fork has its parent's title. */
static const char add_session[] =
	"INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent, forked_at,"
	" last_sequence, late) SELECT $1, $2, $3, $3,"
	" coalesce((SELECT title FROM sessions WHERE id = $4), ''), $4, $5, $5, $6 <> 0"
	/* One that was deleted while it had forks comes back with what it has. */
	" ON CONFLICT (id) DO UPDATE SET event_count ="
	" (SELECT count(*) FROM events WHERE session = $1) WHERE sessions.event_count = 0";

/* Its lock: two who write to it do so one after the other. */
static const char lock_session[] = "SELECT 1::text FROM sessions WHERE id = $1 FOR UPDATE";

/*
 * Events, each with the next number, unless it is there; none, when the session was gone on
 * with by somebody else ($9: the last event that is known here, -1: whatever it is; fewer
 * than are known: a server that has lost some). Gives
 * whether they fit, how many forks of late events there are, and the numbers of those that
 * are there now.
 */
/* clang-format off */
static const char add_events[] =
	"WITH given AS (SELECT DISTINCT ON (id) * FROM unnest($2::uuid[], $3::text[], $4::text[],"
	"  $5::text[], $6::bytea[], $7::bytea[], $8::bigint[], $11::bigint[]) WITH ORDINALITY"
	"  AS g(id, kind, content, data_json, exact_content, exact_data, time, size, place)"
	"  ORDER BY id, place),"
	" old AS (SELECT id, session, sequence FROM events WHERE id = ANY($2)),"
	" here AS (SELECT last_sequence AS last, ($9 < 0 OR last_sequence <= greatest($9,"
	"  (SELECT max(sequence) FROM old WHERE session = $1))) AND NOT EXISTS (SELECT FROM locks"
	"  WHERE session = $1 AND holder IS NOT NULL AND process IS DISTINCT FROM $13"
	"  AND expires > now()) AS fits"
	"  FROM sessions WHERE id = $1),"
	" fresh AS (SELECT *, row_number() OVER (ORDER BY place) AS number FROM given"
	"  WHERE NOT EXISTS (SELECT FROM old WHERE old.id = given.id)),"
	" added AS (INSERT INTO events(id, session, sequence, kind, content, data_json,"
	"  exact_content, exact_data, time, size) SELECT id, $1, last + number, kind, content,"
	"  data_json::json, exact_content, exact_data, time, size FROM fresh, here WHERE fits"
	"  RETURNING id, sequence, time),"
	" touched AS (UPDATE sessions SET event_count = event_count + (SELECT count(*) FROM added),"
	"  last_sequence = last_sequence + (SELECT count(*) FROM added),"
	"  updated_ms = greatest(updated_ms, (SELECT max(time) FROM added)),"
	"  title = CASE WHEN title = '' OR $12 = 1 THEN $10 ELSE title END"
	"  WHERE id = $1 AND EXISTS (SELECT FROM added))"
	" SELECT (CASE WHEN fits THEN 1 ELSE 0 END)::text,"
	"  (SELECT count(*) FROM sessions WHERE parent = $1 AND late)::text,"
	"  there.id::text, there.sequence::text FROM here LEFT JOIN"
	"  (SELECT id, sequence FROM added UNION ALL SELECT id, sequence FROM old) there ON true"
	"  ORDER BY there.sequence";
/* clang-format on */

/* Who reads along is told that there is something new. */
static const char tell[] = "SELECT pg_notify('ikigai_' || $1::text, '')::text FROM locks"
						   " WHERE session = $1 AND followed > now()";

/* ---- what PostgreSQL takes as text ---- */

static bool is_text(const char *bytes, size_t length)
{
	return !memchr(bytes, '\0', length) && ik_utf8_valid_prefix(bytes, length) == length;
}

/* A text for people where the exact one is no text, or none of the database's encoding. */
static void put_readable(struct ik_pq_statement *statement, const char *bytes, size_t length,
	bool exact)
{
	struct ik_buf out;

	ik_buf_init(&out, 3 * length + 1);
	ik_pq_put_readable(&out, bytes, length, exact);
	ik_pq_put_element(statement, out.data, out.length);
	ik_buf_done(&out);
}

static void put_content(struct ik_pq_statement *statement, const struct ik_record *record,
	bool exact)
{
	const struct ik_message *message = record->message;
	bool text = !exact && is_text(message->content, message->content_length);

	if (text)
		ik_pq_put_element(statement, message->content, message->content_length);
	else
		put_readable(statement, message->content, message->content_length, exact);
}

static void put_exact_content(struct ik_pq_statement *statement, const struct ik_record *record,
	bool exact)
{
	const struct ik_message *message = record->message;

	if (exact || !is_text(message->content, message->content_length))
		ik_pq_put_element(statement, message->content, message->content_length);
	else
		ik_pq_put_element_null(statement);
}

static void put_data(struct ik_pq_statement *statement, const struct ik_record *record, bool exact)
{
	const struct ik_message *message = record->message;

	if (!exact && message->data && is_text(message->data, message->data_length))
		ik_pq_put_element(statement, message->data, message->data_length);
	else
		ik_pq_put_element_null(statement);
}

static void put_exact_data(struct ik_pq_statement *statement, const struct ik_record *record,
	bool exact)
{
	const struct ik_message *message = record->message;

	if (message->data && (exact || !is_text(message->data, message->data_length)))
		ik_pq_put_element(statement, message->data, message->data_length);
	else
		ik_pq_put_element_null(statement);
}

static void put_id(struct ik_pq_statement *statement, const struct ik_record *record, bool exact)
{
	ik_pq_put_element_uuid(statement, record->message->id);
}

static void put_kind(struct ik_pq_statement *statement, const struct ik_record *record, bool exact)
{
	const char *name = ik_kind_name(record->message->kind);

	ik_pq_put_element(statement, name, strlen(name));
}

static void put_time(struct ik_pq_statement *statement, const struct ik_record *record, bool exact)
{
	ik_pq_put_element_number(statement, record->message->time_ms);
}

static void put_size(struct ik_pq_statement *statement, const struct ik_record *record, bool exact)
{
	ik_pq_put_element_number(statement,
		(int64_t)(record->message->content_length + record->message->data_length));
}

/* One property of all records. */
static void put_column(struct ik_pq_statement *statement, const struct postgres *postgres,
	unsigned type,
	void (*put)(struct ik_pq_statement *statement, const struct ik_record *record, bool exact))
{
	const struct ik_record *record = postgres->first;
	size_t i;

	ik_pq_begin_array(statement, type, postgres->count);
	for (i = 0; i < postgres->count; i++, record = record->next)
		put(statement, record, postgres->exact);
	ik_pq_end_array(statement);
}

/* ---- sending ---- */

/* The title that the records give their session; does it stand in place of any other? */
static char *make_title(const struct postgres *postgres, bool *ret_named)
{
	const struct ik_record *record = postgres->first;
	char *title = ik_session_title("", 0);
	size_t i;

	*ret_named = false;
	for (i = 0; i < postgres->count; i++, record = record->next) {
		bool named;
		char *next = ik_session_title_of(record->message, &named);

		if (next[0] && (named || !title[0])) {
			char *old = title;

			title = next;
			next = old;
			*ret_named = *ret_named || named;
		}
		free(next);
	}
	return title;
}

static bool send_session(struct postgres *postgres)
{
	const struct ik_store_session *session = postgres->session;
	struct ik_pq_statement statement;
	bool sent;

	ik_pq_statement_init(&statement, add_session);
	ik_pq_put_uuid(&statement, session->stored_as);
	ik_pq_put_name(&statement, session->directory, postgres->exact);
	ik_pq_put_number(&statement, session->created_ms);
	ik_pq_put_uuid(&statement, session->parent);
	ik_pq_put_number(&statement, session->forked_at);
	ik_pq_put_number(&statement, session->parent[0] && !session->chosen);
	sent = ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	ik_pq_statement_init(&statement, lock_session);
	ik_pq_put_uuid(&statement, session->stored_as);
	sent = sent && ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	return sent;
}

static bool send_events(struct postgres *postgres)
{
	struct ik_pq_statement statement;
	bool named, sent;
	char *title = make_title(postgres, &named);

	ik_pq_statement_init(&statement, add_events);
	ik_pq_put_uuid(&statement, postgres->session->stored_as);
	put_column(&statement, postgres, IK_PQ_UUID, put_id);
	put_column(&statement, postgres, IK_PQ_TEXT, put_kind);
	put_column(&statement, postgres, IK_PQ_TEXT, put_content);
	put_column(&statement, postgres, IK_PQ_TEXT, put_data);
	put_column(&statement, postgres, IK_PQ_BYTEA, put_exact_content);
	put_column(&statement, postgres, IK_PQ_BYTEA, put_exact_data);
	put_column(&statement, postgres, IK_PQ_INT8, put_time);
	ik_pq_put_number(&statement, postgres->session->known);
	ik_pq_put_name(&statement, title, postgres->exact);
	put_column(&statement, postgres, IK_PQ_INT8, put_size);
	ik_pq_put_number(&statement, named);
	/* Who writes without the lock that another has goes into a fork; what an earlier process
	 * left, too, unless it is still its own lease. */
	ik_pq_put_uuid(&statement, postgres->session->writer);
	sent = ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	ik_pq_statement_init(&statement, tell);
	ik_pq_put_uuid(&statement, postgres->session->stored_as);
	sent = sent && ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	free(title);
	return sent;
}

/* ---- answers ---- */

enum { STATEMENT_EVENTS = 3 };

/* One that was handed over twice has the number of the other. */
static void mark_doubles(struct postgres *postgres)
{
	struct ik_record *record = postgres->first, *other;
	size_t i, j;

	for (i = 0; i < postgres->count; i++, record = record->next) {
		other = postgres->first;
		for (j = 0; j < postgres->count && !record->stored; j++, other = other->next) {
			record->stored = other->stored &&
				ik_text_equal(other->message->id, record->message->id);
			if (record->stored)
				record->message->sequence = other->message->sequence;
		}
	}
}

/* The numbers of the events that are there: mostly in the order of the records. */
static void take_numbers(struct postgres *postgres, int statement, const PGresult *result)
{
	struct ik_record *record = postgres->first;
	int row, rows = PQntuples(result);
	size_t at = 0, i;

	if (statement != STATEMENT_EVENTS || rows == 0)
		return;
	postgres->fits = ik_pq_number(result, 0, 0) != 0;
	postgres->session->late_forks = ik_pq_number(result, 0, 1);
	for (row = 0; row < rows; row++) {
		const char *id = ik_pq_text(result, row, 2);
		int64_t sequence = ik_pq_number(result, row, 3);

		/* From behind the last one that was found, once around. */
		for (i = 0; i < postgres->count; i++) {
			bool found = ik_text_equal(record->message->id, id);

			if (found) {
				record->stored = true;
				record->message->sequence = sequence;
				if (sequence > postgres->last)
					postgres->last = sequence;
			}
			record = ++at < postgres->count ? record->next : postgres->first;
			at %= postgres->count;
			if (found)
				break;
		}
	}
	if (postgres->fits)
		mark_doubles(postgres);
}

static void start_writing(struct postgres *postgres);

static void finish_writing(struct postgres *postgres, enum ik_status status, struct ik_error *error)
{
	struct ik_store_session *conflict = NULL;
	struct ik_record *record = postgres->first;
	size_t written = 0;

	if (status == IK_INVALID && postgres->connection) {
		/* One of them is more than the server's types hold: each by itself, and then that
		 * one as bytes. */
		if (postgres->count == 1 && postgres->exact)
			status = IK_TOO_LARGE;
		else if (postgres->count == 1)
			postgres->exact = true;
		if (status == IK_INVALID) {
			postgres->count = 1;
			start_writing(postgres);
			return;
		}
	}
	for (; status == IK_OK && written < postgres->count && record->stored; written++)
		record = record->next;
	if (written > 0 && postgres->session->known >= 0 && postgres->last > postgres->session->known)
		postgres->session->known = postgres->last;
	if (status == IK_OK && written < postgres->count)
		conflict = postgres->session;
	ik_store_written(postgres->base.store, written, conflict, status, error);
}

static void start_writing(struct postgres *postgres)
{
	static const struct ik_pq_operation operation = { take_numbers, finish_writing };

	postgres->last = 0;
	ik_pq_start(postgres, &operation,
		ik_pq_begin(postgres) && send_session(postgres) && send_events(postgres));
}

void ik_pq_write(struct ik_backend *backend, struct ik_record *first, size_t count)
{
	struct postgres *postgres = postgres_of(backend);
	struct ik_record *record = first;
	size_t bytes = 0;

	postgres->first = first;
	postgres->session = first->session;
	postgres->exact = false;
	postgres->count = 0;
	/* As many as belong together. */
	while (record && postgres->count < count && bytes < TRANSACTION_BYTES &&
		record->session == first->session) {
		bytes += record->message->content_length + record->message->data_length;
		record->stored = false;
		postgres->count++;
		record = record->next;
	}
	start_writing(postgres);
}

/* ---- large texts ---- */

static void take_nothing(struct postgres *postgres, int statement, const PGresult *result)
{
}

static void finish_part(struct postgres *postgres, enum ik_status status, struct ik_error *error)
{
	ik_store_part_written(postgres->base.store, status == IK_INVALID ? IK_TOO_LARGE : status,
		error);
}

void ik_pq_part_statement(struct ik_pq_statement *statement, const char *id, size_t part,
	const char *bytes, size_t length)
{
	ik_pq_statement_init(statement,
		"INSERT INTO blobs(id, part, bytes)"
		" VALUES($1, $2::bigint::integer, $3) ON CONFLICT DO NOTHING");
	ik_pq_put_uuid(statement, id);
	ik_pq_put_number(statement, (int64_t)part);
	ik_pq_put_bytes(statement, IK_PQ_BYTEA, bytes, length);
}

void ik_pq_write_part(struct ik_backend *backend, const char *id, size_t part, const char *bytes,
	size_t length)
{
	static const struct ik_pq_operation operation = { take_nothing, finish_part };
	struct postgres *postgres = postgres_of(backend);
	struct ik_pq_statement statement;
	bool sent;

	ik_pq_part_statement(&statement, id, part, bytes, length);
	sent = ik_pq_begin(postgres) && ik_pq_send(postgres, &statement);
	ik_pq_statement_done(&statement);
	ik_pq_start(postgres, &operation, sent);
}
