#include "journal/journal_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "journal/journal.h"
#include "util/alloc.h"
#include "util/text.h"

struct ik_journal_reader {
	char *path;
	FILE *file;
	char *line; /* allocated by getline */
	size_t line_size;
	int64_t start, place;
	struct ik_journal_head head;
};

static enum ik_status damaged(const struct ik_journal_reader *reader, struct ik_error *error)
{
	return ik_error_set(error, IK_INVALID, _("The journal %s is damaged at byte %lld."),
		reader->path, (long long)reader->place);
}

/* Read a whole line and check that it is a JSON object. */
static enum ik_status read_line(struct ik_journal_reader *reader, struct ik_json_span *ret_line,
	struct ik_error *error)
{
	ssize_t length = getline(&reader->line, &reader->line_size, reader->file);
	enum ik_status status = IK_OK;

	if (length <= 0 || reader->line[length - 1] != '\n') {
		bool failed = length < 0 && !feof(reader->file);
		int number = errno;

		clearerr(reader->file);
		(void)fseeko(reader->file, reader->place, SEEK_SET);
		/* Many journals can be open at their end, each after a large line. */
		free(reader->line);
		reader->line = NULL;
		reader->line_size = 0;
		return failed
			? ik_error_set_errno(error, number, _("The journal %s cannot be read"), reader->path)
			: IK_NOT_FOUND;
	}
	if (ik_json_check_around(reader->line, (size_t)length - 1, IK_EVENT_LINE_LEVELS, ret_line,
			NULL) != IK_OK ||
		ik_json_span_type(*ret_line) != IK_JSON_OBJECT)
		status = damaged(reader, error);
	reader->place += length;
	return status;
}

static enum ik_status read_head(struct ik_journal_reader *reader, struct ik_error *error)
{
	struct ik_journal_head *head = &reader->head;
	struct ik_json_span line;
	enum ik_status status = read_line(reader, &line, error);
	int64_t version = 0;

	if (status == IK_NOT_FOUND)
		return ik_error_set(error, IK_NOT_FOUND, _("The journal %s has no whole line yet."),
			reader->path);
	if (status != IK_OK)
		return status;
	(void)ik_event_line_id(line, "parent", head->parent);
	head->directory = ik_json_string_new(ik_json_member(line, "directory"), NULL);
	(void)ik_json_integer(ik_json_member(line, "forked_at"), &head->forked_at);
	head->unlocked = ik_json_is_true(ik_json_member(line, "unlocked"));
	if (!ik_json_integer(ik_json_member(line, "journal"), &version) ||
		!ik_event_line_id(line, "session", head->session) ||
		!ik_event_line_id(line, "writer", head->writer) || !head->directory ||
		!ik_json_integer(ik_json_member(line, "created_ms"), &head->created_ms) ||
		!ik_json_integer(ik_json_member(line, "after"), &head->after)) {
		reader->place = 0;
		return damaged(reader, error);
	}
	if (version > IK_JOURNAL_VERSION)
		return ik_error_set(error, IK_DENIED,
			_("The journal %s was written by a newer ikigai. Update ikigai."), reader->path);
	reader->start = reader->place;
	return IK_OK;
}

enum ik_status ik_journal_reader_open(const char *path, struct ik_journal_reader **ret_reader,
	struct ik_error *error)
{
	struct ik_journal_reader *reader = ik_alloc(sizeof(*reader));
	enum ik_status status;
	int fd;

	reader->path = ik_strdup(path);
	fd = open(reader->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		reader->file = fdopen(fd, "r");
	if (!reader->file) {
		status = ik_error_set_errno(error, errno, _("The journal %s cannot be read"), reader->path);
		if (fd >= 0)
			(void)close(fd);
	} else {
		status = read_head(reader, error);
	}
	if (status == IK_OK)
		*ret_reader = reader;
	else
		(void)ik_journal_reader_close(reader);
	return status;
}

struct ik_journal_reader *ik_journal_reader_close(struct ik_journal_reader *reader)
{
	if (!reader)
		return NULL;
	if (reader->file)
		(void)fclose(reader->file);
	free(reader->head.directory);
	free(reader->line);
	free(reader->path);
	free(reader);
	return NULL;
}

const struct ik_journal_head *ik_journal_reader_head(const struct ik_journal_reader *reader)
{
	return &reader->head;
}

int64_t ik_journal_reader_start(const struct ik_journal_reader *reader)
{
	return reader->start;
}

int64_t ik_journal_reader_place(const struct ik_journal_reader *reader)
{
	return reader->place;
}

enum ik_status ik_journal_reader_go_to(struct ik_journal_reader *reader, int64_t place,
	struct ik_error *error)
{
	if (fseeko(reader->file, place, SEEK_SET) != 0)
		return ik_error_set_errno(error, errno, _("The journal %s cannot be read"), reader->path);
	reader->place = place;
	return IK_OK;
}

enum ik_status ik_journal_reader_next(struct ik_journal_reader *reader,
	struct ik_journal_record *ret_record, struct ik_error *error)
{
	static const struct {
		const char *member;
		enum ik_journal_record_kind kind;
		bool nested;
	} kinds[] = {
		{ "event", IK_JOURNAL_EVENT, true },
		{ "begin", IK_JOURNAL_BEGIN, true },
		{ "more", IK_JOURNAL_MORE, false },
		{ "drop", IK_JOURNAL_DROP, false },
		{ "blob", IK_JOURNAL_PART, false },
		{ "closed", IK_JOURNAL_CLOSED, false },
	};
	struct ik_json_span line;
	enum ik_status status = read_line(reader, &line, error);

	if (status != IK_OK)
		return status;
	ret_record->kind = IK_JOURNAL_OTHER;
	ret_record->value = line;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct ik_json_span value = ik_json_member(line, kinds[i].member);

		if (ik_json_span_type(value) == IK_JSON_NONE)
			continue;
		ret_record->kind = kinds[i].kind;
		if (kinds[i].nested)
			ret_record->value = value;
		break;
	}
	return IK_OK;
}

bool ik_journal_reader_is_abandoned(struct ik_journal_reader *reader)
{
	return flock(fileno(reader->file), LOCK_SH | LOCK_NB) == 0;
}

enum ik_status ik_journal_reader_sync(struct ik_journal_reader *reader, struct ik_error *error)
{
	if (fdatasync(fileno(reader->file)) == 0)
		return IK_OK;
	return ik_error_set_errno(error, errno, _("The journal %s cannot be written"), reader->path);
}
