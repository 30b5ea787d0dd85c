#include "stores/postgres/add.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "stores/postgres/server.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

/* Events for one session, in order. */
struct server_adding {
	struct ik_server *server;
	const struct ik_journal_head *head;
	struct ik_journal_position *position;
	const struct ik_message **fresh; /* that are not stored yet; borrowed */
	size_t count;
	int64_t last; /* number of the session's newest event */
	bool taken;   /* another process has the session's lease */
	bool exact;   /* the server does not take the texts: all goes as bytes */
};

static enum ik_status begin(void *store, struct ik_error *error)
{
	return ik_server_begin(store, error);
}

static enum ik_status end(void *store, enum ik_status status, struct ik_error *error)
{
	return ik_server_end(store, status, error);
}

static enum ik_status add_session(const struct server_adding *adding, const char *id,
	const char *parent, int64_t forked_at, bool late, struct ik_error *error)
{
	struct ik_statement statement;

	ik_statement_init(&statement,
		"INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent, forked_at,"
		" last_sequence, late) SELECT $1::uuid, $2, $3::bigint, $3::bigint,"
		" coalesce((SELECT title FROM sessions WHERE id = $4::uuid), ''), $4::uuid, $5::bigint,"
		" $5::bigint, $6::integer <> 0"
		/* One that was deleted while it had forks comes back with what it has. */
		" ON CONFLICT (id) DO UPDATE SET event_count ="
		" (SELECT count(*) FROM events WHERE session = $1::uuid) WHERE sessions.event_count = 0");
	ik_statement_put_uuid(&statement, id);
	ik_statement_put(&statement, adding->head->directory);
	ik_statement_put_number(&statement, adding->head->created_ms);
	ik_statement_put_uuid(&statement, parent);
	ik_statement_put_number(&statement, forked_at);
	ik_statement_put_number(&statement, late);
	return ik_server_do(adding->server, &statement, error);
}

/* Lock the session's row, so that two who write to it do so one after the other, and see which is
 * its newest event, and whether another process has its lease. */
static enum ik_status lock_session(struct server_adding *adding, struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	ik_statement_init(&statement,
		"SELECT last_sequence, EXISTS (SELECT FROM locks WHERE session = $1::uuid"
		" AND holder IS NOT NULL AND process IS DISTINCT FROM $2::uuid AND expires > now())::int"
		" FROM sessions WHERE id = $1::uuid FOR UPDATE OF sessions");
	ik_statement_put_uuid(&statement, adding->position->stored_as);
	ik_statement_put_uuid(&statement, adding->head->writer);
	result = ik_server_ask(adding->server, &statement, error);
	if (!result)
		return error->status;
	if (PQntuples(result) > 0) {
		adding->last = ik_result_number(result, 0, 0);
		adding->taken = ik_result_number(result, 0, 1) != 0;
	}
	PQclear(result);
	return IK_OK;
}

static bool is_among(const char *id, const PGresult *result, int64_t *ret_sequence)
{
	for (int row = 0; row < PQntuples(result); row++) {
		if (ik_text_equal(ik_result_text(result, row, 0), id)) {
			*ret_sequence = ik_result_number(result, row, 1);
			return true;
		}
	}
	return false;
}

static bool is_twice(const struct server_adding *adding, const char *id)
{
	for (size_t i = 0; i < adding->count; i++)
		if (ik_text_equal(adding->fresh[i]->id, id))
			return true;
	return false;
}

