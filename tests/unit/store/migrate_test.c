#include "store/migrate.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>
#include <sqlite3.h>

/* A database in memory, with its own operations. */
static enum ik_status execute(void *database, const char *statements, struct ik_error *error)
{
	if (sqlite3_exec(database, statements, NULL, NULL, NULL) == SQLITE_OK)
		return IK_OK;
	return ik_error_set(error, IK_FAILED, "%s", sqlite3_errmsg(database));
}

static enum ik_status number(sqlite3 *database, const char *text, int64_t *ret_number)
{
	sqlite3_stmt *statement;

	cr_assert_eq(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK);
	cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
	*ret_number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return IK_OK;
}

static enum ik_status version(void *database, int64_t *ret_version, struct ik_error *error)
{
	return number(database, "PRAGMA user_version", ret_version);
}

static enum ik_status set_version(void *database, int64_t value, struct ik_error *error)
{
	char text[64];

	snprintf(text, sizeof(text), "PRAGMA user_version = %lld", (long long)value);
	return execute(database, text, error);
}

static const struct ik_migrate_ops ops = { "BEGIN IMMEDIATE", version, set_version, execute };
static const char *const steps[] = {
	"CREATE TABLE one(x); INSERT INTO one VALUES(1);",
	"ALTER TABLE one ADD y; UPDATE one SET y = x + 1;",
	"CREATE TABLE two(x); INSERT INTO nowhere VALUES(1);",
};

Test(migrate, lifts_from_any_form)
{
	struct ik_error error;
	int64_t value;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	cr_assert_eq(ik_migrate(&ops, db, "db", steps, 1, &error), IK_OK);
	number(db, "PRAGMA user_version", &value);
	cr_assert_eq(value, 1);
	cr_assert_eq(ik_migrate(&ops, db, "db", steps, 2, &error), IK_OK);
	cr_assert_eq(ik_migrate(&ops, db, "db", steps, 2, &error), IK_OK);
	number(db, "SELECT y FROM one", &value);
	cr_assert_eq(value, 2);
	sqlite3_close(db);
}

Test(migrate, a_step_that_fails_leaves_all_as_it_was)
{
	struct ik_error error;
	int64_t value;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	cr_assert_eq(ik_migrate(&ops, db, "db", steps, 3, &error), IK_FAILED);
	cr_assert(strstr(error.text, "nowhere"));
	number(db, "SELECT count(*) FROM sqlite_schema", &value);
	cr_assert_eq(value, 0);
	number(db, "PRAGMA user_version", &value);
	cr_assert_eq(value, 0);
	sqlite3_close(db);
}

Test(migrate, a_newer_form_is_refused)
{
	struct ik_error error;
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	cr_assert_eq(set_version(db, 3, &error), IK_OK);
	cr_assert_eq(ik_migrate(&ops, db, "the.db", steps, 2, &error), IK_DENIED);
	cr_assert(strstr(error.text, "the.db"));
	sqlite3_close(db);
}
