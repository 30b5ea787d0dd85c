#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "store_fixture.h"
#include "util/alloc.h"
#include "util/bytes.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

TestSuite(store_journal, .init = fixture_set_up, .fini = fixture_tear_down, .timeout = 60);

static void stop(void *loop)
{
	ik_loop_stop(loop);
}

/* Let the store do what it does for so long. */
static void pass(int64_t milliseconds)
{
	struct ik_timer *timer = ik_timer_new(fixture.loop, stop, fixture.loop);
	int64_t until = ik_clock_ms() + milliseconds, left;

	while ((left = until - ik_clock_ms()) > 0) {
		ik_timer_start(timer, left);
		fixture_run();
	}
	ik_timer_close(timer);
}

/* Nothing can be written beneath this path, whoever we are. */
static void block(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	cr_assert_geq(fd, 0);
	(void)close(fd);
}

/* Open the store where no journal can be written. */
static void open_blocked(bool spare)
{
	fixture_close();
	block(fixture.journals);
	if (spare) {
		(void)snprintf(fixture.spare, sizeof(fixture.spare), "%s/spare", fixture.directory);
		block(fixture.spare);
	}
	fixture_open();
}

Test(store_journal, that_cannot_be_written_anywhere_loses_and_changes_nothing)
{
	char id[IK_UUID_TEXT];

	open_blocked(true);
	fixture_session(id, "/x", 2);
	cr_assert_eq(ik_store_trouble(fixture.store), IK_STORE_REFUSES);
	pass(1500); /* tried again meanwhile */
	fixture_append(id, IK_KIND_USER, "3");
	pass(1500);
	fixture_append(id, IK_KIND_USER, "4");
	cr_assert_eq(unlink(fixture.spare), 0);
	cr_assert_eq(unlink(fixture.journals), 0);
	pass(1500);
	cr_assert_neq(ik_store_trouble(fixture.store), IK_STORE_REFUSES);
	fixture_append(id, IK_KIND_USER, "5");
	fixture_expect_page(id, 0, 10, "1 2 3 4 5");
	cr_assert_str_eq(fixture.forked, "");
}

/* From there it is stored as from the other disk, where the next one is begun. */
Test(store_journal, is_on_the_spare_disk_meanwhile)
{
	char id[IK_UUID_TEXT];

	open_blocked(true);
	cr_assert_eq(unlink(fixture.spare), 0);
	fixture_session(id, "/x", 2);
	cr_assert_neq(ik_store_trouble(fixture.store), IK_STORE_REFUSES);
	fixture_expect_page(id, 0, 10, "1 2");
	while (ik_store_waiting(fixture.store) > 0)
		pass(50);
	cr_assert_eq(unlink(fixture.journals), 0);
	pass(100);
	fixture_append(id, IK_KIND_USER, "3");
	fixture_expect_page(id, 0, 10, "1 2 3");
	cr_assert_eq(fixture_count_journals(), 1);
	cr_assert_str_eq(fixture.forked, "");
}

Test(store_journal, gets_a_large_text_by_itself_when_it_can_be_written_again)
{
	char id[IK_UUID_TEXT], session[IK_UUID_TEXT];
	struct ik_bytes *bytes;
	struct ik_buf text;

	open_blocked(false);
	ik_uuid_new(id);
	ik_uuid_new(session);
	ik_store_begin(fixture.store, session, "/x");
	ik_buf_init(&text, 1000);
	ik_buf_puts(&text, "large");
	bytes = ik_bytes_take(&text);
	ik_store_put_blob(fixture.store, session, id, bytes);
	ik_bytes_unref(bytes);
	pass(100);
	cr_assert_eq(unlink(fixture.journals), 0);
	fixture_query_until("SELECT count(*) FROM blobs", 1);
}

Test(store_journal, has_a_reply_that_grew_very_often)
{
	char id[IK_UUID_TEXT], text[5001];

	fixture_session(id, "/x", 1);
	memset(text, 'y', sizeof(text));
	for (size_t length = 1; length < sizeof(text); length++) {
		static char reply[IK_UUID_TEXT];
		struct ik_message *message;

		if (!reply[0])
			ik_uuid_new(reply);
		message = ik_message_stored(IK_KIND_ASSISTANT, reply, 0, 1, text, length, NULL, 0);
		ik_store_keep_reply(fixture.store, id, message);
		ik_message_unref(message);
	}
	fixture_append(id, IK_KIND_USER, "2");
	fixture_expect_page(id, 0, 10, "1 2");
	/* It is given up when very much follows. */
	for (int i = 0; i < 5000; i++)
		fixture_append(id, IK_KIND_USER, "3");
	fixture_expect_page(id, 0, 2, "3 3");
}

