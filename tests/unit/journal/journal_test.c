#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../support/scratch.h"
#include "journal/event_line.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "util/alloc.h"
#include "util/limits.h"

#define WRITER "01234567-89ab-7def-8123-456789abcdef"
#define SESSION "fedcba98-7654-7210-8edc-ba9876543210"
#define BLOB "0a0b0c0d-0102-7304-8506-0708090a0b0c"

static char directory[] = SCRATCH_TEMPLATE;
static struct ik_error problem;

static void begin(void)
{
	strcpy(directory, SCRATCH_TEMPLATE);
	(void)scratch_make(directory);
}

static void end(void)
{
	scratch_remove(directory);
}

TestSuite(journal, .init = begin, .fini = end);

/* Of the journal's file. */
static char name[128] = SESSION "." WRITER;

static struct ik_journal *start(void)
{
	const struct ik_journal_session session = {
		.id = SESSION,
		.directory = "/work \xc3\xa9",
		.created_ms = 12345,
		.after = 7,
		.parent = BLOB,
		.forked_at = 5,
	};
	struct ik_journal *journal = NULL;

	cr_assert_eq(ik_journal_new(directory, WRITER, &session, &journal, &problem), IK_OK, "%s",
		problem.text);
	(void)snprintf(name, sizeof(name), "%s", ik_journal_name(journal));
	return journal;
}

static struct ik_journal_reader *open_reader(void)
{
	struct ik_journal_reader *reader = NULL;
	char *path = ik_format("%s/%s", directory, name);

	cr_assert_eq(ik_journal_reader_open(path, &reader, &problem), IK_OK, "%s", problem.text);
	free(path);
	return reader;
}

static struct ik_message *user(const char *text, size_t length)
{
	return ik_message_new(IK_KIND_USER, text, length, NULL, 0);
}

static void add(struct ik_journal *journal, const char *text)
{
	struct ik_message *message = user(text, strlen(text));

	cr_assert_eq(ik_journal_add_event(journal, message, &problem), IK_OK, "%s", problem.text);
	ik_message_unref(message);
}

/* The content of the next record, which is an event. */
static char *next_content(struct ik_journal_reader *reader)
{
	struct ik_journal_record record;
	struct ik_message *message;
	char *content;

	cr_assert_eq(ik_journal_reader_next(reader, &record, &problem), IK_OK, "%s", problem.text);
	cr_assert_eq(record.kind, IK_JOURNAL_EVENT);
	message = ik_event_line_read(record.value);
	cr_assert_not_null(message);
	content = ik_strdup(message->content);
	ik_message_unref(message);
	return content;
}

static void expect_content(struct ik_journal_reader *reader, const char *expected)
{
	char *content = next_content(reader);

	cr_assert_str_eq(content, expected);
	free(content);
}

static void expect_end(struct ik_journal_reader *reader)
{
	struct ik_journal_record record;

	cr_assert_eq(ik_journal_reader_next(reader, &record, &problem), IK_NOT_FOUND);
}

Test(journal, gives_back_what_was_written)
{
	static const char data[] = "{\"a\":1,\"a\":2,\"n\":12345678901234567890,\"s\":\"\\u0000\"}";
	struct ik_message *message = ik_message_new(IK_KIND_TOOL_CALL, "x\0y\n\xf0\x9f\x98\x80", 8,
		data, sizeof(data) - 1);
	struct ik_journal *journal = start();
	struct ik_journal_reader *reader = open_reader();
	const struct ik_journal_head *head = ik_journal_reader_head(reader);
	struct ik_journal_record record;
	struct ik_message *read;

	cr_assert_str_eq(head->session, SESSION);
	cr_assert_str_eq(head->writer, WRITER);
	cr_assert_str_eq(head->parent, BLOB);
	cr_assert_str_eq(head->directory, "/work \xc3\xa9");
	cr_assert_eq(head->created_ms, 12345);
	cr_assert_eq(head->after, 7);
	cr_assert_eq(head->forked_at, 5);
	cr_assert_eq(ik_journal_add_event(journal, message, &problem), IK_OK);
	cr_assert_eq(ik_journal_reader_next(reader, &record, &problem), IK_OK);
	read = ik_event_line_read(record.value);
	cr_assert_not_null(read);
	cr_assert_eq(read->kind, IK_KIND_TOOL_CALL);
	cr_assert_str_eq(read->id, message->id);
	cr_assert_eq(read->time_ms, message->time_ms);
	cr_assert_eq(read->content_length, message->content_length);
	cr_assert_eq(memcmp(read->content, message->content, read->content_length), 0);
	cr_assert_str_eq(read->data, data);
	expect_end(reader);
	cr_assert_eq(ik_journal_reader_place(reader), ik_journal_size(journal));
	ik_message_unref(read);
	ik_message_unref(message);
	(void)ik_journal_reader_close(reader);
	(void)ik_journal_close(journal);
}

