#include "tui/edit/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/text/needle.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"
#include "util/utf8.h"

#include "json/scan.h"
#include "json/write.h"

/* JSON escapes may make a string six times as long. */
#define LINE_CEILING (IK_LIMIT_HISTORY_ENTRY * 6 + 16)

struct history_entry {
	char *text;
	size_t length;
};

struct ik_history {
	char *path; /* NULL: not kept */
	size_t limit;
	bool loaded;
	struct history_entry *entries; /* oldest first */
	size_t count;
	char *problem;   /* not reported yet; NULL: none */
	bool write_told; /* report a write failure only once */
};

/* Log a problem and keep it for ik_history_take_problem(). Takes ownership of sentence. */
static void complain(struct ik_history *history, char *sentence)
{
	ik_log(IK_LOG_ERROR, "%s", sentence);
	free(history->problem);
	history->problem = sentence;
}

char *ik_history_take_problem(struct ik_history *history)
{
	char *problem = history->problem;

	history->problem = NULL;
	return problem;
}

/* Append a text as the newest entry. Takes ownership of it. */
static void push(struct ik_history *history, char *text, size_t length)
{
	history->entries = ik_alloc_more(history->entries, history->count, sizeof(*history->entries));
	history->entries[history->count++] = (struct history_entry){ text, length };
}

/* Open a regular file. Return -1 and set errno on failure, EINVAL if it is not a regular file. */
static int open_regular(const char *path, int flags)
{
	struct stat status;
	int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

/* Append the last lines of the file, at most `most` bytes. Return whether they are all. */
static bool read_end(int fd, off_t most, struct ik_buf *out)
{
	off_t size = lseek(fd, 0, SEEK_END);
	bool whole = size <= most;

	(void)lseek(fd, whole ? 0 : size - most, SEEK_SET);
	(void)!ik_read_all(fd, out, (size_t)(whole ? size : most));
	if (!whole) {
		const char *line_end = memchr(out->data, '\n', out->length);

		ik_buf_consume(out, line_end ? (size_t)(line_end - out->data) + 1 : out->length);
	}
	return whole;
}

/* Report an invalid line; 0: its number is unknown, as only the end of the file was read. */
static void complain_of_line(struct ik_history *history, const char *path, size_t line)
{
	complain(history,
		line > 0 ? ik_format(_("%s:%zu: this is no JSON string, so what was sent there "
							   "is not offered again. Delete the line to be rid of this notice."),
					   path, line)
				 : ik_format(_("%s: a line in it is no JSON string, so what was sent there is not "
							   "offered "
							   "again."),
					   path));
}

static void load_file(struct ik_history *history, const char *path)
{
	int fd = open_regular(path, O_RDONLY);
	size_t number = 0, broken = 0;
	struct ik_buf file;
	bool whole;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		complain(history,
			ik_format(_("%s cannot be read: %s. What was sent before is not offered "
						"again."),
				path, strerror(errno)));
	if (fd < 0)
		return;
	ik_buf_init(&file, SIZE_MAX / 2);
	whole = read_end(fd, (off_t)history->limit, &file);
	close(fd);
	for (const char *line = file.data, *end = line + file.length; line < end;) {
		const char *line_end = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((line_end ? line_end : end) - line), text_length;
		struct ik_json_span value;
		char *text = NULL;

		number++;
		if (ik_json_check(line, length, &value, NULL) == IK_OK)
			text = ik_json_string_new(value, &text_length);
		if (!text && length > 0 && broken == 0)
			broken = number;
		if (text && text_length > 0)
			push(history, text, text_length);
		else
			free(text);
		line += length + 1;
	}
	if (broken > 0)
		complain_of_line(history, path, whole ? broken : 0);
	ik_buf_done(&file);
}

static char *old_path(const struct ik_history *history)
{
	return ik_format("%s.old", history->path);
}

/* Read the files on first use. */
static void load(struct ik_history *history)
{
	char *old;

	if (history->loaded)
		return;
	history->loaded = true;
	if (!history->path)
		return;
	old = old_path(history);
	load_file(history, old);
	load_file(history, history->path);
	free(old);
}

/* Rename the file to PATH.old once it is over half the limit. Another program that has it open
 * still appends to the renamed file. */
static void put_aside(const struct ik_history *history)
{
	char *old = old_path(history);
	struct stat status;

	if (stat(history->path, &status) == 0 && status.st_size > (off_t)history->limit / 2)
		(void)rename(history->path, old);
	free(old);
}

static void complain_of_writing(struct ik_history *history, int number)
{
	if (!history->write_told)
		complain(history,
			ik_format(_("%s cannot be written: %s. What you send is not offered again "
						"after the end."),
				history->path, strerror(number)));
	history->write_told = true;
}

/* Append one line with a single write, and first the line end that a crash may have left out. */
static void append_to_file(struct ik_history *history, const char *text, size_t length)
{
	const char *path = history->path;
	struct ik_buf line;
	struct stat status;
	char last;
	int fd;

	put_aside(history);
	fd = open_regular(path, O_RDWR | O_APPEND | O_CREAT);

	if (fd < 0 && errno == ENOENT) {
		char *directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));

		if (*directory && ik_path_make(directory, 0700, NULL) == IK_OK)
			fd = open_regular(path, O_RDWR | O_APPEND | O_CREAT);
		free(directory);
	}
	if (fd < 0) {
		complain_of_writing(history, errno);
		return;
	}
	ik_buf_init(&line, LINE_CEILING);
	if (fstat(fd, &status) == 0 && status.st_size > 0 &&
		pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n')
		ik_buf_putc(&line, '\n');
	ik_buf_puts(&line, "\"");
	ik_json_escape(&line, text, length);
	ik_buf_puts(&line, "\"\n");
	int failed = ik_buf_status(&line) == IK_OK ? ik_write_all(fd, line.data, line.length) : ENOMEM;

	if (failed)
		complain_of_writing(history, failed);
	ik_buf_done(&line);
	close(fd);
}

