#include "store/spare.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* ---- journals ---- */

/* Copy a file to another disk. */
static bool copy(const char *from, const char *to)
{
	struct ik_error error;
	struct ik_buf bytes;
	bool copied;

	ik_buf_init(&bytes, IK_LIMIT_ENVELOPE);
	copied = ik_file_read(from, &bytes, &error) == IK_OK &&
		ik_file_write(to, bytes.data, bytes.length, 0600, &error) == IK_OK;
	ik_buf_done(&bytes);
	return copied;
}

/* False: nobody writes it, and it stays where it is. */
static bool adopt(const char *from, const char *to)
{
	int fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool adopted = true;

	if (fd < 0)
		return true;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && rename(from, to) != 0) {
		adopted = errno == EXDEV && copy(from, to);
		if (adopted)
			(void)unlink(from);
	}
	(void)close(fd);
	return adopted;
}

bool ik_spare_adopt(const char *spare, const char *journals)
{
	bool all = true;
	DIR *stream = opendir(spare);
	const struct dirent *entry;
	struct ik_error error;

	while (stream && (entry = readdir(stream))) {
		char *from, *to;

		if (entry->d_name[0] == '.')
			continue;
		if (ik_path_make(journals, 0700, &error) != IK_OK) {
			all = false;
			break;
		}
		from = ik_path_join(spare, entry->d_name);
		to = ik_path_join(journals, entry->d_name);
		all = adopt(from, to) && all;
		free(from);
		free(to);
	}
	if (stream)
		(void)closedir(stream);
	return all;
}

/* ---- a file for the user ---- */

char *ik_spare_write(struct ik_session_writer *writers, struct ik_error *error)
{
	char *path = ik_format("%s/ikigai-XXXXXX.jsonl", ik_path_temporary());
	int fd = mkostemps(path, (int)strlen(".jsonl"), O_CLOEXEC), number = fd < 0 ? errno : 0;
	struct ik_session_writer *writer;
	struct ik_buf lines;

	ik_buf_init(&lines, IK_LIMIT_ENVELOPE);
	for (writer = writers; writer; writer = writer->next)
		for (const struct ik_writer_queued *queued = writer->first; queued; queued = queued->next) {
			ik_event_line_put(&lines, writer->id, queued->message);
			ik_buf_putc(&lines, '\n');
		}
	if (ik_buf_status(&lines) != IK_OK)
		number = ENOMEM;
	if (number == 0)
		number = ik_write_all(fd, lines.data, lines.length);
	ik_buf_done(&lines);
	if (fd >= 0)
		(void)close(fd);
	if (number == 0) {
		for (writer = writers; writer; writer = writer->next)
			writer->journaled = writer->last;
		return path;
	}
	(void)ik_error_set_errno(error, number, "%s", path);
	if (fd >= 0)
		(void)unlink(path);
	free(path);
	return NULL;
}
