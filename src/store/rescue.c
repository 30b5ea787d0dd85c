#include "store/rescue.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Lines are written in pieces of about this size. */
#define PIECE IK_KIB(64)

/* ---- names ---- */

/* The directory of a path, "." for a bare name. New memory. */
static char *directory_of(const char *path)
{
	size_t length = (size_t)(ik_path_base(path) - path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return length == 0 ? ik_strdup(".") : ik_strndup(path, length);
}

/* The whole path of a database; the address of a server's names no file. New memory. */
static char *whole_name(const char *database)
{
	char *directory, *real, *whole;

	if (ik_postgres_is_uri(database))
		return ik_strdup(database);
	directory = directory_of(database);
	real = realpath(directory, NULL);
	whole = ik_format("%s/%s", real ? real : directory, ik_path_base(database));
	free(real);
	free(directory);
	return whole;
}

/* How the names of a database's rescue files begin: beside it by its own name,
 * elsewhere by a number made of its whole path. New memory. */
static char *name_prefix(const char *database, bool beside)
{
	char *whole;
	uint64_t hash;

	if (beside)
		return ik_format("%s.rescue-", ik_path_base(database));
	whole = whole_name(database);
	hash = ik_text_hash(whole);
	free(whole);
	return ik_format("ikigai-%016llx.rescue-", (unsigned long long)hash);
}

/* ---- writing ---- */

static void put_member(struct ik_buf *out, const char *name, const char *text)
{
	ik_json_key(out, name);
	ik_json_put_text(out, text);
}

static void put_number(struct ik_buf *out, const char *name, int64_t number)
{
	ik_json_key(out, name);
	ik_json_put_integer(out, number);
}

/* What is known of a session. */
static void put_session(struct ik_buf *out, const struct ik_store_session *session)
{
	put_member(out, "session", session->id);
	put_member(out, "directory", session->directory);
	put_number(out, "created_ms", session->created_ms);
	/* What is handed to the next process as left behind comes in the same order. */
	put_number(out, "known", session->known < 0 ? -1 : session->known + session->behind);
	if (session->parent[0]) {
		put_member(out, "stored_as", session->stored_as);
		put_member(out, "parent", session->parent);
		put_number(out, "forked_at", session->forked_at);
		ik_json_key(out, "chosen");
		ik_json_put_bool(out, session->chosen);
	}
}

void ik_rescue_put_fork(struct ik_buf *out, const struct ik_store_session *session)
{
	ik_json_open(out, '{');
	put_session(out, session);
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

/* Where lines go: into a buffer, or through it into a file, so that no event is in memory a
 * second time. */
struct rescue_lines {
	struct ik_buf *out;
	int fd;     /* -1: they stay in the buffer */
	int number; /* errno of the first write that failed; 0 */
};

/* Let go of what is in the buffer, once that is a good piece. */
static void flush(struct rescue_lines *lines, size_t piece)
{
	if (lines->fd < 0 || lines->out->length <= piece)
		return;
	if (lines->number == 0 && ik_buf_status(lines->out) != IK_OK)
		lines->number = ENOMEM;
	if (lines->number == 0)
		lines->number = ik_write_all(lines->fd, lines->out->data, lines->out->length);
	ik_buf_clear(lines->out);
}

/* Where a piece of a long text ends: before the character that would be cut. */
static size_t piece_end(const char *text, size_t length)
{
	size_t end = PIECE;

	if (length <= PIECE)
		return length;
	while (end > PIECE - 4 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

/* A string member, escaped in pieces. */
static void put_content(struct rescue_lines *lines, const char *text, size_t length)
{
	ik_json_key(lines->out, "content");
	ik_json_quote_open(lines->out);
	while (length > 0) {
		size_t end = piece_end(text, length);

		ik_json_escape(lines->out, text, end);
		flush(lines, PIECE);
		text += end;
		length -= end;
	}
	ik_json_quote_close(lines->out);
}

/* The last member, which is JSON as it is. */
static void put_data(struct rescue_lines *lines, const struct ik_message *message)
{
	size_t at = 0;

	ik_json_key(lines->out, "data");
	if (!message->data)
		ik_json_put_null(lines->out);
	while (message->data && at < message->data_length) {
		size_t length = message->data_length - at;

		ik_buf_append(lines->out, message->data + at, length < PIECE ? length : PIECE);
		at += length < PIECE ? length : PIECE;
		flush(lines, PIECE);
	}
}

static void put_record(struct rescue_lines *lines, const struct ik_record *record)
{
	const struct ik_message *message = record->message;

	ik_json_open(lines->out, '{');
	put_session(lines->out, record->session);
	put_member(lines->out, "id", message->id);
	put_member(lines->out, "kind", ik_kind_name(message->kind));
	put_number(lines->out, "time_ms", message->time_ms);
	put_content(lines, message->content, message->content_length);
	put_data(lines, message);
	ik_json_close(lines->out, '}');
	ik_buf_putc(lines->out, '\n');
}

void ik_rescue_put(struct ik_buf *out, const struct ik_record *record)
{
	put_record(&(struct rescue_lines){ .out = out, .fd = -1 }, record);
}

void ik_rescue_put_more(struct ik_buf *out, const char *id, const char *text, size_t length)
{
	struct rescue_lines lines = { .out = out, .fd = -1 };

	ik_json_open(out, '{');
	put_member(out, "more", id);
	put_content(&lines, text, length);
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

void ik_rescue_put_head(struct ik_buf *out, const char *database, const char *writer, bool begun)
{
	ik_json_open(out, '{');
	put_member(out, "ikigai_rescue", database);
	if (writer[0])
		put_member(out, "writer", writer);
	if (begun) {
		ik_json_key(out, "begun");
		ik_json_put_bool(out, true);
	}
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

/* All records into fd. 0 or errno. */
static int write_records(int fd, const char *database, const struct ik_record *record)
{
	struct ik_buf out;
	struct rescue_lines lines = { .out = &out, .fd = fd };

	ik_buf_init(&out, IK_MIB(1));
	ik_rescue_put_head(&out, database, "", false);
	for (; record && lines.number == 0; record = record->next) {
		put_record(&lines, record);
		flush(&lines, PIECE);
	}
	flush(&lines, 0);
	if (lines.number == 0 && fsync(fd) != 0)
		lines.number = errno;
	ik_buf_done(&out);
	return lines.number;
}

/* Is it a directory that only this user can write to, and no link to one? */
static bool is_private(const char *directory)
{
	struct stat about;

	return lstat(directory, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
		(about.st_mode & 077) == 0;
}

/* The directory of a place; NULL: there is none. New memory. */
static char *place_of(const struct ik_rescue *rescue, int place)
{
	const char *directory;

	/* A server's address is no path: read as one it would lead below the working directory, where
	 * a repository could have put forged events. */
	if (place == IK_RESCUE_BESIDE)
		return ik_postgres_is_uri(rescue->database) ? NULL : directory_of(rescue->database);
	if (place == IK_RESCUE_TEMPORARY)
		return ik_strdup(ik_path_temporary());
	directory = rescue->directories[place - IK_RESCUE_PRIVATE];
	return directory ? ik_strdup(directory) : NULL;
}

char *ik_rescue_new_path(const struct ik_rescue *rescue, int place, struct ik_error *error)
{
	bool ours = place != IK_RESCUE_BESIDE && place != IK_RESCUE_TEMPORARY;
	char *directory = place_of(rescue, place), *prefix, *path = NULL;
	char uuid[IK_UUID_TEXT];

	if (!directory)
		ik_error_set_errno(error, ENOENT, _("Cannot write %s"), rescue->database);
	if (!directory || (ours && ik_path_make(directory, 0700, error) != IK_OK)) {
		free(directory);
		return NULL;
	}
	if (!ours || is_private(directory)) {
		ik_uuid_new(uuid);
		prefix = name_prefix(rescue->database, place == IK_RESCUE_BESIDE);
		path = ik_format("%s/%s%s%s", directory, prefix, uuid, IK_RESCUE_TAIL);
		free(prefix);
	} else {
		ik_error_set(error, IK_DENIED, _("%s can be used by others: chmod 700 it"), directory);
	}
	free(directory);
	return path;
}

/* Try one place. */
static enum ik_status write_into(const struct ik_rescue *rescue, int place,
	const struct ik_record *first, char **ret_path, struct ik_error *error)
{
	char *path = ik_rescue_new_path(rescue, place, error);
	int fd, number;

	if (!path)
		return IK_IO;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	number = fd < 0 ? errno : write_records(fd, rescue->database, first);
	if (fd >= 0 && close(fd) != 0 && number == 0)
		number = errno;
	if (number == 0) {
		*ret_path = path;
		return IK_OK;
	}
	if (fd >= 0)
		(void)unlink(path);
	ik_error_set_errno(error, number, _("Cannot write %s"), path);
	free(path);
	return ik_status_from_errno(number);
}

enum ik_status ik_rescue_write(const struct ik_rescue *rescue, const struct ik_record *first,
	char **ret_path, int *ret_place, struct ik_error *error)
{
	enum ik_status status = IK_IO;
	int place;

	for (place = 0; status != IK_OK && place < IK_RESCUE_PLACES; place++) {
		status = write_into(rescue, place, first, ret_path, error);
		*ret_place = place;
	}
	return status;
}

void ik_rescue_done(struct ik_rescue *rescue)
{
	int i;

	for (i = 0; i < IK_RESCUE_PRIVATE_COUNT; i++) {
		free(rescue->directories[i]);
		rescue->directories[i] = NULL;
	}
}

/* ---- finding ---- */

void ik_rescue_find_in(const char *directory, const char *prefix, const char *tail, char ***paths,
	size_t *count)
{
	DIR *handle = opendir(directory);
	struct dirent *entry;

	while (handle && (entry = readdir(handle))) {
		if (!ik_text_starts(entry->d_name, prefix) || !ik_text_ends(entry->d_name, tail))
			continue;
		*paths = ik_alloc_array(*paths, *count + 2, sizeof(char *));
		(*paths)[(*count)++] = ik_format("%s/%s", directory, entry->d_name);
		(*paths)[*count] = NULL;
	}
	if (handle)
		closedir(handle);
}

/* Add the files of a place. */
static void find_in(const struct ik_rescue *rescue, int place, char ***paths, size_t *count)
{
	char *directory = place_of(rescue, place);
	char *prefix = name_prefix(rescue->database, place == IK_RESCUE_BESIDE);

	if (directory &&
		(place == IK_RESCUE_BESIDE || place == IK_RESCUE_TEMPORARY || is_private(directory)))
		ik_rescue_find_in(directory, prefix, IK_RESCUE_TAIL, paths, count);
	free(prefix);
	free(directory);
}

/* The id in a name, which ends before the tail. */
static const char *id_of(const char *path)
{
	const char *tail = strrchr(path, '.');

	return tail && tail - path >= IK_UUID_TEXT - 1 ? tail - (IK_UUID_TEXT - 1) : ik_path_base(path);
}

/* Rescued first, taken in first, wherever it is: the ids in the names grow with time. */
static int compare_names(const void *one, const void *other)
{
	return strcmp(id_of(*(char *const *)one), id_of(*(char *const *)other));
}

void ik_rescue_sort(char **paths, size_t count)
{
	if (paths)
		qsort(paths, count, sizeof(*paths), compare_names);
}

char **ik_rescue_find(const struct ik_rescue *rescue)
{
	char **paths = NULL;
	size_t count = 0;
	int place;

	for (place = 0; place < IK_RESCUE_TEMPORARY; place++)
		find_in(rescue, place, &paths, &count);
	ik_rescue_sort(paths, count);
	return paths;
}

bool ik_rescue_may_be_forged(const struct ik_rescue *rescue, const char *path)
{
	char *prefix = name_prefix(rescue->database, true);
	bool beside = ik_text_starts(ik_path_base(path), prefix);

	free(prefix);
	return beside && !rescue->beside_is_private;
}

char **ik_rescue_find_temporary(const struct ik_rescue *rescue)
{
	char **paths = NULL;
	size_t count = 0;

	find_in(rescue, IK_RESCUE_TEMPORARY, &paths, &count);
	ik_rescue_sort(paths, count);
	return paths;
}

char **ik_rescue_find_free(char **paths)
{
	size_t i;

	for (i = 0; paths && paths[i]; i++)
		free(paths[i]);
	free(paths);
	return NULL;
}

/* ---- reading ---- */

/* A UUID of a line; empty where it is none. */
static void take_id(struct ik_json_span object, const char *name, char out[IK_UUID_TEXT])
{
	char *text = ik_json_string_new(ik_json_member(object, name), NULL);

	if (text && strlen(text) == IK_UUID_TEXT - 1)
		memcpy(out, text, IK_UUID_TEXT);
	free(text);
}

/* A file that is being read, and its newest event, of which there may be more. */
struct reading {
	const struct ik_rescue_reader *reader;
	void *arg;
	struct ik_store_session *session;
	struct ik_message *message; /* NULL: none yet, or it was given away */
	struct ik_buf more;         /* of its content */
};

/* Give the newest event away: it is whole. */
static void deliver(struct reading *reading)
{
	struct ik_message *message = reading->message, *whole;
	struct ik_buf content;

	reading->message = NULL;
	if (message && reading->more.length > 0) {
		ik_buf_init(&content, message->content_length + reading->more.length);
		ik_buf_append(&content, message->content, message->content_length);
		ik_buf_append(&content, reading->more.data, reading->more.length);
		whole = ik_message_stored(message->kind, message->id, 0, message->time_ms, content.data,
			content.length, message->data, message->data_length);
		ik_buf_done(&content);
		ik_message_unref(message);
		message = whole;
	}
	ik_buf_clear(&reading->more);
	if (message)
		reading->reader->record(reading->arg, reading->session, message);
}

/* The event of a line, if there is one. */
static struct ik_message *take_message(struct ik_json_span object)
{
	char *kind_name = ik_json_string_new(ik_json_member(object, "kind"), NULL);
	size_t content_length = 0;
	char *content = ik_json_string_new(ik_json_member(object, "content"), &content_length);
	struct ik_json_span data = ik_json_member(object, "data");
	struct ik_message *message = NULL;
	char id[IK_UUID_TEXT] = "";
	int64_t time = 0;
	enum ik_kind kind;

	take_id(object, "id", id);
	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	if (id[0] && kind_name && ik_kind_from_name(kind_name, &kind) && content &&
		ik_json_integer(ik_json_member(object, "time_ms"), &time))
		message = ik_message_stored(kind, id, 0, time, content, content_length, data.text,
			data.length);
	free(kind_name);
	free(content);
	return message;
}

/* More of the newest event's content; false: the line is another one. */
static bool take_more(struct reading *reading, struct ik_json_span object)
{
	char id[IK_UUID_TEXT] = "", *content;
	size_t length = 0;

	take_id(object, "more", id);
	if (!id[0])
		return false;
	content = ik_json_string_new(ik_json_member(object, "content"), &length);
	if (content && reading->message && ik_text_equal(reading->message->id, id))
		ik_buf_append(&reading->more, content, length);
	free(content);
	return true;
}

/* A line back to what it says, if it says anything. */
static void take_line(struct reading *reading, const char *line, size_t length)
{
	const struct ik_rescue_reader *reader = reading->reader;
	struct ik_store_session said = { .known = -1 };
	struct ik_json_span object;
	bool begun = false;

	if (ik_json_check(line, length, &object, NULL) != IK_OK || take_more(reading, object))
		return;
	deliver(reading);
	take_id(object, "writer", said.writer);
	if (said.writer[0])
		reader->writer(reading->arg, said.writer);
	if (ik_json_bool(ik_json_member(object, "begun"), &begun) && begun)
		reader->begun(reading->arg);
	take_id(object, "session", said.id);
	if (!said.id[0] || !ik_json_integer(ik_json_member(object, "created_ms"), &said.created_ms))
		return;
	take_id(object, "stored_as", said.stored_as);
	take_id(object, "parent", said.parent);
	(void)ik_json_integer(ik_json_member(object, "forked_at"), &said.forked_at);
	(void)ik_json_integer(ik_json_member(object, "known"), &said.known);
	(void)ik_json_bool(ik_json_member(object, "chosen"), &said.chosen);
	said.directory = ik_json_string_new(ik_json_member(object, "directory"), NULL);
	if (!said.directory)
		said.directory = ik_strdup("");
	reading->session = reader->session(reading->arg, &said);
	free(said.directory);
	reading->message = take_message(object);
}

enum ik_status ik_rescue_read(int fd, const char *path, const struct ik_rescue_reader *reader,
	void *arg, struct ik_error *error)
{
	struct reading reading = { .reader = reader, .arg = arg };
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct stat about;
	FILE *file = NULL;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	bool broken;

	/* Use nothing that another user may have put there. */
	if (copy < 0 || fstat(copy, &about) != 0 || !S_ISREG(about.st_mode) ||
		about.st_uid != geteuid() || (about.st_mode & 022) || !(file = fdopen(copy, "r"))) {
		if (copy >= 0)
			(void)close(copy);
		return ik_error_set(error, IK_DENIED, _("%s is not this user's own file"), path);
	}
	ik_buf_init(&reading.more, IK_LIMIT_REPLY);
	while ((length = getline(&line, &capacity, file)) >= 0)
		take_line(&reading, line, (size_t)length);
	deliver(&reading);
	ik_buf_done(&reading.more);
	broken = ferror(file) != 0;
	free(line);
	(void)fclose(file);
	if (broken)
		return ik_error_set(error, IK_IO, _("Cannot read %s"), path);
	return IK_OK;
}
