/* A damaged database: what can be read of its tables is copied; indexes are made anew. */
#include "store/sqlite/sqlite_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/database_file.h"
#include "store/lock_private.h"
#include "store/rescue.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/path.h"
#include "util/text.h"

/* The name of the lock (PATH-locks) under which a database file is made or replaced. */
#define LOCK_NAME "repair"
/* How long another program's lock on the damaged file is waited for. */
#define BUSY_MS 500

/* Limits on pieces of a table that cannot be read and are halved: where its last row is known, and
 * where it is not, so that this one is taken for it. */
#define MOST_BAD 200000
#define MOST_BAD_OF_GUESSED 2000
#define LAST_ROW_GUESSED (INT64_C(1) << 31)

/* A table as the forms of the database (store/migrate.h) from one to another have it. */
struct table {
	const char *name, *columns;
	int64_t since, until;
};
#define NEWEST_FORM INT64_MAX

/* ---- one process at a time ---- */

/* Lock the making and replacing of the file; *ret_fd is -1 where another reason than somebody else
 * forbids it. */
static enum ik_status lock_file(const struct sqlite *sqlite, int *ret_fd, struct ik_error *error)
{
	*ret_fd = ik_lock_file_take(sqlite->path, LOCK_NAME);
	if (*ret_fd >= 0 || errno != EAGAIN)
		return IK_OK;
	return ik_error_set(error, IK_UNAVAILABLE, _("The database %s is in use by another program."),
		sqlite->path);
}

static void unlock_file(const struct sqlite *sqlite, int fd)
{
	if (fd >= 0)
		ik_lock_file_let_go(sqlite->path, LOCK_NAME, fd);
}

enum ik_status ik_sqlite_make_file(const struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status;
	int fd;

	if (access(sqlite->path, F_OK) == 0)
		return IK_OK;
	status = lock_file(sqlite, &fd, error);
	if (status != IK_OK)
		return status;
	status = ik_database_file_make(sqlite->path, error);
	unlock_file(sqlite, fd);
	return status;
}

/* Keep others from storing anything in the damaged file from here on, where it is not too damaged
 * for a lock. Closing the handle lets it go. */