struct ik_history *ik_history_new(const char *path, size_t limit)
{
	struct ik_history *history = ik_alloc(sizeof(*history));

	history->path = path ? ik_strdup(path) : NULL;
	history->limit = limit;
	return history;
}

struct ik_history *ik_history_free(struct ik_history *history)
{
	if (!history)
		return NULL;
	for (size_t i = 0; i < history->count; i++)
		free(history->entries[i].text);
	free(history->entries);
	free(history->path);
	free(history->problem);
	free(history);
	return NULL;
}

void ik_history_add(struct ik_history *history, const char *text, size_t length)
{
	size_t newest_length;
	const char *newest = ik_history_at(history, 0, &newest_length);

	if (length == 0 || (newest && newest_length == length && memcmp(newest, text, length) == 0))
		return;
	push(history, ik_strndup(text, length), length);
	if (history->path && length <= IK_LIMIT_HISTORY_ENTRY)
		append_to_file(history, text, length);
}

size_t ik_history_count(struct ik_history *history)
{
	load(history);
	return history->count;
}

const char *ik_history_at(struct ik_history *history, size_t index, size_t *ret_length)
{
	load(history);
	if (index >= history->count)
		return NULL;
	const struct history_entry *entry = &history->entries[history->count - 1 - index];
	*ret_length = entry->length;
	return entry->text;
}

/* ---- searching ---- */

void ik_history_search_init(struct ik_history_search *search, struct ik_history *history)
{
	*search = (struct ik_history_search){ .history = history };
	ik_buf_init(&search->query, IK_KIB(4));
}

void ik_history_search_done(struct ik_history_search *search)
{
	ik_buf_done(&search->query);
}

static bool find_last(const struct ik_needle *needle, const char *text, size_t length,
	size_t *ret_position, size_t *ret_length)
{
	size_t at = 0, matched;
	bool found = false;

	for (; (at = ik_needle_find(needle, text, length, at, &matched)) != SIZE_MAX; at += matched) {
		*ret_position = at;
		*ret_length = matched;
		found = true;
	}
	return found;
}

/* Search from an index in a direction; with differs, skip entries equal to the current one. */
static void look(struct ik_history_search *search, size_t from, int direction, bool differs)
{
	size_t count = ik_history_count(search->history), length = 0, old_length = 0;
	const char *old = search->found ? ik_history_at(search->history, search->index, &old_length)
									: NULL;
	struct ik_needle needle;

	search->failed = search->query.length > 0;
	if (search->query.length == 0) {
		search->found = false;
		return;
	}
	ik_needle_init(&needle, search->query.data, search->query.length);
	for (size_t i = from; search->failed && i < count; i += (size_t)direction) {
		const char *text = ik_history_at(search->history, i, &length);

		if ((differs && old && old_length == length && memcmp(old, text, length) == 0) ||
			!find_last(&needle, text, length, &search->position, &search->length))
			continue;
		search->found = true;
		search->failed = false;
		search->index = i;
	}
	ik_needle_done(&needle);
}

void ik_history_search_type(struct ik_history_search *search, const char *text, size_t length)
{
	size_t before = search->query.length;

	ik_utf8_repair(&search->query, text, length);
	if (ik_buf_status(&search->query) != IK_OK) {
		ik_buf_truncate(&search->query, before);
		search->query.status = IK_OK;
		return;
	}
	look(search, search->found ? search->index : 0, 1, false);
}

void ik_history_search_erase(struct ik_history_search *search)
{
	if (search->query.length > 0)
		ik_buf_truncate(&search->query,
			ik_cluster_previous(search->query.data, search->query.length));
	look(search, 0, 1, false);
}

void ik_history_search_move(struct ik_history_search *search, int direction)
{
	if (!search->found) {
		look(search, 0, 1, false);
		return;
	}
	/* Going newer than the newest entry wraps the index, so nothing is found. */
	look(search, search->index + (size_t)direction, direction, true);
}
