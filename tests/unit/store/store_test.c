#include "store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "store/backend.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

static char directory[64];
static char path[128];
static struct ik_loop *loop;
static struct ik_store *store;

/* What the store has told. */
static size_t told_waiting;
static char told_reason[600];
static char told_notice[600];
static int notices;
static bool stop_when_stored;

static void on_state(void *arg, size_t waiting, const char *message)
{
	told_waiting = waiting;
	snprintf(told_reason, sizeof(told_reason), "%s", message);
	if (stop_when_stored ? waiting == 0 : waiting > 0)
		ik_loop_stop(loop);
}

static void on_notice(void *arg, const char *sentence)
{
	notices++;
	snprintf(told_notice, sizeof(told_notice), "%s", sentence);
	ik_loop_stop(loop);
}

static void open_store(void)
{
	struct ik_error error;

	store = ik_store_open(loop, path, &error);
	cr_assert_not_null(store, "%s", error.text);
	ik_store_on_state(store, on_state, NULL);
	ik_store_on_notice(store, on_notice, NULL);
}

static void close_store(void)
{
	size_t lost;
	struct ik_error notice;

	store = ik_store_close(store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(notice.status, IK_OK, "%s", notice.text);
}

static void run(void)
{
	struct ik_error error;

	cr_assert_eq(ik_loop_run(loop, &error), IK_OK, "%s", error.text);
}

static void set_up(void)
{
	struct ik_error error;

	strcpy(directory, "/tmp/ik-store-XXXXXX");
	cr_assert_not_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/ikigai.db", directory);
	setenv("TMPDIR", directory, 1);
	loop = ik_loop_new(&error);
	cr_assert_not_null(loop);
	open_store();
}

static void tear_down(void)
{
	char *command;

	if (store)
		close_store();
	ik_loop_free(loop);
	command = ik_format("rm -rf %s", directory);
	cr_assert_eq(system(command), 0);
	free(command);
}

TestSuite(store, .init = set_up, .fini = tear_down);

static void append(const char *session, enum ik_kind kind, const char *content)
{
	struct ik_message *message = ik_message_new(kind, content, strlen(content), NULL, 0);

	ik_store_append(store, session, message);
	ik_message_unref(message);
}

/* A new session with count messages "1", "2", ... */
static void make_session(char id[IK_UUID_TEXT], const char *where, int count)
{
	int i;

	ik_uuid_new(id);
	ik_store_begin(store, id, where);
	for (i = 1; i <= count; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%d", i);
		append(id, IK_KIND_USER, text);
	}
}

/* The contents of a page with blanks between, in new memory. */
static char *page(const char *session, int64_t before, size_t count)
{
	struct ik_message **messages;
	struct ik_error error;
	struct ik_buf text;
	int64_t last = 0;
	size_t found, i;

	ik_buf_init(&text, 1 << 20);
	cr_assert_eq(ik_store_page(store, session, before, count, &messages, &found, &error), IK_OK,
		"%s", error.text);
	for (i = 0; i < found; i++) {
		ik_buf_printf(&text, "%s%s", i ? " " : "", messages[i]->content);
		cr_assert_gt(messages[i]->sequence, last);
		last = messages[i]->sequence;
		ik_message_unref(messages[i]);
	}
	free(messages);
	return ik_buf_take(&text, NULL);
}

static void expect_page(const char *session, int64_t before, size_t count, const char *wanted)
{
	char *text = page(session, before, count);

	cr_assert_str_eq(text, wanted);
	free(text);
}

/* One number from the database, by another connection. */
static int64_t query(const char *text)
{
	sqlite3_stmt *statement;
	int64_t number;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

/* How many files of the directory have word in their names. */
static int count_files(const char *word)
{
	DIR *handle = opendir(directory);
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(handle)) != NULL)
		count += strstr(entry->d_name, word) != NULL;
	closedir(handle);
	return count;
}

