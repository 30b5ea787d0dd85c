#include "store_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

/* A home on a file system that shares no memory, as some in a network: there can be no log. */

/* The library's mmap(2), which refuses as such a file system does. */
static void *refuse_to_share(void *address, size_t length, int protection, int flags, int fd,
	off_t offset)
{
	if (flags & MAP_SHARED) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	return mmap(address, length, protection, flags, fd, offset);
}

static void share(bool possible)
{
	sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	cr_assert_eq(system->xSetSystemCall(system, "mmap",
		possible ? NULL : (sqlite3_syscall_ptr)refuse_to_share), SQLITE_OK);
}

static void set_up(void)
{
	if (getenv("IK_TEST_POSTGRES"))
		cr_skip_test("this is about SQLite");
	fixture_set_up();
}

TestSuite(store_memory, .init = set_up, .fini = fixture_tear_down, .timeout = 60);

static void expect_journal(const char *wanted)
{
	sqlite3_stmt *statement;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(fixture.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &statement, NULL), SQLITE_OK);
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
	cr_assert_str_eq((const char *)sqlite3_column_text(statement, 0), wanted);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

Test(store_memory, a_database_is_made_without_a_log)
{
	char id[IK_UUID_TEXT];

	share(false);
	fixture_session(id, "/x", 3);
	cr_assert_eq(fixture.waiting, 0);
	fixture_expect_page(id, 0, 9, "1 2 3");
	expect_journal("delete");
	fixture_close();
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2 3");
}

Test(store_memory, one_with_a_log_goes_there_and_back)
{
	char id[IK_UUID_TEXT];

	fixture_session(id, "/x", 2);
	expect_journal("wal");
	fixture_close();
	share(false);
	fixture_open();
	ik_store_continue(fixture.store, id, "/x", 2);
	fixture_append(id, IK_KIND_USER, "3");
	fixture_expect_page(id, 0, 9, "1 2 3");
	expect_journal("delete");
	fixture_close();
	share(true);
	fixture_open();
	fixture_expect_page(id, 0, 9, "1 2 3");
	expect_journal("wal");
}

Test(store_memory, two_that_write_without_a_log_wait_for_each_other)
{
	char id[IK_UUID_TEXT];
	sqlite3 *other;

	share(false);
	fixture_session(id, "/x", 1);
	cr_assert_eq(sqlite3_open(fixture.path, &other), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	fixture_append(id, IK_KIND_USER, "2");
	fixture.answered = false;
	(void)ik_store_page(fixture.store, id, 0, 9, FIXTURE_READ);
	fixture_turn(30);
	cr_assert_not(fixture.answered, "%s", fixture_answer.error.text);
	cr_assert_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(other);
	while (!fixture.answered)
		fixture_turn(2);
	cr_assert_eq(fixture_answer.status, IK_OK, "%s", fixture_answer.error.text);
	/* Either may be tried first once the lock is gone. */
	while (ik_store_waiting(fixture.store) > 0)
		fixture_turn(2);
	fixture_expect_page(id, 0, 9, "1 2");
}
