#include "undo/undo_journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "json/write.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on old sessions removed at once. */
#define SWEPT_AT_ONCE 4

/* Remove a session's directory with its files. */
static void remove_directory(const char *directory)
{
	DIR *stream = opendir(directory);
	const struct dirent *entry;

	if (!stream)
		return;
	while ((entry = readdir(stream)))
		(void)unlinkat(dirfd(stream), entry->d_name, 0);
	(void)closedir(stream);
	(void)rmdir(directory);
}

/* Remove old sessions. */
static void sweep(const char *root)
{
	DIR *stream = opendir(root);
	time_t oldest = time(NULL) - (time_t)IK_UNDO_KEPT_DAYS * 24 * 3600;
	const struct dirent *entry;
	struct stat status;
	int swept = 0;

	while (stream && swept < SWEPT_AT_ONCE && (entry = readdir(stream))) {
		char *journal = ik_format("%s/%s/journal", root, entry->d_name);
		char *directory = ik_path_join(root, entry->d_name);

		if (strlen(entry->d_name) == IK_UUID_TEXT - 1 && stat(journal, &status) == 0 &&
			status.st_mtime < oldest) {
			remove_directory(directory);
			swept++;
		}
		free(directory);
		free(journal);
	}
	if (stream)
		(void)closedir(stream);
}

char *ik_undo_directory(const char *root, const char *session, struct ik_error *error)
{
	char *directory = ik_path_join(root, session);

	if (access(directory, F_OK) == 0)
		return directory;
	if (ik_path_make(directory, 0700, error) != IK_OK) {
		free(directory);
		return NULL;
	}
	sweep(root);
	return directory;
}

void ik_undo_forget(const char *root, const char *session)
{
	char *directory = ik_path_join(root, session);

	remove_directory(directory);
	free(directory);
}

/* If a full disk or a crash cut off the last line, end it, so that it does not spoil the next.
 * Return 0 or errno. */
static int end_cut_off_line(int fd)
{
	off_t length = lseek(fd, 0, SEEK_END);
	char last;

	if (length <= 0 || pread(fd, &last, 1, length - 1) != 1 || last == '\n')
		return 0;
	return ik_write_all(fd, "\n", 1);
}

/* Append a line to the journal. */
static enum ik_status append(const char *directory, struct ik_buf *line, struct ik_error *error)
{
	char *path = ik_path_join(directory, "journal");
	enum ik_status status;
	int fd, number;

	ik_buf_putc(line, '\n');
	status = ik_buf_check(line, _("what is noted for /undo"), error);
	if (status == IK_OK) {
		fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		number = fd < 0 ? errno : end_cut_off_line(fd);
		if (number == 0)
			number = ik_write_all(fd, line->data, line->length);
		if (fd >= 0)
			(void)close(fd);
		if (number != 0)
			status = ik_error_set_errno(error, number, _("cannot write %s"), path);
	}
	free(path);
	ik_buf_done(line);
	return status;
}

/* Begin a line of that kind with its ID. */
static void begin(struct ik_buf *line, const char *kind, const char *id)
{
	ik_buf_init(line, IK_MIB(16));
	ik_json_printf(line, "{'%s':{'id':'%s'", kind, id);
}

static enum ik_status end(const char *directory, struct ik_buf *line, struct ik_error *error)
{
	ik_json_printf(line, "}}");
	return append(directory, line, error);
}

static void put_time(struct ik_buf *line)
{
	ik_json_printf(line, "'time':%lld", (long long)ik_clock_wall_ms());
}

static void put_files(struct ik_buf *line, const struct ik_file_change *files, size_t count)
{
	ik_json_key(line, "files");
	ik_file_changes_put(line, files, count);
}

/* Say how many lines of other calls were written since the event, and why there is no snapshot. */
static void put_circumstances(struct ik_buf *line, size_t since, enum ik_worktree_problem problem)
{
	if (since > 0)
		ik_json_printf(line, "'since':%zu", since);
	if (problem != IK_WORKTREE_FINE)
		ik_json_printf(line, "'why':'%s'", ik_worktree_problem_word(problem));
}

enum ik_status ik_undo_note_call(const char *directory, const struct ik_undo_call_line *call,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "call", call->id);
	put_time(&line);
	ik_json_printf(&line, "'turn':'%s','title':'%s','name':'%s','call_id':'%s','words':'%s'",
		call->turn, call->title, call->name, call->call_id, call->words);
	if (call->files)
		put_files(&line, call->files, call->count);
	if (call->compared)
		ik_json_printf(&line, "'tree':true");
	put_circumstances(&line, call->since, call->problem);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_done(const char *directory, const struct ik_undo_done_line *done,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "done", done->id);
	put_circumstances(&line, done->since, done->problem);
	if (done->problem == IK_WORKTREE_FINE)
		put_files(&line, done->files, done->count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_undo(const char *directory, const char *id,
	const struct ik_undo_scope *whole, const struct ik_file_change *files, size_t count,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "undo", id);
	put_time(&line);
	ik_json_printf(&line, "'turns':[");
	for (size_t i = 0; i < whole->turn_count; i++)
		ik_json_printf(&line, "'%s'", whole->turns[i]);
	ik_json_printf(&line, "]");
	if (whole->call)
		ik_json_printf(&line, "'calls':['%s']", whole->call);
	put_files(&line, files, count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_redo(const char *directory, const char *id,
	const struct ik_file_change *files, size_t count, struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "redo", id);
	put_time(&line);
	put_files(&line, files, count);
	return end(directory, &line, error);
}

void ik_undo_fork(const char *root, const char *parent, const char *child)
{
	char *journal = ik_format("%s/%s/journal", root, parent), *directory;
	struct stat status;
	struct ik_error error;
	struct ik_buf line;

	if (stat(journal, &status) == 0 && (directory = ik_undo_directory(root, child, &error))) {
		ik_buf_init(&line, IK_KIB(4));
		ik_json_printf(&line, "{'parent':{'session':'%s','bytes':%lld", parent,
			(long long)status.st_size);
		/* Without this line, less of the fork can be undone. */
		(void)end(directory, &line, &error);
		free(directory);
	}
	free(journal);
}
