#include "stores/intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conversation/title.h"
#include "journal/event_line.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limits on the records and bytes of one transaction, on the time after which it takes no other
 * journal, since other programs wait for it, and on the journals that are open for it. */
#define BATCH_RECORDS 2000
#define BATCH_BYTES ((int64_t)IK_MIB(8))
#define BATCH_MS 1000
#define GROUP_LIMIT 100
/* Limit on partial replies at the same time: a thought, a text. */
#define REPLIES_LIMIT 16
/* Age in seconds after which a journal without a first line is abandoned. */
#define EMPTY_FOR_S 60

/* How much of a journal is stored. */
struct ik_journal_position {
	int64_t place;                /* everything before this byte; -1: all, and the file is gone */
	int64_t sequence;             /* number of the newest event the writer knew */
	char stored_as[IK_UUID_TEXT]; /* the session, or the fork that late events became */
	int64_t damaged;              /* lines skipped in this call; not stored */
};

/* A partial reply. */
struct intake_reply {
	struct ik_message *begun; /* its first part */
	struct ik_buf text;
	int64_t place; /* of its first record */
	size_t before; /* number of events collected before it */
};

struct intake {
	struct ik_database *database;
	struct ik_journal_reader *reader;
	const struct ik_journal_head *head;
	const char *path, *name;
	struct ik_error error;                       /* why the journal can't be read, or removed */
	struct ik_journal_position position, stored; /* the current one, and the one in the database */
	struct intake_reply replies[REPLIES_LIMIT];
	size_t reply_count;
	struct ik_message **events; /* of this batch, not stored yet */
	size_t event_count, event_room;
	bool abandoned, closed; /* nothing follows */
	bool ours;              /* the client's own */
	bool only_looks;        /* store nothing */
	bool exact;             /* the database refused some data: store all of it as bytes */
};

/* ---- the journals' files ---- */

struct journal_files {
	char **paths;
	size_t count;
};

static int compare(const void *one, const void *other)
{
	return strcmp(ik_path_base(*(char *const *)one), ik_path_base(*(char *const *)other));
}

/* Is the name "SESSION.UUID"? */
static bool is_journal(const char *name, const char *session)
{
	return strlen(name) == 2 * (IK_UUID_TEXT - 1) + 1 && name[IK_UUID_TEXT - 1] == '.' &&
		(!session || ik_text_starts(name, session));
}

static void find_files_in(struct journal_files *files, const char *directory, const char *session)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		if (!is_journal(entry->d_name, session))
			continue;
		files->paths = ik_alloc_array(files->paths, files->count + 1, sizeof(char *));
		files->paths[files->count++] = ik_path_join(directory, entry->d_name);
	}
	if (stream)
		(void)closedir(stream);
}

/* Find the journals of a session (NULL: of all sessions); each session's oldest journal first. */
static struct journal_files find_files(const struct ik_database *database, const char *session)
{
	struct journal_files files = { .count = 0 };

	for (size_t i = 0; database->journals[i]; i++)
		find_files_in(&files, database->journals[i], session);
	if (files.count > 1)
		qsort(files.paths, files.count, sizeof(char *), compare);
	return files;
}

static void free_files(struct journal_files *files)
{
	while (files->count > 0)
		free(files->paths[--files->count]);
	free(files->paths);
}

/* ---- records ---- */

static void forget_reply(struct intake *intake, size_t index)
{
	struct intake_reply *reply = &intake->replies[index];

	reply->begun = ik_message_unref(reply->begun);
	ik_buf_done(&reply->text);
	intake->reply_count--;
	memmove(reply, reply + 1, (intake->reply_count - index) * sizeof(*reply));
}

/* Return the index of the reply whose ID is in this member; reply_count if there is none. */
static size_t find_reply(const struct intake *intake, struct ik_json_span object, const char *name)
{
	char id[IK_UUID_TEXT];
	size_t i = 0;

	if (!ik_event_line_id(object, name, id))
		return intake->reply_count;
	while (i < intake->reply_count && !ik_text_equal(intake->replies[i].begun->id, id))
		i++;
	return i;
}