Test(journal, has_replies_parts_and_an_end)
{
	static const enum ik_journal_record_kind kinds[] = { IK_JOURNAL_BEGIN, IK_JOURNAL_MORE,
		IK_JOURNAL_PART, IK_JOURNAL_CLOSED };
	struct ik_message *reply = ik_message_new(IK_KIND_ASSISTANT, "Once", 4, NULL, 0);
	struct ik_journal *journal = start();
	struct ik_journal_reader *reader;
	struct ik_journal_record record;

	cr_assert_eq(ik_journal_begin_reply(journal, reply, &problem), IK_OK);
	cr_assert_eq(ik_journal_grow_reply(journal, reply->id, " upon", 5, &problem), IK_OK);
	cr_assert_eq(ik_journal_add_part(journal, BLOB, 0, "\0\xff", 2, &problem), IK_OK);
	reader = open_reader();
	cr_assert_not(ik_journal_reader_is_abandoned(reader), "its writer lives");
	(void)ik_journal_close(journal);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		cr_assert_eq(ik_journal_reader_next(reader, &record, &problem), IK_OK);
		cr_assert_eq(record.kind, kinds[i], "%zu", i);
	}
	expect_end(reader);
	cr_assert(ik_journal_reader_is_abandoned(reader));
	(void)ik_journal_reader_close(reader);
	ik_message_unref(reply);
}

Test(journal, is_its_owners_alone_and_gone_when_nothing_was_said)
{
	struct ik_journal *journal = start();
	char *path = ik_format("%s/%s", directory, ik_journal_name(journal));
	struct stat info;

	cr_assert_eq(stat(path, &info), 0);
	cr_assert_eq(info.st_mode & 0777, 0600);
	(void)ik_journal_close(journal);
	cr_assert_neq(stat(path, &info), 0);
	free(path);
}

/* A disk that takes only a part of a record: the file is as it was, and the record may come again. */
Test(journal, has_no_torn_record_when_the_disk_is_full)
{
	struct ik_journal *journal = start();
	struct rlimit limit;
	char text[4096];
	struct ik_message *message;
	struct ik_journal_reader *reader;
	int64_t size;

	memset(text, 'x', sizeof(text));
	message = user(text, sizeof(text));
	add(journal, "before");
	size = ik_journal_size(journal);
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = (rlim_t)size + 1000;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_eq(ik_journal_add_event(journal, message, &problem), IK_IO);
	cr_assert_not_null(strstr(problem.text, directory));
	cr_assert_eq(ik_journal_size(journal), size);
	add(journal, "a small one fits");
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_eq(ik_journal_add_event(journal, message, &problem), IK_OK);
	reader = open_reader();
	expect_content(reader, "before");
	expect_content(reader, "a small one fits");
	free(next_content(reader));
	expect_end(reader);
	(void)ik_journal_reader_close(reader);
	ik_message_unref(message);
	(void)ik_journal_close(journal);
}

/* Each attempt to begin one says the same, whatever it would have been named. */
Test(journal, one_that_cannot_be_begun_names_the_directory)
{
	const struct ik_journal_session session = { .id = SESSION, .directory = "/work" };
	struct ik_journal *journal = NULL;
	struct rlimit limit;
	char *missing = ik_format("%s/missing", directory);

	cr_assert_neq(ik_journal_new(missing, WRITER, &session, &journal, &problem), IK_OK);
	cr_expect_not_null(strstr(problem.text, missing));
	cr_expect_null(strstr(problem.text, SESSION), "%s", problem.text);
	(void)signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 20;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_assert_neq(ik_journal_new(directory, WRITER, &session, &journal, &problem), IK_OK);
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	cr_expect_not_null(strstr(problem.text, directory));
	cr_expect_null(strstr(problem.text, SESSION), "%s", problem.text);
	free(missing);
}

