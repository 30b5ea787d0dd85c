/*
 * store-sqlite DATABASE JOURNALS: the store program (ikigai-store(7)) for an SQLite file.
 *
 * If the file is damaged, rows are copied from the leaf pages (leaves.h), so that a bad page costs
 * only what is on it, and indexes are rebuilt. The damaged file gets the name PATH.damaged-TIME
 * before the copy, once that is complete, takes over its own: a kill at any instant loses neither.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "conversation/search_query.h"
#include "conversation/search_text.h"
#include "json/write.h"
#include "stores/index.h"
#include "stores/old_files.h"
#include "stores/service.h"
#include "stores/sqlite/leaves.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* Limits on the wait for another program's transaction. */
#define BUSY_MS 10000
#define BUSY_STEP_MS 5
#define GIVE_WAY_MS 300
/* SQLite VM instructions between two looks for a cancellation: well below a millisecond. */
#define PROGRESS_STEPS 20000

/* ---- tables ---- */

/* "ikig": distinguishes our databases from other programs'. */
#define APPLICATION "1768647015"

/*
 * Steps are only ever added: these have run on users' databases and must not change.
 */
static const char *const steps[] = {
	/* 0 to 1 */
	"CREATE TABLE sessions("
	" id TEXT PRIMARY KEY NOT NULL,"
	" directory TEXT NOT NULL,"
	" title TEXT NOT NULL DEFAULT '',"
	" created_ms INTEGER NOT NULL,"
	" updated_ms INTEGER NOT NULL,"
	" event_count INTEGER NOT NULL DEFAULT 0);"
	/* Without the time: with it, each event would write one more page. */
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
	/* 1 to 2: large texts that events name, in parts numbered from 0 */
	"CREATE TABLE blobs("
	" id TEXT NOT NULL,"
	" part INTEGER NOT NULL,"
	" bytes BLOB NOT NULL,"
	" PRIMARY KEY(id, part));",
	/* 2 to 3: a session may be a fork of another one, up to one of its events */
	"ALTER TABLE sessions ADD COLUMN parent TEXT;"
	"ALTER TABLE sessions ADD COLUMN forked_at INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE sessions ADD COLUMN late INTEGER NOT NULL DEFAULT 0;" /* created for late events */
	"CREATE INDEX sessions_of_parent ON sessions(parent) WHERE parent IS NOT NULL;",
	/* 3 to 4: the words of events (conversation/search_text.h) by their rowid, up to a mark */
	"CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='ascii');"
	"INSERT INTO search(search, rank) VALUES('automerge', 0);"
	"CREATE TABLE search_state(indexed INTEGER NOT NULL);"
	"INSERT INTO search_state VALUES(0);"
	"CREATE INDEX sessions_of_time ON sessions(updated_ms, id);",
	/* 4 to 5: index rows have a word for their block, except those up to plain_rows */
	("ALTER TABLE search_state ADD COLUMN plain_rows INTEGER NOT NULL DEFAULT 0;"
	 "UPDATE search_state SET plain_rows = indexed;"),
	/* 5 to 6: how far journals are stored; index rows after named_rows have no word for their block
	 * again; columns that a server needs, which has users */
	"CREATE TABLE journals("
	" name TEXT PRIMARY KEY NOT NULL,"
	" place INTEGER NOT NULL,"     /* everything before this byte is stored */
	" stored_as TEXT NOT NULL,"    /* the session, or the fork that late events became */
	" sequence INTEGER NOT NULL);" /* of the newest event the writer knew */
	"INSERT INTO search(search, rank) VALUES('automerge', 4);"
	"ALTER TABLE search_state ADD COLUMN named_rows INTEGER NOT NULL DEFAULT 0;"
	"UPDATE search_state SET named_rows = indexed;"
	"ALTER TABLE sessions ADD COLUMN owner TEXT;"
	"ALTER TABLE sessions ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT 0;"
	"UPDATE sessions SET last_sequence = coalesce((SELECT max(sequence) FROM events"
	" WHERE session = sessions.id), forked_at);",
	/* 6 to 7: an index of rows with a word for their block is made anew, since a row can only be
	 * deleted with the words it was inserted with */
	"INSERT INTO search(search)"
	" SELECT 'delete-all' FROM search_state WHERE named_rows > plain_rows;"
	"CREATE TABLE search_mark(indexed INTEGER NOT NULL);"
	"INSERT INTO search_mark SELECT CASE WHEN named_rows > plain_rows THEN 0 ELSE indexed END"
	" FROM search_state;"
	"DROP TABLE search_state;"
	"ALTER TABLE search_mark RENAME TO search_state;",
};

static const struct ik_database_form form = {
	.ask = "PRAGMA user_version",
	.set = "PRAGMA application_id = " APPLICATION "; PRAGMA user_version = ",
	.steps = steps,
	.count = sizeof(steps) / sizeof(steps[0]),
};

/* ---- failures ---- */

