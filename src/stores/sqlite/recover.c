#include "stores/sqlite/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stores/sqlite/leaves.h"
#include "stores/sqlite/sqlite.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* How long another program's transaction in the damaged file is waited for. */
#define BUSY_MS 2000
/* What JSON can name exactly; a greater number is damage. */
#define NUMBER_LIMIT (INT64_C(1) << 53)

/*
 * A table, and what the values of its rows are: a UUID, text, a whole number, bytes, or (o) anything.
 * Rows of earlier forms have fewer values. ?1 is the row's own number, null if another row has it;
 * ?2 is the first value.
 */
static const struct recover_table {
	const char *rows, *values;
	size_t least;
	const char *insert;
} tables[] = {
	{ "events NOT INDEXED", "uuittoi", 7,
		"INSERT OR IGNORE INTO events(rowid, id, session, sequence, kind, content, data_json, time)"
		" VALUES(?1, ?2, ?3, coalesce(?4, (SELECT max(sequence) + 1 FROM events WHERE session = "
		"?3)),"
		" ?5, ?6, ?7, ?8)" },
	{ "sessions NOT INDEXED", "uttiiioiioi", 6,
		"INSERT OR IGNORE INTO sessions(rowid, id, directory, title, created_ms, updated_ms,"
		" event_count, parent, forked_at, late, owner)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(?9, 0), coalesce(?10, 0), ?11)" },
	{ "blobs NOT INDEXED", "uib", 3,
		"INSERT OR IGNORE INTO blobs(rowid, id, part, bytes) VALUES(?1, ?2, ?3, ?4)" },
	{ "journals NOT INDEXED", "tiui", 4,
		"INSERT OR IGNORE INTO journals(rowid, name, place, stored_as, sequence)"
		" VALUES(?1, ?2, ?3, ?4, ?5)" },
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))
enum { ROW = 1, SEQUENCE = 4 }; /* parameters */

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
	struct ik_sqlite fresh; /* the new one */
	sqlite3_stmt *inserts[TABLES];
	struct ik_recovered got;
};

/* Has something ended it (a full disk, a cancellation)? Nothing counts as lost then. */
static bool has_ended(const struct recovery *recovery)
{
	return ik_database_failed(&recovery->fresh.base);
}

/* How many rows there are in a database, which may be damaged; -1: not all of them can be read. */
static int64_t count_rows(sqlite3 *db, const char *rows)
{
	char *text = ik_format("SELECT count(*) FROM %s", rows);
	sqlite3_stmt *query = NULL;
	int64_t count = -1;

	if (sqlite3_prepare_v2(db, text, -1, &query, NULL) == SQLITE_OK &&
		sqlite3_step(query) == SQLITE_ROW)
		count = sqlite3_column_int64(query, 0);
	sqlite3_finalize(query);
	free(text);
	return count;
}

/* Could the value be one of this kind? */
static bool fits(char kind, const struct ik_leaf_value *value)
{
	switch (kind) {
	case 'u':
		return value->type == IK_LEAF_TEXT && value->length == IK_UUID_TEXT - 1 &&
			strspn(value->bytes, "0123456789abcdef-") >= value->length;
	case 't':
		return value->type == IK_LEAF_TEXT;
	case 'i':
		return value->type == IK_LEAF_NUMBER && value->number >= 0 && value->number < NUMBER_LIMIT;
	case 'b':
		return value->type == IK_LEAF_BYTES;
	default:
		return true;
	}
}

/* Which table a row is of; TABLES: of none that has what was said. */
static size_t table_of(const struct ik_leaf_row *row)
{
	for (size_t i = 0; i < TABLES; i++) {
		size_t at = 0;

		while (at < row->count && tables[i].values[at] &&
			fits(tables[i].values[at], &row->values[at]))
			at++;
		if (at == row->count && at >= tables[i].least)
			return i;
	}
	return TABLES;
}

static void bind(sqlite3_stmt *insert, int parameter, const struct ik_leaf_value *value)
{
	if (value->type == IK_LEAF_NUMBER)
		(void)sqlite3_bind_int64(insert, parameter, value->number);
	else if (value->type == IK_LEAF_TEXT)
		(void)sqlite3_bind_text64(insert, parameter, value->bytes, value->length, SQLITE_STATIC,
			SQLITE_UTF8);
	else if (value->type == IK_LEAF_BYTES)
		(void)sqlite3_bind_blob64(insert, parameter, value->bytes, value->length, SQLITE_STATIC);
}

