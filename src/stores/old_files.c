#include "stores/old_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/event_line.h"
#include "journal/journal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Sessions of a file that are written at a time. */
#define JOURNALS_LIMIT 64

struct old_session {
	char id[IK_UUID_TEXT];
	struct ik_journal *journal;
};

/* A file that is being turned into journals. */
struct converting {
	const char *journals;
	bool tools; /* may have written it */
	bool begun; /* it has a reply that was still arriving */
	bool failed;
	struct old_session sessions[JOURNALS_LIMIT];
	size_t count;
	struct ik_journal *journal; /* of the newest event */
	struct ik_message *message; /* that, NULL: there is none */
	struct ik_buf more;         /* of its content, from further lines */
};

/* ---- events ---- */

static void check(struct converting *converting, enum ik_status status)
{
	converting->failed = converting->failed || status != IK_OK;
}

/* The event with all of its content; more is empty then. */
static struct ik_message *with_more(struct ik_message *message, struct ik_buf *more)
{
	struct ik_message *whole;

	ik_buf_insert(more, 0, message->content, message->content_length);
	whole = ik_message_stored(message->kind, message->id, 0, message->time_ms, more->data,
		more->length, message->data, message->data_length);
	ik_buf_clear(more);
	ik_message_unref(message);
	return whole;
}

/* Add the newest event to its journal: it is whole, as far as the file goes. */
static void deliver(struct converting *converting)
{
	struct ik_message *message = converting->message;
	struct ik_journal *journal = converting->journal;
	struct ik_error ignored;

	converting->message = NULL;
	if (!message || !journal)
		return;
	if (converting->more.length > 0)
		message = with_more(message, &converting->more);
	check(converting,
		converting->begun ? ik_journal_begin_reply(journal, message, &ignored)
						  : ik_journal_add_event(journal, message, &ignored));
	ik_message_unref(message);
}

static void close_journals(struct converting *converting)
{
	deliver(converting);
	while (converting->count > 0)
		(void)ik_journal_close(converting->sessions[--converting->count].journal);
}

/* The journal of the session that a line names; NULL: it cannot be written. */
static struct ik_journal *journal_of(struct converting *converting, const char *id,
	const struct ik_journal_session *session)
{
	struct old_session *found = converting->sessions;
	char writer[IK_UUID_TEXT];
	struct ik_error ignored;

	for (size_t i = 0; i < converting->count; i++, found++)
		if (ik_text_equal(found->id, id))
			return found->journal;
	if (converting->count == JOURNALS_LIMIT)
		close_journals(converting);
	found = &converting->sessions[converting->count];
	ik_uuid_new(writer);
	if (ik_journal_new(converting->journals, writer, session, &found->journal, &ignored) != IK_OK) {
		converting->failed = true;
		return NULL;
	}
	memcpy(found->id, id, IK_UUID_TEXT);
	converting->count++;
	return found->journal;
}

/* The event of a line; NULL: it has none. */
static struct ik_message *event_of(struct ik_json_span line)
{
	char *kind_name = ik_json_text_new(ik_json_member(line, "kind"));
	struct ik_json_span data = ik_json_member(line, "data");
	struct ik_message *message = NULL;
	char id[IK_UUID_TEXT];
	struct ik_buf content;
	int64_t time_ms = 0;
	enum ik_kind kind;

	ik_buf_init(&content, IK_LIMIT_ENVELOPE);
	if (ik_json_span_type(data) == IK_JSON_NULL)
		data = (struct ik_json_span){ NULL, 0 };
	if (ik_event_line_id(line, "id", id) && kind_name && ik_kind_from_name(kind_name, &kind) &&
		ik_json_string(ik_json_member(line, "content"), &content) &&
		ik_json_integer(ik_json_member(line, "time_ms"), &time_ms))
		message = ik_message_stored(kind, id, 0, time_ms, content.data, content.length, data.text,
			data.length);
	ik_buf_done(&content);
	free(kind_name);
	return message;
}

/* A tool could have written it: it must not tell the model what to do in a session that has a prompt. */
static struct ik_message *harmless(struct ik_message *message)
{
	struct ik_message *notice = ik_message_system_notice(message);

	ik_message_unref(message);
	return notice;
}

static void take_event(struct converting *converting, struct ik_json_span line)
{
	char id[IK_UUID_TEXT], parent[IK_UUID_TEXT], stored_as[IK_UUID_TEXT];
	struct ik_journal_session session = { .after = -1 };
	char *directory = ik_json_text_new(ik_json_member(line, "directory"));
	struct ik_message *message = event_of(line);

	(void)ik_json_integer(ik_json_member(line, "created_ms"), &session.created_ms);
	(void)ik_json_integer(ik_json_member(line, "forked_at"), &session.forked_at);
	(void)ik_json_integer(ik_json_member(line, "known"), &session.after);
	if (message && ik_event_line_id(line, "session", id)) {
		/* Its events belong to a fork. */
		if (ik_event_line_id(line, "stored_as", stored_as))
			memcpy(id, stored_as, sizeof(id));
		if (message->kind == IK_KIND_SYSTEM && session.after != 0 && converting->tools)
			message = harmless(message);
		session.id = id;
		session.directory = directory ? directory : "";
		session.parent = ik_event_line_id(line, "parent", parent) ? parent : NULL;
		/* Where it is not known which event is the newest, these come after it. */
		if (session.after < 0)
			session.after = INT64_MAX;
		converting->journal = journal_of(converting, id, &session);
		converting->message = message;
	} else {
		ik_message_unref(message);
	}
	free(directory);
}

