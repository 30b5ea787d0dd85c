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

#define TAIL ".jsonl"
/* Lines are written in pieces of about this size. */
#define PIECE IK_KIB(64)

/* ---- names ---- */

static const char *temporary_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && directory[0] == '/' ? directory : "/tmp";
}

/* The directory of a path, "." for a bare name. New memory. */
static char *directory_of(const char *path)
{
	size_t length = (size_t)(ik_path_base(path) - path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return length == 0 ? ik_strdup(".") : ik_strndup(path, length);
}

/* How the names of a database's rescue files begin: beside it by its own name,
 * in TMPDIR by a number made of its whole path. New memory. */
static char *name_prefix(const char *database, bool beside)
{
	const char *base = ik_path_base(database);
	char *directory, *real, *whole;
	uint64_t hash;

	if (beside)
		return ik_format("%s.rescue-", base);
	directory = directory_of(database);
	real = realpath(directory, NULL);
	whole = ik_format("%s/%s", real ? real : directory, base);
	hash = ik_text_hash(whole);
	free(whole);
	free(real);
	free(directory);
	return ik_format("ikigai-%016llx.rescue-", (unsigned long long)hash);
}

/* ---- writing ---- */

static void put_member(struct ik_buf *out, const char *name, const char *text)
{
	ik_json_key(out, name);
	ik_json_put_text(out, text);
}

/* One event as a line. */
static void put_record(struct ik_buf *out, const struct ik_record *record)
{
	const struct ik_message *message = record->message;

	ik_json_open(out, '{');
	put_member(out, "session", record->session->id);
	put_member(out, "directory", record->session->directory);
	ik_json_key(out, "created_ms");
	ik_json_put_integer(out, record->session->created_ms);
	put_member(out, "id", message->id);
	put_member(out, "kind", ik_kind_name(message->kind));
	ik_json_key(out, "content");
	ik_json_put_string(out, message->content, message->content_length);
	ik_json_key(out, "data");
	if (message->data)
		ik_json_put_raw(out, ik_message_data(message));
	else
		ik_json_put_null(out);
	ik_json_key(out, "time_ms");
	ik_json_put_integer(out, message->time_ms);
	ik_json_close(out, '}');
	ik_buf_putc(out, '\n');
}

/* All records into fd. 0 or errno. */
static int write_records(int fd, const char *database, const struct ik_record *record)
{
	struct ik_buf out;
	int number = 0;

	ik_buf_init(&out, IK_LIMIT_REQUEST);
	ik_json_open(&out, '{');
	put_member(&out, "ikigai_rescue", database);
	ik_json_close(&out, '}');
	ik_buf_putc(&out, '\n');
	for (; record && number == 0; record = record->next) {
		/* A piece of its own for each record: commas come by what is before. */
		number = ik_write_all(fd, out.data, out.length);
		ik_buf_clear(&out);
		put_record(&out, record);
		if (ik_buf_status(&out) != IK_OK)
			number = EFBIG;
	}
	if (number == 0)
		number = ik_write_all(fd, out.data, out.length);
	if (number == 0 && fsync(fd) != 0)
		number = errno;
	ik_buf_done(&out);
	return number;
}

/* Try one directory. */
static enum ik_status write_into(const char *directory, const char *database, bool beside,
	const struct ik_record *first, char **ret_path, struct ik_error *error)
{
	char *prefix = name_prefix(database, beside);
	char uuid[IK_UUID_TEXT];
	char *path;
	int fd, number;

	ik_uuid_new(uuid);
	path = ik_format("%s/%s%s%s", directory, prefix, uuid, TAIL);
	free(prefix);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	number = fd < 0 ? errno : write_records(fd, database, first);
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

enum ik_status ik_rescue_write(const char *database, const struct ik_record *first,
	char **ret_path, struct ik_error *error)
{
	char *directory = directory_of(database);
	enum ik_status status = write_into(directory, database, true, first, ret_path, error);

	if (status != IK_OK)
		status = write_into(temporary_directory(), database, false, first, ret_path, error);
	free(directory);
	return status;
}

/* ---- finding ---- */

/* Add the files of one directory to a NULL-terminated list. */
static void find_in(const char *directory, const char *database, bool beside,
	char ***paths, size_t *count)
{
	char *prefix = name_prefix(database, beside);
	DIR *handle = opendir(directory);
	struct dirent *entry;

	while (handle && (entry = readdir(handle)) != NULL) {
		if (!ik_text_starts(entry->d_name, prefix) || !ik_text_ends(entry->d_name, TAIL))
			continue;
		*paths = ik_alloc_array(*paths, *count + 2, sizeof(char *));
		(*paths)[(*count)++] = ik_format("%s/%s", directory, entry->d_name);
		(*paths)[*count] = NULL;
	}
	if (handle)
		closedir(handle);
	free(prefix);
}

/* Rescued first, taken in first: the ids in the names grow with time. */
static int compare_names(const void *one, const void *other)
{
	return strcmp(ik_path_base(*(char *const *)one), ik_path_base(*(char *const *)other));
}

char **ik_rescue_find(const char *database)
{
	char *directory = directory_of(database);
	char **paths = NULL;
	size_t count = 0;

	find_in(directory, database, true, &paths, &count);
	find_in(temporary_directory(), database, false, &paths, &count);
	free(directory);
	if (paths)
		qsort(paths, count, sizeof(*paths), compare_names);
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

/* A line back to an event, if it is one. */
static void take_line(const char *line, size_t length, const struct ik_rescue_reader *reader,
	void *arg)
{
	struct ik_json_span object, data;
	char *session, *directory, *id, *kind_name, *content;
	int64_t created = 0, time = 0;
	size_t content_length = 0;
	enum ik_kind kind;

	if (ik_json_check(line, length, &object, NULL) != IK_OK)
		return;
	session = ik_json_string_new(ik_json_member(object, "session"), NULL);
	directory = ik_json_string_new(ik_json_member(object, "directory"), NULL);
	id = ik_json_string_new(ik_json_member(object, "id"), NULL);
	kind_name = ik_json_string_new(ik_json_member(object, "kind"), NULL);
	content = ik_json_string_new(ik_json_member(object, "content"), &content_length);
	data = ik_json_member(object, "data");
	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	if (session && strlen(session) == IK_UUID_TEXT - 1 && id && strlen(id) == IK_UUID_TEXT - 1 &&
	    kind_name && ik_kind_from_name(kind_name, &kind) && content &&
	    ik_json_integer(ik_json_member(object, "created_ms"), &created) &&
	    ik_json_integer(ik_json_member(object, "time_ms"), &time))
		reader->record(arg, reader->session(arg, session, directory ? directory : "", created),
			ik_message_stored(kind, id, 0, time, content, content_length,
				data.text, data.length));
	free(session);
	free(directory);
	free(id);
	free(kind_name);
	free(content);
}

enum ik_status ik_rescue_read(const char *path, const struct ik_rescue_reader *reader, void *arg,
	struct ik_error *error)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;
	FILE *file;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	bool broken;

	if (fd < 0)
		return ik_error_set_errno(error, errno, _("Cannot read %s"), path);
	/* TMPDIR is everybody's: take in nothing that another user laid there. */
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid() ||
	    (about.st_mode & 022) || !(file = fdopen(fd, "r"))) {
		(void)close(fd);
		return ik_error_set(error, IK_DENIED, _("%s is not this user's own file"), path);
	}
	while ((length = getline(&line, &capacity, file)) >= 0)
		take_line(line, (size_t)length, reader, arg);
	broken = ferror(file) != 0;
	free(line);
	(void)fclose(file);
	if (broken)
		return ik_error_set(error, IK_IO, _("Cannot read %s"), path);
	return IK_OK;
}