static enum ik_status hold(struct sqlite *held, struct ik_error *error)
{
	if (sqlite3_open_v2(held->path, &held->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK)
		return IK_OK;
	ik_sqlite_protect(held->db);
	(void)sqlite3_busy_timeout(held->db, BUSY_MS);
	if (ik_sqlite_execute(held, "BEGIN IMMEDIATE", error) == IK_UNAVAILABLE)
		return IK_UNAVAILABLE;
	return IK_OK;
}

/* Remove the copies of processes that were killed at this. */
static void remove_left_copies(const char *path)
{
	char *directory = ik_path_directory(path), *prefix = ik_format("%s.new-", ik_path_base(path));
	char **paths = NULL;
	size_t count = 0, i;

	ik_rescue_find_in(directory, prefix, "", &paths, &count);
	for (i = 0; i < count; i++)
		(void)unlink(paths[i]);
	ik_rescue_find_free(paths);
	free(prefix);
	free(directory);
}

/* ---- copying ---- */

/* A copy that is being made. */
struct copy {
	struct sqlite fresh;   /* the new one, with the damaged one as "old" */
	bool whole;            /* no use unless it has all */
	size_t bad, most_bad;  /* pieces of a table that could not be read; more are not tried */
	enum ik_status status; /* what ended it: not the damage */
	struct ik_error *error;
};

/* Run a statement. False: the damaged file cannot be read there, or, as status says, something
 * else is wrong (a full disk, somebody else's lock), with which nothing may count as lost. */
static bool run(struct copy *copy, const char *text)
{
	int code, which;

	if (sqlite3_exec(copy->fresh.db, text, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	which = sqlite3_extended_errcode(copy->fresh.db);
	code = which & 0xff;
	/* SQLITE_ERROR: the table is missing. */
	if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB && code != SQLITE_ERROR &&
		code != SQLITE_TOOBIG && which != SQLITE_IOERR_READ && which != SQLITE_IOERR_SHORT_READ)
		copy->status = ik_sqlite_explain(&copy->fresh, copy->error);
	return false;
}

/* Copy the rows of a table from one to another; a piece that cannot be read is halved until one
 * row is left. */
static void copy_rows(struct copy *copy, const struct table *table, int64_t first, int64_t last)
{
	char *statement =
		ik_format("INSERT OR IGNORE INTO main.%s(rowid, %s) SELECT rowid, %s FROM old.%s"
				  " WHERE rowid BETWEEN %lld AND %lld",
			table->name, table->columns, table->columns, table->name, (long long)first,
			(long long)last);
	bool good = run(copy, statement);

	free(statement);
	if (good || copy->status != IK_OK)
		return;
	copy->bad++;
	if (first >= last || copy->bad > copy->most_bad)
		return;
	copy_rows(copy, table, first, first + (last - first) / 2);
	if (copy->status == IK_OK)
		copy_rows(copy, table, first + (last - first) / 2 + 1, last);
}

/* Copy what can be read of a table, or, where only a whole copy is of use, up to the first piece
 * that cannot; is it all? */
static bool copy_table(struct copy *copy, const struct table *table)
{
	char *last_row = ik_format("SELECT coalesce(max(rowid), 0) FROM old.%s", table->name);
	int64_t last = ik_sqlite_number(copy->fresh.db, last_row);

	copy->bad = 0;
	copy->most_bad = copy->whole ? 0 : last >= 0 ? MOST_BAD : MOST_BAD_OF_GUESSED;
	copy_rows(copy, table, 0, last >= 0 ? last : LAST_ROW_GUESSED);
	if (copy->bad > 0)
		ik_log(IK_LOG_ERROR, "store: %zu pieces of the table %s could not be read", copy->bad,
			table->name);
	free(last_row);
	return copy->bad == 0;
}

/* Name the file at from in the new one; false: nothing of it can be read. */
static bool attach(struct copy *copy, const char *from)
{
	sqlite3_stmt *attach = NULL;

	if (sqlite3_prepare_v2(copy->fresh.db, "ATTACH ?1 AS old", -1, &attach, NULL) == SQLITE_OK) {
		ik_sqlite_bind_text(attach, 1, from, strlen(from));
		(void)sqlite3_step(attach);
	}
	sqlite3_finalize(attach);
	return run(copy, "SELECT count(*) FROM old.sqlite_schema") &&
		ik_sqlite_number(copy->fresh.db,
			"SELECT count(*) FROM old.sqlite_schema"
			" WHERE type IN ('view', 'trigger') OR (rootpage = 0 AND name <> 'search')") == 0;
}

/* Copy what can be read of the database at from into the open, empty one; is it all? */
static bool copy_all(struct copy *copy, const char *from)
{
	static const struct table tables[] = {
		{ "sessions", "id, directory, title, created_ms, updated_ms, event_count", 1, 2 },
		{ "sessions",
			"id, directory, title, created_ms, updated_ms, event_count, parent, forked_at,"
			" late",
			3, NEWEST_FORM },
		{ "events", "id, session, sequence, kind, content, data_json, time", 1, NEWEST_FORM },
		{ "blobs", "id, part, bytes", 2, NEWEST_FORM },
	};
	bool all = true;
	int64_t form;
	size_t i;

	if (!attach(copy, from))
		return false;
	form = ik_sqlite_number(copy->fresh.db, "PRAGMA old.user_version");
	if (form < 1)
		form = NEWEST_FORM;
	/* Not in one transaction: in such a one, all that follows a piece that cannot be read fails. */
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (copy->status == IK_OK && (all || !copy->whole) && form >= tables[i].since &&
			form <= tables[i].until)
			all = copy_table(copy, &tables[i]) && all;
	}
	/* Sessions whose row is lost, and numbers that are others now. */
	if (copy->status == IK_OK &&
		!run(copy,
			"INSERT INTO sessions(id, directory, title, created_ms,"
			" updated_ms, event_count)"
			" SELECT session, '', coalesce((SELECT substr(content, 1, 100) FROM events AS said"
			" WHERE said.session = events.session AND kind = 'user' ORDER BY sequence LIMIT 1), "
			"''),"
			" min(time), max(time), count(*) FROM events WHERE session NOT IN (SELECT id FROM "
			"sessions)"
			" GROUP BY session;"
			"UPDATE sessions SET event_count = (SELECT count(*) FROM events WHERE session = "
			"sessions.id)"
			" WHERE event_count > 0"))
		all = false;
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
		ik_buf_printf(notice,
			ngettext(" %lld event of %lld sessions could be read and is in it.",
				" %lld events of %lld sessions could be read and are in it.",
				(unsigned long)events),
			(long long)events, (long long)sessions);
	return status;
}

/* Copy what can be read into a new file at path, and give that the name of the damaged one. */
static enum ik_status copy_and_replace(struct sqlite *sqlite, char *path, bool whole,
	struct ik_buf *notice, struct ik_error *error)
{
	struct copy copy = { .fresh.path = path, .whole = whole, .error = error };
	int64_t events = 0, sessions = 0;
	enum ik_status status;
	bool all = false;