/* Find the events that are not stored yet. */
static enum ik_status find_fresh(struct server_adding *adding, struct ik_message *const *messages,
	size_t count, struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;
	int64_t there;

	ik_statement_init(&statement,
		"SELECT id, CASE WHEN session = $1::uuid THEN sequence ELSE 0 END FROM events"
		" WHERE id = ANY($2::uuid[])");
	ik_statement_put_uuid(&statement, adding->position->stored_as);
	ik_statement_begin_array(&statement);
	for (size_t i = 0; i < count; i++)
		ik_statement_put_element(&statement, messages[i]->id, strlen(messages[i]->id));
	ik_statement_end_array(&statement);
	result = ik_server_ask(adding->server, &statement, error);
	if (!result)
		return error->status;
	for (size_t i = 0; i < count; i++) {
		if (!is_among(messages[i]->id, result, &there)) {
			if (PQntuples(result) == 0 || !is_twice(adding, messages[i]->id))
				adding->fresh[adding->count++] = messages[i];
		} else if (there > adding->position->sequence) {
			adding->position->sequence = there;
		}
	}
	PQclear(result);
	return IK_OK;
}

/* Another process has continued the session: what comes from here on is a fork of it. */
static enum ik_status begin_late_fork(struct server_adding *adding, struct ik_error *error)
{
	struct ik_journal_position *position = adding->position;
	enum ik_status status;
	char fork[IK_UUID_TEXT];

	ik_uuid_new(fork);
	status = add_session(adding, fork, position->stored_as, position->sequence, true, error);
	memcpy(position->stored_as, fork, sizeof(fork));
	adding->last = position->sequence;
	return status;
}

/* ---- the columns of events ---- */

/* Does the server take it as text? */
static bool is_text(const struct server_adding *adding, const char *bytes, size_t length)
{
	if (adding->exact || memchr(bytes, '\0', length))
		return false;
	if (adding->server->ascii)
		for (size_t i = 0; i < length; i++)
			if ((unsigned char)bytes[i] >= 0x80)
				return false;
	return ik_utf8_valid_prefix(bytes, length) == length;
}

/* What can be read of a text that the server does not take. */
static void put_readable(struct ik_statement *statement, const char *bytes, size_t length)
{
	struct ik_buf out;

	ik_buf_init(&out, length + 1);
	for (size_t i = 0; i < length; i++)
		ik_buf_putc(&out, bytes[i] >= ' ' && bytes[i] < 127 ? bytes[i] : '?');
	ik_statement_put_element(statement, out.data, out.length);
	ik_buf_done(&out);
}

typedef void put_column(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message);

static void put_id(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	(void)adding;
	ik_statement_put_element(statement, message->id, strlen(message->id));
}

static void put_kind(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	(void)adding;
	ik_statement_put_element(statement, ik_kind_name(message->kind),
		strlen(ik_kind_name(message->kind)));
}

static void put_content(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	if (is_text(adding, message->content, message->content_length))
		ik_statement_put_element(statement, message->content, message->content_length);
	else
		put_readable(statement, message->content, message->content_length);
}

static void put_exact_content(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	if (is_text(adding, message->content, message->content_length))
		ik_statement_put_element_null(statement);
	else
		ik_statement_put_element_bytes(statement, message->content, message->content_length);
}

static void put_data(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	if (message->data && is_text(adding, message->data, message->data_length))
		ik_statement_put_element(statement, message->data, message->data_length);
	else
		ik_statement_put_element_null(statement);
}

static void put_exact_data(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	if (!message->data || is_text(adding, message->data, message->data_length))
		ik_statement_put_element_null(statement);
	else
		ik_statement_put_element_bytes(statement, message->data, message->data_length);
}

static void put_time(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	(void)adding;
	ik_statement_put_element_number(statement, message->time_ms);
}

static void put_size(struct ik_statement *statement, const struct server_adding *adding,
	const struct ik_message *message)
{
	(void)adding;
	ik_statement_put_element_number(statement,
		(int64_t)(message->content_length + message->data_length));
}

static enum ik_status insert_events(const struct server_adding *adding, struct ik_error *error)
{
	static put_column *const columns[] = { put_id, put_kind, put_content, put_data,
		put_exact_content, put_exact_data, put_time, put_size };
	struct ik_statement statement;

