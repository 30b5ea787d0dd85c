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
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
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
	struct ik_journal_position *position;
	struct intake_reply replies[REPLIES_LIMIT];
	size_t reply_count;
	struct ik_message *events[BATCH_RECORDS]; /* of this batch, not stored yet */
	size_t event_count;
	bool closed;
};

/* ---- replies that are still arriving ---- */

static void forget_reply(struct intake *intake, size_t index)
{
	struct intake_reply *reply = &intake->replies[index];

	reply->begun = ik_message_unref(reply->begun);
	ik_buf_done(&reply->text);
	intake->reply_count--;
	memmove(reply, reply + 1, (intake->reply_count - index) * sizeof(*reply));
}

static size_t find_reply(const struct intake *intake, const char *id)
{
	size_t i = 0;

	while (i < intake->reply_count && !ik_text_equal(intake->replies[i].begun->id, id))
		i++;
	return i;
}

static void begin_reply(struct intake *intake, struct ik_json_span value, int64_t place)
{
	struct ik_message *message = ik_event_line_read(value);
	struct intake_reply *reply;

	if (!message || intake->reply_count == REPLIES_LIMIT) {
		ik_message_unref(message);
		return;
	}
	reply = &intake->replies[intake->reply_count++];
	reply->begun = message;
	reply->place = place;
	ik_buf_init(&reply->text, IK_LIMIT_REPLY);
	ik_buf_append(&reply->text, message->content, message->content_length);
}

static void grow_reply(struct intake *intake, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];
	size_t index;

	if (!ik_event_line_id(line, "more", id))
		return;
	index = find_reply(intake, id);
	if (index < intake->reply_count)
		(void)ik_json_string(ik_json_member(line, "text"), &intake->replies[index].text);
}

static void drop_reply(struct intake *intake, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];
	size_t index;

	if (!ik_event_line_id(line, "drop", id))
		return;
	index = find_reply(intake, id);
	if (index < intake->reply_count)
		forget_reply(intake, index);
}

/* ---- records ---- */

static void forget_batch(struct intake *intake)
{
	while (intake->event_count > 0)
		ik_message_unref(intake->events[--intake->event_count]);
	while (intake->reply_count > 0)
		forget_reply(intake, 0);
}

static void take_event(struct intake *intake, struct ik_json_span value)
{
	struct ik_message *message = ik_event_line_read(value);
	size_t index;

	if (!message) {
		intake->position->damaged++;
		return;
	}
	intake->events[intake->event_count++] = message;
	index = find_reply(intake, message->id);
	if (index < intake->reply_count)
		forget_reply(intake, index);
}

static enum ik_status take_part(struct intake *intake, struct ik_json_span line,
	struct ik_error *error)
{
	struct ik_json_span base64 = ik_json_member(line, "base64");
	enum ik_status status = IK_OK;
	char blob[IK_UUID_TEXT];
	int64_t part = 0;
	struct ik_buf bytes;

	ik_buf_init(&bytes, 2 * IK_LIMIT_PART);
	if (ik_event_line_id(line, "blob", blob) &&
		ik_json_integer(ik_json_member(line, "part"), &part) && base64.length >= 2 &&
		ik_base64_read(&bytes, base64.text + 1, base64.length - 2))
		status = ik_database_change(intake->database, intake->database->ops->sql.add_part,
			IK_VALUES(ik_value_id(blob), ik_value_number(part),
				ik_value_bytes(bytes.data, bytes.length)),
			error);
	else
		intake->position->damaged++;
	ik_buf_done(&bytes);
	return status;
}

static enum ik_status take_record(struct intake *intake, const struct ik_journal_record *record,
	int64_t place, struct ik_error *error)
{
	switch (record->kind) {
	case IK_JOURNAL_EVENT:
		take_event(intake, record->value);
		break;
	case IK_JOURNAL_BEGIN:
		begin_reply(intake, record->value, place);
		break;
	case IK_JOURNAL_MORE:
		grow_reply(intake, record->value);
		break;
	case IK_JOURNAL_DROP:
		drop_reply(intake, record->value);
		break;
	case IK_JOURNAL_PART:
		return take_part(intake, record->value, error);
	case IK_JOURNAL_CLOSED:
		intake->closed = true;
		break;
	case IK_JOURNAL_OTHER:
		break;
	}
	return IK_OK;
}

