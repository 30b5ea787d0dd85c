#include "stores/sqlite/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stores/sqlite/sqlite.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* How long another program's transaction in the damaged file is waited for. */
#define BUSY_MS 2000
/* Limits on ranges of a table that cannot be read: where its last row is known, and where it is not,
 * so that this one is taken for it. */
#define BAD_LIMIT 200000
#define BAD_LIMIT_OF_GUESSED 2000
#define LAST_ROW_GUESSED (INT64_C(1) << 31)

/* A table as the forms of the database (sqlite.c) from one to another have it. */
struct recover_table {
	const char *name, *columns;
	int64_t since, until;
};
#define NEWEST_FORM INT64_MAX

static const struct recover_table tables[] = {
	{ "sessions", "id, directory, title, created_ms, updated_ms, event_count", 1, 2 },
	{ "sessions",
		"id, directory, title, created_ms, updated_ms, event_count, parent, forked_at, late", 3,
		NEWEST_FORM },
	{ "events", "id, session, sequence, kind, content, data_json, time", 1, NEWEST_FORM },
	{ "blobs", "id, part, bytes", 2, NEWEST_FORM },
	{ "journals", "name, place, stored_as, sequence", 6, NEWEST_FORM },
};

/* Sessions whose rows are lost, and numbers that have changed. */
static const char fix_up[] =
	"INSERT INTO sessions(id, directory, title, created_ms, updated_ms, event_count)"
	" SELECT session, '', coalesce((SELECT substr(content, 1, 100) FROM events AS said"
	" WHERE said.session = events.session AND kind = 'user' ORDER BY sequence LIMIT 1), ''),"
	" min(time), max(time), count(*) FROM events WHERE session NOT IN (SELECT id FROM sessions)"
	" GROUP BY session;"
	"UPDATE sessions SET event_count = (SELECT count(*) FROM events WHERE session = sessions.id)"
	" WHERE event_count > 0;"
	"UPDATE sessions SET last_sequence = coalesce((SELECT max(sequence) FROM events"
	" WHERE session = sessions.id), forked_at)";

/* A copy that is being made. */
struct recovery {
	struct ik_sqlite fresh; /* the new one, with the damaged one as "old" */
	bool only_whole;        /* it is no use unless it has all */
	size_t bad, bad_limit;  /* ranges of a table that could not be read; more are not tried */
	struct ik_recovered got;
};

/* Has something else than the damage ended it? */
static bool has_ended(const struct recovery *recovery)
{
	return ik_database_failed(&recovery->fresh.base);
}

/* Run a statement. False: the damaged file cannot be read there, or something else is wrong (a full
 * disk, another program's lock), with which nothing may count as lost: that ends it. */
static bool run(struct recovery *recovery, const char *text)
{
	sqlite3 *db = recovery->fresh.db;
	int code, which;

	if (sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	which = sqlite3_extended_errcode(db);
	code = which & 0xff;
	/* SQLITE_ERROR: the table is missing. */
	if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB && code != SQLITE_ERROR &&
		code != SQLITE_TOOBIG && which != SQLITE_IOERR_READ && which != SQLITE_IOERR_SHORT_READ)
		ik_sqlite_explain(&recovery->fresh);
	return false;
}

/* The number that a statement gives; -1 where it cannot be read. */
static int64_t number_of(struct recovery *recovery, const char *text)
{
	sqlite3_stmt *query = NULL;
	int64_t number = -1;

	if (sqlite3_prepare_v2(recovery->fresh.db, text, -1, &query, NULL) == SQLITE_OK &&
		sqlite3_step(query) == SQLITE_ROW)
		number = sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	return number;
}

/* Copy the rows of a table from one to another; a range that cannot be read is halved until one row
 * is left. */
