#include "journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/base64.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limit on the names tried for a new journal. */
#define TRIES 100

struct ik_journal {
	char *path;
	int fd;
	int64_t size;
	bool torn;     /* a partly written record could not be removed */
	bool unlocked; /* the file could not be locked */
	bool filled;   /* there is a record after the first line */
	struct ik_buf line;
};

/* Report a failed write. If the first line cannot be written, name the directory: the file name
 * differs with each attempt, and the error should not. */
static enum ik_status say_unwritten(const struct ik_journal *journal, int number,
	struct ik_error *error)
{
	char *directory = ik_path_directory(journal->path);
	enum ik_status status = ik_error_set_errno(error, number, _("The journal %s cannot be written"),
		journal->size > 0 ? journal->path : directory);

	free(directory);
	return status;
}

/* Write the line that was built. Remove it if only a part was written, or the next record would
 * follow that part. */
static enum ik_status append(struct ik_journal *journal, struct ik_error *error)
{
	ssize_t written;
	int number;

	ik_buf_putc(&journal->line, '\n');
	if (ik_buf_status(&journal->line) != IK_OK)
		return ik_buf_check(&journal->line, "The record for the journal", error);
	if (journal->torn) {
		/* End the torn line, which readers skip; its record has failed. */
		ik_buf_insert(&journal->line, 0, "\n", 1);
		if (ik_buf_status(&journal->line) != IK_OK)
			return ik_buf_check(&journal->line, "The record for the journal", error);
	}
	do
		written = write(journal->fd, journal->line.data, journal->line.length);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)journal->line.length) {
		/* Include the torn line. */
		journal->size = journal->torn ? lseek(journal->fd, 0, SEEK_CUR) : journal->size + written;
		journal->torn = false;
		return IK_OK;
	}
	number = written < 0 ? errno : ENOSPC;
	if (written > 0 && ftruncate(journal->fd, journal->size) != 0)
		journal->torn = true;
	return say_unwritten(journal, number, error);
}

/* Start a line, which add_record() ends. */
static struct ik_buf *begin_record(struct ik_journal *journal)
{
	ik_buf_clear(&journal->line);
	return &journal->line;
}

static enum ik_status add_record(struct ik_journal *journal, struct ik_error *error)
{
	enum ik_status status = append(journal, error);

	journal->filled = journal->filled || status == IK_OK;
	/* Don't keep the memory of a large output. */
	if (journal->line.capacity > IK_MIB(1))
		ik_buf_done(&journal->line);
	return status;
}

static enum ik_status add_first_line(struct ik_journal *journal, const char *writer,
	const struct ik_journal_session *session, struct ik_error *error)
{
	struct ik_buf *line = &journal->line;

	ik_json_printf(line, "{'journal':%d,'session':'%s','writer':'%s','directory':'%s'",
		IK_JOURNAL_VERSION, session->id, writer, session->directory);
	ik_json_printf(line, "'created_ms':%lld,'after':%lld", (long long)session->created_ms,
		(long long)session->after);
	if (session->parent)
		ik_json_printf(line, "'parent':'%s','forked_at':%lld", session->parent,
			(long long)session->forked_at);
	if (journal->unlocked)
		ik_json_printf(line, "'unlocked':true");
	ik_json_printf(line, "}");
	return append(journal, error);
}

static struct ik_journal *release(struct ik_journal *journal)
{
	if (journal->fd >= 0)
		(void)close(journal->fd);
	ik_buf_done(&journal->line);
	free(journal->path);
	free(journal);
	return NULL;
}

/* Create the file and lock it. A reader that tests the lock at that moment holds it briefly: then
 * use another name, because a journal without a lock counts as abandoned. On a file system without
 * locks, a journal is only removed after it was closed. */
static enum ik_status create(struct ik_journal *journal, const char *directory, const char *session,
	struct ik_error *error)
{
	char name[IK_UUID_TEXT];