struct sqlite_database {
	struct ik_database base;
	sqlite3 *db;
	bool changing;    /* inside a transaction */
	dev_t device;     /* of the open file: its path may name another one by now */
	ino_t inode;      /* 0: none was open yet, it is a copy, or we replaced it ourselves */
	const char *copy; /* a backup being written, of about copy_size bytes; or NULL */
	int64_t copy_size;
	sqlite3_stmt *change;    /* the last one, prepared, in case it is repeated */
	const char *change_text; /* a literal, compared by its address */
};

static struct sqlite_database *sqlite_of(struct ik_database *database)
{
	return (struct sqlite_database *)database;
}

static void fail_in_use(struct ik_database *database)
{
	ik_error_set(&database->error, IK_UNAVAILABLE,
		_("The database %s is in use by another program."), database->address);
}

/* Set the error from SQLite's last failure. */
static void explain(struct sqlite_database *sqlite)
{
	const char *why = sqlite3_errmsg(sqlite->db), *path = sqlite->base.name;
	int number = sqlite3_system_errno(sqlite->db);
	struct ik_error *error = &sqlite->base.error;

	switch (sqlite3_errcode(sqlite->db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		fail_in_use(&sqlite->base);
		break;
	case SQLITE_FULL:
		ik_error_set(error, IK_IO, _("The disk is full: the database %s cannot grow."), path);
		break;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		ik_error_set(error, IK_IO, _("The database %s cannot be used: %s (%s)."), path, why,
			number ? strerror(number) : _("no reason given"));
		break;
	case SQLITE_READONLY:
		ik_error_set(error, IK_IO, _("The database %s cannot be written: check its permissions."),
			path);
		break;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		sqlite->base.damaged = true;
		ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."), path, why);
		break;
	case SQLITE_TOOBIG:
		ik_error_set(error, IK_TOO_LARGE, _("An event is too large for the database %s."), path);
		break;
	default:
		ik_error_set(error, IK_FAILED, _("The database %s fails: %s."), path, why);
	}
}

/* ---- statements ---- */

void ik_database_run(struct ik_database *database, const char *statements)
{
	struct sqlite_database *sqlite = sqlite_of(database);

	if (!ik_database_failed(database) &&
		sqlite3_exec(sqlite->db, statements, NULL, NULL, NULL) != SQLITE_OK)
		explain(sqlite);
}

/* Has nothing failed so far? When memory runs out, SQLite ends a transaction by itself: the next
 * statements would be stored alone. */
static bool is_usable(struct sqlite_database *sqlite)
{
	if (sqlite->changing && sqlite3_get_autocommit(sqlite->db) &&
		!ik_database_failed(&sqlite->base))
		ik_error_set(&sqlite->base.error, IK_NO_MEMORY, _("not enough memory for %s"),
			sqlite->base.name);
	return !ik_database_failed(&sqlite->base);
}

/* Prepare a statement; NULL if that, or something before it, has failed. */
static sqlite3_stmt *prepare(struct sqlite_database *sqlite, const char *text)
{
	sqlite3_stmt *statement = NULL;

	if (is_usable(sqlite) &&
		sqlite3_prepare_v3(sqlite->db, text, -1, 0, &statement, NULL) != SQLITE_OK)
		explain(sqlite);
	return statement;
}

/* Bind values; those without a parameter in the statement are ignored. */
static void bind(sqlite3_stmt *statement, const struct ik_value *values,
	sqlite3_destructor_type keep)
{
	for (int i = 1; values && values->type != IK_VALUE_END; i++, values++) {
		if (values->type == IK_VALUE_NUMBER)
			(void)sqlite3_bind_int64(statement, i, values->number);
		else if (values->type == IK_VALUE_BYTES)
			(void)sqlite3_bind_blob64(statement, i, values->text, values->length, keep);
		else
			(void)sqlite3_bind_text64(statement, i, values->text, values->length, keep,
				SQLITE_UTF8);
	}
}

static void forget_change(struct sqlite_database *sqlite)
{
	sqlite3_finalize(sqlite->change);
	sqlite->change = NULL;
	sqlite->change_text = NULL;
}

void ik_database_change(struct ik_database *database, const char *literal,
	const struct ik_value *values)
{
	struct sqlite_database *sqlite = sqlite_of(database);

	if (!literal || !is_usable(sqlite))
		return;
	if (sqlite->change_text != literal) {
		forget_change(sqlite);
		sqlite->change = prepare(sqlite, literal);
		sqlite->change_text = sqlite->change ? literal : NULL;
	}
	if (!sqlite->change)
		return;
	bind(sqlite->change, values, SQLITE_STATIC);
	if (sqlite3_step(sqlite->change) != SQLITE_DONE)
		explain(sqlite);
	sqlite3_reset(sqlite->change);
	sqlite3_clear_bindings(sqlite->change);
}

/* ---- rows ---- */

struct ik_rows *ik_database_ask(struct ik_database *database, const char *text,
	const struct ik_value *values)
{
	sqlite3_stmt *statement = prepare(sqlite_of(database), text);
	struct ik_rows *rows;

	if (!statement)
		return NULL;
	bind(statement, values, SQLITE_TRANSIENT);
	rows = ik_alloc(sizeof(*rows));
	rows->database = database;
	rows->answer = statement;
	return rows;
}

bool ik_rows_next(struct ik_rows *rows)
{
	int step = rows && !ik_database_failed(rows->database) ? sqlite3_step(rows->answer)
														   : SQLITE_DONE;

	if (step != SQLITE_ROW && step != SQLITE_DONE)
		explain(sqlite_of(rows->database));
	return step == SQLITE_ROW;
}

const char *ik_rows_chars(struct ik_rows *rows, int column, size_t *ret_length)
{
	sqlite3_stmt *row = rows->answer;
	const char *found = (const char *)sqlite3_column_text(row, column);

	*ret_length = (size_t)sqlite3_column_bytes(row, column);
	return found;
}

const char *ik_rows_bytes(struct ik_rows *rows, int column, size_t *ret_length)
{
	sqlite3_stmt *row = rows->answer;
	bool null = sqlite3_column_type(row, column) == SQLITE_NULL;
	const char *found = sqlite3_column_blob(row, column);

	*ret_length = (size_t)sqlite3_column_bytes(row, column);
	return found || null ? found : "";
}

struct ik_rows *ik_rows_free(struct ik_rows *rows)
{
	if (rows)
		sqlite3_finalize(rows->answer);
	free(rows);
	return NULL;
}

/* ---- opening ---- */

/* Does the path of the file that is, or was, open now name another file, or none? */
static bool is_lost(const struct sqlite_database *sqlite)
{
	struct stat now;

	if (sqlite->inode == 0)
		return false;
	if (stat(sqlite->base.address, &now) != 0)
		return errno == ENOENT || errno == ENOTDIR;
	return now.st_dev != sqlite->device || now.st_ino != sqlite->inode;
}

/* Is this path on a read-only file system? */
static bool is_on_read_only_disk(const char *path)
{
	struct statvfs facts;

	return statvfs(path, &facts) == 0 && (facts.f_flag & ST_RDONLY);
}

bool ik_database_is_open(const struct ik_database *database)
{
	const struct sqlite_database *sqlite = (const struct sqlite_database *)database;

	/* Reopen if the file was deleted or replaced, since writes to it would be lost, or if a
	 * read-only file has become writable. */
	return sqlite->db && !is_lost(sqlite) &&
		!(database->reads_only && !is_on_read_only_disk(database->address));
}

/* Refuse a database of another program, or one with added views, triggers or virtual tables: a
 * SELECT on them could run code. */
static void check_owner(struct ik_database *database)
{
	int64_t ours = ik_database_number(database, "PRAGMA application_id", NULL);
	int64_t tables = ik_database_number(database, "SELECT count(*) FROM sqlite_schema", NULL);
	int64_t foreign = ik_database_number(database,
		"SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')"
		" OR (rootpage = 0 AND name <> 'search')",
		NULL);

	if (ik_database_failed(database) || tables == 0)
		return;
	if (ours != strtoll(APPLICATION, NULL, 10))
		ik_error_set(&database->error, IK_DENIED,
			_("%s is the database of another program. Choose another file with --database."),
			database->name);
	else if (foreign > 0)
		ik_error_set(&database->error, IK_DENIED,
			_("The database %s has views or triggers, which no "
			  "ikigai makes, so it is not used. Choose another file with --database."),
			database->name);
}

/* Called during statements: report progress; nonzero interrupts the statement. */
static int on_progress(void *arg)
{
	struct ik_database *database = arg;
	const struct sqlite_database *sqlite = arg;
	struct stat copy;

	if (sqlite->copy && stat(sqlite->copy, &copy) == 0)
		(void)ik_connection_progress(database->client, "backup", copy.st_size, sqlite->copy_size);
	return database->interruptible && ik_connection_is_cancelled(database->client);
}

/* Wait for another program that uses the database, but not long if another request waits. count is
 * the number of calls before. */
static int on_busy(void *arg, int count)
{
	static const struct timespec moment = { .tv_nsec = BUSY_STEP_MS * 1000000L };
	const struct ik_database *database = arg;
	int waited_ms = count * BUSY_STEP_MS;

	if (waited_ms >= BUSY_MS ||
		(waited_ms >= GIVE_WAY_MS && ik_connection_has_input(database->client)))
		return 0;
	(void)nanosleep(&moment, NULL);
	return 1;
}

/* Lock the directory of the database: exclusively while its file is replaced, shared while it is
 * opened, so that nobody opens one file with another one's log. Closing the descriptor releases the
 * lock; -1: there is no directory or, with an error, another program is at it. */
static int lock_directory(struct ik_database *database, int how)
{
	char *path = ik_path_canonical(database->address), *directory = ik_path_directory(path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), waits = 0;

	/* Some network file systems have no such locks. */
	while (fd >= 0 && flock(fd, how | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
		if (on_busy(database, waits++))
			continue;
		fail_in_use(database);
		(void)close(fd);
		fd = -1;
	}
	free(directory);
	free(path);
	return fd;
}

/* Open the handle; name is a path, or the URI of a file that nobody writes. */
static void open_handle(struct sqlite_database *sqlite, const char *name, int flags)
{
	if (ik_database_failed(&sqlite->base))
		return;
	forget_change(sqlite);
	(void)sqlite3_close_v2(sqlite->db);
	sqlite->db = NULL;
	if (sqlite3_open_v2(name, &sqlite->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		explain(sqlite);
		return;
	}
	/* Distrust everything that comes with the file. */
	(void)sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(sqlite->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_busy_handler(sqlite->db, on_busy, sqlite);
	sqlite3_progress_handler(sqlite->db, PROGRESS_STEPS, on_progress, sqlite);
	if (flags & SQLITE_OPEN_URI)
		ik_database_run(&sqlite->base, "PRAGMA locking_mode = EXCLUSIVE");
	ik_database_run(&sqlite->base, "PRAGMA cache_size = -4096; PRAGMA user_version");
}

/* Replace the handle with one on a temporary copy, whose tables can be migrated and whose words can
 * be indexed even if the file is read-only. */
static void copy_handle(struct sqlite_database *sqlite)
{
	sqlite3 *from = sqlite->db;
	sqlite3_backup *backup;

	forget_change(sqlite);
	sqlite->db = NULL;
	open_handle(sqlite, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	backup = ik_database_failed(&sqlite->base)
		? NULL
		: sqlite3_backup_init(sqlite->db, "main", from, "main");
	if (backup)
		(void)sqlite3_backup_step(backup, -1);
	if (!ik_database_failed(&sqlite->base) &&
		(!backup || sqlite3_backup_finish(backup) != SQLITE_OK))
		explain(sqlite);
	(void)sqlite3_close_v2(from);
}

/* Open a file on a read-only file system. */
static void open_to_read(struct sqlite_database *sqlite)
{
	/* Where no index of a log can be created: with an index in memory or, if there is no log, without
	 * one (sqlite.org/vfs.html, uri.html). */
	static const char *const ways[] = { "vfs=unix-none", "immutable=1" };
	struct ik_database *database = &sqlite->base;
	bool old;

	open_handle(sqlite, database->name, SQLITE_OPEN_READONLY);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && ik_database_failed(database); i++) {
		/* The link in /proc avoids escaping the path. */
		int fd = open(database->name, O_RDONLY | O_CLOEXEC);
		char *uri = ik_format("file:/proc/self/fd/%d?%s", fd, ways[i]);

		database->error.status = IK_OK;
		open_handle(sqlite, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
		free(uri);
		if (fd >= 0)
			(void)close(fd);
	}
	check_owner(database);
	old = ik_database_number(database, form.ask, NULL) < (int64_t)form.count;
	if ((old || ik_database_number(database, ik_database_sql.behind, NULL) != 0) &&
		!ik_database_failed(database))
		copy_handle(sqlite);
}

/* Open a writable file, or create it. */
static void open_to_write(struct sqlite_database *sqlite)
{
	static const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	struct ik_database *database = &sqlite->base;
	char *directory = ik_path_directory(database->address);
	int code;

	(void)!ik_path_make(directory, 0700, &database->error);
	free(directory);
	open_handle(sqlite, database->name, flags);
	check_owner(database);
	ik_database_run(database, "PRAGMA journal_mode = WAL");
	code = sqlite->db ? sqlite3_extended_errcode(sqlite->db) : SQLITE_OK;
	/* Without shared memory, as on some network file systems, there can be no write-ahead log: use
	 * a rollback journal, which is slower but as safe. Only a program that has the file to itself
	 * can switch without shared memory. */
	if (ik_database_failed(database) &&
		(code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_SHMOPEN)) {
		database->error.status = IK_OK;
		open_handle(sqlite, database->name, flags);
		ik_database_run(database,
			"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
			" PRAGMA locking_mode = NORMAL; PRAGMA user_version");
	}
	/* A session's journal is removed once its events are committed, so they must be on disk. */
	ik_database_run(database, "PRAGMA synchronous = FULL");
}

void ik_database_open(struct ik_database *database)
{
	const char *path = database->address;
	struct sqlite_database *sqlite = sqlite_of(database);
	struct stat about = { .st_ino = 0 };
	int lock = lock_directory(database, LOCK_SH);

	if (ik_database_failed(database))
		return;
	database->name = ik_strdup(path);
	/* Earlier events may be missing, except those still in journals. */
	if (is_lost(sqlite))
		ik_connection_notice(database->client,
			_("The database %s was removed or replaced while it was in use. What "
			  "is said from now on "
			  "is stored in the one that is there now; what was said before may "
			  "be missing in it."),
			path);
	database->reads_only = is_on_read_only_disk(path);
	if (database->reads_only)
		open_to_read(sqlite);
	else
		open_to_write(sqlite);
	(void)stat(path, &about);
	sqlite->device = about.st_dev;
	sqlite->inode = about.st_ino;
	if (lock >= 0)
		(void)close(lock);
	ik_database_migrate(database, &form);
}

void ik_database_close(struct ik_database *database)
{
	struct sqlite_database *sqlite = sqlite_of(database);

	forget_change(sqlite);
	(void)sqlite3_close_v2(sqlite->db);
	sqlite->db = NULL;
	free(database->name);
	database->name = NULL;
}

/* ---- transactions ---- */

void ik_database_begin(struct ik_database *database)
{
	ik_database_run(database, "BEGIN IMMEDIATE");
	sqlite_of(database)->changing = !ik_database_failed(database);
	/* A program that recovers the file has held this lock until the new one was in place. */
	if (!ik_database_failed(database) && is_lost(sqlite_of(database)))
		fail_in_use(database);
}

void ik_database_end(struct ik_database *database)
{
	struct sqlite_database *sqlite = sqlite_of(database);

	sqlite->changing = false;
	ik_database_run(database, "COMMIT");
	if (ik_database_failed(database) && !sqlite3_get_autocommit(sqlite->db))
		(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- the index of words ---- */

void ik_database_put_words(struct ik_buf *out, const char *text, size_t length)
{
	ik_search_words(out, text, length, IK_SEARCH_BLANKS);
}

void ik_database_put_query(const struct ik_search_query *query, struct ik_buf *out)
{
	ik_search_query_put_fts(query, out);
}

/* Text columns accept everything: there are no columns for exact bytes. */
bool ik_database_takes_text(const struct ik_database *database, const char *text, size_t length)
{
	return true;
}

#define EVENT "e.id, e.sequence, e.kind, e.content, e.data_json, NULL, NULL, e.time"

void ik_database_drop_words(struct ik_database *database, const char *session, int64_t count)
{
	struct ik_rows *rows = ik_database_ask(database,
		"SELECT * FROM (SELECT " EVENT ", e.rowid AS row" IK_OLDEST_EVENTS
		") WHERE row <= (SELECT indexed FROM search_state)",
		IK_VALUES(ik_value_id(session), ik_value_number(count)));

	while (ik_rows_next(rows)) {
		struct ik_message *message = ik_rows_event(rows);
		struct ik_buf words;

		ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
		ik_index_put_words(message, &words);
		if (words.length > 0)
			ik_database_change(database,
				"INSERT INTO search(search, rowid, words) VALUES('delete', ?1, ?2)",
				IK_VALUES(ik_value_number(ik_rows_number(rows, IK_EVENT_COLUMN_COUNT)),
					ik_value_chars(words.data, words.length)));
		ik_message_unref(message);
		ik_buf_done(&words);
	}
	(void)ik_rows_free(rows);
}

const char ik_database_kind[] = "sqlite";

const struct ik_database_sql ik_database_sql = {
	.state = "SELECT s.last_sequence, 0, e.id, CASE WHEN e.session = s.id THEN e.sequence ELSE 0"
			 " END FROM sessions s LEFT JOIN events e ON e.id IN (SELECT value FROM"
			 " json_each('[\"' || replace(?2, ',', '\",\"') || '\"]')) WHERE s.id = ?1",
	.add_event = "INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
				 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(id) DO NOTHING",
	.event = EVENT,
	.holder = "NULL",
	.among = "IN (SELECT value FROM json_each('[\"' || replace(?1, ',', '\",\"') || '\"]'))",
	.search = "SELECT " EVENT ", CAST(e.rowid AS TEXT), " IK_SESSION_COLUMNS
			  " FROM search CROSS JOIN events e ON e.rowid = search.rowid"
			  " LEFT JOIN sessions s ON s.id = " IK_SHOWN_SESSION " WHERE search MATCH ?1"
			  " AND search.rowid < coalesce(CAST(?2 AS INTEGER), 9223372036854775807)"
			  " AND (?3 IS NULL OR ?3 = (SELECT directory FROM sessions WHERE id = e.session))"
			  " ORDER BY search.rowid DESC LIMIT ?5",
	.behind = "SELECT coalesce((SELECT max(rowid) FROM events), 0) - indexed FROM search_state",
	.choose = "SELECT ''",
	.unindexed = "SELECT " EVENT ", e.rowid, '', e.rowid FROM events e"
				 " WHERE e.rowid > (SELECT indexed FROM search_state)"
				 " ORDER BY e.rowid LIMIT 5000",
	.add_words = "INSERT INTO search(rowid, words) SELECT key, value FROM json_each(?1)"
				 " WHERE value <> ''",
	.set_mark = "UPDATE search_state SET indexed = ?2",
	.drop_parts = "DELETE FROM blobs WHERE id IN (SELECT"
				  " json_extract(e.data_json, '$.blobs.' || stream.value || '.id')"
				  " FROM events e, json_each('[\"stdout\",\"stderr\"]') AS stream"
				  " WHERE e.rowid IN (SELECT e.rowid" IK_OLDEST_EVENTS ")"
				  " AND e.kind IN ('tool_result', 'command') AND json_valid(e.data_json)"
				  " UNION ALL SELECT json_extract(file.value, '$.blob') FROM events e,"
				  " json_each(CASE WHEN json_valid(e.data_json) THEN e.data_json ELSE '{}' END,"
				  "  '$.attached') AS file"
				  " WHERE e.rowid IN (SELECT e.rowid" IK_OLDEST_EVENTS ") AND file.type = 'object'"
				  " AND e.kind IN ('user', 'tool_result', 'command'))",
	.events_deleted = "UPDATE search_state SET indexed ="
					  " min(indexed, (SELECT coalesce(max(rowid), 0) FROM events))",
};

/* ---- recovery ---- */

/* JSON's limit on exact integers; a greater number is damage. */
#define NUMBER_LIMIT (INT64_C(1) << 53)

/*
 * A table, and the types of its values: UUID, text, integer, bytes, or (o) any. Rows of earlier
 * versions have fewer values. ?1 is the rowid, ?2 the first value. A row that exists is left as it
 * is. If another row, which may be damaged, has its rowid or its event's number, it gets a new one.
 */
static const struct recover_table {
	const char *values;
	size_t least;
	const char *insert;
} tables[] = {
	{ "uuittoi", 7,
		"INSERT OR IGNORE INTO events(rowid, id, session, sequence, kind, content, data_json, time)"
		" SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM events WHERE rowid = ?1) THEN ?1 END, ?2, ?3,"
		" CASE WHEN EXISTS (SELECT 1 FROM events WHERE session = ?3 AND sequence = ?4)"
		" THEN (SELECT max(sequence) + 1 FROM events WHERE session = ?3) ELSE ?4 END,"
		" ?5, ?6, ?7, ?8" },
	{ "uttiiioiioi", 6,
		"INSERT OR IGNORE INTO sessions(id, directory, title, created_ms, updated_ms,"
		" event_count, parent, forked_at, late, owner)"
		" VALUES(?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce(?9, 0), coalesce(?10, 0), ?11)" },
	{ "uib", 3, "INSERT OR IGNORE INTO blobs(id, part, bytes) VALUES(?2, ?3, ?4)" },
	{ "tiui", 4,
		"INSERT OR IGNORE INTO journals(name, place, stored_as, sequence)"
		" VALUES(?2, ?3, ?4, ?5)" },
};

/* Restore sessions whose rows are lost, and correct their numbers. */
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

/* The contents of a copy. */
struct recovered {
	int64_t rows, events, sessions;
	bool whole; /* nothing was lost */
};

static const char count_rows[] = "SELECT (SELECT count(*) FROM events NOT INDEXED) +"
								 " (SELECT count(*) FROM sessions NOT INDEXED) +"
								 " (SELECT count(*) FROM blobs NOT INDEXED) +"
								 " (SELECT count(*) FROM journals NOT INDEXED)";

/* Could the value be of this type? */
static bool fits(char kind, const struct ik_value *value)
{
	bool is_text = value->type == IK_VALUE_TEXT && value->text;

	switch (kind) {
	case 'u':
		return is_text && value->length == IK_UUID_TEXT - 1 &&
			strspn(value->text, "0123456789abcdef-") >= value->length;
	case 't':
		return is_text;
	case 'i':
		return value->type == IK_VALUE_NUMBER && value->number >= 0 && value->number < NUMBER_LIMIT;
	case 'b':
		return value->type == IK_VALUE_BYTES;
	default:
		return true;
	}
}

/* Do the types of a row fit a table? */
static bool fits_table(const struct ik_leaf_row *row, const struct recover_table *table)
{
	size_t at = 0;

	while (at < row->count && table->values[at] &&
		fits(table->values[at], &row->values[at + IK_LEAF_FIRST]))
		at++;
	return at == row->count && at >= table->least;
}

/* Insert a row into the first table it fits. */
static void insert_row(struct ik_database *fresh, struct ik_leaf_row *row)
{
	if (row->values[0].number <= 0 || row->values[0].number >= NUMBER_LIMIT)
		row->values[0] = ik_value_text(NULL);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (fits_table(row, &tables[i])) {
			ik_database_change(fresh, tables[i].insert, row->values);
			return;
		}
}

/* Copy the readable rows of the damaged file to the empty database. */
static void copy_rows(struct ik_database *fresh, struct ik_leaves *leaves)
{
	struct ik_leaf_row row;

	ik_database_run(fresh, "BEGIN");
	while (!ik_database_failed(fresh) && ik_leaves_next(leaves, &row, &fresh->error)) {
		insert_row(fresh, &row);
		if (!ik_connection_progress(fresh->client, "recover", row.page, row.pages) &&
			fresh->interruptible)
			ik_error_set(&fresh->error, IK_FAILED, "The request was cancelled.");
	}
	ik_database_run(fresh, fix_up);
	ik_database_run(fresh, "COMMIT");
}

/* Make a database at path of what can be read of the damaged file. */
static struct recovered make_copy(struct ik_database *database, struct ik_leaves *leaves,
	const char *path)
{
	struct sqlite_database copy = { .base = {
										.client = database->client,
										.address = path,
										.name = ik_strdup(path),
										.interruptible = database->interruptible,
										.error = database->error,
									} };
	struct ik_database *fresh = &copy.base;
	struct recovered got = { .whole = false };

	(void)unlink(path); /* of a recovery that was killed */
	open_handle(&copy, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	ik_database_run(fresh, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF");
	ik_database_migrate(fresh, &form);
	copy_rows(fresh, leaves);
	got.rows = ik_database_number(fresh, count_rows, NULL);
	got.events = ik_database_number(fresh, "SELECT count(*) FROM events", NULL);
	got.sessions = ik_database_number(fresh, "SELECT count(*) FROM sessions WHERE event_count > 0",
		NULL);
	database->error = fresh->error;
	ik_database_close(fresh);
	return got;
}

/* Give the damaged file at path a further name, and free its own one for the copy. */
static void put_aside(struct ik_database *database, const char *path, const char *aside)
{
	static const char *const kinds[] = { "-wal", "-shm", "-journal" };

	/* Only where files can't have two names is there a moment without one. */
	if (link(path, aside) != 0 && rename(path, aside) != 0) {
		ik_error_set_errno(&database->error, errno,
			_("The damaged database %s cannot be put aside"), path);
		return;
	}
	/* What its log had is in the file (leaves.h), and mustn't get into the copy. */
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char *beside = ik_format("%s%s", path, kinds[i]);

		(void)unlink(beside);
		free(beside);
	}
}

/* Give a complete file its name, once it is on disk and, if a damaged file has that name, this one
 * is put aside; remove the complete one if the database has failed. */
static void put_in_place(struct ik_database *database, const char *unfinished, const char *path,
	const char *aside)
{
	int fd = open(unfinished, O_RDWR | O_CLOEXEC);

	if (!ik_database_failed(database) && (fd < 0 || fsync(fd) != 0))
		ik_error_set_errno(&database->error, errno, _("Cannot make the database %s"), path);
	if (fd >= 0)
		(void)close(fd);
	if (!ik_database_failed(database) && aside)
		put_aside(database, path, aside);
	if (!ik_database_failed(database) && rename(unfinished, path) != 0)
		ik_error_set_errno(&database->error, errno, _("Cannot make the database %s"), path);
	(void)unlink(unfinished);
}

/* Tell that the file was put aside, and what the new one has. */
static void tell_result(struct ik_database *database, const char *aside,
	const struct recovered *got)
{
	struct ik_buf notice;

	ik_buf_init(&notice, IK_KIB(16));
	ik_buf_printf(&notice,
		_("The database was damaged. It was put aside as %s and a new one was begun."), aside);
	if (got->whole)
		ik_buf_puts(&notice, _(" Nothing is lost: the new one has all that was in it."));
	else if (got->events > 0)
		ik_buf_printf(&notice,
			ngettext(" %lld event of %lld sessions could be read and is in it.",
				" %lld events of %lld sessions could be read and are in it.",
				(unsigned long)got->events),
			(long long)got->events, (long long)got->sessions);
	ik_connection_notice(database->client, "%s", notice.data);
	ik_buf_done(&notice);
}

static struct recovered recover(struct ik_database *database, bool only_whole)
{
	/* SQLite keeps the log beside the file that a symbolic link leads to. */
	char *path = ik_path_canonical(database->address), *copy = ik_format("%s.new-copy", path);
	char time[IK_CLOCK_TEXT], *aside;
	struct sqlite_database damaged = { .base = {
										   .client = database->client,
										   .address = path,
										   .name = ik_strdup(path),
										   .interruptible = database->interruptible,
									   } };
	struct ik_database *held = &damaged.base;
	struct recovered got = { .whole = false };
	struct ik_leaves *leaves = NULL;
	int64_t rows;

	ik_clock_text(ik_clock_wall_ms(), time);
	aside = ik_format("%s.damaged-%s", path, time);
	/* Keep other programs from storing anything in the file, unless it is too damaged for that. */
	open_handle(&damaged, path, SQLITE_OPEN_READWRITE);
	ik_database_run(held, "BEGIN IMMEDIATE");
	rows = ik_database_number(held, count_rows, NULL);
	if (held->error.status == IK_UNAVAILABLE) {
		database->error = held->error;
	} else if (!only_whole || !ik_database_failed(held)) {
		leaves = ik_leaves_open(path, &database->error);
		got = make_copy(database, leaves, copy);
	}
	got.whole = !ik_database_failed(held) && got.rows == rows;
	if (only_whole && !got.whole && !ik_database_failed(database))
		ik_error_set(&database->error, IK_INVALID, _("The database %s is damaged."),
			database->address);
	put_in_place(database, copy, path, aside);
	if (!ik_database_failed(database))
		tell_result(database, aside, &got);
	ik_database_close(held);
	(void)ik_leaves_close(leaves); /* closing any descriptor of a file gives up the locks on it */
	free(path);
	free(copy);
	free(aside);
	return got;
}

/*
 * Copy what can be read of the closed database, rename the damaged file, and send a notice. Fails
 * with IK_NOT_FOUND if there is no file; IK_UNAVAILABLE if another program is using it; IK_INVALID
 * if only_whole is set and something is lost. A failure leaves the file with all it had.
 */
static struct recovered recover_file(struct ik_database *database, bool only_whole)
{
	struct sqlite_database *sqlite = sqlite_of(database);
	struct recovered got = { .whole = false };
	int lock = lock_directory(database, LOCK_EX);

	if (!ik_database_failed(database) && access(database->address, F_OK) != 0)
		ik_error_set_errno(&database->error, errno, "%s", database->address);
	/* Skip it if another program has recovered the file since the damage was seen. */
	if (!ik_database_failed(database) && !(database->damaged && is_lost(sqlite)))
		got = recover(database, only_whole);
	if (!ik_database_failed(database))
		sqlite->inode = 0;
	if (lock >= 0)
		(void)close(lock);
	return got;
}

/* ---- requests ---- */

/* Write a snapshot of the whole database to a new file. */
static void write_copy(struct ik_database *database, const char *file)
{
	struct sqlite_database *sqlite = sqlite_of(database);

	sqlite->copy_size = ik_database_number(database,
		"SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", NULL);
	sqlite->copy = file;
	ik_database_change(database, "VACUUM INTO ?1", IK_VALUES(ik_value_text(file)));
	sqlite->copy = NULL;
}

/* backup {file}: the file gets its name once it is complete and on disk. */
static void answer_backup(struct ik_database *database)
{
	const char *file = ik_connection_text(database->client, "file");
	char *unfinished = ik_format("%s.unfinished", file ? file : "");

	(void)unlink(unfinished);
	if (!file)
		ik_error_set(&database->error, IK_INVALID, "A backup needs the name of a file.");
	else if (access(file, F_OK) == 0)
		ik_error_set_errno(&database->error, EEXIST, _("Cannot make the database %s"), file);
	else
		write_copy(database, unfinished);
	put_in_place(database, unfinished, file, NULL);
	free(unfinished);
}

/* check: fails with IK_INVALID if the file is damaged. */
static void answer_check(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database, "PRAGMA quick_check(1)", NULL);

	if (ik_rows_next(rows) && !ik_text_equal(ik_rows_text(rows, 0), "ok"))
		ik_error_set(&database->error, IK_INVALID, _("The database %s is damaged: %s."),
			database->name, ik_rows_text(rows, 0));
	(void)ik_rows_free(rows);
}

/* facts: version and size of the file, and what is in it. */
static void answer_facts(struct ik_database *database)
{
	struct ik_rows *rows = ik_database_ask(database,
		"SELECT json_object('version', (SELECT user_version FROM pragma_user_version),"
		" 'bytes', (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),"
		" 'sessions', (SELECT count(*) FROM sessions WHERE event_count > 0),"
		" 'events', (SELECT count(*) FROM events), 'unindexed', (SELECT count(*) FROM events"
		" WHERE rowid > (SELECT indexed FROM search_state)))",
		NULL);

	if (ik_rows_next(rows))
		ik_rows_put_members(rows, 0, ik_connection_begin(database->client));
	(void)ik_rows_free(rows);
}

/* recover: copy what can be read of the file, and rename the damaged one; the database is closed.
 * The last line has events, sessions, and whole: nothing is lost. */
static void answer_recover(struct ik_database *database)
{
	struct recovered got;

	database->interruptible = true; /* cancelling drops the copy, and leaves the file unchanged */
	got = recover_file(database, false);
	ik_json_printf(ik_connection_begin(database->client),
		"'events':%lld,'sessions':%lld,'whole':%s", (long long)got.events, (long long)got.sessions,
		ik_json_word(got.whole));
}

static void repair(struct ik_database *database, bool only_whole)
{
	(void)recover_file(database, only_whole);
}

/* ---- the program ---- */

static const struct ik_store_verb verbs[] = {
	{ "backup", answer_backup, IK_VERB_LOOK },
	{ "check", answer_check, IK_VERB_LOOK },
	{ "facts", answer_facts, IK_VERB_LOOK },
	{ "recover", answer_recover, IK_VERB_CLOSED },
	{ NULL, NULL, IK_VERB_LONG },
};

/* Convert old files: those next to the database are named after it, others after a hash of its full
 * path. */
static void convert_old_files(const struct ik_database *database, const char *journals)
{
	char *directory = ik_path_directory(database->address), *real = realpath(directory, NULL);
	const char *base = ik_path_base(database->address);
	char *whole = ik_format("%s/%s", real ? real : directory, base);
	char *beside = ik_format("%s.rescue-", base);
	char *elsewhere = ik_format("ikigai-%016llx.rescue-", (unsigned long long)ik_text_hash(whole));

	ik_old_files_convert_in(directory, beside, journals);
	ik_old_files_convert(elsewhere, journals);
	free(elsewhere);
	free(beside);
	free(whole);
	free(real);
	free(directory);
}

int main(int argc, char **argv)
{
	static const struct ik_service service = {
		.verbs = verbs,
		.convert_old_files = convert_old_files,
		.repair = repair,
	};
	struct sqlite_database sqlite = { .db = NULL };

	(void)umask(077); /* SQLite would create files that others can read */
	return ik_service_run(&service, &sqlite.base, argc, argv);
}
