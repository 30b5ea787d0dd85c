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

#include "journal/event_line.h"
#include "journal/journal.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Records and bytes of one transaction. */
#define BATCH_RECORDS 2000
#define BATCH_BYTES ((int64_t)IK_MIB(8))
/* Replies that arrive at the same time: a thought, a text. */
#define REPLIES_LIMIT 16
/* Seconds after which a journal without a first line gets none any more. */
#define EMPTY_FOR_S 60

/* A reply that is not whole yet. */
struct intake_reply {
	struct ik_message *begun; /* what there was of it at first */
	struct ik_buf text;
	int64_t place; /* of its first record */
};

struct intake {
	struct ik_database *database;
	struct ik_journal_reader *reader;
	const struct ik_journal_head *head;
	const char *name;
	struct ik_journal_position position;
	struct intake_reply replies[REPLIES_LIMIT];
	size_t reply_count;
	struct ik_message **events; /* of this batch, not stored yet */
	size_t event_count, event_room;
	bool abandoned, closed; /* nothing follows */
	bool only_looks;        /* nothing is stored */
};

/* ---- records ---- */

static void forget_reply(struct intake *intake, size_t index)
{
	struct intake_reply *reply = &intake->replies[index];

	reply->begun = ik_message_unref(reply->begun);
	ik_buf_done(&reply->text);
	intake->reply_count--;
	memmove(reply, reply + 1, (intake->reply_count - index) * sizeof(*reply));
}

/* The reply whose id a member is; reply_count: it is none that has begun. */
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
	ik_buf_init(&reply->text, IK_LIMIT_REPLY);
	ik_buf_append(&reply->text, reply->begun->content, reply->begun->content_length);
	intake->reply_count++;
}

/* Takes over the reference. */
static void add_event(struct intake *intake, struct ik_message *message)
{
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

/* Have what had arrived of replies as events: nobody completes them any more. */
static void end_replies(struct intake *intake)
{
	static const char interrupted[] = "{\"interrupted\":true}";

	while (intake->reply_count > 0) {
		const struct intake_reply *reply = &intake->replies[0];
		const struct ik_message *begun = reply->begun;
		bool marked = begun->kind == IK_KIND_ASSISTANT;

		add_event(intake,
			ik_message_stored(begun->kind, begun->id, 0, begun->time_ms, reply->text.data,
				reply->text.length, marked ? interrupted : NULL,
				marked ? sizeof(interrupted) - 1 : 0));
		forget_reply(intake, 0);
	}
}

static void take_event(struct intake *intake, struct ik_json_span value)
{
	struct ik_message *message = ik_event_line_read(value);
	size_t reply = find_reply(intake, value, "id");

	if (!message) {
		intake->position.damaged++;
		return;
	}
	add_event(intake, message);
	if (reply < intake->reply_count)
		forget_reply(intake, reply);
}

static enum ik_status take_part(struct intake *intake, struct ik_json_span line,
	struct ik_error *error)
{
	struct ik_json_span base64 = ik_json_member(line, "base64");
	enum ik_status status = IK_OK;
	char blob[IK_UUID_TEXT];
	int64_t part = 0;
	struct ik_buf bytes;

	if (intake->only_looks)
		return IK_OK;
	ik_buf_init(&bytes, 2 * IK_LIMIT_PART);
	if (ik_event_line_id(line, "blob", blob) &&
		ik_json_integer(ik_json_member(line, "part"), &part) && base64.length >= 2 &&
		ik_base64_read(&bytes, base64.text + 1, base64.length - 2))
		status = ik_database_change(intake->database, ik_database_sql.add_part,
			IK_VALUES(ik_value_id(blob), ik_value_number(part),
				ik_value_bytes(bytes.data, bytes.length)),
			error);
	else
		intake->position.damaged++;
	ik_buf_done(&bytes);
	return status;
}

static enum ik_status take_record(struct intake *intake, const struct ik_journal_record *record,
	int64_t place, struct ik_error *error)
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
		return take_part(intake, value, error);
	case IK_JOURNAL_CLOSED:
		intake->closed = true;
		break;
	case IK_JOURNAL_OTHER:
		break;
	}
	return IK_OK;
}

