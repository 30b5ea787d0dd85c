#include "store/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "json/json.h"
#include "store/blob_spool.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

struct ik_spool {
	char *directory;                /* NULL: of an embedded database */
	const struct ik_rescue *rescue; /* of that: it is in this place */
	int place;
	char *uri;
	char *writer;
	char *database; /* ik_postgres_name(); NULL: not known yet */
	char *path;     /* NULL: there is no file yet */
	int fd;
	off_t length;
	bool broken; /* something is missing in it */
	bool begun;  /* what is in it is not whole yet */
};

/* How the names of a database's files begin, in new memory. */
static char *prefix_of(const char *database)
{
	return ik_format("%016llx-", (unsigned long long)ik_text_hash(database));
}

static const char *database_of(struct ik_spool *spool)
{
	if (!spool->database)
		spool->database = ik_postgres_name(spool->uri);
	return spool->database;
}

struct ik_spool *ik_spool_new(const char *directory, const char *uri, const char *writer)
{
	struct ik_spool *spool = ik_alloc(sizeof(*spool));

	spool->directory = ik_strdup(directory);
	spool->uri = ik_strdup(uri);
	spool->writer = ik_strdup(writer);
	spool->fd = -1;
	return spool;
}

struct ik_spool *ik_spool_embedded(const struct ik_rescue *rescue, int place)
{
	struct ik_spool *spool = ik_alloc(sizeof(*spool));

	spool->database = ik_strdup(rescue->database);
	spool->rescue = rescue;
	spool->place = place;
	spool->writer = ik_strdup("");
	spool->fd = -1;
	return spool;
}

struct ik_spool *ik_spool_begun(const struct ik_spool *spool)
{
	struct ik_spool *begun = ik_alloc(sizeof(*begun));

	begun->directory = spool->directory ? ik_strdup(spool->directory) : NULL;
	begun->uri = spool->uri ? ik_strdup(spool->uri) : NULL;
	begun->database = spool->database ? ik_strdup(spool->database) : NULL;
	begun->rescue = spool->rescue;
	begun->place = spool->place;
	begun->writer = ik_strdup(spool->writer);
	begun->fd = -1;
	begun->begun = true;
	return begun;
}

struct ik_spool *ik_spool_free(struct ik_spool *spool)
{
	if (!spool)
		return NULL;
	if (spool->path && spool->length == 0)
		(void)unlink(spool->path);
	if (spool->fd >= 0)
		(void)close(spool->fd);
	free(spool->path);
	free(spool->database);
	free(spool->writer);
	free(spool->uri);
	free(spool->directory);
	free(spool);
	return NULL;
}

enum ik_status ik_spool_make_place(struct ik_spool *spool, const char *tail, char **ret_path,
	struct ik_error *error)
{
	enum ik_status status = ik_path_make(spool->directory, 0700, error);
	char uuid[IK_UUID_TEXT];
	char *prefix;

	if (status != IK_OK)
		return status;
	ik_uuid_new(uuid);
	prefix = prefix_of(database_of(spool));
	*ret_path = ik_format("%s/%s%s%s", spool->directory, prefix, uuid, tail);
	free(prefix);
	return IK_OK;
}

/* Make the file, unless there is one. */
static enum ik_status make_file(struct ik_spool *spool, struct ik_error *error)
{
	enum ik_status status;
	char *path = NULL, *unnamed;

	if (spool->path)
		return IK_OK;
	status = spool->directory ? ik_spool_make_place(spool, IK_RESCUE_TAIL, &path, error) : IK_OK;
	if (status != IK_OK)
		return status;
	if (!path)
		path = ik_rescue_new_path(spool->rescue, spool->place, error);
	if (!path)
		return IK_IO;
	/* Locked before it has the name by which others find it: they would take it for a dead
	 * process's and remove it. */
	unnamed = ik_format("%s.new", path);
	spool->fd = open(unnamed, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (spool->fd >= 0)
		(void)flock(spool->fd, LOCK_EX | LOCK_NB);
	if (spool->fd >= 0 && rename(unnamed, path) == 0) {
		free(unnamed);
		spool->path = path;
		return IK_OK;
	}
	status = ik_error_set_errno(error, errno, _("Cannot write %s"), path);
	if (spool->fd >= 0) {
		(void)unlink(unnamed);
		(void)close(spool->fd);
	}
	spool->fd = -1;
	free(unnamed);
	free(path);
	return status;
}

/* Add a line, whole or not at all. */
static enum ik_status add_line(struct ik_spool *spool, const struct ik_buf *line,
	struct ik_error *error)
{
	enum ik_status status = ik_buf_check(line, _("an event for the spool"), error);
	int number;

	if (status == IK_OK)
		status = make_file(spool, error);
	if (status != IK_OK)
		return status;
	number = ik_write_all(spool->fd, line->data, line->length);
	if (number == 0) {
		spool->length += (off_t)line->length;
		return IK_OK;
	}
	(void)ftruncate(spool->fd, spool->length);
	return ik_error_set_errno(error, number, _("Cannot write %s"), spool->path);
}

enum ik_status ik_spool_add(struct ik_spool *spool, const struct ik_record *record,
	struct ik_error *error)
{
	struct ik_buf line;
	enum ik_status status;

