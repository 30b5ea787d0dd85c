#include "store/sqlite/sqlite_private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/database_file.h"
#include "store/lock_private.h"
#include "store/migrate.h"
#include "store/sqlite/merge.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/log.h"
#include "util/text.h"

/* So long the loop stands still for another writer; then the store's timer tries again. */
#define BUSY_MS 5
/* The same as the program ends. */
#define END_BUSY_MS 1000
/* So often it is tried, 10 ms apart, to have the log to oneself at the end. */
#define MOST_ATTEMPTS 100
/* A file system on which a file is another one each time numbers its files anew: believe it no more. */
#define MOST_LOSSES 3
/* Limit on an operation of an open database: whatever the file holds, the program goes on. It is
 * looked at after so many steps of SQLite's machine. */
#define MOST_MS 30000
#define PROGRESS_STEPS 1000000
/* "ikig": tells our databases from other programs'. */
#define APPLICATION_ID 0x696b6967

#define INFO_COLUMNS \
	"id, title, directory, created_ms, updated_ms, event_count + forked_at," \
	" parent, forked_at"
#define EVENT_COLUMNS "events.id, sequence, kind, content, data_json, time"
/* Events that no session needs any more (?1; at most ?2): what its forks have is theirs. */
#define OLDEST \
	" WHERE session = ?1 AND sequence > coalesce(" \
	"(SELECT max(forked_at) FROM sessions WHERE parent = ?1), 0) ORDER BY sequence LIMIT ?2"