static void copy_rows(struct recovery *recovery, const struct recover_table *table, int64_t first,
	int64_t last)
{
	int64_t middle = first + (last - first) / 2;
	char *statement = ik_format("INSERT OR IGNORE INTO main.%s(rowid, %s) SELECT rowid, %s"
								" FROM old.%s WHERE rowid BETWEEN %lld AND %lld",
		table->name, table->columns, table->columns, table->name, (long long)first,
		(long long)last);
	bool good = run(recovery, statement);

	free(statement);
	if (good || has_ended(recovery))
		return;
	recovery->bad++;
	if (first >= last || recovery->bad > recovery->bad_limit)
		return;
	copy_rows(recovery, table, first, middle);
	if (!has_ended(recovery))
		copy_rows(recovery, table, middle + 1, last);
}

/* Copy what can be read of a table; is it all? */
static bool copy_table(struct recovery *recovery, const struct recover_table *table)
{
	char *last_row = ik_format("SELECT coalesce(max(rowid), 0) FROM old.%s", table->name);
	int64_t last = number_of(recovery, last_row);

	recovery->bad = 0;
	recovery->bad_limit = recovery->only_whole ? 0 : last >= 0 ? BAD_LIMIT : BAD_LIMIT_OF_GUESSED;
	copy_rows(recovery, table, 0, last >= 0 ? last : LAST_ROW_GUESSED);
	free(last_row);
	return recovery->bad == 0;
}

/* Name the damaged file in the new one; false: nothing of it can be read. */
static bool attach(struct recovery *recovery, const char *path)
{
	sqlite3_stmt *attach = NULL;

	if (sqlite3_prepare_v2(recovery->fresh.db, "ATTACH ?1 AS old", -1, &attach, NULL) ==
		SQLITE_OK) {
		(void)sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
		(void)sqlite3_step(attach);
	}
	sqlite3_finalize(attach);
	return number_of(recovery, IK_SQLITE_FOREIGN("old")) == 0;
}

/* Copy what can be read of the database at path into the open, empty one; is it all? */
static bool copy_all(struct recovery *recovery, const char *path)
{
	bool all = true;
	int64_t form;

	if (!attach(recovery, path))
		return false;
	form = number_of(recovery, "PRAGMA old.user_version");
	if (form < 1)
		form = NEWEST_FORM;
	/* Not in one transaction: in such a one, all that follows a range that cannot be read fails. */
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!has_ended(recovery) && (all || !recovery->only_whole) && form >= tables[i].since &&
			form <= tables[i].until)
			all = copy_table(recovery, &tables[i]) && all;
	return !has_ended(recovery) && run(recovery, fix_up) && all;
}

/* ---- files ---- */

static void fail_in_use(struct ik_database *database)
{
	ik_error_set(&database->error, IK_UNAVAILABLE,
		_("The database %s is in use by another program."), database->address);
}

/* Keep others from storing anything in the damaged file from here on, where it is not too damaged
 * for a lock. Closing the handle ends it. */
