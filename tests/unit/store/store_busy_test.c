#include "store_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

#include "util/alloc.h"

/* Another process that has the database for itself: who reads waits as who writes does. */
static pid_t other;
static int from_other, to_other;

/* Each look at the clock takes so long, as where something else has the processor. */
static int64_t late_seconds;

/* Called in place of the system's. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	static int64_t late;
	int failed = (int)syscall(SYS_clock_gettime, clock, ret_time);

	late += late_seconds;
	ret_time->tv_sec += late;
	return failed;
}

/* The other process: lock all of the database, say so, let go when that is wanted. */
static void hold(int told, int wanted)
{
	sqlite3 *db;
	char byte;

	if (sqlite3_open(fixture.path, &db) != SQLITE_OK || sqlite3_exec(db,
	    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;",
	    NULL, NULL, NULL) != SQLITE_OK)
		_exit(1);
	if (write(told, "", 1) != 1 || read(wanted, &byte, 1) != 1)
		_exit(2);
	if (sqlite3_exec(db, "COMMIT; PRAGMA journal_mode = WAL", NULL, NULL, NULL) != SQLITE_OK)
		_exit(3);
	sqlite3_close(db);
	_exit(0);
}

static void lock_database(void)
{
	int told[2], wanted[2];
	char byte;

	cr_assert_eq(pipe(told), 0);
	cr_assert_eq(pipe(wanted), 0);
	other = fork();
	if (other == 0)
		hold(told[1], wanted[0]);
	cr_assert_eq(read(told[0], &byte, 1), 1);
	close(told[1]);
	close(wanted[0]);
	from_other = told[0];
	to_other = wanted[1];
}

static void unlock_database(void)
{
	int status;

	cr_assert_eq(write(to_other, "", 1), 1);
	cr_assert_eq(waitpid(other, &status, 0), other);
	cr_assert_eq(status, 0);
	close(from_other);
	close(to_other);
}

static void set_up(void)
{
	if (getenv("IK_TEST_POSTGRES"))
		cr_skip_test("this is about SQLite");
	fixture_set_up();
}

TestSuite(store_busy, .init = set_up, .fini = fixture_tear_down, .timeout = 60);

Test(store_busy, a_read_waits_and_has_its_answer)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	fixture_close();
	lock_database();
	fixture_open();
	fixture.answered = false;
	(void)ik_store_find(fixture.store, id, FIXTURE_READ);
	while (!strstr(fixture.reason, "in use")) { /* told when it has taken a moment */
		fixture_turn(2);
		cr_assert_not(fixture.answered, "%s", fixture_answer.error.text);
	}
	cr_assert_eq(fixture.waiting, 0);
	unlock_database();
	while (!fixture.answered)
		fixture_run();
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_assert_eq(fixture_answer.count, 1);
	while (fixture.reason[0])
		fixture_turn(2);
	fixture_expect_page(id, 0, 9, "1 2 3");
}

Test(store_busy, events_and_a_read_wait_side_by_side)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	fixture_close();
	lock_database();
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 1);
	fixture_append(id, IK_KIND_USER, "2");
	fixture.answered = false;
	(void)ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ);
	fixture_turn(20);
	cr_assert_not(fixture.answered);
	unlock_database();
	while (!fixture.answered)
		fixture_turn(2);
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	/* Either may be tried first once the lock is gone. */
	cr_assert(fixture_answer.count == 1 || fixture_answer.count == 2);
	fixture_query_until("SELECT count(*) FROM events", 2);
	fixture_expect_page(id, 0, 9, "1 2");
}

Test(store_busy, a_deletion_waits_for_another_writer)
{
	char id[IK_UUID_TEXT];
	sqlite3 *db;

	fixture_session(id, "/x", 3);
	cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	fixture.answered = false;
	(void)ik_store_delete(fixture.store, id, FIXTURE_READ);
	fixture_turn(50);
	cr_assert_not(fixture.answered, "%s", fixture_answer.error.text);
	cr_assert_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	while (!fixture.answered)
		fixture_turn(2);
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 0);
}

Test(store_busy, after_some_seconds_it_is_said_that_it_was_in_vain)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	fixture_close();
	lock_database();
	fixture_open();
	fixture_wait(ik_store_find(fixture.store, id, FIXTURE_READ));
	cr_assert_eq(fixture_answer.status, IK_UNAVAILABLE);
	cr_assert(strstr(fixture_answer.error.text, "in use"), "%s", fixture_answer.error.text);
	while (fixture.reason[0])
		fixture_turn(2);
	unlock_database();
	fixture_expect_page(id, 0, 9, "1 2 3");
}

Test(store_busy, closing_does_not_wait_for_a_read)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 1);
	fixture_close();
	lock_database();
	fixture_open();
	fixture.answered = false;
	(void)ik_store_find(fixture.store, id, FIXTURE_READ);
	fixture_turn(5);
	fixture_close();
	cr_assert_not(fixture.answered);
	unlock_database();
	fixture_open();
}

Test(store_busy, a_deletion_is_whole_however_late_each_step_comes)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 3);
	late_seconds = 1;
	fixture_wait(ik_store_delete(fixture.store, id, FIXTURE_READ));
	late_seconds = 0;
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	cr_assert_eq(fixture_query("SELECT count(*) FROM events"), 0);
	cr_assert_eq(fixture_query("SELECT count(*) FROM sessions"), 0);
}
