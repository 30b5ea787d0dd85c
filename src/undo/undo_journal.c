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
	ik_json_open(line, '{');
	ik_json_key(line, kind);
	ik_json_open(line, '{');
	ik_json_key(line, "id");
	ik_json_put_text(line, id);
}

static enum ik_status end(const char *directory, struct ik_buf *line, struct ik_error *error)
{
	ik_json_close(line, '}');
	ik_json_close(line, '}');
	return append(directory, line, error);
}

static void put_time(struct ik_buf *line)
{
	ik_json_key(line, "time");
	ik_json_put_integer(line, ik_clock_wall_ms());
}

static void put_entries(struct ik_buf *line, const struct ik_undo_entry *entries, size_t count)
{
	ik_json_key(line, "files");
	ik_json_open(line, '[');
	for (size_t i = 0; i < count; i++) {
		ik_json_open(line, '{');
		ik_json_key(line, "path");
		ik_json_put_text(line, entries[i].path);
		ik_json_key(line, "state");
		ik_file_state_put(line, &entries[i].state);
		ik_json_close(line, '}');
	}
	ik_json_close(line, ']');
}

/* Say why there is no snapshot. */
static void put_problem(struct ik_buf *line, enum ik_worktree_problem problem)
{
	if (problem == IK_WORKTREE_FINE)
		return;
	ik_json_key(line, "why");
	ik_json_put_text(line, ik_worktree_problem_word(problem));
}

/* Say how many lines of other calls were written since the event. */
static void put_since(struct ik_buf *line, size_t since)
{
	if (since == 0)
		return;
	ik_json_key(line, "since");
	ik_json_put_integer(line, (int64_t)since);
}

enum ik_status ik_undo_note_call(const char *directory, const struct ik_undo_call_line *call,
	struct ik_error *error)
{
	const struct {
		const char *name, *value;
	} members[] = {
		{ "turn", call->turn },
		{ "title", call->title },
		{ "name", call->name },
		{ "call_id", call->call_id },
		{ "words", call->words },
	};
	struct ik_buf line;

	begin(&line, "call", call->id);
	put_time(&line);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		ik_json_key(&line, members[i].name);
		ik_json_put_text(&line, members[i].value);
	}
	if (call->entries)
		put_entries(&line, call->entries, call->count);
	if (call->compared) {
		ik_json_key(&line, "tree");
		ik_json_put_bool(&line, true);
	}
	put_since(&line, call->since);
	put_problem(&line, call->problem);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_done(const char *directory, const char *id,
	const struct ik_undo_entry *entries, size_t count, struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "done", id);
	put_entries(&line, entries, count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_changes(const char *directory, const char *id,
	enum ik_worktree_problem problem, const struct ik_worktree_change *changes, size_t count,
	size_t since, struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "done", id);
	put_since(&line, since);
	put_problem(&line, problem);
	if (problem == IK_WORKTREE_FINE) {
		ik_json_key(&line, "files");
		ik_json_open(&line, '[');
	}
	for (size_t i = 0; problem == IK_WORKTREE_FINE && i < count; i++) {
		ik_json_open(&line, '{');
		ik_json_key(&line, "path");
		ik_json_put_text(&line, changes[i].path);
		ik_json_key(&line, "before");
		ik_file_state_put(&line, &changes[i].before);
		ik_json_key(&line, "state");
		ik_file_state_put(&line, &changes[i].after);
		ik_json_close(&line, '}');
	}
	if (problem == IK_WORKTREE_FINE)
		ik_json_close(&line, ']');
	return end(directory, &line, error);
}

static void put_moves(struct ik_buf *line, const struct ik_undo_move *moves, size_t count)
{
	ik_json_key(line, "files");
	ik_json_open(line, '[');
	for (size_t i = 0; i < count; i++) {
		ik_json_open(line, '{');
		ik_json_key(line, "path");
		ik_json_put_text(line, moves[i].path);
		ik_json_key(line, "from");
		ik_file_state_put(line, &moves[i].from);
		ik_json_key(line, "to");
		ik_file_state_put(line, &moves[i].to);
		ik_json_close(line, '}');
	}
	ik_json_close(line, ']');
}

enum ik_status ik_undo_note_undo(const char *directory, const char *id,
	const struct ik_undo_scope *whole, const struct ik_undo_move *moves, size_t count,
	struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "undo", id);
	put_time(&line);
	ik_json_key(&line, "turns");
	ik_json_open(&line, '[');
	for (size_t i = 0; i < whole->turn_count; i++)
		ik_json_put_text(&line, whole->turns[i]);
	ik_json_close(&line, ']');
	if (whole->call) {
		ik_json_key(&line, "calls");
		ik_json_open(&line, '[');
		ik_json_put_text(&line, whole->call);
		ik_json_close(&line, ']');
	}
	put_moves(&line, moves, count);
	return end(directory, &line, error);
}

enum ik_status ik_undo_note_redo(const char *directory, const char *id,
	const struct ik_undo_move *moves, size_t count, struct ik_error *error)
{
	struct ik_buf line;

	begin(&line, "redo", id);
	put_time(&line);
	put_moves(&line, moves, count);
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
		ik_json_open(&line, '{');
		ik_json_key(&line, "parent");
		ik_json_open(&line, '{');
		ik_json_key(&line, "session");
		ik_json_put_text(&line, parent);
		ik_json_key(&line, "bytes");
		ik_json_put_integer(&line, (int64_t)status.st_size);
		/* Without this line, less of the fork can be undone. */
		(void)end(directory, &line, &error);
		free(directory);
	}
	free(journal);
}