/* clang-format off */
static const char *const statement_texts[STATEMENT_COUNT] = {
	[ADD_SESSION] = "INSERT INTO sessions(id, directory, created_ms, updated_ms, title, parent,"
		" forked_at, late) SELECT ?1, ?2, ?3, ?3,"
		" coalesce((SELECT title FROM sessions WHERE id = ?4), ''), ?4, ?5, ?6"
		/* One that was deleted while it had forks comes back with what it has. */
		" WHERE true ON CONFLICT(id) DO UPDATE SET event_count ="
		" (SELECT count(*) FROM events WHERE session = ?1) WHERE event_count = 0",
	[ADD_EVENT] = "INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(id) DO NOTHING",
	[TOUCH_SESSION] = "UPDATE sessions SET event_count = event_count + 1,"
		" updated_ms = max(updated_ms, ?2),"
		" title = CASE WHEN title = '' OR ?4 THEN ?3 ELSE title END WHERE id = ?1",
	[LAST_SEQUENCE] = "SELECT coalesce((SELECT max(sequence) FROM events WHERE session = ?1),"
		" (SELECT forked_at FROM sessions WHERE id = ?1), 0)",
	[EVENT_SEQUENCE] = "SELECT CASE WHEN session = ?2 THEN sequence ELSE 0 END FROM events"
		" WHERE id = ?1",
	[LATE_FORKS] = "SELECT count(*) FROM sessions WHERE parent = ?1 AND late",
	[PARENT] = "SELECT parent, forked_at FROM sessions WHERE id = ?1",
	[NEWEST] = "SELECT " INFO_COLUMNS " FROM sessions WHERE event_count > 0"
		" ORDER BY updated_ms DESC LIMIT 1",
	[NEWEST_OF_DIRECTORY] = "SELECT " INFO_COLUMNS " FROM sessions"
		" WHERE directory = ?1 AND event_count > 0 ORDER BY updated_ms DESC LIMIT 1",
	/* Not what was deleted and is kept for its forks; what is half deleted is found, to be deleted. */
	[FIND] = "SELECT " INFO_COLUMNS " FROM sessions"
		" WHERE id >= ?1 AND id < ?1 || char(127) AND (event_count > 0 OR NOT EXISTS"
		" (SELECT 1 FROM sessions AS child WHERE child.parent = sessions.id)) ORDER BY id LIMIT 2",
	/* All of them: the search for those that are wanted can be stopped at any (FITS_COLUMN). */
	[LIST] = "SELECT " INFO_COLUMNS ", (?3 IS NULL OR directory = ?3)"
		" AND (?4 IS NULL OR title || char(10) || directory || char(10) || id LIKE ?4 ESCAPE '\\')"
		" FROM sessions WHERE event_count > 0 AND (updated_ms, id) < (?2, ?1)"
		" ORDER BY updated_ms DESC, id DESC",
	[PAGE] = "SELECT " EVENT_COLUMNS " FROM events"
		" WHERE session = ?1 AND sequence < ?2 ORDER BY sequence DESC",
	[AFTER] = "SELECT " EVENT_COLUMNS " FROM events"
		" WHERE session = ?1 AND sequence > ?2 ORDER BY sequence",
	/* A piece of the index at a time: rows from ?2 to below ?3. */
	[SEARCH] = "SELECT " EVENT_COLUMNS ", session, events.rowid FROM search"
		" CROSS JOIN events ON events.rowid = search.rowid"
		" WHERE search MATCH ?1 AND search.rowid >= ?2 AND search.rowid < ?3"
		" ORDER BY search.rowid DESC",
	/* What no index helps with: the events themselves, from row ?2 to below ?1. */
	[READ_THROUGH] = "SELECT " EVENT_COLUMNS ", session, rowid FROM events"
		" WHERE rowid >= ?2 AND rowid < ?1 ORDER BY rowid DESC",
	[ROW_BELOW] = "SELECT coalesce(max(rowid), 0) FROM events WHERE rowid < ?1",
	/* Places of words from ?1 to below ?2, when there are few: ?3 at most. */
	[BEGINS_SO] = "SELECT count(*) FROM (SELECT 1 FROM temp.search_words"
		" WHERE term >= ?1 AND term < ?2 LIMIT ?3)",
	[SESSION] = "SELECT " INFO_COLUMNS " FROM sessions WHERE id = ?1 AND event_count > 0",
	/* Of a session that was deleted while it had forks: the newest of these that has the event. */
	[SEEN_IN] = "WITH RECURSIVE line(child) AS (SELECT ?1 UNION SELECT s.id FROM line"
		" JOIN sessions s ON s.parent = child WHERE s.forked_at >= ?2)"
		" SELECT " INFO_COLUMNS " FROM line JOIN sessions ON id = child WHERE event_count > 0"
		" ORDER BY updated_ms DESC LIMIT 1",
	[INDEXED] = "SELECT indexed FROM search_state",
	[PLAIN_ROWS] = "SELECT plain_rows FROM search_state",
	[LAST_ROW] = "SELECT coalesce(max(rowid), 0) FROM events",
	[UNINDEXED] = "SELECT " EVENT_COLUMNS ", rowid FROM events WHERE rowid > ?1 ORDER BY rowid",
	[OLDEST_EVENTS] = "SELECT " EVENT_COLUMNS ", rowid FROM events" OLDEST,
	[ADD_WORDS] = "INSERT INTO search(rowid, words) VALUES(?1, ?2)",
	[DROP_WORDS] = "INSERT INTO search(search, rowid, words) VALUES('delete', ?1, ?2)",
	[SET_INDEXED] = "UPDATE search_state SET indexed = ?1",
	[MERGE_RECORD] = IK_MERGE_RECORD,
	[MERGE] = IK_MERGE_STEP,
};
/* clang-format on */

/* A helper was killed at its work: what is in the log is synced here, as the end of the program
 * does it otherwise. */
static void sync_log(struct sqlite *sqlite)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	int attempt;

	for (attempt = 0; attempt < MOST_ATTEMPTS &&
		 sqlite3_wal_checkpoint_v2(sqlite->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) ==
			 SQLITE_BUSY;
		 attempt++)
		(void)nanosleep(&pause, NULL);
}

/* Close the handle; what is not committed is gone. */
static void close_handle(struct sqlite *sqlite)
{
	if (!sqlite->db)
		return; /* perhaps not even the library is there */
	if ((ik_checkpoint_stop(sqlite->checkpoint) || sqlite->helper_was_killed) && !sqlite->damaged)
		sync_log(sqlite);
	for (size_t i = 0; i < STATEMENT_COUNT; i++) {
		sqlite3_finalize(sqlite->statements[i]);
		sqlite->statements[i] = NULL;
	}
	sqlite3_close_v2(sqlite->db);
	sqlite->db = NULL;
}

enum ik_status ik_sqlite_explain(struct sqlite *sqlite, struct ik_error *error)
{
	int code = sqlite3_errcode(sqlite->db) & 0xff;
	int number = sqlite3_system_errno(sqlite->db);
	int which = sqlite3_extended_errcode(sqlite->db);
	const char *why = sqlite3_errmsg(sqlite->db);

