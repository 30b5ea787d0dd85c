#include "stores/add.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "util/alloc.h"
#include "util/text.h"

/* Events for one session, in order. */
struct adding {
	struct ik_database *database;
	const struct ik_journal_head *head;
	struct ik_journal_position *position;
	struct ik_message *const *messages;
	size_t count;
	bool *stored; /* for each of them: it is there */
	int64_t last; /* number of the session's newest event */
	bool taken;   /* another process has the session's lease */
};

static enum ik_status add_session(const struct adding *adding, const char *id, const char *parent,
	int64_t forked_at, bool late, struct ik_error *error)
{
	return ik_database_change(adding->database,
		"INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent, forked_at,"
		" last_sequence, late) SELECT ?1, ?2, ?3, ?3,"
		" coalesce((SELECT title FROM sessions WHERE id = ?4), ''), ?4, ?5, ?5, ?6 <> 0 WHERE true"
		/* One that was deleted while it had forks comes back with what it has. */
		" ON CONFLICT(id) DO UPDATE SET event_count ="
		" (SELECT count(*) FROM events WHERE session = ?1) WHERE sessions.event_count = 0",
		IK_VALUES(ik_value_id(id), ik_value_text(adding->head->directory),
			ik_value_number(adding->head->created_ms), ik_value_id(parent),
			ik_value_number(forked_at), ik_value_number(late)),
		error);
}

/* ---- what is there ---- */

static void note_stored(struct adding *adding, const char *id, int64_t sequence)
{
	for (size_t i = 0; i < adding->count; i++)
		if (ik_text_equal(adding->messages[i]->id, id))
			adding->stored[i] = true;
	if (sequence > adding->position->sequence)
		adding->position->sequence = sequence;
}

/* Note the events that are there twice: the ids of one writer grow, so most need no search. */
static void note_twice(struct adding *adding)
{
	const char *greatest = "";

	for (size_t i = 0; i < adding->count; i++) {
		const char *id = adding->messages[i]->id;

		if (strcmp(id, greatest) > 0) {
			greatest = id;
			continue;
		}
		for (size_t j = 0; j < i && !adding->stored[i]; j++)
			adding->stored[i] = ik_text_equal(adding->messages[j]->id, id);
	}
}

/* Lock the session's row, so that two who write to it do so one after the other. See which is its
 * newest event, which of ours are stored, and whether another process has its lease. */
static enum ik_status read_state(struct adding *adding, struct ik_error *error)
{
	enum ik_status status = IK_OK;
	struct ik_rows *rows;
	struct ik_buf ids;

	ik_buf_init(&ids, SIZE_MAX / 2);
	for (size_t i = 0; i < adding->count; i++)
		ik_buf_printf(&ids, "%s%s", i > 0 ? "," : "", adding->messages[i]->id);
	status = ik_database_ask(adding->database, ik_database_sql.state,
		IK_VALUES(ik_value_id(adding->position->stored_as), ik_value_text(ids.data),
			ik_value_id(adding->head->writer)),
		&rows, error);
	ik_buf_done(&ids);
	if (status != IK_OK)
		return status;
	while (ik_rows_next(rows, &status, error)) {
		adding->last = ik_rows_number(rows, 0);
		adding->taken = ik_rows_number(rows, 1) != 0;
		if (!ik_rows_is_null(rows, 2))
			note_stored(adding, ik_rows_text(rows, 2), ik_rows_number(rows, 3));
	}
	(void)ik_rows_free(rows);
	note_twice(adding);
	return status;
}

/* ---- what is new ---- */

static enum ik_status add_event(const struct adding *adding, const struct ik_message *message,
	int64_t sequence, struct ik_error *error)
{
	const struct ik_database *database = adding->database;
	const char *content = message->content, *data = message->data;
	size_t length = message->content_length, data_length = message->data_length;
	bool content_is_text = ik_database_takes_text(database, content, length);
	bool data_is_text = !data || ik_database_takes_text(database, data, data_length);

	return ik_database_change(adding->database, ik_database_sql.add_event,
		IK_VALUES(ik_value_id(message->id), ik_value_id(adding->position->stored_as),
			ik_value_number(sequence), ik_value_text(ik_kind_name(message->kind)),
			ik_value_chars(content, length),
			ik_value_chars(data_is_text ? data : NULL, data_length),
			ik_value_number(message->time_ms),
			ik_value_bytes(content_is_text ? NULL : content, length),
			ik_value_bytes(data_is_text ? NULL : data, data_length),
			ik_value_number((int64_t)(length + data_length))),
		error);
}

/* Another process has continued the session: what comes from here on is a fork of it. */
static enum ik_status begin_late_fork(struct adding *adding, struct ik_error *error)
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

/* The title that the events give their session; new memory, "": none. */
static char *title_of(const struct adding *adding, bool *ret_named)
{
	char *title = ik_strdup("");

	*ret_named = false;
	for (size_t i = 0; i < adding->count; i++) {
		bool named = false;
		char *next = adding->stored[i] ? ik_strdup("")
									   : ik_session_title_of(adding->messages[i], &named);

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

/* Note the new events in their session's row. */
static enum ik_status touch_session(const struct adding *adding, int64_t count, int64_t time_ms,
	struct ik_error *error)
{
	const char *session = adding->position->stored_as;
	bool named;
	char *title = title_of(adding, &named);
	enum ik_status status = ik_database_change(adding->database,
		"UPDATE sessions SET event_count = event_count + ?2, last_sequence = ?3,"
		" updated_ms = CASE WHEN updated_ms < ?4 THEN ?4 ELSE updated_ms END,"
		" title = CASE WHEN title = '' OR ?6 <> 0 THEN ?5 ELSE title END WHERE id = ?1",
		IK_VALUES(ik_value_id(session), ik_value_number(count), ik_value_number(adding->last),
			ik_value_number(time_ms), ik_value_text(title), ik_value_number(named && title[0])),
		error);

	free(title);
	return status;
}

static enum ik_status add_new(struct adding *adding, struct ik_error *error)
{
	enum ik_status status = IK_OK;
	int64_t count = 0, time_ms = 0;

	for (size_t i = 0; status == IK_OK && i < adding->count; i++) {
		const struct ik_message *message = adding->messages[i];

		if (adding->stored[i])
			continue;
		/* Fewer events than the writer knew: the database is another one, or has lost some. */
		if (count == 0 && (adding->last > adding->position->sequence || adding->taken))
			status = begin_late_fork(adding, error);
		if (status == IK_OK)
			status = add_event(adding, message, ++adding->last, error);
		if (message->time_ms > time_ms)
			time_ms = message->time_ms;
		count++;
	}
	if (status != IK_OK || count == 0)
		return status;
	adding->position->sequence = adding->last;
	return touch_session(adding, count, time_ms, error);
}

enum ik_status ik_add_events(struct ik_database *database, const struct ik_journal_head *head,
	struct ik_message *const *messages, size_t count, struct ik_journal_position *position,
	struct ik_error *error)
{
	struct adding adding = {
		.database = database,
		.head = head,
		.position = position,
		.messages = messages,
		.count = count,
		.stored = ik_alloc_array(NULL, count, sizeof(bool)),
	};
	enum ik_status status;

	memset(adding.stored, 0, count * sizeof(bool));
	status = add_session(&adding, position->stored_as, head->parent, head->forked_at, false, error);
	if (status == IK_OK)
		status = read_state(&adding, error);
	if (status == IK_OK)
		status = add_new(&adding, error);
	free(adding.stored);
	return status;
}
