#include "store/blob_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json/write.h"
#include "store/rescue.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* A line that tells of a text is shorter. */
#define LINE 160

/* ---- writing ---- */

static bool fail(struct ik_blob_spool *spool, const char *what)
{
	ik_log(IK_LOG_ERROR, "store: large outputs cannot be kept in the spool: %s", what);
	spool->broken = true;
	return false;
}

static bool make_file(struct ik_blob_spool *spool)
{
	struct ik_error error;
	char *unnamed;

	if (spool->path)
		return true;
	if (ik_spool_make_place(spool->spool, IK_BLOB_SPOOL_TAIL, &spool->path, &error) != IK_OK)
		return fail(spool, error.text);
	/* Locked before it has the name by which others find it. */
	unnamed = ik_format("%s.new", spool->path);
	spool->fd = open(unnamed, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (spool->fd < 0 || flock(spool->fd, LOCK_EX | LOCK_NB) != 0 ||
		rename(unnamed, spool->path) != 0) {
		(void)fail(spool, strerror(errno));
		(void)unlink(unnamed);
		if (spool->fd >= 0)
			(void)close(spool->fd);
		free(spool->path);
		spool->path = NULL;
	}
	free(unnamed);
	return spool->path;
}

bool ik_blob_spool_add(struct ik_blob_spool *spool, const char *bytes, size_t length)
{
	int number = ik_write_all(spool->fd, bytes, length);

	if (number == 0) {
		spool->length += (off_t)length;
		return true;
	}
	ik_blob_spool_abandon(spool);
	return fail(spool, strerror(number));
}

bool ik_blob_spool_begin(struct ik_blob_spool *spool, const char *id, size_t length)
{
	struct ik_buf line;
	bool begun;

	if (spool->broken || !make_file(spool))
		return false;
	spool->start = spool->length;
	ik_buf_init(&line, LINE);
	ik_json_open(&line, '{');
	ik_json_key(&line, "blob");
	ik_json_put_text(&line, id);
	ik_json_key(&line, "bytes");
	ik_json_put_integer(&line, (int64_t)length);
	ik_json_close(&line, '}');
	ik_buf_putc(&line, '\n');
	begun = ik_blob_spool_add(spool, line.data, line.length);
	ik_buf_done(&line);
	return begun;
}

void ik_blob_spool_abandon(struct ik_blob_spool *spool)
{
	if (spool->path && ftruncate(spool->fd, spool->start) == 0)
		spool->length = spool->start;
	else
		spool->broken = true;
}

void ik_blob_spool_clear(struct ik_blob_spool *spool)
{
	if (!spool->path || spool->length == 0 || ftruncate(spool->fd, 0) != 0)
		return;
	spool->length = spool->start = 0;
	spool->broken = false;
}

void ik_blob_spool_done(struct ik_blob_spool *spool)
{
	if (!spool->path)
		return;
	if (spool->length == 0)
		(void)unlink(spool->path);
	(void)close(spool->fd);
	free(spool->path);
	spool->path = NULL;
}

/* ---- files of earlier processes ---- */

struct ik_blob_file *ik_blob_file_unref(struct ik_blob_file *file)
{
	if (!file || --file->references > 0)
		return NULL;
	if (!file->stays)
		(void)unlink(file->path);
	(void)close(file->fd);
	free(file->path);
	free(file);
	return NULL;
}

/* The line at an offset: what text follows it, and where; false: there is none. */
static bool read_line(int fd, off_t offset, char id[IK_UUID_TEXT], int64_t *ret_length,
	off_t *ret_start)
{
	char line[LINE];
	ssize_t got = pread(fd, line, sizeof(line), offset);
	char *end = got > 0 ? memchr(line, '\n', (size_t)got) : NULL, *text;
	struct ik_json_span object;
	bool found;

	if (!end || ik_json_check(line, (size_t)(end - line), &object, NULL) != IK_OK)
		return false;
	text = ik_json_string_new(ik_json_member(object, "blob"), NULL);
	found = text && strlen(text) == IK_UUID_TEXT - 1 &&
		ik_json_integer(ik_json_member(object, "bytes"), ret_length) && *ret_length > 0;
	if (found)
		memcpy(id, text, IK_UUID_TEXT);
	free(text);
	*ret_start = offset + (end - line) + 1;
	return found;
}

size_t ik_blob_spool_count(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char id[IK_UUID_TEXT];
	off_t offset = 0, start;
	int64_t length;
	size_t count = 0;

	while (fd >= 0 && read_line(fd, offset, id, &length, &start)) {
		count++;
		offset = length < INT64_MAX - start ? start + length : INT64_MAX;
	}
	if (fd >= 0)
		(void)close(fd);
	return count;
}

void ik_blob_spool_take(struct ik_spool *spool,
	void (*take)(void *arg, struct ik_blob_file *file, const char *id, off_t offset, size_t length),
	void *arg)
{
	char **paths = ik_spool_find(spool, IK_BLOB_SPOOL_TAIL);
	size_t i;

	for (i = 0; paths && paths[i]; i++) {
		struct ik_blob_file *file;
		char id[IK_UUID_TEXT];
		off_t offset = 0, start;
		struct stat about;
		int64_t length;
		int fd = open(paths[i], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		/* One that is locked is at work in another process. */
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &about) != 0 ||
			!S_ISREG(about.st_mode)) {
			if (fd >= 0)
				(void)close(fd);
			continue;
		}
		file = ik_alloc(sizeof(*file));
		*file = (struct ik_blob_file){ .references = 1, .fd = fd, .path = ik_strdup(paths[i]) };
		while (read_line(fd, offset, id, &length, &start) && start < about.st_size) {
			off_t left = about.st_size - start;

			file->references++;
			take(arg, file, id, start, (size_t)(length < left ? length : left));
			if (length >= left)
				break;
			offset = start + length;
		}
		(void)ik_blob_file_unref(file);
	}
	ik_rescue_find_free(paths);
}