	sqlite->no_memory = which == SQLITE_IOERR_SHMMAP || which == SQLITE_IOERR_SHMOPEN;
	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ik_error_set(error, IK_UNAVAILABLE,
			_("The database %s is in use by another program."), sqlite->path);
	case SQLITE_FULL:
		return ik_error_set(error, IK_IO, _("The disk is full: the database %s cannot grow."),
			sqlite->path);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return ik_error_set(error, IK_IO, _("The database %s cannot be used: %s (%s)."),
			sqlite->path, why, number ? strerror(number) : _("no reason given"));
	case SQLITE_READONLY:
		return ik_error_set(error, IK_IO,
			_("The database %s cannot be written: check its permissions."), sqlite->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		sqlite->damaged = true;
		return ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."), sqlite->path,
			why);
	case SQLITE_INTERRUPT:
		return ik_error_set(error, IK_IO, _("The database %s takes too long."), sqlite->path);
	case SQLITE_TOOBIG:
		return ik_error_set(error, IK_TOO_LARGE, _("An event is too large for the database %s."),
			sqlite->path);
	default:
		return ik_error_set(error, IK_FAILED, _("The database %s fails: %s."), sqlite->path, why);
	}
}

/* ---- statements ---- */

enum ik_status ik_sqlite_execute(void *database, const char *statements, struct ik_error *error)
{
	struct sqlite *sqlite = database;

	if (sqlite3_exec(sqlite->db, statements, NULL, NULL, NULL) == SQLITE_OK)
		return IK_OK;
	return ik_sqlite_explain(sqlite, error);
}

sqlite3_stmt *ik_sqlite_statement(struct sqlite *sqlite, enum ik_sqlite_statement which)
{
	sqlite3_stmt **slot = &sqlite->statements[which];

	if (!*slot)
		(void)sqlite3_prepare_v3(sqlite->db, statement_texts[which], -1, SQLITE_PREPARE_PERSISTENT,
			slot, NULL);
	return *slot;
}

void ik_sqlite_rewind(sqlite3_stmt *prepared)
{
	sqlite3_reset(prepared);
	sqlite3_clear_bindings(prepared);
}