	ik_buf_init(&line, IK_LIMIT_REQUEST);
	if (spool->length == 0)
		ik_rescue_put_head(&line, database_of(spool), spool->writer, spool->begun);
	ik_rescue_put(&line, record);
	status = add_line(spool, &line, error);
	ik_buf_done(&line);
	/* Of an embedded database's, who adds knows which are in it, and tries again. */
	spool->broken = spool->broken || (spool->directory && status != IK_OK);
	return status;
}

enum ik_status ik_spool_add_more(struct ik_spool *spool, const char *id, const char *text,
	size_t length, struct ik_error *error)
{
	struct ik_buf line;
	enum ik_status status;

	ik_buf_init(&line, IK_LIMIT_REQUEST);
	ik_rescue_put_more(&line, id, text, length);
	status = add_line(spool, &line, error);
	ik_buf_done(&line);
	return status;
}

void ik_spool_add_fork(struct ik_spool *spool, const struct ik_store_session *session)
{
	struct ik_buf line;
	struct ik_error error;

	ik_buf_init(&line, IK_LIMIT_REQUEST);
	ik_rescue_put_fork(&line, session);
	if (add_line(spool, &line, &error) != IK_OK)
		spool->broken = true;
	ik_buf_done(&line);
}

void ik_file_add_fork(const char *path, const struct ik_store_session *session)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	struct ik_buf line;

	ik_buf_init(&line, IK_LIMIT_REQUEST);
	/* Its last line may be half a one. */
	ik_buf_putc(&line, '\n');
	ik_rescue_put_fork(&line, session);
	if (fd < 0 || ik_write_all(fd, line.data, line.length) != 0)
		ik_log(IK_LOG_ERROR, "store: %s cannot be written", path);
	if (fd >= 0)
		(void)close(fd);
	ik_buf_done(&line);
}

/* The next one that is kept has a file of its own. */
static void remove_file(struct ik_spool *spool)
{
	if (spool->path)
		(void)unlink(spool->path);
	if (spool->fd >= 0)
		(void)close(spool->fd);
	free(spool->path);
	spool->path = NULL;
	spool->fd = -1;
	spool->length = 0;
}

void ik_spool_clear(struct ik_spool *spool)
{
	if (!spool->directory)
		remove_file(spool);
	if (spool->fd >= 0 && spool->length > 0 && ftruncate(spool->fd, 0) == 0)
		spool->length = 0;
	spool->broken = false;
}

const char *ik_spool_path(const struct ik_spool *spool)
{
	return spool->broken ? NULL : spool->path;
}

char **ik_spool_find(struct ik_spool *spool, const char *tail)
{
	char *before = ik_postgres_name_unresolved(spool->uri), *prefix = prefix_of(database_of(spool));
	char **paths = NULL;
	size_t count = 0;

	ik_rescue_find_in(spool->directory, prefix, tail, &paths, &count);
	/* Those of a process that had no library yet. */
	if (!ik_text_equal(before, database_of(spool))) {
		free(prefix);
		prefix = prefix_of(before);
		ik_rescue_find_in(spool->directory, prefix, tail, &paths, &count);
	}
	free(prefix);
	free(before);
	ik_rescue_sort(paths, count);
	return paths;
}

/* ---- looking ---- */

/* How many events a file has; its first line tells the database's name. What is not whole yet
 * is none: it waits for no database. */
static size_t count_events(const char *path, char **ret_database)
{
	FILE *file = fopen(path, "re");
	size_t capacity = 0, count = 0;
	char *line = NULL;
	ssize_t length;
	bool begun = false;

	*ret_database = NULL;
	while (file && !begun && (length = getline(&line, &capacity, file)) >= 0) {
		struct ik_json_span object;

		if (strstr(line, "\"kind\":")) {
			count++;
		} else if (!*ret_database && ik_json_check(line, (size_t)length, &object, NULL) == IK_OK) {
			*ret_database = ik_json_string_new(ik_json_member(object, "ikigai_rescue"), NULL);
			(void)ik_json_bool(ik_json_member(object, "begun"), &begun);
		}
	}
	free(line);
	if (file)
		(void)fclose(file);
	return count;
}

/* Is a file for the database of this name? */
static bool is_for(const char *path, const char *database)
{
	const char *slash = strrchr(path, '/');
	char *prefix = prefix_of(database);
	bool is = strncmp(slash ? slash + 1 : path, prefix, strlen(prefix)) == 0;

	free(prefix);
	return is;
}

struct ik_spooled ik_spool_look(const char *directory, const char *uri)
{
	struct ik_spooled spooled = { .ours = 0 };
	char *name = ik_postgres_name(uri), *before = ik_postgres_name_unresolved(uri);
	char **paths = NULL, *database;
	size_t found = 0, i;

	ik_rescue_find_in(directory, "", IK_RESCUE_TAIL, &paths, &found);
	for (i = 0; i < found; i++) {
		size_t count = count_events(paths[i], &database);

		if (database && (ik_text_equal(database, name) || ik_text_equal(database, before))) {
			spooled.ours += count;
		} else if (count > 0) {
			spooled.others += count;
			free(spooled.database);
			spooled.database = database;
			database = NULL;
		}
		free(database);
	}
	ik_rescue_find_free(paths);
	paths = NULL;
	found = 0;
	ik_rescue_find_in(directory, "", IK_BLOB_SPOOL_TAIL, &paths, &found);
	for (i = 0; i < found; i++)
		if (is_for(paths[i], name) || is_for(paths[i], before))
			spooled.outputs += ik_blob_spool_count(paths[i]);
		else
			spooled.other_outputs += ik_blob_spool_count(paths[i]);
	ik_rescue_find_free(paths);
	free(before);
	free(name);
	return spooled;
}

void ik_spooled_done(struct ik_spooled *spooled)
{
	free(spooled->database);
	spooled->database = NULL;
}