static void begin_reply(struct intake *intake, struct ik_json_span value, int64_t place)
{
	struct intake_reply *reply = &intake->replies[intake->reply_count];

	if (intake->reply_count == REPLIES_LIMIT)
		return;
	reply->begun = ik_event_line_read(value);
	if (!reply->begun)
		return;
	reply->place = place;
	reply->before = intake->event_count;
	ik_buf_init(&reply->text, IK_LIMIT_REPLY);
	ik_buf_append(&reply->text, reply->begun->content, reply->begun->content_length);
	intake->reply_count++;
}

/* Add an event, and take over the reference. An event written twice counts once. */
static void collect_event(struct intake *intake, struct ik_message *message)
{
	if (intake->event_count > 0 &&
		ik_text_equal(intake->events[intake->event_count - 1]->id, message->id)) {
		ik_message_unref(message);
		return;
	}
	if (intake->event_count == intake->event_room) {
		intake->event_room = intake->event_room ? 2 * intake->event_room : 64;
		intake->events = ik_alloc_array(intake->events, intake->event_room,
			sizeof(struct ik_message *));
	}
	intake->events[intake->event_count++] = message;
}

static void forget_events(struct intake *intake)
{
	while (intake->event_count > 0)
		ik_message_unref(intake->events[--intake->event_count]);
}

static void forget_batch(struct intake *intake)
{
	forget_events(intake);
	while (intake->reply_count > 0)
		forget_reply(intake, 0);
}

static void take_event(struct intake *intake, struct ik_json_span value)
{
	struct ik_message *message = ik_event_line_read(value);
	size_t reply = find_reply(intake, value, "id");

	if (!message) {
		intake->position.damaged++;
		return;
	}
	collect_event(intake, message);
	if (reply < intake->reply_count)
		forget_reply(intake, reply);
}

static void take_part(struct intake *intake, struct ik_json_span line)
{
	struct ik_json_span base64 = ik_json_member(line, "base64");
	char blob[IK_UUID_TEXT];
	int64_t part = 0;
	struct ik_buf bytes;

	if (intake->only_looks)
		return;
	ik_buf_init(&bytes, 2 * IK_LIMIT_PART);
	if (ik_event_line_id(line, "blob", blob) &&
		ik_json_integer(ik_json_member(line, "part"), &part) && base64.length >= 2 &&
		ik_base64_read(&bytes, base64.text + 1, base64.length - 2))
		ik_database_change(intake->database,
			"INSERT INTO blobs(id, part, bytes) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING",
			IK_VALUES(ik_value_id(blob), ik_value_number(part),
				ik_value_bytes(bytes.data, bytes.length)));
	else
		intake->position.damaged++;
	ik_buf_done(&bytes);
}

static void take_record(struct intake *intake, const struct ik_journal_record *record,
	int64_t place)
{
	struct ik_json_span value = record->value;
	size_t reply;

	switch (record->kind) {
	case IK_JOURNAL_EVENT:
		take_event(intake, value);
		break;
	case IK_JOURNAL_BEGIN:
		begin_reply(intake, value, place);
		break;
	case IK_JOURNAL_MORE:
		reply = find_reply(intake, value, "more");
		if (reply < intake->reply_count)
			(void)ik_json_string(ik_json_member(value, "text"), &intake->replies[reply].text);
		break;
	case IK_JOURNAL_DROP:
		reply = find_reply(intake, value, "drop");
		if (reply < intake->reply_count)
			forget_reply(intake, reply);
		break;
	case IK_JOURNAL_PART:
		take_part(intake, value);
		break;
	case IK_JOURNAL_CLOSED:
		intake->closed = true;
		break;
	case IK_JOURNAL_OTHER:
		break;
	}
}

/* ---- replies that won't be completed ---- */

/* Has the writer started another journal of the session? When a disk is full, it continues all
 * partial replies there. */