/* More of the newest event's content; false: the line is another one. */
static bool take_more(struct converting *converting, struct ik_json_span line)
{
	char id[IK_UUID_TEXT];

	if (!ik_event_line_id(line, "more", id))
		return false;
	if (converting->message && ik_text_equal(converting->message->id, id))
		(void)ik_json_string(ik_json_member(line, "content"), &converting->more);
	return true;
}

static void convert_lines(struct converting *converting, FILE *file)
{
	size_t capacity = 0;
	char *text = NULL;
	struct ik_json_span line;
	ssize_t length;

	while ((length = getline(&text, &capacity, file)) >= 0) {
		if (ik_json_check(text, (size_t)length, &line, NULL) != IK_OK ||
			take_more(converting, line))
			continue;
		deliver(converting);
		(void)ik_json_bool(ik_json_member(line, "begun"), &converting->begun);
		take_event(converting, line);
	}
	free(text);
	converting->failed = converting->failed || ferror(file);
}

/* ---- large texts ---- */

/* Copy a text's bytes, as far as they are there, to the journal in parts. */
static void copy_parts(struct converting *converting, FILE *file, const char *id, int64_t length)
{
	char *part = ik_alloc(IK_LIMIT_PART);
	struct ik_error ignored;
	size_t got = 1;

	for (int64_t number = 0; length > 0 && got > 0; number++) {
		got = fread(part, 1, (size_t)length < IK_LIMIT_PART ? (size_t)length : IK_LIMIT_PART, file);
		length -= (int64_t)got;
		if (got > 0)
			check(converting,
				ik_journal_add_part(converting->journal, id, number, part, got, &ignored));
	}
	free(part);
}

/* Each text is a line with its id and its length, then its bytes. */
static void convert_texts(struct converting *converting, FILE *file)
{
	char session[IK_UUID_TEXT], id[IK_UUID_TEXT];
	struct ik_json_span line;
	size_t capacity = 0;
	char *text = NULL;
	int64_t length = 0;
	ssize_t got;

	ik_uuid_new(session);
	converting->journal = journal_of(converting, session,
		&(struct ik_journal_session){ .id = session, .directory = "" });
	while (converting->journal && (got = getline(&text, &capacity, file)) >= 0 &&
		ik_json_check(text, (size_t)got, &line, NULL) == IK_OK &&
		ik_event_line_id(line, "blob", id) &&
		ik_json_integer(ik_json_member(line, "bytes"), &length))
		copy_parts(converting, file, id, length);
	free(text);
}

/* ---- files ---- */

/* Open a file of this user's that no process has locked; NULL: it is none. */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;
	FILE *file = NULL;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &about) == 0 &&
		S_ISREG(about.st_mode) && about.st_uid == geteuid() && !(about.st_mode & 022))
		file = fdopen(fd, "r");
	if (fd >= 0 && !file)
		(void)close(fd);
	return file;
}

static void convert(const char *path, bool tools, const char *journals)
{
	struct converting *converting;
	FILE *file = open_file(path);

	if (!file)
		return;
	converting = ik_alloc(sizeof(*converting));
	converting->journals = journals;
	converting->tools = tools;
	ik_buf_init(&converting->more, IK_LIMIT_REPLY);
	if (ik_text_ends(path, ".jsonl"))
		convert_lines(converting, file);
	else
		convert_texts(converting, file);
	close_journals(converting);
	if (!converting->failed)
		(void)unlink(path);
	(void)fclose(file);
	ik_buf_done(&converting->more);
	free(converting);
}

void ik_old_files_convert_in(const char *directory, const char *prefix, bool tools,
	const char *journals)
{
	struct dirent **entries = NULL;
	/* Oldest first: the ids at the end of the names grow with time. */
	int count = scandir(directory, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (ik_text_starts(name, prefix) &&
			(ik_text_ends(name, ".jsonl") || ik_text_ends(name, ".blobs"))) {
			char *path = ik_path_join(directory, name);

			convert(path, tools, journals);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
}

/* Is it a directory that only this user can write to, and no link to one? */
static bool is_private(const char *directory)
{
	struct stat about;

	return lstat(directory, &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid() &&
		(about.st_mode & 077) == 0;
}

void ik_old_files_convert(const char *prefix, const char *journals)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	char *directories[] = {
		ik_format("%s/../spool", journals),
		ik_format("%s/../../spool", journals),
		ik_format("%s/ikigai", runtime && runtime[0] == '/' ? runtime : "/nowhere"),
	};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		if (is_private(directories[i]))
			ik_old_files_convert_in(directories[i], prefix, false, journals);
		free(directories[i]);
	}
}