/* Insert a row, unless it is there. Where another one, which may be damaged, has its number, or the
 * number of its event, it gets a new one. */
static void insert_row(struct recovery *recovery, size_t table, const struct ik_leaf_row *row)
{
	sqlite3_stmt *insert = recovery->inserts[table];
	bool inserted = false;

	for (size_t i = 0; i < row->count; i++)
		bind(insert, (int)i + 2, &row->values[i]);
	if (row->rowid > 0 && row->rowid < NUMBER_LIMIT)
		(void)sqlite3_bind_int64(insert, ROW, row->rowid);
	for (int attempt = 0; attempt < 3 && !inserted && !has_ended(recovery); attempt++) {
		/* The fourth of another table is never null, so that nothing is inserted without it. */
		if (attempt > 0)
			(void)sqlite3_bind_null(insert, attempt == 1 ? ROW : SEQUENCE);
		if (sqlite3_step(insert) != SQLITE_DONE)
			ik_sqlite_explain(&recovery->fresh);
		inserted = sqlite3_changes(recovery->fresh.db) > 0;
		sqlite3_reset(insert);
	}
	sqlite3_clear_bindings(insert);
}

/* Insert the rows that can be read of the database at path. */
static void copy_rows(struct recovery *recovery, const char *path)
{
	struct ik_database *fresh = &recovery->fresh.base;
	struct ik_leaves *leaves = ik_leaves_open(path, &fresh->error);
	struct ik_leaf_row row;

	while (leaves && !has_ended(recovery) && ik_leaves_next(leaves, &row, &fresh->error)) {
		size_t table = table_of(&row);

		if (table < TABLES)
			insert_row(recovery, table, &row);
	}
	(void)ik_leaves_close(leaves);
}

/* Copy what can be read of the database at path into the open, empty one. */
static void copy_all(struct recovery *recovery, const char *path)
{
	struct ik_database *fresh = &recovery->fresh.base;

	ik_database_run(fresh, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN");
	for (size_t i = 0; i < TABLES && !has_ended(recovery); i++)
		if (sqlite3_prepare_v2(recovery->fresh.db, tables[i].insert, -1, &recovery->inserts[i],
				NULL) != SQLITE_OK)
			ik_sqlite_explain(&recovery->fresh);
	if (!has_ended(recovery))
		copy_rows(recovery, path);
	for (size_t i = 0; i < TABLES; i++)
		sqlite3_finalize(recovery->inserts[i]);
	ik_database_run(fresh, fix_up);
	ik_database_run(fresh, "COMMIT");
}

/* Count what was copied; is it all that the damaged file has? */
static void count_copied(struct recovery *recovery, const int64_t counts[TABLES])
{
	recovery->got.whole = true;
	for (size_t i = 0; i < TABLES; i++)
		if (count_rows(recovery->fresh.db, tables[i].rows) != counts[i])
			recovery->got.whole = false;
	recovery->got.events = count_rows(recovery->fresh.db, "events");
	recovery->got.sessions = count_rows(recovery->fresh.db, "sessions WHERE event_count > 0");
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
static struct ik_recovered make_copy(struct ik_database *database, sqlite3 *held, bool only_whole,
	const char *ready)
{
	char uuid[IK_UUID_TEXT], *path;
	struct recovery recovery = { .got.whole = false };
	struct ik_database *fresh = &recovery.fresh.base;
	int64_t counts[TABLES];
	bool readable = true;
	int fd;

	for (size_t i = 0; i < TABLES; i++) {
		counts[i] = count_rows(held, tables[i].rows);
		readable = readable && counts[i] >= 0;
	}
	ik_uuid_new(uuid);
	path = ik_format("%s.new-%s", database->address, uuid);
	fresh->client = database->client;
	fresh->address = path;
	if (readable || !only_whole) {
		ik_database_open(fresh);
		copy_all(&recovery, database->address);
		count_copied(&recovery, counts);
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
		got = make_copy(database, held, only_whole, ready);
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