/* Killed between any two instructions, the writer leaves whole records. */
Test(journal, has_whole_records_after_a_kill)
{
	for (int round = 0; round < 20; round++) {
		struct ik_journal_reader *reader;
		struct ik_journal_record record;
		int ready[2];
		pid_t child;

		cr_assert_eq(pipe(ready), 0);
		child = fork();
		if (child == 0) {
			struct ik_journal *journal = start();

			(void)!write(ready[1], name, sizeof(name));
			for (;;)
				add(journal, "a record that is written again and again");
		}
		cr_assert_eq(read(ready[0], name, sizeof(name)), sizeof(name));
		(void)usleep((useconds_t)(rand() % 2000));
		(void)kill(child, SIGKILL);
		cr_assert_eq(waitpid(child, NULL, 0), child);
		reader = open_reader();
		cr_assert(ik_journal_reader_is_abandoned(reader));
		while (ik_journal_reader_next(reader, &record, &problem) == IK_OK)
			cr_assert_eq(record.kind, IK_JOURNAL_EVENT);
		expect_end(reader);
		(void)ik_journal_reader_close(reader);
		(void)close(ready[0]);
		(void)close(ready[1]);
		end();
		begin();
	}
}

/* Write a file by hand, and open it as a journal. */
static enum ik_status open_text(const char *text, struct ik_journal_reader **ret_reader)
{
	char *path = ik_format("%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	enum ik_status status;

	cr_assert_not_null(file);
	cr_assert_geq(fputs(text, file), 0);
	cr_assert_eq(fclose(file), 0);
	*ret_reader = NULL;
	status = ik_journal_reader_open(path, ret_reader, &problem);
	free(path);
	return status;
}

#define HEAD \
	"{\"journal\":1,\"session\":\"" SESSION "\",\"writer\":\"" WRITER \
	"\",\"directory\":\"\",\"created_ms\":1,\"after\":0}\n"

Test(journal, reads_on_after_damage)
{
	static const char good[] = "{\"event\":{\"id\":\"" BLOB
							   "\",\"kind\":\"user\",\"time\":1,\"content\":\"good\"}}\n";
	char *text = ik_format("%s%s%s%s", HEAD, "[1]\n\n{\"event\":\n", good, "{\"ev");
	struct ik_journal_reader *reader;
	struct ik_journal_record record;

	cr_assert_eq(open_text(text, &reader), IK_OK, "%s", problem.text);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(ik_journal_reader_next(reader, &record, &problem), IK_INVALID);
		cr_assert_not_null(strstr(problem.text, SESSION));
	}
	expect_content(reader, "good");
	expect_end(reader);
	expect_end(reader);
	(void)ik_journal_reader_close(reader);
	free(text);
}

Test(journal, refuses_what_it_does_not_know)
{
	struct ik_journal_reader *reader;

	cr_assert_eq(open_text("", &reader), IK_NOT_FOUND);
	cr_assert_eq(open_text("{\"journal\":1", &reader), IK_NOT_FOUND);
	cr_assert_eq(open_text("{\"journal\":1}\n", &reader), IK_INVALID);
	cr_assert_eq(open_text("text\n", &reader), IK_INVALID);
	cr_assert_eq(open_text("{\"journal\":2,\"session\":\"" SESSION "\",\"writer\":\"" WRITER
						   "\",\"directory\":\"\",\"created_ms\":1,\"after\":0}\n",
					 &reader),
		IK_DENIED);
	cr_assert_not_null(strstr(problem.text, "newer"));
	cr_assert_eq(open_text(HEAD, &reader), IK_OK);
	(void)ik_journal_reader_close(reader);
	cr_assert_eq(ik_journal_reader_open("/nowhere/missing", &reader, &problem), IK_NOT_FOUND);
}

/* Neither a link nor something that would block is opened. */
Test(journal, follows_no_link_and_waits_for_nothing)
{
	char *link_path = ik_format("%s/link", directory), *fifo = ik_format("%s/fifo", directory);
	struct ik_journal_reader *reader = NULL;

	cr_assert_eq(symlink("/etc/passwd", link_path), 0);
	cr_assert_eq(mkfifo(fifo, 0600), 0);
	cr_assert_neq(ik_journal_reader_open(link_path, &reader, &problem), IK_OK);
	cr_assert_neq(ik_journal_reader_open(fifo, &reader, &problem), IK_OK);
	free(link_path);
	free(fifo);
}
