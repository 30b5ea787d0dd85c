#include "stores/sqlite/add.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "stores/sqlite/database.h"

/* A run of events that goes to one session. */
struct adding {
	struct ik_database *database;
	const struct ik_journal_head *head;
	struct ik_journal_position *position;
	int64_t last;  /* number of the session's newest event */
	int64_t added; /* events of this run that were new */
	int64_t time_ms;
	char *title; /* that they give the session; NULL: none */
	bool named;  /* and in place of any other */
};

static enum ik_status begin(void *store, struct ik_error *error)
{
	return ik_database_begin(store, error);
}

static enum ik_status end(void *store, enum ik_status status, struct ik_error *error)
{
	return ik_database_end(store, status, error);
}

static enum ik_status add_session(const struct adding *adding, const char *id, const char *parent,
	int64_t forked_at, bool late, struct ik_error *error)
{
	sqlite3_stmt *insert = ik_database_statement(adding->database,
		"INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent, forked_at,"
		" late) SELECT ?1, ?2, ?3, ?3, coalesce((SELECT title FROM sessions WHERE id = ?4), ''),"
		" ?4, ?5, ?6 WHERE true"
		/* One that was deleted while it had forks comes back with what it has. */
		" ON CONFLICT(id) DO UPDATE SET event_count ="
		" (SELECT count(*) FROM events WHERE session = ?1) WHERE event_count = 0",
		error);

	if (!insert)
		return error->status;
	ik_database_bind(insert, 1, id);
	ik_database_bind(insert, 2, adding->head->directory);
	sqlite3_bind_int64(insert, 3, adding->head->created_ms);
	if (parent[0])
		ik_database_bind(insert, 4, parent);
	sqlite3_bind_int64(insert, 5, forked_at);
	sqlite3_bind_int64(insert, 6, late);
	return ik_database_finish(adding->database, insert, error);
}

/* Begin the session unless it is there, and see which is its newest event. */
static enum ik_status begin_run(struct adding *adding, struct ik_error *error)
{
	const char *id = adding->position->stored_as;
	enum ik_status status = add_session(adding, id, adding->head->parent, adding->head->forked_at,
		false, error);

	if (status != IK_OK)
		return status;
	return ik_database_number(adding->database,
		"SELECT coalesce((SELECT max(sequence) FROM events WHERE session = ?1),"
		" (SELECT forked_at FROM sessions WHERE id = ?1), 0)",
		id, NULL, &adding->last, NULL, error);
}

/* Note the new events in their session's row. */
static enum ik_status end_run(struct adding *adding, struct ik_error *error)
{
	sqlite3_stmt *update = ik_database_statement(adding->database,
		"UPDATE sessions SET event_count = event_count + ?2, updated_ms = max(updated_ms, ?3),"
		" title = CASE WHEN title = '' OR ?5 THEN ?4 ELSE title END WHERE id = ?1",
		error);
	enum ik_status status = IK_OK;

	if (!update)
		return error->status;
	ik_database_bind(update, 1, adding->position->stored_as);
	sqlite3_bind_int64(update, 2, adding->added);
	sqlite3_bind_int64(update, 3, adding->time_ms);
	ik_database_bind(update, 4, adding->title ? adding->title : "");
	sqlite3_bind_int64(update, 5, adding->named);
	if (adding->added > 0)
		status = ik_database_finish(adding->database, update, error);
	else
		ik_database_reset(update);
	free(adding->title);
	adding->title = NULL;
	adding->named = false;
	adding->added = 0;
	return status;
}

/* Another process has continued the session: what comes from here on is a fork of it. */
static enum ik_status begin_late_fork(struct adding *adding, struct ik_error *error)
{
	struct ik_journal_position *position = adding->position;
	enum ik_status status = end_run(adding, error);
	char fork[IK_UUID_TEXT];

	ik_uuid_new(fork);
	if (status == IK_OK)
		status = add_session(adding, fork, position->stored_as, position->sequence, true, error);
	memcpy(position->stored_as, fork, sizeof(fork));
	adding->last = position->sequence;
	return status;
}

/* What an event makes of its session's row. */
static void note(struct adding *adding, const struct ik_message *message)
{
	bool named = false;
	char *title = ik_session_title_of(message, &named);

	if (title[0] && (named || !adding->title)) {
		free(adding->title);
		adding->title = title;
		adding->named = adding->named || named;
	} else {
		free(title);
	}
	if (message->time_ms > adding->time_ms)
		adding->time_ms = message->time_ms;
	adding->added++;
}

static enum ik_status insert_event(struct adding *adding, const struct ik_message *message,
	struct ik_error *error)
{
	sqlite3_stmt *insert = ik_database_statement(adding->database,
		"INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
		error);
	enum ik_status status;