/* ---- a journal ---- */

/* How far it is stored, as the database says. */
static enum ik_status find_position(struct intake *intake, struct ik_error *error)
{
	struct ik_journal_position *position = &intake->position;
	struct ik_rows *rows;
	enum ik_status status = ik_database_ask(intake->database,
		"SELECT place, sequence, stored_as FROM journals WHERE name = ?1",
		IK_VALUES(ik_value_text(intake->name)), &rows, error);

	if (status != IK_OK)
		return status;
	position->place = ik_journal_reader_start(intake->reader);
	position->sequence = intake->head->after;
	memcpy(position->stored_as, intake->head->session, sizeof(position->stored_as));
	if (ik_rows_next(rows, &status, error)) {
		position->place = ik_rows_number(rows, 0);
		position->sequence = ik_rows_number(rows, 1);
		ik_rows_copy_id(rows, 2, position->stored_as);
	}
	(void)ik_rows_free(rows);
	return status == IK_OK ? ik_journal_reader_go_to(intake->reader, position->place, error)
						   : status;
}

static enum ik_status write_position(struct intake *intake, struct ik_error *error)
{
	const struct ik_journal_position *position = &intake->position;

	return ik_database_change(intake->database,
		"INSERT INTO journals(name, place, sequence, stored_as) VALUES(?1, ?2, ?3, ?4)"
		" ON CONFLICT(name) DO UPDATE SET place = ?2, sequence = ?3, stored_as = ?4",
		IK_VALUES(ik_value_text(intake->name), ik_value_number(position->place),
			ik_value_number(position->sequence), ik_value_id(position->stored_as)),
		error);
}

/* Does the batch begin with a reply that may still grow? It would be read again for ever if it ended
 * before that reply does. */
static bool is_held(const struct intake *intake, int64_t first)
{
	return intake->reply_count > 0 && intake->replies[0].place == first;
}

/* Read the records of one batch; IK_NOT_FOUND: there are no more. */
static enum ik_status take_records(struct intake *intake, struct ik_error *error)
{
	int64_t first = ik_journal_reader_place(intake->reader);
	struct ik_journal_record record;
	enum ik_status status = IK_OK;

	for (int i = 0; status == IK_OK; i++) {
		int64_t place = ik_journal_reader_place(intake->reader);

		/* Nobody goes on with a reply after so many events. */
		if (intake->event_count == BATCH_RECORDS && is_held(intake, first))
			forget_reply(intake, 0);
		if ((i >= BATCH_RECORDS || place - first >= BATCH_BYTES) && !is_held(intake, first))
			break;
		status = ik_journal_reader_next(intake->reader, &record, error);
		if (status == IK_INVALID) {
			intake->position.damaged++;
			status = IK_OK;
		} else if (status == IK_OK) {
			status = take_record(intake, &record, place, error);
		}
	}
	return status;
}

static enum ik_status store_events(struct intake *intake, struct ik_error *error)
{
	if (intake->event_count == 0)
		return IK_OK;
	return ik_add_events(intake->database, intake->head, intake->events, intake->event_count,
		&intake->position, error);
}

/* Store a batch, and how far the journal is stored with it: to before a reply that may still grow,
 * which is read again. IK_NOT_FOUND: that was the last one. */
static enum ik_status store_batch(struct intake *intake, struct ik_error *error)
{
	struct ik_database *database = intake->database;
	enum ik_status status = ik_database_change(database, ik_database_sql.lock_journal,
					   IK_VALUES(ik_value_text(intake->name)), error),
				   end = IK_OK;

	if (status == IK_OK)
		status = find_position(intake, error);
	if (status == IK_OK)
		end = take_records(intake, error);
	if (status == IK_OK && end != IK_OK && end != IK_NOT_FOUND)
		return end;
	if (status == IK_OK)
		status = store_events(intake, error);
	intake->position.place = intake->reply_count > 0 ? intake->replies[0].place
													 : ik_journal_reader_place(intake->reader);
	if (status == IK_OK)
		status = write_position(intake, error);
	return status == IK_OK ? end : status;
}