Test(store, opens_nothing_before_it_is_used)
{
	cr_assert_neq(access(path, F_OK), 0);
	cr_assert_str_eq(ik_store_name(store), "sqlite");
}

Test(store, keeps_events_with_all_they_have)
{
	static const char content[] = "a\0b\xc3\xa4\n";
	static const char data[] = "{\"n\":123456789012345678901234567890,\"z\":\"\\u0000\"}";
	struct ik_message *message = ik_message_new(IK_KIND_COMMAND, content, sizeof(content) - 1,
		data, sizeof(data) - 1);
	struct ik_message **messages;
	char id[IK_UUID_TEXT];
	struct stat about;
	size_t count;

	ik_uuid_new(id);
	ik_store_begin(store, id, "/here");
	ik_store_append(store, id, message);
	cr_assert_eq(message->sequence, 1);
	cr_assert_eq(stat(path, &about), 0);
	cr_assert_eq(about.st_mode & 0777, 0600);
	close_store();
	open_store();
	cr_assert_eq(ik_store_page(store, id, 0, 10, &messages, &count, NULL), IK_OK);
	cr_assert_eq(count, 1);
	cr_assert_eq(messages[0]->kind, IK_KIND_COMMAND);
	cr_assert_str_eq(messages[0]->id, message->id);
	cr_assert_eq(messages[0]->time_ms, message->time_ms);
	cr_assert_eq(messages[0]->content_length, sizeof(content) - 1);
	cr_assert_eq(memcmp(messages[0]->content, content, sizeof(content)), 0);
	cr_assert_eq(messages[0]->data_length, sizeof(data) - 1);
	cr_assert_eq(memcmp(messages[0]->data, data, sizeof(data)), 0);
	ik_message_unref(messages[0]);
	free(messages);
	ik_message_unref(message);
}

Test(store, pages_go_backwards)
{
	char id[IK_UUID_TEXT], other[IK_UUID_TEXT];

	make_session(other, "/x", 3);
	make_session(id, "/x", 7);
	expect_page(id, 0, 3, "5 6 7");
	expect_page(id, 5, 3, "2 3 4");
	expect_page(id, 2, 3, "1");
	expect_page(id, 1, 3, "");
	expect_page(id, 0, 100, "1 2 3 4 5 6 7");
	expect_page("00000000-0000-7000-8000-000000000000", 0, 9, "");
}

Test(store, a_page_of_large_events_is_short)
{
	const size_t length = IK_LIMIT_PAGE / 2;
	char *text = ik_alloc(length + 1);
	struct ik_message **messages;
	char id[IK_UUID_TEXT];
	int64_t before = 0;
	size_t count, pages = 0, all = 0;

	make_session(id, "/x", 2);
	memset(text, 'x', length);
	for (int i = 0; i < 5; i++)
		append(id, IK_KIND_USER, text);
	do {
		cr_assert_eq(ik_store_page(store, id, before, 100, &messages, &count, NULL), IK_OK);
		if (count > 0)
			before = messages[0]->sequence;
		for (size_t i = 0; i < count; i++)
			ik_message_unref(messages[i]);
		free(messages);
		all += count;
		pages++;
	} while (count > 0);
	cr_assert_eq(all, 7, "none is left out");
	cr_assert_eq(pages, 4, "two, two, three with the small ones, none");
	free(text);
}