void ik_sqlite_bind_text(sqlite3_stmt *prepared, int index, const char *text, size_t length)
{
	(void)sqlite3_bind_text64(prepared, index, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

/* One whole number of one row. */
static enum ik_status query_number(struct sqlite *sqlite, const char *text, int64_t *ret_number,
	struct ik_error *error)
{
	sqlite3_stmt *prepared = NULL;
	enum ik_status status = IK_OK;

	if (sqlite3_prepare_v2(sqlite->db, text, -1, &prepared, NULL) == SQLITE_OK &&
		sqlite3_step(prepared) == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(prepared, 0);
	else
		status = ik_sqlite_explain(sqlite, error);
	sqlite3_finalize(prepared);
	return status;
}

/* ---- opening ---- */

static enum ik_status get_version(void *database, int64_t *ret_version, struct ik_error *error)
{
	return query_number(database, "PRAGMA user_version", ret_version, error);
}

static enum ik_status set_version(void *database, int64_t version, struct ik_error *error)
{
	char *text = ik_format("PRAGMA application_id = %d; PRAGMA user_version = %lld", APPLICATION_ID,
		(long long)version);
	enum ik_status status = ik_sqlite_execute(database, text, error);

	free(text);
	return status;
}

static const struct ik_migrate_ops migrate_ops = {
	.begin = "BEGIN IMMEDIATE",
	.version = get_version,
	.set_version = set_version,
	.execute = ik_sqlite_execute,
};

/* Refuse a database that belongs to another program. */
static enum ik_status check_owner(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status;
	int64_t application = 0, tables = 0, foreign = 0;

	status = query_number(sqlite, "PRAGMA application_id", &application, error);
	if (status == IK_OK)
		status = query_number(sqlite, "SELECT count(*) FROM sqlite_schema", &tables, error);
	if (status == IK_OK)
		status = query_number(sqlite, IK_SQLITE_FOREIGN, &foreign, error);
	if (status == IK_OK && application == APPLICATION_ID && foreign > 0)
		return ik_error_set(error, IK_DENIED,
			_("The database %s has views or triggers, which no "
			  "ikigai makes, so it is not used. Choose another file with --database."),
			sqlite->path);
	if (status != IK_OK || application == APPLICATION_ID || tables == 0)
		return status;
	return ik_error_set(error, IK_DENIED,
		_("%s is the database of another program. Choose another file with --database."),
		sqlite->path);
}

/* A commit went to the log, which has so many pages now. */
static int on_commit(void *arg, sqlite3 *db, const char *name, int pages)
{
	struct sqlite *sqlite = arg;

	if (ik_checkpoint_grown(sqlite->checkpoint, pages))
		(void)sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

/* A statement runs: has the operation that it is of taken too long? */
static int on_progress(void *arg)
{
	const struct sqlite *sqlite = arg;

	return sqlite->begun_ms != 0 && ik_clock_ms() - sqlite->begun_ms > MOST_MS;
}

/* The name of a file on a read-only file system for SQLite, which would look for a log and locks
 * beside it otherwise (sqlite.org/uri.html). New memory. */
static char *immutable_uri(const char *path)
{
	struct ik_buf uri;

	ik_buf_init(&uri, IK_KIB(64));
	ik_buf_puts(&uri, "file:");
	for (; *path; path++) {
		if (strchr("?#%", *path))
			ik_buf_printf(&uri, "%%%02X", (unsigned char)*path);
		else
			ik_buf_putc(&uri, *path);
	}
	ik_buf_puts(&uri, "?immutable=1");
	return ik_buf_take(&uri, NULL);
}

int ik_sqlite_open_reader(const char *path, int busy_ms, sqlite3 **ret_database,
	bool *ret_immutable)
{
	int code = sqlite3_open_v2(path, ret_database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
		NULL);
	char *uri;

	*ret_immutable = false;
	if (code == SQLITE_OK) {
		ik_sqlite_protect(*ret_database);
		(void)sqlite3_busy_timeout(*ret_database, busy_ms);
		code = sqlite3_exec(*ret_database, "PRAGMA user_version", NULL, NULL, NULL);
	}
	/* A log that has no index can only be read where one can be made. */
	if (code != SQLITE_CANTOPEN || !ik_database_file_is_read_only(path))
		return code;
	(void)sqlite3_close_v2(*ret_database);
	*ret_immutable = true;
	uri = immutable_uri(path);
	code = sqlite3_open_v2(uri, ret_database,
		SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (code == SQLITE_OK)
		ik_sqlite_protect(*ret_database);
	return code;
}

/* Open the handle; settings are what comes before the first look at the file. */
static enum ik_status open_file(struct sqlite *sqlite, const char *settings, struct ik_error *error)
{
	int code = sqlite->read_only
		? ik_sqlite_open_reader(sqlite->path, sqlite->busy_ms, &sqlite->db, &sqlite->immutable)
		: sqlite3_open_v2(sqlite->path, &sqlite->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			  NULL);

	if (code != SQLITE_OK)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_protect(sqlite->db);
	sqlite3_busy_timeout(sqlite->db, sqlite->busy_ms);
	sqlite3_progress_handler(sqlite->db, PROGRESS_STEPS, on_progress, sqlite);
	return ik_sqlite_execute(sqlite, settings, error);
}

/* Have no log but a journal: slower, as safe. Only who has the file for itself can read a log
 * without shared memory, which some network file systems have not. */
static enum ik_status leave_log(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status;

	sqlite->no_memory = false;
	ik_log(IK_LOG_INFO, "store: %s: no shared memory there, so no write-ahead log", sqlite->path);
	close_handle(sqlite);
	status = open_file(sqlite,
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
		" PRAGMA locking_mode = NORMAL; PRAGMA user_version",
		error);
	return status != IK_OK
		? status
		: ik_sqlite_execute(sqlite, "PRAGMA synchronous = FULL; PRAGMA cache_size = -1024", error);
}

/* Write to a log, where that can be had. */
static enum ik_status choose_log(struct sqlite *sqlite, struct ik_error *error)
{
	if (ik_database_file_can_share(sqlite->path))
		return ik_sqlite_execute(sqlite,
			"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
			" PRAGMA wal_autocheckpoint = 0",
			error);
	return ik_sqlite_execute(sqlite, "PRAGMA synchronous = FULL", error);
}

/* Bring the database to its present form. */
static enum ik_status bring_up(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = check_owner(sqlite, error);

	return status != IK_OK ? status
						   : ik_migrate(&migrate_ops, sqlite, sqlite->path, ik_sqlite_steps,
								 ik_sqlite_step_count, error);
}

enum ik_status ik_sqlite_open_new(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = open_file(sqlite,
		"PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY", error);

	return status != IK_OK ? status : bring_up(sqlite, error);
}

/* Open the handle and bring the database to its present form. */
static enum ik_status open_handle(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = ik_sqlite_library_load(error);

	if (status == IK_OK)
		status = ik_sqlite_make_file(sqlite, error);
	/* Before it is opened: one that is too damaged for that is the one to repair. */
	if (status == IK_OK)
		status = ik_identity_read(sqlite->path, &sqlite->file, error);
	if (status != IK_OK)
		return status;
	sqlite->read_only = ik_database_file_is_read_only(sqlite->path);
	status = open_file(sqlite, "PRAGMA cache_size = -1024", error);
	/* And after that: to be written, a file of a lower layer becomes another one. */
	if (status == IK_OK)
		status = ik_identity_read(sqlite->path, &sqlite->file, error);
	if (status == IK_OK && !sqlite->read_only)
		status = choose_log(sqlite, error);
	if (status == IK_OK)
		status = bring_up(sqlite, error);
	if (status != IK_OK && sqlite->no_memory) {
		status = leave_log(sqlite, error);
		if (status == IK_OK)
			status = bring_up(sqlite, error);
	}
	if (status == IK_OK) {
		(void)sqlite3_wal_hook(sqlite->db, on_commit, sqlite);
		sqlite->has_log = ik_database_file_log(sqlite->path, &sqlite->log);
	}
	if (status != IK_OK)
		close_handle(sqlite);
	return status;
}

/* The file that it is open on is not at its place any more: what was written to it, nobody would
 * find again. */
static void leave_lost_file(struct sqlite *sqlite, struct ik_buf *notice)
{
	sqlite->losses++;
	close_handle(sqlite);
	if (sqlite->has_log)
		ik_database_file_drop_log(sqlite->path, &sqlite->log);
	ik_buf_printf(notice,
		_("The database %s was removed or replaced while it was in use. What is "
		  "said from now on is stored in the one that is there now; what was said before may be "
		  "missing "
		  "in it."),
		sqlite->path);
}

/* Open a file that is damaged: a new one, with all that was in it; or, where something is to be
 * stored, with what can be read of it. */
static enum ik_status repair(struct sqlite *sqlite, struct ik_buf *notice, struct ik_error *error)
{
	bool whole = !sqlite->writes && ik_store_waiting(sqlite->base.store) == 0;
	enum ik_status status = IK_INVALID;

	if (!whole || !sqlite->tried) {
		status = ik_sqlite_salvage(sqlite, whole, notice, error);
		if (status == IK_UNAVAILABLE)
			return status; /* tried again soon */
		sqlite->tried = whole && status != IK_OK;
	}
	sqlite->damaged = status != IK_OK && !whole;
	sqlite->writes = false;
	return sqlite->damaged ? status : open_handle(sqlite, error);
}

/* Say what cannot be read of a file that is open without its log. */
static void name_unread_log(const struct sqlite *sqlite, struct ik_buf *notice)
{
	struct ik_identity log;

	if (sqlite->immutable && ik_database_file_log(sqlite->path, &log) && log.size > 0)
		ik_buf_printf(notice,
			_("What was said last may be missing: it is in %s-wal, which cannot be "
			  "read where the file system is read-only. Copy the database and that file to another "
			  "place."),
			sqlite->path);
}

static void sqlite_open(struct ik_backend *backend)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status = IK_OK;
	struct ik_buf notice;

	ik_buf_init(&notice, IK_KIB(16));
	sqlite->begun_ms = 0;
	if (sqlite->db)
		leave_lost_file(sqlite, &notice);
	if (!sqlite->damaged)
		status = open_handle(sqlite, &error);
	if (sqlite->damaged)
		status = repair(sqlite, &notice, &error);
	if (status == IK_OK) {
		ik_checkpoint_opened(sqlite->checkpoint);
		name_unread_log(sqlite, &notice);
	}
	ik_store_opened(backend->store, notice.data, status, &error);
	ik_buf_done(&notice);
}

bool ik_sqlite_is_lost(const struct sqlite *sqlite)
{
	return sqlite->losses < MOST_LOSSES && ik_database_file_is_another(sqlite->path, &sqlite->file);
}

static bool sqlite_is_open(const struct ik_backend *backend)
{
	const struct sqlite *sqlite = (const struct sqlite *)backend;

	return sqlite->db && !ik_sqlite_is_lost(sqlite);
}

enum ik_status ik_sqlite_begin_transaction(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = ik_sqlite_execute(sqlite, "BEGIN IMMEDIATE", error);

	/* Whoever repairs a file has this lock until the new one is in its place. */
	if (status != IK_OK || !ik_sqlite_is_lost(sqlite))
		return status;
	(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return ik_error_set(error, IK_UNAVAILABLE, _("The database %s is in use by another program."),
		sqlite->path);
}

void ik_sqlite_begin(struct sqlite *sqlite, bool writes)
{
	sqlite->begun_ms = ik_clock_ms();
	sqlite->writes = writes;
}

enum ik_status ik_sqlite_failed(struct sqlite *sqlite, enum ik_status status)
{
	if (!sqlite->damaged)
		return status;
	/* What only reads does not put the file aside: other parts of it can still be read. */
	if (sqlite->tried && !sqlite->writes) {
		sqlite->damaged = false;
		return status;
	}
	close_handle(sqlite);
	return sqlite->tried ? status : IK_UNAVAILABLE;
}

static void sqlite_set_helper(struct ik_backend *backend, const char *program)
{
	ik_checkpoint_set_program(sqlite_of(backend)->checkpoint, program);
}

static enum ik_backlog sqlite_backlog(const struct ik_backend *backend)
{
	const struct ik_checkpoint *checkpoint = ((const struct sqlite *)backend)->checkpoint;

	if (ik_checkpoint_is_behind(checkpoint))
		return IK_BACKLOG_ALL;
	/* What comes into it meanwhile would have to wait for the helper's transactions. */
	return ik_checkpoint_is_merging(checkpoint) ? IK_BACKLOG_INDEX : IK_BACKLOG_NONE;
}

static void sqlite_end(struct ik_backend *backend)
{
	struct sqlite *sqlite = sqlite_of(backend);

	sqlite->helper_was_killed = ik_checkpoint_stop(sqlite->checkpoint);
	sqlite->busy_ms = END_BUSY_MS;
	if (sqlite->db)
		sqlite3_busy_timeout(sqlite->db, sqlite->busy_ms);
}

/* A helper has ended. */
static void relieved(void *arg)
{
	struct sqlite *sqlite = arg;

	ik_store_relieved(sqlite->base.store);
}

static struct ik_backend *sqlite_free(struct ik_backend *backend)
{
	struct sqlite *sqlite = sqlite_of(backend);

	close_handle(sqlite);
	sqlite->checkpoint = ik_checkpoint_close(sqlite->checkpoint);
	free(sqlite->path);
	free(sqlite);
	return NULL;
}

static const struct ik_backend_ops sqlite_ops = {
	.name = "sqlite",
	.batch = 256,
	.open = sqlite_open,
	.is_open = sqlite_is_open,
	.write = ik_sqlite_write,
	.write_part = ik_sqlite_write_part,
	.read = ik_sqlite_read,
	.index = ik_sqlite_index,
	.set_helper = sqlite_set_helper,
	.backlog = sqlite_backlog,
	.end = sqlite_end,
	.free = sqlite_free,
	.locks = &ik_lock_file_ops,
};

struct ik_backend *ik_sqlite_new(struct ik_loop *loop, const char *path)
{
	struct sqlite *sqlite = ik_alloc(sizeof(*sqlite));

	sqlite->base.ops = &sqlite_ops;
	sqlite->path = ik_strdup(path);
	sqlite->busy_ms = BUSY_MS;
	sqlite->checkpoint = ik_checkpoint_new(loop, path, relieved, sqlite);
	return &sqlite->base;
}