	for (int tries = 0; tries < TRIES; tries++) {
		/* A process may write several journals for a session, one after another. */
		ik_uuid_new(name);
		journal->path = ik_format("%s/%s.%s", directory, session, name);
		journal->fd = open(journal->path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (journal->fd < 0)
			break;
		journal->unlocked = flock(journal->fd, LOCK_EX | LOCK_NB) != 0;
		if (!journal->unlocked || errno != EWOULDBLOCK)
			return IK_OK;
		(void)unlink(journal->path);
		(void)close(journal->fd);
		journal->fd = -1;
		free(journal->path);
		journal->path = NULL;
	}
	return ik_error_set_errno(error, errno, _("The journal %s cannot be made"), directory);
}

enum ik_status ik_journal_new(const char *directory, const char *writer,
	const struct ik_journal_session *session, struct ik_journal **ret_journal,
	struct ik_error *error)
{
	struct ik_journal *journal = ik_alloc(sizeof(*journal));
	enum ik_status status;

	ik_buf_init(&journal->line, IK_LIMIT_ENVELOPE);
	status = create(journal, directory, session->id, error);
	if (status == IK_OK) {
		status = add_first_line(journal, writer, session, error);
		if (status != IK_OK)
			(void)unlink(journal->path);
	}
	if (status != IK_OK) {
		(void)release(journal);
		return status;
	}
	*ret_journal = journal;
	return IK_OK;
}

/* Append a record that contains an event. */
static enum ik_status add_event(struct ik_journal *journal, const char *member,
	const struct ik_message *message, struct ik_error *error)
{
	struct ik_buf *line = begin_record(journal);

	ik_json_printf(line, "{");
	ik_json_key(line, member);
	ik_event_line_put(line, NULL, message);
	ik_json_printf(line, "}");
	return add_record(journal, error);
}

enum ik_status ik_journal_add_event(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error)
{
	return add_event(journal, "event", message, error);
}

enum ik_status ik_journal_begin_reply(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error)
{
	return add_event(journal, "begin", message, error);
}

enum ik_status ik_journal_grow_reply(struct ik_journal *journal, const char *id, const char *text,
	size_t length, struct ik_error *error)
{
	ik_json_printf(begin_record(journal), "{'more':'%s','text':'%.*s'}", id, (int)length, text);
	return add_record(journal, error);
}

enum ik_status ik_journal_drop_reply(struct ik_journal *journal, const char *id,
	struct ik_error *error)
{
	ik_json_printf(begin_record(journal), "{'drop':'%s'}", id);
	return add_record(journal, error);
}

enum ik_status ik_journal_add_part(struct ik_journal *journal, const char *blob, int64_t part,
	const char *bytes, size_t length, struct ik_error *error)
{
	struct ik_buf *line = begin_record(journal);

	ik_json_printf(line, "{'blob':'%s','part':%lld,'base64':", blob, (long long)part);
	ik_buf_putc(line, '"');
	ik_base64_put(line, bytes, length);
	ik_buf_puts(line, "\"}");
	return add_record(journal, error);
}

enum ik_status ik_journal_check(const struct ik_journal *journal, struct ik_error *error)
{
	struct stat about;

	if (fstat(journal->fd, &about) != 0 || about.st_nlink > 0)
		return IK_OK;
	return ik_error_set_errno(error, ENOENT, _("The journal %s cannot be read"), journal->path);
}

const char *ik_journal_name(const struct ik_journal *journal)
{
	return ik_path_base(journal->path);
}

int64_t ik_journal_size(const struct ik_journal *journal)
{
	return journal->size;
}

struct ik_journal *ik_journal_close(struct ik_journal *journal)
{
	struct ik_error error;

	if (!journal)
		return NULL;
	if (!journal->filled) {
		(void)unlink(journal->path);
		return release(journal);
	}
	ik_json_printf(begin_record(journal), "{'closed':true}");
	/* If this fails, the store recognises by the lock that the writer is gone. */
	(void)!add_record(journal, &error);
	return release(journal);
}