Test(store, finds_sessions)
{
	char one[IK_UUID_TEXT], two[IK_UUID_TEXT], empty[IK_UUID_TEXT], prefix[IK_UUID_TEXT];
	struct ik_session_info info;
	struct ik_error error;

	cr_assert_eq(ik_store_newest(store, NULL, &info, &error), IK_NOT_FOUND);
	make_session(one, "/one", 2);
	make_session(two, "/two", 1);
	make_session(empty, "/one", 0);
	append(one, IK_KIND_ASSISTANT, "later");

	cr_assert_eq(ik_store_newest(store, "/two", &info, &error), IK_OK);
	cr_assert_str_eq(info.id, two);
	cr_assert_eq(info.event_count, 1);
	cr_assert_str_eq(info.directory, "/two");
	cr_assert_str_eq(info.title, "1");
	cr_assert_gt(info.created_ms, 1600000000000);
	ik_session_info_done(&info);
	cr_assert_eq(ik_store_newest(store, "/nowhere", &info, &error), IK_NOT_FOUND);
	cr_assert(strstr(error.text, "/nowhere"));

	cr_assert_eq(ik_store_find(store, one, &info, &error), IK_OK);
	cr_assert_eq(info.event_count, 3);
	ik_session_info_done(&info);
	/* Both were made within one millisecond or a few: they share a beginning. */
	snprintf(prefix, sizeof(prefix), "%.8s", one);
	cr_assert_eq(ik_store_find(store, prefix, &info, &error), IK_INVALID);
	cr_assert_eq(ik_store_find(store, "ffffffff", &info, &error), IK_NOT_FOUND);
	cr_assert_eq(ik_store_find(store, "", &info, &error), IK_NOT_FOUND);
	cr_assert_eq(ik_store_find(store, "%", &info, &error), IK_NOT_FOUND);
}

static bool note_session(void *arg, const struct ik_session_info *info)
{
	struct ik_buf *text = arg;

	ik_buf_printf(text, "%s ", info->title);
	append(info->id, IK_KIND_NOTICE, "seen"); /* the store may be used in between */
	return text->length < 6;
}

Test(store, lists_the_newest_first)
{
	char ids[4][IK_UUID_TEXT], message_id[IK_UUID_TEXT];
	struct ik_buf text;
	int i;

	for (i = 0; i < 4; i++) {
		struct ik_message *message;
		char title[16];

		snprintf(title, sizeof(title), "t%d", i);
		ik_uuid_new(ids[i]);
		ik_store_begin(store, ids[i], "/x");
		ik_uuid_new(message_id);
		message = ik_message_stored(IK_KIND_USER, message_id, 0,
			ik_clock_wall_ms() + 10000 * (int64_t)(i + 1), title, 2,
			NULL, 0);
		ik_store_append(store, ids[i], message);
		ik_message_unref(message);
	}
	ik_buf_init(&text, 1000);
	cr_assert_eq(ik_store_list(store, note_session, &text, NULL), IK_OK);
	cr_assert_str_eq(text.data, "t3 t2 ");
	ik_buf_done(&text);
}

Test(store, an_event_is_stored_once)
{
	struct ik_message *message = ik_message_new(IK_KIND_USER, "x", 1, NULL, 0);
	char id[IK_UUID_TEXT];

	make_session(id, "/x", 1);
	ik_store_append(store, id, message);
	ik_store_append(store, id, message);
	ik_message_unref(message);
	cr_assert_eq(query("SELECT count(*) FROM events"), 2);
	cr_assert_eq(query("SELECT event_count FROM sessions"), 2);
}

Test(store, two_processes_in_one_session_never_share_a_number)
{
	struct ik_store *first = store, *second;
	char id[IK_UUID_TEXT];
	int i;

	make_session(id, "/x", 1);
	open_store();
	second = store;
	for (i = 0; i < 10; i++) {
		store = i % 3 ? first : second;
		append(id, IK_KIND_USER, "y");
	}
	cr_assert_eq(query("SELECT count(DISTINCT sequence) FROM events"), 11);
	cr_assert_eq(query("SELECT max(sequence) FROM events"), 11);
	store = second;
	close_store();
	store = first;
}

