#include "store_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "util/alloc.h"

/* What an embedded database does not take now is in a file until it does: kill -9 or not. */
static void set_up(void)
{
	if (getenv("IK_TEST_POSTGRES"))
		cr_skip_test("what goes to a server is in its spool first");
	fixture_set_up();
}

TestSuite(store_kept, .init = set_up, .fini = fixture_tear_down, .timeout = 60);

/* In another process: somebody writes to the database, and does not end. */
static void hold(void *arg)
{
	sqlite3 *database;

	if (sqlite3_open(fixture.path, &database) != SQLITE_OK ||
	    sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		_exit(9);
}

/* In another process: two more events of the session. */
static void say_two(void *id)
{
	ik_store_continue(fixture.store, id, "/x", 1);
	fixture_append(id, IK_KIND_USER, "2");
	fixture_append(id, IK_KIND_USER, "3");
	fixture_turn(3);
}

/* No file may become longer. */
static void limit_files(rlim_t bytes)
{
	const struct rlimit limit = { .rlim_cur = bytes, .rlim_max = RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		abort();
}

/* The same with long ones; a file has room for one. */
static void say_two_long_ones(void *id)
{
	char text[6001] = "";

	ik_store_continue(fixture.store, id, "/x", 1);
	fixture_wait(ik_store_newest(fixture.store, NULL, FIXTURE_READ)); /* it is open */
	limit_files(10000);
	fixture_append(id, IK_KIND_USER, memset(text, 'a', sizeof(text) - 1));
	fixture_append(id, IK_KIND_USER, memset(text, 'b', sizeof(text) - 1));
	fixture_append(id, IK_KIND_USER, "short"); /* for which there would be room */
	fixture_turn(3);
}

/* A program says two things while the database is held, and is killed; how many files have them,
 * whose names have this in them. */
static int say_and_die(void (*say)(void *id), char *id, const char *word)
{
	pid_t holder, sayer;
	int files;

	fixture_close();
	holder = fixture_live(hold, NULL);
	sayer = fixture_live(say, id);
	/* Nobody takes them from who lives. */
	fixture_open();
	fixture_expect_page(id, 0, 9, "1");
	fixture_close();
	files = fixture_count_files(word);
	fixture_kill(sayer);
	fixture_kill(holder);
	return files;
}

Test(store_kept, what_waits_for_a_held_database_survives_kill_9)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	cr_expect_eq(say_and_die(say_two, id, ".db.rescue-"), 1);
	fixture_open();
	fixture.stop_when_stored = true;
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

/* The names beside the database would be too long: TMPDIR has it. */
Test(store_kept, what_cannot_be_kept_beside_it_is_kept_in_tmpdir)
{
	size_t length = strlen(fixture.directory);
	char id[IK_UUID_TEXT];

	fixture_close();
	fixture.path[length + 1] = '\0';
	for (int i = 0; i < 230; i++)
		strcat(fixture.path, "x");
	fixture_open();
	fixture_session(id, "/x", 1);
	cr_expect_eq(say_and_die(say_two, id, ".rescue-"), 1);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

/* There is room beside the database for the first only, and none for both anywhere: it is the
 * first that is kept, and nothing that would come out of order behind it. */
Test(store_kept, what_has_no_room_anywhere_costs_nothing_that_was_kept)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	cr_expect_eq(say_and_die(say_two_long_ones, id, ".rescue-"), 1);
	fixture_open();
	(void)fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, 2);
	cr_expect_eq(fixture_answer.messages[1]->content[0], 'a');
	cr_expect_eq(fixture_query("SELECT count(*) FROM sessions"), 1);
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

/* How large the file is that has what waits. */
static off_t kept_size(void)
{
	DIR *handle = opendir(fixture.directory);
	struct dirent *entry;
	struct stat about = { .st_size = 0 };

	while ((entry = readdir(handle)) != NULL) {
		if (strstr(entry->d_name, ".rescue-"))
			(void)fstatat(dirfd(handle), entry->d_name, &about, 0);
	}
	(void)closedir(handle);
	return about.st_size;
}

/* It did not fit at first, and was kept later: nothing is said to be lost, though at the end
 * there is no room for another copy. */
Test(store_kept, what_found_room_later_is_not_called_lost)
{
	struct ik_error notice;
	char id[IK_UUID_TEXT], text[6001] = "";
	pid_t holder;
	size_t lost;

	fixture_session(id, "/x", 1);
	holder = fixture_live(hold, NULL);
	limit_files(10000);
	fixture_append(id, IK_KIND_USER, memset(text, 'a', sizeof(text) - 1));
	fixture_append(id, IK_KIND_USER, memset(text, 'b', sizeof(text) - 1));
	fixture_turn(3);
	cr_expect_lt(kept_size(), 10000);
	limit_files(RLIM_INFINITY);
	while (kept_size() < 12000)
		fixture_turn(2);
	limit_files(10000);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_expect_eq(lost, 0);
	cr_expect(strstr(notice.text, "2 events could not be stored and are kept in"), "%s", notice.text);
	limit_files(RLIM_INFINITY);
	fixture_kill(holder);
	fixture_open();
	(void)fixture_wait(ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ));
	cr_assert_eq(fixture_answer.count, 3);
	cr_expect_eq(fixture_answer.messages[2]->content[0], 'b');
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

Test(store_kept, the_file_goes_when_all_is_stored)
{
	char id[IK_UUID_TEXT];
	pid_t holder;

	fixture_session(id, "/x", 1);
	holder = fixture_live(hold, NULL);
	for (int round = 0; round < 2; round++) {
		fixture_append(id, IK_KIND_USER, "more");
		fixture_turn(3);
		cr_expect_eq(fixture_count_files(".rescue-"), 1);
	}
	fixture_kill(holder);
	fixture.stop_when_stored = true;
	while (ik_store_waiting(fixture.store) > 0)
		fixture_turn(2);
	fixture_expect_page(id, 0, 9, "1 more more");
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}

/* The program ends in order while the database is held: all is in one file, once. */
Test(store_kept, an_orderly_end_leaves_one_file)
{
	struct ik_error notice;
	char id[IK_UUID_TEXT];
	pid_t holder;
	size_t lost;

	fixture_session(id, "/x", 1);
	holder = fixture_live(hold, NULL);
	fixture_append(id, IK_KIND_USER, "2");
	fixture_append(id, IK_KIND_USER, "3");
	fixture_turn(3);
	fixture.store = ik_store_close(fixture.store, &lost, &notice);
	cr_expect_eq(lost, 0);
	cr_expect(strstr(notice.text, "2 events could not be stored and are kept in"), "%s", notice.text);
	cr_expect_eq(fixture_count_files(".rescue-"), 1);
	fixture_kill(holder);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2 3");
	cr_expect_eq(fixture_count_files(".rescue-"), 0);
}