	ik_statement_init(&statement,
		"INSERT INTO events(id, session, sequence, kind, content, data_json, exact_content,"
		" exact_data, time, size) SELECT g.id, $1::uuid, $2::bigint + g.place, g.kind, g.content,"
		" g.data_json::json, g.exact_content, g.exact_data, g.time, g.size"
		" FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::bytea[],"
		" $9::bigint[], $10::bigint[]) WITH ORDINALITY AS g(id, kind, content, data_json,"
		" exact_content, exact_data, time, size, place)");
	ik_statement_put_uuid(&statement, adding->position->stored_as);
	ik_statement_put_number(&statement, adding->last);
	for (size_t column = 0; column < sizeof(columns) / sizeof(columns[0]); column++) {
		ik_statement_begin_array(&statement);
		for (size_t i = 0; i < adding->count; i++)
			columns[column](&statement, adding, adding->fresh[i]);
		ik_statement_end_array(&statement);
	}
	return ik_server_do(adding->server, &statement, error);
}

/* Insert them as text; where the server does not take something as text, all of them as bytes. */
static enum ik_status insert_somehow(struct server_adding *adding, struct ik_error *error)
{
	enum ik_status status = ik_server_run(adding->server, "SAVEPOINT add", error);

	if (status == IK_OK)
		status = insert_events(adding, error);
	if (status != IK_INVALID)
		return status;
	adding->exact = true;
	status = ik_server_run(adding->server, "ROLLBACK TO add", error);
	return status == IK_OK ? insert_events(adding, error) : status;
}

/* The title that the events give their session; new memory, "": none. */
static char *title_of(const struct server_adding *adding, bool *ret_named)
{
	char *title = ik_strdup("");

	*ret_named = false;
	for (size_t i = 0; i < adding->count; i++) {
		bool named = false;
		char *next = ik_session_title_of(adding->fresh[i], &named);

		if (next[0] && (named || !title[0])) {
			free(title);
			title = next;
			*ret_named = *ret_named || named;
		} else {
			free(next);
		}
	}
	return title;
}

/* Note the new events in their session's row, and tell those who follow it. */
static enum ik_status touch_session(const struct server_adding *adding, struct ik_error *error)
{
	struct ik_statement statement;
	int64_t time_ms = 0;
	enum ik_status status;
	bool named;
	char *title = title_of(adding, &named);

	for (size_t i = 0; i < adding->count; i++)
		if (adding->fresh[i]->time_ms > time_ms)
			time_ms = adding->fresh[i]->time_ms;
	ik_statement_init(&statement,
		"UPDATE sessions SET event_count = event_count + $2::bigint,"
		" last_sequence = $3::bigint, updated_ms = greatest(updated_ms, $4::bigint),"
		" title = CASE WHEN title = '' OR $6::integer = 1 THEN $5 ELSE title END"
		" WHERE id = $1::uuid");
	ik_statement_put_uuid(&statement, adding->position->stored_as);
	ik_statement_put_number(&statement, (int64_t)adding->count);
	ik_statement_put_number(&statement, adding->last + (int64_t)adding->count);
	ik_statement_put_number(&statement, time_ms);
	if (is_text(adding, title, strlen(title)))
		ik_statement_put(&statement, title);
	else
		ik_statement_put(&statement, "?");
	ik_statement_put_number(&statement, named && title[0]);
	status = ik_server_do(adding->server, &statement, error);
	free(title);
	if (status != IK_OK)
		return status;
	ik_statement_init(&statement,
		"SELECT pg_notify('ikigai_' || $1, '') FROM locks WHERE session = $1::uuid"
		" AND followed > now()");
	ik_statement_put_uuid(&statement, adding->position->stored_as);
	return ik_server_do(adding->server, &statement, error);
}

static enum ik_status add(struct server_adding *adding, struct ik_message *const *messages,
	size_t count, struct ik_error *error)
{
	struct ik_journal_position *position = adding->position;
	enum ik_status status = add_session(adding, position->stored_as, adding->head->parent,
		adding->head->forked_at, false, error);

	if (status == IK_OK)
		status = lock_session(adding, error);
	if (status == IK_OK)
		status = find_fresh(adding, messages, count, error);
	if (status != IK_OK || adding->count == 0)
		return status;
	/* Fewer events than the writer knew: the server has lost some. */
	if (adding->last > position->sequence || adding->taken)
		status = begin_late_fork(adding, error);
	if (status == IK_OK)
		status = insert_somehow(adding, error);
	if (status == IK_OK)
		status = touch_session(adding, error);
	if (status == IK_OK)
		position->sequence = adding->last + (int64_t)adding->count;
	return status;
}

