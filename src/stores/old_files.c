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

/* A file being converted to journals, one for each session. */
struct converting {
	const char *journals;
	bool begun;            /* its events are partial replies */
	struct ik_error error; /* why something couldn't be converted */
	struct ik_journal **open;
	size_t count;
	struct ik_journal *journal; /* of the newest line; NULL if it can't be written */
};

/* Switch to the journal of a session, whose ID its name starts with. */
static void go_to_journal(struct converting *converting, const struct ik_journal_session *session)
{
	char writer[IK_UUID_TEXT];

	converting->journal = NULL;
	for (size_t i = 0; i < converting->count; i++)
		if (ik_text_starts(ik_journal_name(converting->open[i]), session->id))
			converting->journal = converting->open[i];
	if (converting->journal)
		return;
	ik_uuid_new(writer);
	if (ik_journal_new(converting->journals, writer, session, &converting->journal,
			&converting->error) != IK_OK)
		return;
	converting->open = ik_alloc_array(converting->open, converting->count + 1,
		sizeof(struct ik_journal *));
	converting->open[converting->count++] = converting->journal;
}

/* ---- events ---- */

static void take_event(struct converting *converting, struct ik_json_span line)
{
	char id[IK_UUID_TEXT], parent[IK_UUID_TEXT];
	struct ik_journal_session session = { .id = id, .after = -1 };
	char *directory = ik_json_text_new(ik_json_member(line, "directory"));
	struct ik_message *message = ik_event_line_read(line), *notice;
	struct ik_error *error = &converting->error;

	session.directory = directory ? directory : "";
	session.parent = ik_event_line_id(line, "parent", parent) ? parent : NULL;
	(void)ik_json_integer(ik_json_member(line, "created_ms"), &session.created_ms);
	(void)ik_json_integer(ik_json_member(line, "forked_at"), &session.forked_at);
	(void)ik_json_integer(ik_json_member(line, "known"), &session.after);
	/* Beside a database, a tool could have written this system prompt: in a session that has a prompt,
	 * turn it into a notice, so that it can't instruct the model. */
	if (message && message->kind == IK_KIND_SYSTEM && session.after != 0) {
		notice = ik_message_system_notice(message);
		ik_message_unref(message);
		message = notice;
	}
	/* If the newest known event is unknown, put these after all others. */
	if (session.after < 0)
		session.after = INT64_MAX;
	converting->journal = NULL;
	/* The events may belong to a fork. */
	if (message &&
		(ik_event_line_id(line, "stored_as", id) || ik_event_line_id(line, "session", id)))
		go_to_journal(converting, &session);
	if (converting->journal && converting->begun)
		(void)!ik_journal_begin_reply(converting->journal, message, error);
	else if (converting->journal)
		(void)!ik_journal_add_event(converting->journal, message, error);
	ik_message_unref(message);
	free(directory);
}

/* Append to the newest reply. */
static void take_more(struct converting *converting, struct ik_json_span line, const char *id)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_REPLY);
	if (converting->journal && ik_json_string(ik_json_member(line, "content"), &text))
		(void)!ik_journal_grow_reply(converting->journal, id, text.data, text.length,
			&converting->error);
	ik_buf_done(&text);
}

static void convert_lines(struct converting *converting, FILE *file)
{
	char *text = NULL, id[IK_UUID_TEXT];
	struct ik_json_span line;
	size_t capacity = 0;
	ssize_t length;

	while ((length = getline(&text, &capacity, file)) >= 0) {
		if (ik_json_check(text, (size_t)length, &line, NULL) != IK_OK)
			continue;
		(void)ik_json_bool(ik_json_member(line, "begun"), &converting->begun);
		if (ik_event_line_id(line, "more", id))
			take_more(converting, line, id);
		else
			take_event(converting, line);
	}
	free(text);
}

/* ---- large texts ---- */

/* Copy a text's bytes, as far as the file has them, to the journal in parts. */
static void copy_parts(struct converting *converting, FILE *file, const char *id, int64_t length)
{
	char *part = ik_alloc(IK_LIMIT_PART);
	size_t got = 1;

	for (int64_t number = 0; length > 0 && got > 0; number++) {
		got = fread(part, 1, (size_t)length < IK_LIMIT_PART ? (size_t)length : IK_LIMIT_PART, file);
		length -= (int64_t)got;
		if (got > 0)
			(void)!ik_journal_add_part(converting->journal, id, number, part, got,
				&converting->error);
	}
	free(part);
}

/* Convert large texts: each is a line with its ID and its length, then its bytes. */
static void convert_texts(struct converting *converting, FILE *file)
{
	char session[IK_UUID_TEXT], id[IK_UUID_TEXT];
	struct ik_json_span line;
	size_t capacity = 0;
	char *text = NULL;
	int64_t length = 0;
	ssize_t got;

	ik_uuid_new(session);
	go_to_journal(converting, &(struct ik_journal_session){ .id = session, .directory = "" });
	while (converting->journal && (got = getline(&text, &capacity, file)) >= 0 &&
		ik_json_check(text, (size_t)got, &line, NULL) == IK_OK &&
		ik_event_line_id(line, "blob", id) &&
		ik_json_integer(ik_json_member(line, "bytes"), &length))
		copy_parts(converting, file, id, length);
	free(text);
}

/* ---- files ---- */

/* Open a regular file of this user that no process has locked; NULL if it isn't one. */
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

static void convert(const char *path, const char *journals)
{
	struct converting converting = { .journals = journals };
	FILE *file = open_file(path);

	if (!file)
		return;
	if (ik_text_ends(path, ".jsonl"))
		convert_lines(&converting, file);
	else
		convert_texts(&converting, file);
	while (converting.count > 0)
		(void)ik_journal_close(converting.open[--converting.count]);
	free(converting.open);
	if (converting.error.status == IK_OK && !ferror(file))
		(void)unlink(path);
	(void)fclose(file);
}

void ik_old_files_convert_in(const char *directory, const char *prefix, const char *journals)
{
	struct dirent **entries = NULL;
	/* Oldest first: the IDs at the end of the names grow with time. */
	int count = scandir(directory, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (ik_text_starts(name, prefix) &&
			(ik_text_ends(name, ".jsonl") || ik_text_ends(name, ".blobs"))) {
			char *path = ik_path_join(directory, name);

			convert(path, journals);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
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
		ik_old_files_convert_in(directories[i], prefix, journals);
		free(directories[i]);
	}
}