Test(store, titles)
{
	static const char *const titles[][2] = {
		{ "hello", "hello" },
		{ "  two\n\twords \n", "two words" },
		{ "", "" },
		{ "\n\n", "" },
		{ "fix the test that fails when the moon is full and the wind comes from the west",
		  "fix the test that fails when the moon is full and the wind…" },
		{ "ääääääääääääääääääääääääääääääääääääääääääääääää",
		  "ääääääääääääääääääääääääääääää…" },
	};
	size_t i;

	for (i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
		char *title = ik_session_title(titles[i][0], strlen(titles[i][0]));

		cr_expect_str_eq(title, titles[i][1]);
		free(title);
	}
}

Test(store, waits_for_another_writer)
{
	char id[IK_UUID_TEXT];
	sqlite3 *other;

	make_session(id, "/x", 1);
	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	append(id, IK_KIND_USER, "2");
	append(id, IK_KIND_USER, "3");
	run(); /* until it is told */
	cr_assert_eq(told_waiting, 2);
	cr_assert(strstr(told_reason, "in use"), "%s", told_reason);
	expect_page(id, 0, 9, "1"); /* reading goes on */
	cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	stop_when_stored = true;
	run();
	cr_assert_eq(told_waiting, 0);
	cr_assert_str_eq(told_reason, "");
	expect_page(id, 0, 9, "1 2 3");
}

/* The disk takes no more than so many bytes in a file. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

Test(store, a_full_disk_loses_nothing)
{
	char *large = malloc(300000);
	char id[IK_UUID_TEXT];

	memset(large, 'x', 299999);
	large[299999] = '\0';
	make_session(id, "/x", 2);
	limit_files(200000);
	append(id, IK_KIND_USER, large);
	append(id, IK_KIND_USER, "4");
	run();
	cr_assert_eq(told_waiting, 2);
	cr_assert(strlen(told_reason) > 20);
	expect_page(id, 0, 9, "1 2");
	limit_files(RLIM_INFINITY);
	stop_when_stored = true;
	run();
	expect_page(id, 5, 1, "4");
	cr_assert_eq(query("SELECT length(content) FROM events WHERE sequence = 3"), 299999);
	cr_assert_eq(query("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
	free(large);
}

Test(store, what_cannot_be_written_is_rescued_and_taken_in)
{
	struct ik_error notice;
	char id[IK_UUID_TEXT];
	sqlite3 *other;
	size_t lost;

	make_session(id, "/x", 1);
	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	append(id, IK_KIND_USER, "two");
	append(id, IK_KIND_ASSISTANT, "three");
	store = ik_store_close(store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert(strstr(notice.text, "2 events"), "%s", notice.text);
	cr_assert(strstr(notice.text, directory));
	cr_assert_eq(count_files(".rescue-"), 1);
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(other);

	open_store();
	expect_page(id, 0, 9, "1 two three");
	run();
	cr_assert(strstr(told_notice, "2 events"), "%s", told_notice);
	cr_assert_eq(count_files(".rescue-"), 0);
}

Test(store, with_its_directory_gone_the_rescue_goes_to_tmpdir)
{
	char *place = ik_format("%s/home", directory);
	char *moved = ik_format("%s/moved", directory);
	struct ik_error notice;
	char id[IK_UUID_TEXT];
	size_t lost;

	store = ik_store_close(store, NULL, NULL);
	snprintf(path, sizeof(path), "%s/ikigai.db", place);
	/* A file where the directory should be: nobody can make the database. */
	cr_assert_eq(ik_file_write(place, "", 0, 0600, NULL), IK_OK);
	open_store();
	make_session(id, "/x", 3);
	run();
	cr_assert_eq(told_waiting, 3);
	store = ik_store_close(store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(count_files("ikigai-"), 1);
	cr_assert_eq(rename(place, moved), 0);
	open_store();
	expect_page(id, 0, 9, "1 2 3");
	cr_assert_eq(count_files("ikigai-"), 0);
	free(place);
	free(moved);
}