static enum ik_status add_events(void *store, const struct ik_journal_head *head,
	struct ik_message *const *messages, size_t count, struct ik_journal_position *position,
	struct ik_error *error)
{
	struct server_adding adding = { .server = store, .head = head, .position = position };
	enum ik_status status;

	adding.fresh = ik_alloc_array(NULL, count, sizeof(*adding.fresh));
	status = add(&adding, messages, count, error);
	free(adding.fresh);
	return status;
}

static enum ik_status add_part(void *store, const char *blob, int64_t part, const char *bytes,
	size_t length, struct ik_error *error)
{
	struct ik_statement statement;

	ik_statement_init(&statement,
		"INSERT INTO blobs(id, part, bytes) VALUES($1::uuid, $2::integer, $3::bytea)"
		" ON CONFLICT DO NOTHING");
	ik_statement_put_uuid(&statement, blob);
	ik_statement_put_number(&statement, part);
	ik_statement_put_bytes(&statement, bytes, length);
	return ik_server_do(store, &statement, error);
}

/* ---- positions ---- */

static void notice(void *store, const char *text)
{
	struct ik_server *server = store;

	ik_connection_tell(server->client, "notice", text);
}

static enum ik_status read_position(void *store, const char *name,
	struct ik_journal_position *position, bool *ret_found, struct ik_error *error)
{
	struct ik_statement statement;
	PGresult *result;

	/* Locked: another program that takes in the same journal waits, and sees what was stored. */
	ik_statement_init(&statement, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))");
	ik_statement_put(&statement, name);
	if (ik_server_do(store, &statement, error) != IK_OK)
		return error->status;
	ik_statement_init(&statement,
		"SELECT place, sequence, stored_as FROM journals WHERE name = $1");
	ik_statement_put(&statement, name);
	result = ik_server_ask(store, &statement, error);
	if (!result)
		return error->status;
	*ret_found = PQntuples(result) > 0;
	if (*ret_found) {
		const char *stored_as = ik_result_text(result, 0, 2);

		position->place = ik_result_number(result, 0, 0);
		position->sequence = ik_result_number(result, 0, 1);
		memset(position->stored_as, 0, sizeof(position->stored_as));
		memcpy(position->stored_as, stored_as, strnlen(stored_as, sizeof(position->stored_as) - 1));
	}
	PQclear(result);
	return IK_OK;
}

static enum ik_status write_position(void *store, const char *name,
	const struct ik_journal_position *position, struct ik_error *error)
{
	struct ik_statement statement;

	ik_statement_init(&statement,
		"INSERT INTO journals(name, place, sequence, stored_as)"
		" VALUES($1, $2::bigint, $3::bigint, $4::uuid) ON CONFLICT (name)"
		" DO UPDATE SET place = $2::bigint, sequence = $3::bigint, stored_as = $4::uuid");
	ik_statement_put(&statement, name);
	ik_statement_put_number(&statement, position->place);
	ik_statement_put_number(&statement, position->sequence);
	ik_statement_put_uuid(&statement, position->stored_as);
	return ik_server_do(store, &statement, error);
}

static enum ik_status forget_position(void *store, const char *name, struct ik_error *error)
{
	struct ik_statement statement;

	ik_statement_init(&statement, "DELETE FROM journals WHERE name = $1");
	ik_statement_put(&statement, name);
	return ik_server_do(store, &statement, error);
}

const struct ik_intake_ops ik_postgres_intake = {
	.begin = begin,
	.end = end,
	.read_position = read_position,
	.write_position = write_position,
	.forget_position = forget_position,
	.add_events = add_events,
	.notice = notice,
	.add_part = add_part,
};