static bool is_continued(const struct intake *intake)
{
	struct journal_files files = find_files(intake->database, intake->head->session);
	struct ik_error ignored;
	bool found = false;

	for (size_t i = 0; i < files.count && !found; i++) {
		struct ik_journal_reader *reader = NULL;

		found = strcmp(ik_path_base(files.paths[i]), intake->name) > 0 &&
			ik_journal_reader_open(files.paths[i], &reader, &ignored) == IK_OK &&
			ik_text_equal(ik_journal_reader_head(reader)->writer, intake->head->writer);
		(void)ik_journal_reader_close(reader);
	}
	free_files(&files);
	return found;
}

/* Turn partial replies into events, since they won't be completed; drop those that are continued in
 * another journal. */
static void end_replies(struct intake *intake)
{
	static const char interrupted[] = "{\"interrupted\":true}";
	bool continued = intake->reply_count > 0 && is_continued(intake);

	while (intake->reply_count > 0) {
		const struct intake_reply *reply = &intake->replies[0];
		const struct ik_message *begun = reply->begun;
		bool marked = begun->kind == IK_KIND_ASSISTANT;

		if (!continued)
			collect_event(intake,
				ik_message_stored(begun->kind, begun->id, 0, begun->time_ms, reply->text.data,
					reply->text.length, marked ? interrupted : NULL,
					marked ? sizeof(interrupted) - 1 : 0));
		forget_reply(intake, 0);
	}
}

/* What a transaction may still store. */
struct batch {
	int64_t records, bytes;
};

/* Read records, at most about a batch: it ends only where no reply is partial, since everything from
 * such a reply on is read again. Return false if there are no more records, or they can't be
 * read. */
static bool take_records(struct intake *intake, struct batch *left)
{
	struct ik_journal_record record;
	struct ik_error damage;

	while (!ik_database_failed(intake->database)) {
		int64_t place = ik_journal_reader_place(intake->reader);
		enum ik_status status;

		/* A reply isn't continued after this many other events. */
		if (intake->reply_count > 0 &&
			intake->event_count - intake->replies[0].before >= BATCH_RECORDS)
			forget_reply(intake, 0);
		if ((left->records <= 0 || left->bytes <= 0) && intake->reply_count == 0)
			return true;
		status = ik_journal_reader_next(intake->reader, &record, &damage);
		left->records--;
		left->bytes -= ik_journal_reader_place(intake->reader) - place;
		if (status == IK_OK) {
			take_record(intake, &record, place);
		} else if (status == IK_INVALID) {
			intake->position.damaged++;
		} else {
			if (status != IK_NOT_FOUND)
				intake->error = damage;
			else if (intake->abandoned || intake->closed)
				end_replies(intake);
			return false;
		}
	}
	return false;
}

/* ---- events stored, each once and in order ---- */

/* Add a session, unless it exists. */
static void add_session(const struct intake *intake, const char *id, const char *parent,
	int64_t forked_at, bool late)
{
	ik_database_change(intake->database,
		"INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent, forked_at,"
		" last_sequence, late) SELECT ?1, ?2, ?3, ?3,"
		" coalesce((SELECT title FROM sessions WHERE id = ?4), ''), ?4, ?5, ?5, ?6 <> 0 WHERE true"
		/* A session that was deleted while it had forks reappears with its remaining events. */
		" ON CONFLICT(id) DO UPDATE SET event_count ="
		" (SELECT count(*) FROM events WHERE session = ?1) WHERE sessions.event_count = 0",
		IK_VALUES(ik_value_id(id), ik_value_text(intake->head->directory),
			ik_value_number(intake->head->created_ms), ik_value_id(parent),
			ik_value_number(forked_at), ik_value_number(late)));
}

/* Drop an event that is stored already, with this number. */
static void leave_out(struct intake *intake, const char *id, int64_t sequence)
{
	for (size_t i = 0; i < intake->event_count; i++)
		if (intake->events[i] && ik_text_equal(intake->events[i]->id, id))
			intake->events[i] = ik_message_unref(intake->events[i]);
	if (sequence > intake->position.sequence)
		intake->position.sequence = sequence;
}