/* ---- a journal ---- */

/* How far it is stored, as the database says within this transaction. */
static enum ik_status find_position(struct intake *intake, struct ik_error *error)
{
	struct ik_journal_position *position = intake->position;
	const struct ik_value *name = IK_VALUES(ik_value_text(intake->name));
	struct ik_rows *rows;
	enum ik_status status = ik_database_change(intake->database,
		intake->database->ops->sql.lock_journal, name, error);

	if (status == IK_OK)
		status = ik_database_ask(intake->database,
			"SELECT place, sequence, stored_as FROM journals WHERE name = ?1", name, &rows, error);
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
	const struct ik_journal_position *position = intake->position;

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
			intake->position->damaged++;
			status = IK_OK;
		} else if (status == IK_OK) {
			status = take_record(intake, &record, place, error);
		}
	}
	return status;
}

/* Store the events of a batch, and how far the journal is stored with them: to before a reply that
 * may still grow, which is read again. */
static enum ik_status store_batch(struct intake *intake, struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (intake->event_count > 0)
		status = ik_add_events(intake->database, intake->head, intake->events, intake->event_count,
			intake->position, error);
	intake->position->place = intake->reply_count > 0 ? intake->replies[0].place
													  : ik_journal_reader_place(intake->reader);
	return status == IK_OK ? write_position(intake, error) : status;
}

/* One transaction; *ret_more: there may be more records. */
static enum ik_status try_batch(struct intake *intake, bool *ret_more, struct ik_error *error)
{
	enum ik_status status = ik_database_begin(intake->database, error);
	bool more = true;

	if (status != IK_OK)
		return status;
	forget_batch(intake);
	status = find_position(intake, error);
	if (status == IK_OK)
		status = take_records(intake, error);
	if (status == IK_NOT_FOUND) {
		more = false;
		status = IK_OK;
	}
	if (status == IK_OK)
		status = store_batch(intake, error);
	status = ik_database_end(intake->database, status, error);
	*ret_more = status == IK_OK && more;
	return status;
}

/* A server may refuse a text that seemed to be one: once more with all texts as bytes. */
static enum ik_status take_batch(struct intake *intake, bool *ret_more, struct ik_error *error)
{
	enum ik_status status = try_batch(intake, ret_more, error);

	if (status != IK_INVALID || !intake->database->ops->is_text)
		return status;
	intake->database->exact = true;
	status = try_batch(intake, ret_more, error);
	intake->database->exact = false;
	return status;
}

/* Store what had arrived of replies when their writer died. */
static enum ik_status store_replies(struct intake *intake, struct ik_error *error)
{
	static const char interrupted[] = "{\"interrupted\":true}";
	struct ik_message *messages[REPLIES_LIMIT];
	size_t count = intake->reply_count, i;
	enum ik_status status = ik_database_begin(intake->database, error);

	if (status != IK_OK)
		return status;
	for (i = 0; i < count; i++) {
		const struct intake_reply *reply = &intake->replies[i];
		bool marked = reply->begun->kind == IK_KIND_ASSISTANT;

		messages[i] = ik_message_stored(reply->begun->kind, reply->begun->id, 0,
			reply->begun->time_ms, reply->text.data, reply->text.length,
			marked ? interrupted : NULL, marked ? sizeof(interrupted) - 1 : 0);
	}
	status = ik_add_events(intake->database, intake->head, messages, count, intake->position,
		error);
	for (i = 0; i < count; i++)
		ik_message_unref(messages[i]);
	return ik_database_end(intake->database, status, error);
}

/* All of it is stored: remove the file, then its position. The other way round a kill in between
 * would have it taken in again. */
static enum ik_status remove_journal(struct intake *intake, const char *directory,
	struct ik_error *error)
{
	char *path = ik_format("%s/%s", directory, intake->name);
	int number = unlink(path) == 0 || errno == ENOENT ? 0 : errno;

	if (number != 0)
		(void)ik_error_set_errno(error, number, _("The journal %s cannot be removed"), path);
	free(path);
	if (number != 0)
		return error->status;
	intake->position->place = -1;
	return ik_database_change(intake->database, "DELETE FROM journals WHERE name = ?1",
		IK_VALUES(ik_value_text(intake->name)), error);
}