	status = ik_database_file_make(path, error);
	if (status == IK_OK)
		status = ik_sqlite_open_new(&copy.fresh, error);
	if (status == IK_OK) {
		(void)sqlite3_busy_timeout(copy.fresh.db, BUSY_MS);
		copy.fresh.path = sqlite->path; /* which errors name */
		all = copy_all(&copy, sqlite->path);
		events = ik_sqlite_number(copy.fresh.db, "SELECT count(*) FROM main.events");
		sessions = ik_sqlite_number(copy.fresh.db,
			"SELECT count(*) FROM main.sessions WHERE event_count > 0");
		status = copy.status;
	}
	(void)sqlite3_close_v2(copy.fresh.db);
	if (status == IK_OK && whole && !all)
		status = ik_error_set(error, IK_INVALID, _("The database %s is damaged."), sqlite->path);
	if (status == IK_OK)
		status = replace(sqlite, path, all, events, sessions, notice, error);
	if (status != IK_OK)
		(void)unlink(path);
	return status;
}

/* Salvage the file, which nobody else does at the same time. */
static enum ik_status salvage(struct sqlite *sqlite, bool whole, struct ik_buf *notice,
	struct ik_error *error)
{
	struct sqlite held = { .path = sqlite->path };
	enum ik_status status;
	char uuid[IK_UUID_TEXT], *path;

	/* Somebody else has done it, or removed the file. */
	if (ik_sqlite_is_lost(sqlite))
		return IK_OK;
	remove_left_copies(sqlite->path);
	status = hold(&held, error);
	if (status == IK_OK) {
		ik_log(IK_LOG_ERROR, "store: %s is damaged: what can be read of it is copied",
			sqlite->path);
		ik_uuid_new(uuid);
		path = ik_format("%s.new-%s", sqlite->path, uuid);
		status = copy_and_replace(sqlite, path, whole, notice, error);
		free(path);
	}
	(void)sqlite3_close_v2(held.db);
	return status;
}

enum ik_status ik_sqlite_salvage(struct sqlite *sqlite, bool whole, struct ik_buf *notice,
	struct ik_error *error)
{
	enum ik_status status;
	int fd;

	status = lock_file(sqlite, &fd, error);
	if (status == IK_OK && fd < 0)
		status = ik_error_set_errno(error, errno, _("The damaged database %s cannot be put aside"),
			sqlite->path);
	if (status == IK_OK)
		status = salvage(sqlite, whole, notice, error);
	unlock_file(sqlite, fd);
	return status;
}