/* Lock the session's row, so that concurrent writers take turns, and drop the events that are
 * stored already. Return the number of the session's newest event; set *ret_taken if another
 * process has its lease. */
static int64_t read_state(struct intake *intake, bool *ret_taken)
{
	int64_t last = 0;
	struct ik_rows *rows;
	struct ik_buf ids;

	ik_buf_init(&ids, SIZE_MAX / 2);
	for (size_t i = 0; i < intake->event_count; i++)
		ik_buf_printf(&ids, "%s%s", i > 0 ? "," : "", intake->events[i]->id);
	rows = ik_database_ask(intake->database, ik_database_sql.state,
		IK_VALUES(ik_value_id(intake->position.stored_as), ik_value_text(ids.data),
			ik_value_id(intake->head->writer)));
	ik_buf_done(&ids);
	*ret_taken = false;
	while (ik_rows_next(rows)) {
		last = ik_rows_number(rows, 0);
		*ret_taken = ik_rows_number(rows, 1) != 0;
		if (ik_rows_text_or_null(rows, 2))
			leave_out(intake, ik_rows_text(rows, 2), ik_rows_number(rows, 3));
	}
	(void)ik_rows_free(rows);
	return last;
}

static void add_event(const struct intake *intake, const struct ik_message *message,
	int64_t sequence)
{
	struct ik_database *database = intake->database;
	const char *content = message->content, *data = message->data;
	size_t length = message->content_length, data_length = message->data_length;
	bool content_is_text = ik_database_takes_text(database, content, length);
	bool data_is_text = !data ||
		(!intake->exact && ik_database_takes_text(database, data, data_length));

	ik_database_change(database, ik_database_sql.add_event,
		IK_VALUES(ik_value_id(message->id), ik_value_id(intake->position.stored_as),
			ik_value_number(sequence), ik_value_text(ik_kind_name(message->kind)),
			ik_value_chars(content, length),
			ik_value_chars(data_is_text ? data : NULL, data_length),
			ik_value_number(message->time_ms),
			ik_value_bytes(content_is_text ? NULL : content, length),
			ik_value_bytes(data_is_text ? NULL : data, data_length),
			ik_value_number((int64_t)(length + data_length))));
}

