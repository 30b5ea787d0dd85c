#include "store/sqlite/examine.h"

#include <string.h>

#include "store/sqlite/sqlite_private.h"
#include "util/text.h"

/* Another program may be writing. */
#define BUSY_MS 2000

static enum ik_status fail(sqlite3 *database, const char *path, struct ik_error *error)
{
	return ik_error_set(error, IK_FAILED, _("%s cannot be read as a database: %s"), path,
		sqlite3_errmsg(database));
}

/* The one number that a statement gives. */
static enum ik_status ask_number(sqlite3 *database, const char *path, const char *words,
	int64_t *ret_number, struct ik_error *error)
{
	sqlite3_stmt *statement = NULL;
	enum ik_status status = IK_OK;

	if (sqlite3_prepare_v2(database, words, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(statement, 0);
	else
		status = fail(database, path, error);
	sqlite3_finalize(statement);
	return status;
}

/* Is every page of it whole? */
static enum ik_status check(sqlite3 *database, const char *path, struct ik_error *error)
{
	sqlite3_stmt *statement = NULL;
	enum ik_status status = IK_OK;

	if (sqlite3_prepare_v2(database, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK ||
		sqlite3_step(statement) != SQLITE_ROW) {
		status = fail(database, path, error);
	} else {
		const char *found = (const char *)sqlite3_column_text(statement, 0);

		if (!found || !ik_text_equal(found, "ok"))
			status = ik_error_set(error, IK_FAILED, _("%s is damaged: %s"), path,
				found ? found : "?");
	}
	sqlite3_finalize(statement);
	return status;
}

enum ik_status ik_store_examine(const char *path, struct ik_store_facts *ret_facts,
	struct ik_error *error)
{
	struct ik_store_facts facts = { 0 };
	int64_t foreign = 0;
	sqlite3 *database = NULL;
	bool immutable;
	enum ik_status status = ik_sqlite_library_load(error);

	if (status != IK_OK)
		return status;
	if (ik_sqlite_open_reader(path, BUSY_MS, &database, &immutable) != SQLITE_OK)
		status = fail(database, path, error);
	if (status == IK_OK)
		status = ask_number(database, path, "PRAGMA user_version", &facts.version, error);
	if (status == IK_OK)
		status = check(database, path, error);
	if (status == IK_OK)
		status = ask_number(database, path, IK_SQLITE_FOREIGN, &foreign, error);
	if (status == IK_OK && foreign > 0)
		status = ik_error_set(error, IK_DENIED,
			_("%s has views or triggers, which no ikigai makes, so "
			  "it is not used"),
			path);
	if (status == IK_OK && facts.version > 0)
		status = ask_number(database, path, "SELECT count(*) FROM events", &facts.events, error);
	(void)sqlite3_close_v2(database);
	if (status == IK_OK)
		*ret_facts = facts;
	return status;
}