static sqlite3 *hold(struct ik_database *database)
{
	sqlite3 *held = NULL;

	if (sqlite3_open_v2(database->address, &held, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			NULL) != SQLITE_OK)
		return held;
	ik_sqlite_protect(held);
	(void)sqlite3_busy_timeout(held, BUSY_MS);
	if (sqlite3_exec(held, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_BUSY)
		fail_in_use(database);
	return held;
}

/* Make a whole copy at ready. */
static struct ik_recovered make_copy(struct ik_database *database, bool only_whole,
	const char *ready)
{
	char uuid[IK_UUID_TEXT], *path;
	struct recovery recovery = { .only_whole = only_whole };
	struct ik_database *fresh = &recovery.fresh.base;
	int fd;

	ik_uuid_new(uuid);
	path = ik_format("%s.new-%s", database->address, uuid);
	fresh->client = database->client;
	fresh->address = path;
	ik_database_open(fresh);
	if (!has_ended(&recovery)) {
		(void)run(&recovery, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
		recovery.got.whole = copy_all(&recovery, database->address);
		recovery.got.events = number_of(&recovery, "SELECT count(*) FROM main.events");
		recovery.got.sessions = number_of(&recovery,
			"SELECT count(*) FROM main.sessions WHERE event_count > 0");
	}
	database->error = fresh->error;
	if (!has_ended(&recovery) && only_whole && !recovery.got.whole)
		ik_error_set(&database->error, IK_INVALID, _("The database %s is damaged."),
			database->address);
	ik_database_close(fresh);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (!ik_database_failed(database) && (fd < 0 || fsync(fd) != 0 || rename(path, ready) != 0))
		ik_error_set_errno(&database->error, errno, _("Cannot make the database %s"), path);
	if (fd >= 0)
		(void)close(fd);
	(void)unlink(path);
	free(path);
	return recovery.got;
}

/* Give the log of the damaged file its new name, or remove it: a stale one must not be played into
 * the new file. */
static void put_log_aside(const char *path, const char *aside)
{
	char *log = ik_format("%s-wal", path), *shared = ik_format("%s-shm", path);
	char *to = ik_format("%s-wal", aside);
	struct stat about;

	if (stat(log, &about) != 0 || about.st_size == 0 || rename(log, to) != 0)
		(void)unlink(log);
	(void)unlink(shared);
	free(log);
	free(shared);
	free(to);
}

/* Put the damaged file aside, and give the copy its name. */
static void replace(struct ik_database *database, const char *ready, struct ik_buf *notice)
{
	const char *path = database->address;
	char time[IK_CLOCK_TEXT], *aside;

	ik_clock_text(ik_clock_wall_ms(), time);
	aside = ik_format("%s.damaged-%s", path, time);
	if (rename(path, aside) != 0 && errno != ENOENT) {
		ik_error_set_errno(&database->error, errno,
			_("The damaged database %s cannot be put aside"), path);
	} else {
		put_log_aside(path, aside);
		/* Another program that found none may have finished it. */
		if (rename(ready, path) != 0 && errno != ENOENT)
			ik_error_set_errno(&database->error, errno, _("Cannot make the database %s"), path);
	}
	ik_buf_printf(notice,
		_("The database was damaged. It was put aside as %s and a new one was begun."), aside);
	free(aside);
}

static void put_result(struct ik_buf *notice, const struct ik_recovered *got)
{
	if (got->whole)
		ik_buf_puts(notice, _(" Nothing is lost: the new one has all that was in it."));
	else if (got->events > 0)
		ik_buf_printf(notice,
			ngettext(" %lld event of %lld sessions could be read and is in it.",
				" %lld events of %lld sessions could be read and are in it.",
				(unsigned long)got->events),
			(long long)got->events, (long long)got->sessions);
}

static struct ik_recovered recover(struct ik_database *database, bool only_whole)
{
	char *ready = ik_format("%s.new-ready", database->address);
	struct ik_recovered got = { .whole = false };
	sqlite3 *held = hold(database);
	struct ik_buf notice;

	ik_buf_init(&notice, IK_KIB(16));
	if (!ik_database_failed(database))
		got = make_copy(database, only_whole, ready);
	if (!ik_database_failed(database))
		replace(database, ready, &notice);
	(void)sqlite3_close_v2(held);
	if (!ik_database_failed(database)) {
		put_result(&notice, &got);
		ik_connection_tell(database->client, "notice", notice.data);
	}
	ik_buf_done(&notice);
	free(ready);
	return got;
}

struct ik_recovered ik_sqlite_recover(struct ik_database *database, bool only_whole)
{
	struct ik_sqlite *sqlite = (struct ik_sqlite *)database;
	struct ik_recovered got = { .whole = false };
	int lock = ik_sqlite_lock_directory(database->address);

	if (access(database->address, F_OK) != 0)
		ik_error_set_errno(&database->error, errno, "%s", database->address);
	else if (lock < 0)
		fail_in_use(database);
	/* Unless another program has done it since the damage was seen. */
	else if (!database->damaged || !ik_sqlite_is_lost(sqlite))
		got = recover(database, only_whole);
	if (!ik_database_failed(database))
		sqlite->inode = 0;
	if (lock >= 0)
		(void)close(lock);
	return got;
}