/* Return the title that the new events give their session, in new memory; "" if none. */
static char *title_of(const struct intake *intake, bool *ret_named)
{
	char *title = ik_strdup("");

	*ret_named = false;
	for (size_t i = 0; i < intake->event_count; i++) {
		bool named = false;
		char *next = intake->events[i] ? ik_session_title_of(intake->events[i], &named)
									   : ik_strdup("");

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

/* Update the session's row for the new events. */
static void touch_session(const struct intake *intake, int64_t count, int64_t time_ms)
{
	bool named;
	char *title = title_of(intake, &named);

	ik_database_change(intake->database,
		"UPDATE sessions SET event_count = event_count + ?2, last_sequence = ?3,"
		" updated_ms = CASE WHEN updated_ms < ?4 THEN ?4 ELSE updated_ms END,"
		" title = CASE WHEN title = '' OR ?6 <> 0 THEN ?5 ELSE title END WHERE id = ?1",
		IK_VALUES(ik_value_id(intake->position.stored_as), ik_value_number(count),
			ik_value_number(intake->position.sequence), ik_value_number(time_ms),
			ik_value_text(title), ik_value_number(named && title[0])));
	free(title);
}

/*
 * Store the events of the batch after the newest one of position.stored_as, except those already
 * stored; create that session from the journal's head if it is new. If the session has other events
 * after position.sequence, another process has continued it: store these in a fork of it.
 */
static void store_events(struct intake *intake)
{
	struct ik_journal_position *position = &intake->position;
	int64_t count = 0, time_ms = 0, last;
	char parent[IK_UUID_TEXT];
	bool taken;

	if (intake->event_count == 0)
		return;
	add_session(intake, position->stored_as, intake->head->parent, intake->head->forked_at, false);
	last = read_state(intake, &taken);
	for (size_t i = 0; i < intake->event_count; i++) {
		const struct ik_message *message = intake->events[i];

		if (!message)
			continue;
		/* A smaller number than the writer knew isn't a conflict: the database was replaced, or has
		 * lost events. */
		if (count == 0 && (last > position->sequence || taken)) {
			memcpy(parent, position->stored_as, sizeof(parent));
			ik_uuid_new(position->stored_as);
			add_session(intake, position->stored_as, parent, position->sequence, true);
			last = position->sequence;
		}
		add_event(intake, message, ++last);
		if (message->time_ms > time_ms)
			time_ms = message->time_ms;
		count++;
	}
	if (count == 0)
		return;
	position->sequence = last;
	touch_session(intake, count, time_ms);
}

/* ---- a journal ---- */

/* Read the stored position from the database, and go there. Return false if another program has
 * stored and removed the journal since it was opened. */
static bool find_position(struct intake *intake)
{
	struct ik_journal_position *position = &intake->position;
	struct ik_rows *rows = ik_database_ask(intake->database,
		"SELECT place, sequence, stored_as FROM journals WHERE name = ?1",
		IK_VALUES(ik_value_text(intake->name)));
	bool found = ik_rows_next(rows);

	position->place = ik_journal_reader_start(intake->reader);
	position->sequence = intake->head->after;
	memcpy(position->stored_as, intake->head->session, sizeof(position->stored_as));
	if (found) {
		position->place = ik_rows_number(rows, 0);
		position->sequence = ik_rows_number(rows, 1);
		ik_rows_copy_id(rows, 2, position->stored_as);
	}
	(void)ik_rows_free(rows);
	intake->stored = *position;
	(void)!ik_journal_reader_go_to(intake->reader, position->place, &intake->error);
	return found || access(intake->path, F_OK) == 0;
}

/* Write the position, if it has changed. */
static void write_position(struct intake *intake)
{
	struct ik_journal_position *position = &intake->position;

	/* Stay before a partial reply, which is read again. */
	position->place = intake->reply_count > 0 ? intake->replies[0].place
											  : ik_journal_reader_place(intake->reader);
	if (position->place == intake->stored.place && position->sequence == intake->stored.sequence)
		return;
	ik_database_change(intake->database,
		"INSERT INTO journals(name, place, sequence, stored_as) VALUES(?1, ?2, ?3, ?4)"
		" ON CONFLICT(name) DO UPDATE SET place = ?2, sequence = ?3, stored_as = ?4",
		IK_VALUES(ik_value_text(intake->name), ik_value_number(position->place),
			ik_value_number(position->sequence), ik_value_id(position->stored_as)));
}

/* Store what a batch may hold of a journal, and its position, in the current transaction. Return
 * true if there is more. */
static bool take_some(struct intake *intake, struct batch *left)
{
	bool more = false;

	ik_database_change(intake->database, ik_database_sql.lock_journal,
		IK_VALUES(ik_value_text(intake->name)));
	intake->error.status = IK_OK; /* of an attempt that failed for another journal */
	if (find_position(intake) && intake->error.status == IK_OK) {
		more = take_records(intake, left);
		store_events(intake);
		write_position(intake);
	}
	forget_batch(intake);
	return more;
}

/* ---- files ---- */

static struct intake *close_intake(struct intake *intake)
{
	forget_batch(intake);
	(void)ik_journal_reader_close(intake->reader);
	free(intake->events);
	free(intake);
	return NULL;
}

/* Open a journal. Return NULL if it is another live writer's, or on error. */
static struct intake *open_intake(struct ik_database *database, const char *path,
	const char *writer, struct ik_error *error)
{
	struct intake *intake = ik_alloc(sizeof(*intake));

	intake->database = database;
	intake->path = path;
	intake->name = ik_path_base(path);
	if (ik_journal_reader_open(path, &intake->reader, error) != IK_OK)
		return close_intake(intake);
	intake->head = ik_journal_reader_head(intake->reader);
	intake->ours = writer && ik_text_equal(intake->head->writer, writer);
	/* Check this first: what a writer adds before it dies is then read below. */
	intake->abandoned = ik_journal_reader_is_abandoned(intake->reader);
	/* Its writer, which asks for it, could not lock it. */
	if (intake->head->unlocked && intake->ours)
		intake->abandoned = false;
	else if (!intake->abandoned && !intake->ours)
		return close_intake(intake);
	return intake;
}

/* Rename a journal whose first line is damaged to a name that isn't a journal's, and notify the
 * user. */
static void put_aside(struct ik_database *database, const char *path)
{
	char *aside = ik_format("%s" IK_JOURNAL_DAMAGED, path);

	if (rename(path, aside) == 0)
		ik_connection_notice(database->client,
			_("The journal %s is damaged: it was put aside as %s."), path, aside);
	free(aside);
}

/* Remove an old journal without a first line, as a power failure may leave one. A writer locks a
 * new file much sooner. */
static void remove_if_empty(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && time(NULL) - status.st_mtime > EMPTY_FOR_S &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlink(path);
	if (fd >= 0)
		(void)close(fd);
}

/* ---- journals that are stored together ---- */

/* In the order of their names: programs that store the same journals then wait for each other
 * one way only. */
struct group {
	struct ik_database *database;
	const char *writer, *session; /* as requested */
	struct intake *intakes[GROUP_LIMIT];
	size_t count;
	size_t stored;                   /* how many of them are done with */
	int64_t sequence;                /* of the requested session's newest event */
	struct ik_error failed, refused; /* why a journal of this writer, or another's, isn't stored */
};

static void add_file(struct group *group, const char *path)
{
	struct ik_error error = { .status = IK_OK };
	struct intake *intake = open_intake(group->database, path, group->writer, &error);

	if (intake)
		group->intakes[group->count++] = intake;
	else if (error.status == IK_INVALID)
		put_aside(group->database, path);
	else if (error.status == IK_NOT_FOUND)
		/* Another program was faster, or the file has no first line. */
		remove_if_empty(path);
	else if (error.status != IK_OK)
		group->refused = error;
}

/* May a transaction take this journal, too? Not if it would have to wait for another program that
 * stores the journal: others would then wait for both. */
static bool can_join(const struct intake *intake, int64_t until_ms)
{
	return (intake->ours || !ik_database_sql.lock_journal) && ik_clock_ms() < until_ms;
}

/* Store a batch of the journals up to `end`, with their positions, in one transaction. */
static void take_batch(struct group *group, size_t end)
{
	struct batch left = { BATCH_RECORDS, BATCH_BYTES };
	int64_t until_ms = ik_clock_ms() + BATCH_MS;
	size_t at = group->stored;

	ik_database_begin(group->database);
	while (at < end && (at == group->stored || can_join(group->intakes[at], until_ms)) &&
		!take_some(group->intakes[at], &left))
		at++;
	ik_database_end(group->database);
	if (!ik_database_failed(group->database))
		group->stored = at;
	else
		for (size_t i = group->stored; i < end; i++)
			group->intakes[i]->position = group->intakes[i]->stored;
}

/* Would the next journal fail for the same reason? */
static bool is_away(const struct ik_database *database)
{
	enum ik_status status = database->error.status;

	return status == IK_UNAVAILABLE || status == IK_IO || database->damaged;
}

/* Store the journals together. If that fails, store each alone, and if the server refuses data that
 * seemed valid, with all data as bytes: one that can't be stored holds up no other. */
static void take_group(struct group *group)
{
	enum { TOGETHER, ALONE, EXACT } way = TOGETHER;
	struct ik_database *database = group->database;

	if (group->count > 0)
		ik_database_check_writable(database);
	while (group->stored < group->count && !is_away(database)) {
		group->intakes[group->stored]->exact = way == EXACT;
		take_batch(group, way == TOGETHER ? group->count : group->stored + 1);
		if (ik_database_failed(database) && way == EXACT)
			group->intakes[group->stored++]->error = database->error;
		if (way != TOGETHER || ik_database_failed(database))
			way = ik_database_failed(database) && way == ALONE ? EXACT : ALONE;
		if (!is_away(database))
			database->error.status = IK_OK;
	}
}

/* Remove the file of a journal that is stored, then its position: in the other order, a kill in
 * between would have it stored again. */
static void remove_journal(struct intake *intake)
{
	if (unlink(intake->path) == 0 || errno == ENOENT) {
		intake->position.place = -1;
		ik_database_change(intake->database, "DELETE FROM journals WHERE name = ?1",
			IK_VALUES(ik_value_text(intake->name)));
	} else {
		(void)ik_error_set_errno(&intake->error, errno, _("The journal %s cannot be removed"),
			intake->path);
	}
}

/* Remove the journals that nothing follows. */
static void remove_journals(struct group *group)
{
	bool begun = false;

	for (size_t i = 0; i < group->stored; i++) {
		struct intake *intake = group->intakes[i];

		if (intake->error.status != IK_OK || !(intake->abandoned || intake->closed))
			continue;
		if (!begun)
			ik_database_begin(group->database);
		begun = true;
		if (!ik_database_failed(group->database))
			remove_journal(intake);
	}
	if (begun)
		ik_database_end(group->database);
}

/* Report to the writer how far its journal is stored. */
static void send_position(struct group *group, const struct intake *intake)
{
	const struct ik_journal_position *position = &intake->position;

	ik_json_printf(ik_connection_begin(group->database->client),
		"'journal':'%s','of':'%s','session':'%s','sequence':%lld,'place':%lld,'damaged':%lld",
		intake->name, intake->head->session, position->stored_as, (long long)position->sequence,
		(long long)position->place, (long long)position->damaged);
	ik_connection_send(group->database->client);
	if (group->session && ik_text_equal(intake->head->session, group->session))
		group->sequence = position->sequence;
}

/* Report on the journals, and close them. */
static void close_group(struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		struct intake *intake = group->intakes[i];

		/* A refused journal of another writer mustn't fail the client's request. */
		if (intake->error.status != IK_OK)
			*(intake->ours ? &group->failed : &group->refused) = intake->error;
		else if (intake->ours && i < group->stored)
			send_position(group, intake);
		(void)close_intake(intake);
	}
	group->count = group->stored = 0;
}

/* Return the index of the file to start with, the first one of a session, since their order counts.
 * It differs between programs: after an outage many of them find the same journals, and each would
 * wait for the others at every one. */
static size_t first_file(const struct journal_files *files)
{
	size_t at = files->count > 0 ? (size_t)getpid() % files->count : 0;

	while (at > 0 &&
		strncmp(ik_path_base(files->paths[at]), ik_path_base(files->paths[at - 1]),
			IK_UUID_TEXT - 1) == 0)
		at--;
	return at;
}

/* Store the journals of some files. */
static void take_files(struct group *group, char *const *paths, size_t count)
{
	while (count > 0 && !is_away(group->database)) {
		for (size_t i = 0; i < GROUP_LIMIT && count > 0; i++, count--)
			add_file(group, *paths++);
		take_group(group);
		remove_journals(group);
		close_group(group);
	}
}

void ik_answer_take(struct ik_database *database)
{
	struct journal_files files = find_files(database, NULL);
	size_t first = first_file(&files);
	struct group group = {
		.database = database,
		.writer = ik_connection_text(database->client, "writer"),
		.session = ik_connection_text(database->client, "session"),
	};

	if (files.count > 0)
		take_files(&group, files.paths + first, files.count - first);
	take_files(&group, files.paths, first);
	free_files(&files);
	if (!ik_database_failed(database))
		database->error = group.failed;
	if (group.refused.status != IK_OK)
		ik_json_printf(ik_connection_begin(database->client), "'refused':'%s'", group.refused.text);
	if (group.sequence > 0)
		ik_json_printf(ik_connection_begin(database->client), "'sequence':%lld",
			(long long)group.sequence);
}

bool ik_intake_is_due(struct ik_database *database)
{
	const char *writer = ik_connection_text(database->client, "writer");
	struct journal_files files = find_files(database, NULL);
	struct intake *found = NULL;
	struct ik_error ignored;

	for (size_t i = 0; i < files.count && !found; i++)
		found = open_intake(database, files.paths[i], writer, &ignored);
	if (found)
		(void)close_intake(found);
	free_files(&files);
	return found;
}

void ik_answer_sync(struct ik_database *database)
{
	const char *session = ik_connection_text(database->client, "session");
	struct journal_files files = find_files(database, session ? session : "");
	struct ik_error *error = &database->error;

	if (files.count == 0)
		ik_error_set(error, IK_NOT_FOUND, "There is no journal of the session.");
	for (size_t i = 0; i < files.count && error->status == IK_OK; i++) {
		struct ik_journal_reader *reader = NULL;

		if (ik_journal_reader_open(files.paths[i], &reader, error) == IK_OK)
			(void)!ik_journal_reader_sync(reader, error);
		else if (error->status == IK_NOT_FOUND) /* all of it is stored */
			error->status = IK_OK;
		(void)ik_journal_reader_close(reader);
	}
	free_files(&files);
}

/* ---- events that aren't stored yet ---- */

static bool is_stored(struct intake *intake, const struct ik_message *message)
{
	return ik_database_number(intake->database, "SELECT count(*) FROM events WHERE id = ?1",
			   IK_VALUES(ik_value_id(message->id))) > 0;
}

/* Read all events after the position. The first ones may be stored already, if the position is
 * before a partial reply. */
static void read_events(struct intake *intake, struct ik_unstored *unstored)
{
	struct batch all = { INT64_MAX, INT64_MAX };
	size_t stored = 0, fresh;

	(void)take_records(intake, &all);
	while (stored < intake->event_count && is_stored(intake, intake->events[stored]))
		stored++;
	fresh = intake->event_count - stored;
	unstored->messages = ik_alloc_array(unstored->messages, unstored->count + fresh + 1,
		sizeof(struct ik_message *));
	for (size_t i = stored; i < intake->event_count; i++) {
		struct ik_message *message = ik_message_ref(intake->events[i]);

		message->sequence = ++intake->position.sequence;
		unstored->messages[unstored->count++] = message;
	}
	unstored->left += intake->ours ? 0 : fresh;
}

/* Read the unstored events of a journal, except those that will become a fork, since another
 * process has continued the session. */
static void read_file(struct ik_database *database, const char *path, const char *writer,
	struct ik_unstored *unstored)
{
	struct ik_error ignored;
	struct intake *intake = open_intake(database, path, writer, &ignored);
	int64_t last;
	bool found;

	if (!intake)
		return;
	intake->only_looks = true;
	found = find_position(intake);
	last = ik_database_number(database, "SELECT last_sequence FROM sessions WHERE id = ?1",
		IK_VALUES(ik_value_id(intake->head->session)));
	if (found && intake->error.status == IK_OK && last <= intake->position.sequence &&
		ik_text_equal(intake->position.stored_as, intake->head->session))
		read_events(intake, unstored);
	(void)close_intake(intake);
}

struct ik_unstored ik_unstored_read(struct ik_database *database, const char *session,
	const char *writer)
{
	struct journal_files files = find_files(database, session);
	struct ik_unstored unstored = { .count = 0 };

	for (size_t i = 0; i < files.count && !ik_database_failed(database); i++)
		read_file(database, files.paths[i], writer, &unstored);
	free_files(&files);
	return unstored;
}

void ik_unstored_done(struct ik_unstored *unstored)
{
	while (unstored->count > 0)
		ik_message_unref(unstored->messages[--unstored->count]);
	free(unstored->messages);
}