Test(store, a_rescue_file_of_somebody_elses_making_is_not_read)
{
	char *name = ik_format("%s.rescue-x.jsonl", path);
	static const char line[] = "{\"session\":\"01900000-0000-7000-8000-000000000000\","
		"\"directory\":\"\",\"created_ms\":1,\"id\":\"01900000-0000-7000-8000-000000000001\","
		"\"kind\":\"user\",\"content\":\"planted\",\"data\":null,\"time_ms\":1}\n";
	char id[IK_UUID_TEXT];

	cr_assert_eq(ik_file_write(name, line, strlen(line), 0600, NULL), IK_OK);
	cr_assert_eq(chmod(name, 0666), 0);
	make_session(id, "/x", 1);
	cr_assert_eq(query("SELECT count(*) FROM events"), 1);
	cr_assert_eq(access(name, F_OK), 0);
	/* The same file, this user's own, is taken in: half a line after it is no harm. */
	cr_assert_eq(chmod(name, 0600), 0);
	close_store();
	open_store();
	append(id, IK_KIND_USER, "2");
	cr_assert_eq(query("SELECT count(*) FROM events"), 3);
	cr_assert_neq(access(name, F_OK), 0);
	free(name);
}

/* Overwrite length bytes of the database from offset. */
static void damage(off_t offset, size_t length)
{
	int fd = open(path, O_WRONLY);
	char *garbage = malloc(length);

	memset(garbage, 0xa5, length);
	cr_assert_eq(pwrite(fd, garbage, length, offset), (ssize_t)length);
	close(fd);
	free(garbage);
}

Test(store, a_damaged_file_is_put_aside)
{
	char id[IK_UUID_TEXT];

	make_session(id, "/x", 5);
	close_store();
	damage(0, 4096);
	open_store();
	append(id, IK_KIND_USER, "6");
	expect_page(id, 0, 9, "6");
	run();
	cr_assert(strstr(told_notice, ".damaged-"), "%s", told_notice);
	cr_assert_eq(count_files(".damaged-"), 1);
}

Test(store, damage_found_later_is_put_aside_too)
{
	char id[IK_UUID_TEXT];

	make_session(id, "/x", 300);
	close_store();
	damage(4096, 8 * 4096); /* the header is fine, the tables are not */
	open_store();
	append(id, IK_KIND_USER, "more");
	stop_when_stored = true;
	if (notices == 0)
		run();
	expect_page(id, 0, 9, "more");
	cr_assert_eq(count_files(".damaged-"), 1);
}

Test(store, a_newer_database_is_refused_and_left_alone)
{
	struct ik_session_info info;
	struct ik_error error, notice;
	char id[IK_UUID_TEXT];
	sqlite3 *other;
	size_t lost;

	make_session(id, "/x", 1);
	close_store();
	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	open_store();
	cr_assert_eq(ik_store_find(store, id, &info, &error), IK_DENIED);
	cr_assert(strstr(error.text, "newer ikigai"), "%s", error.text);
	append(id, IK_KIND_USER, "2");
	run();
	cr_assert_eq(told_waiting, 1);
	store = ik_store_close(store, &lost, &notice);
	cr_assert_eq(lost, 0);
	cr_assert_eq(count_files(".rescue-"), 1);
	cr_assert_eq(query("SELECT count(*) FROM events"), 1);
}

Test(store, another_programs_database_is_left_alone)
{
	struct ik_session_info info;
	struct ik_error error;
	sqlite3 *other;

	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "CREATE TABLE theirs(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	cr_assert_eq(ik_store_newest(store, NULL, &info, &error), IK_DENIED);
	cr_assert(strstr(error.text, "another program"));
	cr_assert_eq(query("SELECT count(*) FROM sqlite_schema"), 1);
}

