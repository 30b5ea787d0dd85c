#include "store/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "store/rescue.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

struct ik_spool {
	char *directory;
	char *database;
	char *prefix;
	char *path; /* NULL: there is no file yet */
	int fd;
	off_t length;
	bool broken; /* an event is missing in it */
};

struct ik_spool *ik_spool_new(const char *directory, const char *database)
{
	struct ik_spool *spool = ik_alloc(sizeof(*spool));

	spool->directory = ik_strdup(directory);
	spool->database = ik_strdup(database);
	spool->prefix = ik_format("%016llx-", (unsigned long long)ik_text_hash(database));
	spool->fd = -1;
	return spool;
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
	free(spool->prefix);
	free(spool->database);
	free(spool->directory);
	free(spool);
	return NULL;
}

/* Make the file, unless there is one. */
static enum ik_status make_file(struct ik_spool *spool, struct ik_error *error)
{
	char uuid[IK_UUID_TEXT];
	enum ik_status status;
	char *path, *unnamed;

	if (spool->path)
		return IK_OK;
	status = ik_path_make(spool->directory, 0700, error);
	if (status != IK_OK)
		return status;
	ik_uuid_new(uuid);
	path = ik_format("%s/%s%s.jsonl", spool->directory, spool->prefix, uuid);
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
		ik_rescue_put_head(&line, spool->database);
	ik_rescue_put(&line, record);
	status = add_line(spool, &line, error);
	ik_buf_done(&line);
	spool->broken = spool->broken || status != IK_OK;
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

void ik_spool_clear(struct ik_spool *spool)
{
	if (spool->fd >= 0 && spool->length > 0 && ftruncate(spool->fd, 0) == 0)
		spool->length = 0;
	spool->broken = false;
}

const char *ik_spool_path(const struct ik_spool *spool)
{
	return spool->broken ? NULL : spool->path;
}

char **ik_spool_find(const struct ik_spool *spool)
{
	char **paths = NULL;
	size_t count = 0;

	ik_rescue_find_in(spool->directory, spool->prefix, &paths, &count);
	ik_rescue_sort(paths, count);
	return paths;
}