/* Have a store program that is this command; new memory, where it is. */
static char *make_program(const char *command)
{
	char *directory = ik_format("%s/programs", fixture.directory);
	char *path = ik_format("%s/store-%s", directory, fixture.server ? "postgres" : "sqlite");
	char *script = ik_format("#!/bin/sh\n%s\n", command);
	struct ik_error error;

	cr_assert_eq(ik_path_make(directory, 0700, &error), IK_OK);
	cr_assert_eq(ik_file_write(path, script, strlen(script), 0700, &error), IK_OK);
	free(script);
	free(path);
	return directory;
}

/* It only notes that it was started. */
static char *make_failing_program(void)
{
	char *command = ik_format("echo >>%s/starts", fixture.directory);
	char *directory = make_program(command);

	free(command);
	return directory;
}

static size_t count_starts(void)
{
	char *path = ik_format("%s/starts", fixture.directory);
	struct ik_error error;
	struct ik_buf lines;
	size_t count;

	ik_buf_init(&lines, 1 << 20);
	cr_assert_eq(ik_file_read(path, &lines, &error), IK_OK, "%s", error.text);
	count = lines.length;
	ik_buf_done(&lines);
	free(path);
	return count;
}

Test(store_journal, waits_while_the_store_program_dies_again_and_again)
{
	char *programs = make_failing_program(), id[IK_UUID_TEXT];
	const struct ik_store_options options = {
		.database = fixture.path,
		.journals = fixture.journals,
		.programs = programs,
		.patience_s = 20,
	};
	struct ik_error error;
	int64_t began;
	size_t lost;

	fixture_close();
	fixture.store = ik_store_open(fixture.loop, &options, &error);
	cr_assert_not_null(fixture.store);
	fixture_session(id, "/x", 2);
	cr_assert_neq(ik_store_trouble(fixture.store), IK_STORE_REFUSES);
	(void)fixture_wait(ik_store_list(fixture.store, NULL, 0, "", 1, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_UNAVAILABLE);
	pass(4000);
	cr_assert_lt(count_starts(), 16, "%zu", count_starts());
	began = ik_clock_ms();
	fixture.store = ik_store_close(fixture.store, &lost, &error);
	cr_assert_lt(ik_clock_ms() - began, 4000);
	cr_assert_eq(lost, 0);
	cr_assert_eq(error.status, IK_UNAVAILABLE);
	free(programs);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2");
}

/* What may take any time is not waited for any more: what came after it is overdue. */
Test(store_journal, waits_and_says_so_when_what_takes_long_is_called_off)
{
	char *programs = make_program("exec cat >/dev/null"), id[IK_UUID_TEXT];
	const struct ik_store_options options = {
		.database = fixture.path,
		.journals = fixture.journals,
		.programs = programs,
	};
	struct ik_store_read *slow;
	struct ik_error error;

	fixture_close();
	fixture.store = ik_store_open(fixture.loop, &options, &error);
	cr_assert_not_null(fixture.store);
	slow = ik_store_ask(fixture.store, "check", NULL, FIXTURE_READ);
	fixture_session(id, "/x", 2);
	pass(2500);
	cr_expect_eq(ik_store_trouble(fixture.store), IK_STORE_FINE);
	slow = ik_store_read_close(slow);
	pass(2500);
	cr_expect_eq(ik_store_trouble(fixture.store), fixture.server ? IK_STORE_AWAY : IK_STORE_IN_USE);
	fixture.store = ik_store_close(fixture.store, NULL, &error);
	cr_assert_eq(error.status, IK_UNAVAILABLE);
	free(programs);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2");
}

/* In a process that dies: go on with a session of three events. */
static void say_more(void *id)
{
	ik_store_continue(fixture.store, id, "/x", 3);
	fixture_append(id, IK_KIND_USER, "4");
	fixture_append(id, IK_KIND_USER, "5");
}

Test(store_journal, of_an_earlier_process_is_read_before_and_stored_when_that_can_be_done)
{
	char id[IK_UUID_TEXT];
	sqlite3 *db = NULL;

	if (fixture.server)
		return;
	fixture_session(id, "/x", 3);
	fixture_settle();
	fixture_close();
	cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fixture_die(say_more, id);
	fixture_open();
	fixture_expect_page(id, 0, 10, "1 2 3 4 5");
	fixture_expect_page(id, 0, 1, "5");
	fixture_expect_page(id, 5, 2, "3 4");
	cr_assert_eq(ik_store_waiting(fixture.store), 2);
	/* Whoever continues the session continues after them. */
	ik_store_continue(fixture.store, id, "/x", 5);
	fixture_append(id, IK_KIND_USER, "6");
	fixture_expect_page(id, 0, 10, "1 2 3 4 5 6");
	cr_assert_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	while (ik_store_waiting(fixture.store) > 0)
		pass(50);
	fixture_expect_page(id, 0, 10, "1 2 3 4 5 6");
	cr_assert_str_empty(fixture.forked);
}

/* A large journal is ended once it is stored, though only events are in it. */
Test(store_journal, that_is_large_is_begun_anew)
{
	const size_t length = IK_MIB(3);
	char *text = ik_alloc(length + 1), id[IK_UUID_TEXT];

	memset(text, 'x', length);
	fixture_session(id, "/x", 1);
	for (int i = 0; i < 3; i++)
		fixture_append(id, IK_KIND_USER, text);
	free(text);
	while (fixture_count_journals() > 0)
		fixture_turn(2);
	fixture_append(id, IK_KIND_USER, "5");
	cr_assert_eq(fixture_count_journals(), 1);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 5);
	cr_assert_str_empty(fixture.forked);
}