Test(store, a_read_only_place_makes_events_wait)
{
	struct ik_error notice;
	char id[IK_UUID_TEXT];
	size_t lost;
	pid_t pid;
	int status;

	make_session(id, "/x", 1);
	close_store();
	cr_assert_eq(chmod(path, 0400), 0);
	cr_assert_eq(chmod(directory, 0500), 0);
	/* Root is refused nothing: be somebody else for this. */
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (chown(path, 65534, 65534) != 0 ||
		    chown(directory, 65534, 65534) != 0 || setuid(65534) != 0))
			_exit(9);
		setenv("TMPDIR", "/nonexistent", 1);
		open_store();
		append(id, IK_KIND_USER, "2");
		run();
		if (told_waiting != 1 || !told_reason[0])
			_exit(1);
		store = ik_store_close(store, &lost, &notice);
		_exit(lost == 1 && strstr(notice.text, "lost") ? 0 : 2);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert_eq(status, 0);
	open_store();
	expect_page(id, 0, 9, "1");
}

Test(store, an_event_survives_kill_9)
{
	char id[IK_UUID_TEXT];
	int round, written = 0;

	ik_uuid_new(id);
	close_store();
	for (round = 0; round < 20; round++) {
		int pipes[2], told = 0, status;
		pid_t pid;
		char byte;

		cr_assert_eq(pipe(pipes), 0);
		pid = fork();
		if (pid == 0) {
			int number;

			open_store();
			ik_store_begin(store, id, "/x");
			for (number = 0;; number++) {
				append(id, IK_KIND_USER, "event");
				if (write(pipes[1], "", 1) != 1)
					_exit(1);
			}
		}
		close(pipes[1]);
		/* At whatever instant it stands when it has told of so many. */
		while (told < 5 + 7 * round && read(pipes[0], &byte, 1) == 1)
			told++;
		kill(pid, SIGKILL);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		while (read(pipes[0], &byte, 1) == 1)
			told++;
		close(pipes[0]);
		written += told;
	}
	open_store();
	cr_assert_geq(query("SELECT count(*) FROM events"), written);
	cr_assert_eq(query("SELECT count(*) = max(sequence) FROM events"), 1);
	cr_assert_eq(query("SELECT event_count = (SELECT count(*) FROM events) FROM sessions"), 1);
	cr_assert_eq(query("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
}

Test(store, a_long_queue_is_written_between_turns)
{
	char id[IK_UUID_TEXT];
	sqlite3 *other;
	int i;

	make_session(id, "/x", 0);
	append(id, IK_KIND_USER, "0");
	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	for (i = 0; i < 2000; i++)
		append(id, IK_KIND_USER, "x");
	sqlite3_exec(other, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(other);
	stop_when_stored = true;
	run();
	cr_assert_eq(query("SELECT count(*) FROM events"), 2001);
}

Test(store, without_a_place_nothing_is_kept)
{
	struct ik_session_info info;
	struct ik_error error, notice;
	char id[IK_UUID_TEXT];
	size_t lost;

	close_store();
	store = ik_store_open(loop, NULL, &error);
	cr_assert_str_eq(ik_store_name(store), "memory");
	make_session(id, "/x", 3);
	cr_assert_eq(ik_store_newest(store, NULL, &info, &error), IK_NOT_FOUND);
	store = ik_store_close(store, &lost, &notice);
	cr_assert_eq(lost, 0);
}

Test(store, refuses_places_it_does_not_know)
{
	struct ik_error error;

	cr_assert_null(ik_store_open(loop, "postgresql://host/db", &error));
	cr_assert_eq(error.status, IK_INVALID);
	cr_assert_null(ik_store_open(loop, "sqlite:", &error));
	cr_assert_null(ik_store_open(loop, "", &error));
}

Test(store, a_kind_of_a_newer_program_is_passed_over)
{
	char id[IK_UUID_TEXT];
	sqlite3 *other;

	make_session(id, "/x", 3);
	cr_assert_eq(sqlite3_open(path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "UPDATE events SET kind = 'dream' WHERE sequence = 2;"
		"UPDATE events SET data_json = '{broken' WHERE sequence = 3", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	expect_page(id, 0, 2, "1 3");
}