/* One transaction; *ret_more: there may be more records. */
static enum ik_status try_batch(struct intake *intake, bool *ret_more, struct ik_error *error)
{
	enum ik_status status = ik_database_begin(intake->database, error), batch;

	if (status != IK_OK)
		return status;
	forget_batch(intake);
	batch = store_batch(intake, error);
	status = ik_database_end(intake->database, batch == IK_NOT_FOUND ? IK_OK : batch, error);
	*ret_more = status == IK_OK && batch == IK_OK;
	return status;
}

/* A server may refuse a text that seemed to be one: once more with all texts as bytes. */
static enum ik_status take_batch(struct intake *intake, bool *ret_more, struct ik_error *error)
{
	enum ik_status status = try_batch(intake, ret_more, error);

	if (status != IK_INVALID || intake->database->damaged)
		return status;
	intake->database->exact = true;
	status = try_batch(intake, ret_more, error);
	intake->database->exact = false;
	return status;
}

/* Store what had arrived of replies when their writer died. */
static enum ik_status store_replies(struct intake *intake, struct ik_error *error)
{
	enum ik_status status = ik_database_begin(intake->database, error);

	if (status != IK_OK)
		return status;
	forget_events(intake);
	end_replies(intake);
	status = store_events(intake, error);
	return ik_database_end(intake->database, status, error);
}

/* All of it is stored: remove the file, then its position. The other way round a kill in between
 * would have it taken in again. */
static enum ik_status remove_journal(struct intake *intake, const char *directory,
	struct ik_error *error)
{
	char *path = ik_path_join(directory, intake->name);
	int number = unlink(path) == 0 || errno == ENOENT ? 0 : errno;

	if (number != 0)
		(void)ik_error_set_errno(error, number, _("The journal %s cannot be removed"), path);
	free(path);
	if (number != 0)
		return error->status;
	intake->position.place = -1;
	return ik_database_change(intake->database, "DELETE FROM journals WHERE name = ?1",
		IK_VALUES(ik_value_text(intake->name)), error);
}

static enum ik_status take(struct intake *intake, const char *directory, struct ik_error *error)
{
	enum ik_status status = ik_database_check_writable(intake->database, error);
	bool more = true;

	while (status == IK_OK && more)
		status = take_batch(intake, &more, error);
	if (status != IK_OK || (!intake->abandoned && !intake->closed))
		return status;
	if (intake->reply_count > 0)
		status = store_replies(intake, error);
	return status == IK_OK ? remove_journal(intake, directory, error) : status;
}

/* ---- all of them ---- */

struct journal_file {
	const char *directory;
	char *name;
};

struct journal_files {
	struct journal_file *files;
	size_t count;
};

static int compare(const void *one, const void *other)
{
	return strcmp(((const struct journal_file *)one)->name,
		((const struct journal_file *)other)->name);
}

/* "SESSION.UUID" */
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
		files->files = ik_alloc_array(files->files, files->count + 1, sizeof(*files->files));
		files->files[files->count++] = (struct journal_file){ directory, ik_strdup(entry->d_name) };
	}
	if (stream)
		(void)closedir(stream);
}

/* Find the journals of a session (NULL: of all); of each session the oldest first. */
static struct journal_files find_files(const struct ik_database *database, const char *session)
{
	struct journal_files files = { .count = 0 };

	for (size_t i = 0; database->journals[i]; i++)
		find_files_in(&files, database->journals[i], session);
	if (files.count > 1)
		qsort(files.files, files.count, sizeof(*files.files), compare);
	return files;
}

static void free_files(struct journal_files *files)
{
	while (files->count > 0)
		free(files->files[--files->count].name);
	free(files->files);
}

static struct intake *close_intake(struct intake *intake)
{
	forget_batch(intake);
	(void)ik_journal_reader_close(intake->reader);
	free(intake->events);
	free(intake);
	return NULL;
}

/* Is it this writer's? */
static bool is_of(const struct intake *intake, const char *writer)
{
	return writer && ik_text_equal(intake->head->writer, writer);
}

