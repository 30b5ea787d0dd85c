#include "store/migrate.h"

#include "util/text.h"

/*
 * Forms are only ever added: what stands here has been run on people's
 * databases and does not change any more.
 */
const char *const ik_sqlite_steps[] = {
	/* 0 to 1 */
	"CREATE TABLE sessions("
	" id TEXT PRIMARY KEY NOT NULL,"
	" directory TEXT NOT NULL,"
	" title TEXT NOT NULL DEFAULT '',"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL,"
	" event_count INTEGER NOT NULL DEFAULT 0);"
	/* Not with the time, which would be one more page to write for each event. */
	"CREATE INDEX sessions_of_directory ON sessions(directory);"
	"CREATE TABLE events("
	" id TEXT UNIQUE NOT NULL,"
	" session TEXT NOT NULL,"
	" sequence INTEGER NOT NULL,"
	" kind TEXT NOT NULL,"
	" content TEXT NOT NULL,"
	" data_json TEXT,"
	" time INTEGER NOT NULL," /* milliseconds since 1970 UTC */
	" PRIMARY KEY(session, sequence));",
	/* 1 to 2: large texts that events name, in parts from 0 on */
	"CREATE TABLE blobs("
	" id TEXT NOT NULL,"
	" part INTEGER NOT NULL,"
	" bytes BLOB NOT NULL,"
	" PRIMARY KEY(id, part));",
	/* 2 to 3: a session may be a fork of another, up to one of its events */
	"ALTER TABLE sessions ADD COLUMN parent TEXT;"
	"ALTER TABLE sessions ADD COLUMN forked_at INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN late INTEGER NOT NULL DEFAULT 0;" /* of late events */
	"CREATE INDEX sessions_of_parent ON sessions(parent) WHERE parent IS NOT NULL;",
	/* 3 to 4: the words of events (store/search_text.h) by their rows, of all up to a row.
	 * Merged as slices of work have time for it (store/sqlite/sqlite_search.c), not when events come. */
	"CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='ascii');"
	"INSERT INTO search(search, rank) VALUES('automerge', 0);"
	"CREATE TABLE search_state(indexed INTEGER NOT NULL);"
	"INSERT INTO search_state VALUES(0);"
	"CREATE INDEX sessions_of_time ON sessions(updated_ms, id);",
	/* 4 to 5: rows of the index say their block (store/sqlite/sqlite_private.h); those up to one do not */
	("ALTER TABLE search_state ADD COLUMN plain_rows INTEGER NOT NULL DEFAULT 0;"
	 "UPDATE search_state SET plain_rows = indexed;"),
};
const size_t ik_sqlite_step_count = sizeof(ik_sqlite_steps) / sizeof(ik_sqlite_steps[0]);

enum ik_status ik_migrate_check(int64_t version, const char *name, size_t count,
	struct ik_error *error)
{
	if (version <= (int64_t)count)
		return IK_OK;
	return ik_error_set(error, IK_DENIED,
		_("The database %s was made by a newer ikigai (form %lld; this one knows up to %zu). "
		  "Update ikigai, or choose another database with --database."),
		name, (long long)version, count);
}

enum ik_status ik_migrate(const struct ik_migrate_ops *ops, void *database, const char *name,
	const char *const *steps, size_t count, struct ik_error *error)
{
	enum ik_status status;
	int64_t version;

	status = ops->version(database, &version, error);
	if (status == IK_OK)
		status = ik_migrate_check(version, name, count, error);
	if (status != IK_OK || version == (int64_t)count)
		return status;

	status = ops->execute(database, ops->begin, error);
	if (status != IK_OK)
		return status;
	/* Another process may have been faster. */
	status = ops->version(database, &version, error);
	if (status == IK_OK)
		status = ik_migrate_check(version, name, count, error);
	for (; status == IK_OK && version < (int64_t)count; version++)
		status = ops->execute(database, steps[version], error);
	if (status == IK_OK)
		status = ops->set_version(database, version, error);
	if (status == IK_OK)
		status = ops->execute(database, "COMMIT", error);
	if (status != IK_OK && ops->execute(database, "ROLLBACK", NULL) != IK_OK)
		return status; /* rolled back by the database itself */
	return status;
}
