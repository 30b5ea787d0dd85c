/* A damaged database: what can be read of its tables is copied; indexes are made anew. */
#include "store/sqlite/sqlite_private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/database_file.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

/* Limits on pieces of a table that cannot be read and are halved: where its last row is known, and
 * where it is not, so that this one is taken for it. */
#define MOST_BAD 200000
#define MOST_BAD_OF_GUESSED 2000
#define LAST_ROW_GUESSED (INT64_C(1) << 31)

/* One number that a statement gives; -1 when it fails. */
static int64_t ask(sqlite3 *database, const char *text)
{
	sqlite3_stmt *prepared = NULL;
	int64_t number = -1;

	if (sqlite3_prepare_v2(database, text, -1, &prepared, NULL) == SQLITE_OK &&
	    sqlite3_step(prepared) == SQLITE_ROW)
		number = sqlite3_column_int64(prepared, 0);
	sqlite3_finalize(prepared);
	return number;
}

static bool run(sqlite3 *database, const char *text)
{
	return sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK;
}

struct copy {
	sqlite3 *database; /* the new one, with the damaged one as "old" */
	const char *table, *columns;
	size_t bad, most_bad; /* pieces that could not be read; more are not tried */
};

/* Copy the rows of a table from one to another; a piece that cannot be read is halved until one
 * row is left. */
static void copy_rows(struct copy *copy, int64_t first, int64_t last)
{
	char *statement = ik_format("INSERT OR IGNORE INTO main.%s(rowid, %s) SELECT rowid, %s FROM old.%s"
		" WHERE rowid BETWEEN %lld AND %lld", copy->table, copy->columns, copy->columns, copy->table,
		(long long)first, (long long)last);
	bool good = run(copy->database, statement);

	free(statement);
	if (good)
		return;
	copy->bad++;
	if (first >= last || copy->bad > copy->most_bad)
		return;
	copy_rows(copy, first, first + (last - first) / 2);
	copy_rows(copy, first + (last - first) / 2 + 1, last);
}

/* Copy what can be read of a table, or, where whole is wanted, up to the first piece that cannot; is
 * it all? */
static bool copy_table(sqlite3 *database, const char *table, const char *columns, bool whole)
{
	struct copy copy = { .database = database, .table = table, .columns = columns };
	char *last_row = ik_format("SELECT coalesce(max(rowid), 0) FROM old.%s", table);
	int64_t last = ask(database, last_row);

	copy.most_bad = whole ? 0 : last >= 0 ? MOST_BAD : MOST_BAD_OF_GUESSED;
	copy_rows(&copy, 0, last >= 0 ? last : LAST_ROW_GUESSED);
	if (copy.bad > 0)
		ik_log(IK_LOG_ERROR, "store: %zu pieces of the table %s could not be read", copy.bad, table);
	free(last_row);
	return copy.bad == 0;
}

/* The same of the database at from, into the open, empty one. */
static bool copy_all(sqlite3 *database, const char *from, bool whole)
{
	static const struct {
		const char *name, *columns;
	} tables[] = {
		{ "sessions", "id, directory, title, created_ms, updated_ms, event_count, parent, forked_at,"
			" late" },
		{ "events", "id, session, sequence, kind, content, data_json, time" },
		{ "blobs", "id, part, bytes" },
	};
	sqlite3_stmt *attach = NULL;
	bool all = true;
	size_t i;

	if (sqlite3_prepare_v2(database, "ATTACH ?1 AS old", -1, &attach, NULL) == SQLITE_OK) {
		ik_sqlite_bind_text(attach, 1, from, strlen(from));
		(void)sqlite3_step(attach);
	}
	sqlite3_finalize(attach);
	if (ask(database, "SELECT count(*) FROM old.sqlite_schema WHERE type IN ('view', 'trigger')"
	    " OR (rootpage = 0 AND name <> 'search')") != 0)
		return false;
	/* Not in one transaction: in such a one, all that follows a piece that cannot be read fails. */
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]) && (all || !whole); i++)
		all = copy_table(database, tables[i].name, tables[i].columns, whole) && all;
	/* Sessions whose row is lost, and numbers that are others now. */
	(void)run(database, "INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count)"
		" SELECT session, '', coalesce((SELECT substr(content, 1, 100) FROM events AS said"
		" WHERE said.session = events.session AND kind = 'user' ORDER BY sequence LIMIT 1), ''),"
		" min(time), max(time), count(*) FROM events WHERE session NOT IN (SELECT id FROM sessions)"
		" GROUP BY session;"
		"UPDATE sessions SET event_count = (SELECT count(*) FROM events WHERE session = sessions.id)"
		" WHERE event_count > 0");
	return all;
}

/* Have the disk have it. */
static void sync_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
}

/* Give the copy the name of the file, which is put aside. */
static enum ik_status replace(const struct sqlite *sqlite, const char *path, bool whole,
	int64_t events, int64_t sessions, struct ik_buf *notice, struct ik_error *error)
{
	enum ik_status status;

	sync_file(path);
	status = ik_database_file_put_aside(sqlite->path, path, notice, error);
	if (status == IK_OK && whole)
		ik_buf_puts(notice, _(" Nothing is lost: the new one has all that was in it."));
	else if (status == IK_OK && events > 0)
		ik_buf_printf(notice, ngettext(" %lld event of %lld sessions could be read and is in it.",
			" %lld events of %lld sessions could be read and are in it.", (unsigned long)events),
			(long long)events, (long long)sessions);
	return status;
}

enum ik_status ik_sqlite_salvage(struct sqlite *sqlite, bool whole, struct ik_buf *notice,
	struct ik_error *error)
{
	char uuid[IK_UUID_TEXT], *path;
	struct sqlite fresh = { .path = NULL };
	int64_t events = 0, sessions = 0;
	enum ik_status status;
	bool all = false;

	ik_uuid_new(uuid);
	path = ik_format("%s.new-%s", sqlite->path, uuid);
	fresh.path = path;
	status = ik_database_file_make(path, error);
	if (status == IK_OK)
		status = ik_sqlite_open_new(&fresh, error);
	if (status == IK_OK) {
		all = copy_all(fresh.db, sqlite->path, whole);
		events = ask(fresh.db, "SELECT count(*) FROM main.events");
		sessions = ask(fresh.db, "SELECT count(*) FROM main.sessions WHERE event_count > 0");
	}
	(void)sqlite3_close_v2(fresh.db);
	if (status == IK_OK && whole && !all)
		status = ik_error_set(error, IK_INVALID, _("The database %s is damaged."), sqlite->path);
	if (status == IK_OK)
		status = replace(sqlite, path, all, events, sessions, notice, error);
	if (status != IK_OK)
		(void)unlink(path);
	free(path);
	return status;
}