Test(store_journal, has_data_as_deep_as_any)
{
	char data[2 * IK_LIMIT_JSON_DEPTH + 1], id[IK_UUID_TEXT];
	struct ik_message *message;

	memset(data, '[', IK_LIMIT_JSON_DEPTH);
	memset(data + IK_LIMIT_JSON_DEPTH, ']', IK_LIMIT_JSON_DEPTH);
	fixture_session(id, "/x", 1);
	message = ik_message_new(IK_KIND_NOTICE, "deep", 4, data, 2 * (size_t)IK_LIMIT_JSON_DEPTH);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	fixture_expect_page(id, 0, 10, "1 deep");
	cr_assert_eq(fixture_answer.messages[1]->data_length, 2 * (size_t)IK_LIMIT_JSON_DEPTH);
}

/* What no journal takes until the end is in a temporary directory, from which it can be imported. */
Test(store_journal, that_cannot_be_written_to_the_end_is_written_elsewhere)
{
	static const char data[] = "{\"tool_call_id\":\"c\",\"name\":\"bash\",\"output\":\"{}\","
		"\"success\":true,\"duration_ms\":1,\"blobs\":{\"stdout\":{\"id\":"
		"\"01a21ed0-0000-7000-8000-000000000004\",\"bytes\":5}}}";
	char id[IK_UUID_TEXT], other[IK_UUID_TEXT];
	struct ik_message *message = ik_message_new(IK_KIND_TOOL_RESULT, "out", 3, data,
		sizeof(data) - 1);
	struct ik_error notice;
	struct ik_bytes *bytes;
	struct ik_buf text;
	size_t lost;

	open_blocked(true);
	ik_buf_init(&text, 1000);
	ik_buf_puts(&text, "large");
	bytes = ik_bytes_take(&text);
	fixture_session(id, "/x", 0);
	ik_store_append(fixture.store, id, message);
	ik_message_unref(message);
	ik_store_put_blob(fixture.store, id, "01a21ed0-0000-7000-8000-000000000004", bytes);
	ik_uuid_new(other);
	ik_store_put_blob(fixture.store, id, other, bytes);
	ik_bytes_unref(bytes);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert(strstr(notice.text, "session import"), "%s", notice.text);
	cr_assert_eq(system("grep -q '\"blob\":.*\"base64\":\"bGFyZ2U=\"' $TMPDIR/ikigai-*/*"), 0);
	cr_assert_eq(unlink(fixture.journals), 0);
}