	if (!insert)
		return error->status;
	ik_database_bind(insert, 1, message->id);
	ik_database_bind(insert, 2, adding->position->stored_as);
	sqlite3_bind_int64(insert, 3, adding->last + 1);
	ik_database_bind(insert, 4, ik_kind_name(message->kind));
	(void)sqlite3_bind_text64(insert, 5, message->content, message->content_length, SQLITE_STATIC,
		SQLITE_UTF8);
	if (message->data)
		(void)sqlite3_bind_text64(insert, 6, message->data, message->data_length, SQLITE_STATIC,
			SQLITE_UTF8);
	sqlite3_bind_int64(insert, 7, message->time_ms);
	status = ik_database_finish(adding->database, insert, error);
	if (status == IK_OK) {
		adding->position->sequence = ++adding->last;
		note(adding, message);
	}
	return status;
}

/* Store an event after the newest one of its session, unless it is there. */
static enum ik_status add_event(struct adding *adding, const struct ik_message *message,
	struct ik_error *error)
{
	struct ik_journal_position *position = adding->position;
	int64_t there = 0;
	bool found = false;
	enum ik_status status = ik_database_number(adding->database,
		"SELECT CASE WHEN session = ?2 THEN sequence ELSE 0 END FROM events WHERE id = ?1",
		message->id, position->stored_as, &there, &found, error);

	if (status != IK_OK)
		return status;
	if (found) {
		if (there > position->sequence)
			position->sequence = there;
		return IK_OK;
	}
	/* Fewer events than the writer knew: the database is another one, or has lost some. */
	if (adding->last > position->sequence)
		status = begin_late_fork(adding, error);
	return status == IK_OK ? insert_event(adding, message, error) : status;
}

static enum ik_status add_events(void *store, const struct ik_journal_head *head,
	struct ik_message *const *messages, size_t count, struct ik_journal_position *position,
	struct ik_error *error)
{
	struct adding adding = { .database = store, .head = head, .position = position };
	enum ik_status status = begin_run(&adding, error);

	for (size_t i = 0; status == IK_OK && i < count; i++)
		status = add_event(&adding, messages[i], error);
	if (status == IK_OK)
		status = end_run(&adding, error);
	free(adding.title);
	return status;
}

static enum ik_status add_part(void *store, const char *blob, int64_t part, const char *bytes,
	size_t length, struct ik_error *error)
{
	sqlite3_stmt *insert = ik_database_statement(store,
		"INSERT OR IGNORE INTO blobs(id, part, bytes) VALUES(?1, ?2, ?3)", error);

	if (!insert)
		return error->status;
	ik_database_bind(insert, 1, blob);
	sqlite3_bind_int64(insert, 2, part);
	(void)sqlite3_bind_blob64(insert, 3, bytes, length, SQLITE_STATIC);
	return ik_database_finish(store, insert, error);
}

static void notice(void *store, const char *text)
{
	struct ik_database *database = store;

	ik_connection_tell(database->connection, "notice", text);
}

static enum ik_status read_position(void *store, const char *name,
	struct ik_journal_position *position, bool *ret_found, struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(store,
		"SELECT place, sequence, stored_as FROM journals WHERE name = ?1", error);
	const char *stored_as;
	int step;

	if (!query)
		return error->status;
	ik_database_bind(query, 1, name);
	step = sqlite3_step(query);
	*ret_found = step == SQLITE_ROW;
	if (*ret_found) {
		position->place = sqlite3_column_int64(query, 0);
		position->sequence = sqlite3_column_int64(query, 1);
		stored_as = (const char *)sqlite3_column_text(query, 2);
		memset(position->stored_as, 0, sizeof(position->stored_as));
		if (stored_as)
			memcpy(position->stored_as, stored_as,
				strnlen(stored_as, sizeof(position->stored_as) - 1));
	}
	ik_database_reset(query);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_database_explain(store, error);
}

static enum ik_status write_position(void *store, const char *name,
	const struct ik_journal_position *position, struct ik_error *error)
{
	sqlite3_stmt *update = ik_database_statement(store,
		"INSERT INTO journals(name, place, sequence, stored_as) VALUES(?1, ?2, ?3, ?4)"
		" ON CONFLICT(name) DO UPDATE SET place = ?2, sequence = ?3, stored_as = ?4",
		error);

	if (!update)
		return error->status;
	ik_database_bind(update, 1, name);
	sqlite3_bind_int64(update, 2, position->place);
	sqlite3_bind_int64(update, 3, position->sequence);
	ik_database_bind(update, 4, position->stored_as);
	return ik_database_finish(store, update, error);
}

static enum ik_status forget_position(void *store, const char *name, struct ik_error *error)
{
	sqlite3_stmt *statement = ik_database_statement(store, "DELETE FROM journals WHERE name = ?1",
		error);

	if (!statement)
		return error->status;
	ik_database_bind(statement, 1, name);
	return ik_database_finish(store, statement, error);
}

const struct ik_intake_ops ik_sqlite_intake = {
	.begin = begin,
	.end = end,
	.read_position = read_position,
	.write_position = write_position,
	.forget_position = forget_position,
	.add_events = add_events,
	.notice = notice,
	.add_part = add_part,
};