/* Open a journal; NULL where it is another's who lives, or status says why not. */
static struct intake *open_intake(struct ik_database *database, const struct journal_file *file,
	const char *writer, enum ik_status *status, struct ik_error *error)
{
	struct intake *intake = ik_alloc(sizeof(*intake));

	intake->database = database;
	intake->name = file->name;
	*status = ik_journal_reader_open(file->directory, file->name, &intake->reader, error);
	if (*status != IK_OK)
		return close_intake(intake);
	intake->head = ik_journal_reader_head(intake->reader);
	/* Looked at first: what a writer adds before it dies is then read below. */
	intake->abandoned = ik_journal_reader_is_abandoned(intake->reader);
	return intake->abandoned || is_of(intake, writer) ? intake : close_intake(intake);
}

/* The first line is damaged: give the file a name that is not a journal's, and tell the user. */
static void put_aside(struct ik_database *database, const struct journal_file *file)
{
	char *path = ik_path_join(file->directory, file->name);
	char *aside = ik_format("%s" IK_JOURNAL_DAMAGED, path);
	char *notice = ik_format(_("The journal %s is damaged: it was put aside as %s."), path, aside);

	if (rename(path, aside) == 0)
		ik_connection_tell(database->client, "notice", notice);
	free(notice);
	free(aside);
	free(path);
}

/* Remove a journal that has not even a first line, as a power failure may leave one. A writer
 * needs less time than that from the file to its lock. */