static enum ik_status take(struct intake *intake, const char *directory, struct ik_error *error)
{
	/* Looked at first: what a writer adds before it dies is then read below. */
	bool abandoned = ik_journal_reader_is_abandoned(intake->reader), more = true;
	enum ik_status status = IK_OK;

	while (status == IK_OK && more)
		status = take_batch(intake, &more, error);
	if (status != IK_OK || (!abandoned && !intake->closed))
		return status;
	if (intake->reply_count > 0)
		status = store_replies(intake, error);
	return status == IK_OK ? remove_journal(intake, directory, error) : status;
}

/* The first line is damaged: give the file a name that is not a journal's, and tell the user. */
static void put_aside(struct ik_database *database, const char *directory, const char *name)
{
	char *path = ik_format("%s/%s", directory, name);
	char *aside = ik_format("%s" IK_JOURNAL_DAMAGED, path);
	char *notice = ik_format(_("The journal %s is damaged: it was put aside as %s."), path, aside);

	if (rename(path, aside) == 0)
		ik_connection_tell(database->client, "notice", notice);
	free(notice);
	free(aside);
	free(path);
}

/* Take in one journal; a writer that lives may be left alone. */
static enum ik_status take_journal(struct ik_database *database, const char *directory,
	const char *name, bool living, struct ik_journal_position *ret_position, struct ik_error *error)
{
	struct intake *intake = ik_alloc(sizeof(*intake));
	enum ik_status status;

	memset(ret_position, 0, sizeof(*ret_position));
	intake->database = database;
	intake->name = name;
	intake->position = ret_position;
	status = ik_journal_reader_open(directory, name, &intake->reader, error);
	if (status == IK_OK && (living || ik_journal_reader_is_abandoned(intake->reader))) {
		intake->head = ik_journal_reader_head(intake->reader);
		status = ik_database_check_writable(database, error);
		if (status == IK_OK)
			status = take(intake, directory, error);
		forget_batch(intake);
	} else if (status == IK_INVALID) {
		put_aside(database, directory, name);
		status = living ? status : IK_OK;
	}
	(void)ik_journal_reader_close(intake->reader);
	free(intake);
	return status;
}

enum ik_status ik_intake_journal(struct ik_database *database, const char *directory,
	const char *name, struct ik_journal_position *ret_position, struct ik_error *error)
{
	return take_journal(database, directory, name, true, ret_position, error);
}

/* Remove a journal that has not even a first line, as a power failure may leave one. A writer
 * needs less time than that from the file to its lock. */
static void remove_if_empty(const char *directory, const char *name)
{
	char *path = ik_format("%s/%s", directory, name);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0 && time(NULL) - status.st_mtime > EMPTY_FOR_S &&
		flock(fd, LOCK_EX | LOCK_NB) == 0)
		(void)unlink(path);
	if (fd >= 0)
		(void)close(fd);
	free(path);
}

/* "SESSION.WRITER" */
static int is_journal(const struct dirent *entry)
{
	return strlen(entry->d_name) == 2 * (IK_UUID_TEXT - 1) + 1 &&
		entry->d_name[IK_UUID_TEXT - 1] == '.';
}

enum ik_status ik_intake_all(struct ik_database *database, const char *directory,
	struct ik_error *error)
{
	struct ik_journal_position position;
	enum ik_status status = IK_OK, one = IK_OK;
	struct dirent **entries = NULL;
	int count = scandir(directory, &entries, is_journal, alphasort);

	if (count < 0)
		return ik_error_set_errno(error, errno, _("The directory %s cannot be read"), directory);
	for (int i = 0; i < count; i++) {
		struct ik_error why = { .status = IK_OK };

		/* A database that is away is away for the others, too. */
		if (one != IK_UNAVAILABLE)
			one = take_journal(database, directory, entries[i]->d_name, false, &position, &why);
		/* Not found: another store program was faster, or it has no first line. */
		if (one == IK_NOT_FOUND)
			remove_if_empty(directory, entries[i]->d_name);
		if (status == IK_OK && one != IK_NOT_FOUND && one != IK_OK) {
			status = one;
			*error = why;
		}
		free(entries[i]);
	}
	free(entries);
	return status;
}
