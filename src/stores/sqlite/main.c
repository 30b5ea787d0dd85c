/*
 * store-sqlite DATABASE JOURNALS: a store program (ikigai-store(7)) for an SQLite file.
 */
#include "stores/service.h"
#include "stores/sqlite/add.h"
#include "stores/sqlite/database.h"
#include "stores/sqlite/delete.h"
#include "stores/sqlite/index.h"
#include "stores/sqlite/session_rows.h"
#include "util/text.h"

static enum ik_status open_database(void *store, const char *path, struct ik_connection *connection,
	struct ik_error *error)
{
	return ik_database_open(store, path, connection, error);
}

static bool is_open(const void *store)
{
	const struct ik_database *database = store;

	return database->db;
}

static void close_database(void *store)
{
	ik_database_close(store);
}

static void set_interruptible(void *store, bool on)
{
	struct ik_database *database = store;

	database->interruptible = on;
}

static bool work(void *store)
{
	struct ik_error error;
	bool more = false;

	/* A search tells why, if it fails. */
	return ik_index_some(store, true, &more, &error) == IK_OK && more;
}

/* backup {file}: write the whole database, as it is now, to a new file. */
static enum ik_status answer_backup(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	const char *file = ik_connection_text(database->connection, "file");
	sqlite3_stmt *statement = ik_database_statement(database, "VACUUM INTO ?1", error);

	if (!statement)
		return error->status;
	if (!file)
		return ik_error_set(error, IK_INVALID, "A backup needs the name of a file.");
	ik_database_bind(statement, 1, file);
	return ik_database_finish(database, statement, error);
}

/* check: is the file whole? */
static enum ik_status answer_check(void *store, struct ik_error *error)
{
	struct ik_database *database = store;
	sqlite3_stmt *query = ik_database_statement(database, "PRAGMA quick_check(1)", error);
	enum ik_status status = IK_OK;
	const char *text = NULL;

	if (!query)
		return error->status;
	if (sqlite3_step(query) == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(query, 0);
	else
		status = ik_database_explain(database, error);
	if (status == IK_OK && !(text && ik_text_equal(text, "ok")))
		status = ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."),
			database->path, text ? text : "?");
	ik_database_reset(query);
	return status;
}

static const struct ik_store_verb verbs[] = {
	{ "newest", ik_answer_newest, true },
	{ "find", ik_answer_find, true },
	{ "list", ik_answer_list, true },
	{ "page", ik_answer_page, true },
	{ "after", ik_answer_after, true },
	{ "part", ik_answer_part, true },
	{ "search", ik_answer_search, true },
	{ "delete", ik_answer_delete, false },
	{ "backup", answer_backup, true },
	{ "check", answer_check, true },
};

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.name = "sqlite",
		.intake = &ik_sqlite_intake,
		.verbs = verbs,
		.verb_count = sizeof(verbs) / sizeof(verbs[0]),
		.open = open_database,
		.is_open = is_open,
		.close = close_database,
		.interruptible = set_interruptible,
		.work = work,
	};
	struct ik_database database = { .path = NULL };

	return ik_service_run(&service, &database, argc, argv);
}