static void remove_if_empty(const struct journal_file *file)
{
	char *path = ik_path_join(file->directory, file->name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && time(NULL) - status.st_mtime > EMPTY_FOR_S &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlink(path);
	if (fd >= 0)
		(void)close(fd);
	free(path);
}

/* Tell the writer how far its journal is stored. */
static void send_position(const struct intake *intake)
{
	const struct ik_journal_position *position = &intake->position;

	ik_json_printf(ik_connection_begin(intake->database->client),
		"'journal':'%s','of':'%s','session':'%s','sequence':%lld,'place':%lld,'damaged':%lld",
		intake->name, intake->head->session, position->stored_as, (long long)position->sequence,
		(long long)position->place, (long long)position->damaged);
	ik_connection_send(intake->database->client);
}

/* Take in one journal; *ret_sequence changes with those of the session. */
static enum ik_status take_file(struct ik_database *database, const struct journal_file *file,
	int64_t *ret_sequence, bool *ret_ours, struct ik_error *error)
{
	const char *writer = ik_connection_text(database->client, "writer");
	const char *session = ik_connection_text(database->client, "session");
	enum ik_status status;
	struct intake *intake = open_intake(database, file, writer, &status, error);

	*ret_ours = false;
	if (status == IK_INVALID) {
		put_aside(database, file);
		return IK_OK;
	}
	/* Not found: another program was faster, or it has no first line. */
	if (status == IK_NOT_FOUND)
		remove_if_empty(file);
	if (!intake)
		return status == IK_NOT_FOUND || status == IK_OK ? IK_OK : IK_FAILED;
	*ret_ours = is_of(intake, writer);
	status = take(intake, file->directory, error);
	if (status == IK_OK && *ret_ours) {
		send_position(intake);
		if (session && ik_text_equal(intake->head->session, session))
			*ret_sequence = intake->position.sequence;
	}
	(void)close_intake(intake);
	return status;
}

enum ik_status ik_answer_take(struct ik_database *database, struct ik_error *error)
{
	struct journal_files files = find_files(database, NULL);
	struct ik_error refused = { .status = IK_OK };
	enum ik_status status = IK_OK;
	int64_t sequence = 0;

	for (size_t i = 0; i < files.count && status != IK_UNAVAILABLE && status != IK_IO; i++) {
		struct ik_error why = { .status = IK_OK };
		bool ours;
		enum ik_status one = take_file(database, &files.files[i], &sequence, &ours, &why);

		/* The client's do not wait for one of others that is refused. */
		if (one != IK_OK && (ours || one == IK_UNAVAILABLE || one == IK_IO || database->damaged)) {
			status = one;
			*error = why;
		} else if (one != IK_OK) {
			refused = why;
		}
	}
	free_files(&files);
	if (status == IK_OK && refused.status != IK_OK)
		ik_json_printf(ik_connection_begin(database->client), "'refused':'%s'", refused.text);
	if (status == IK_OK && sequence > 0)
		ik_json_printf(ik_connection_begin(database->client), "'sequence':%lld",
			(long long)sequence);
	return status;
}

bool ik_intake_is_due(struct ik_database *database)
{
	const char *writer = ik_connection_text(database->client, "writer");
	struct journal_files files = find_files(database, NULL);
	struct intake *found = NULL;
	struct ik_error ignored;
	enum ik_status status;

	for (size_t i = 0; i < files.count && !found; i++)
		found = open_intake(database, &files.files[i], writer, &status, &ignored);
	if (found)
		(void)close_intake(found);
	free_files(&files);
	return found;
}

enum ik_status ik_answer_sync(struct ik_database *database, struct ik_error *error)
{
	const char *session = ik_connection_text(database->client, "session");
	struct journal_files files = find_files(database, session ? session : "");
	enum ik_status status = files.count > 0
		? IK_OK
		: ik_error_set(error, IK_NOT_FOUND, "There is no journal of the session.");

	for (size_t i = 0; i < files.count && status == IK_OK; i++) {
		struct ik_journal_reader *reader = NULL;

		status = ik_journal_reader_open(files.files[i].directory, files.files[i].name, &reader,
			error);
		if (status == IK_OK)
			status = ik_journal_reader_sync(reader, error);
		else if (status == IK_NOT_FOUND) /* all of it is stored */
			status = IK_OK;
		(void)ik_journal_reader_close(reader);
	}
	free_files(&files);
	return status;
}

/* ---- what is not stored yet ---- */

static bool is_stored(struct intake *intake, const struct ik_message *message)
{
	struct ik_error ignored;
	int64_t count = 0;

	return ik_database_number(intake->database, "SELECT count(*) FROM events WHERE id = ?1",
			   IK_VALUES(ik_value_id(message->id)), &count, &ignored) == IK_OK &&
		count > 0;
}

/* Read all that is behind the position. Before a reply that may still grow there may be some that is
 * stored. */
static enum ik_status read_events(struct intake *intake, bool ours, struct ik_unstored *unstored,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;
	size_t stored = 0, fresh;

	while (status == IK_OK)
		status = take_records(intake, error);
	if (status != IK_NOT_FOUND)
		return status;
	if (intake->abandoned || intake->closed)
		end_replies(intake);
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
	unstored->left += ours ? 0 : fresh;
	return IK_OK;
}

/* What others have continued meanwhile becomes a fork: that is not this session's. */
static enum ik_status read_file(struct ik_database *database, const struct journal_file *file,
	const char *writer, struct ik_unstored *unstored, struct ik_error *error)
{
	enum ik_status status;
	struct intake *intake = open_intake(database, file, writer, &status, error);
	int64_t last = 0;

	if (!intake)
		return IK_OK;
	intake->only_looks = true;
	status = find_position(intake, error);
	if (status == IK_OK)
		status = ik_database_number(database, "SELECT last_sequence FROM sessions WHERE id = ?1",
			IK_VALUES(ik_value_id(intake->head->session)), &last, error);
	if (status == IK_OK && ik_text_equal(intake->position.stored_as, intake->head->session) &&
		last <= intake->position.sequence)
		status = read_events(intake, is_of(intake, writer), unstored, error);
	(void)close_intake(intake);
	return status;
}

enum ik_status ik_unstored_read(struct ik_database *database, const char *session,
	const char *writer, struct ik_unstored *ret_unstored, struct ik_error *error)
{
	struct journal_files files = find_files(database, session);
	enum ik_status status = IK_OK;

	*ret_unstored = (struct ik_unstored){ .count = 0 };
	for (size_t i = 0; i < files.count && status == IK_OK; i++)
		status = read_file(database, &files.files[i], writer, ret_unstored, error);
	free_files(&files);
	return status;
}

void ik_unstored_done(struct ik_unstored *unstored)
{
	while (unstored->count > 0)
		ik_message_unref(unstored->messages[--unstored->count]);
	free(unstored->messages);
}
