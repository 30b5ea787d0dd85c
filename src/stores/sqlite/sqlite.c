#include "stores/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
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
#include "stores/index.h"
#include "stores/sqlite/tables.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* How long another program's transaction is waited for. */
#define BUSY_MS 10000
#define BUSY_STEP_MS 5
#define GIVE_WAY_MS 300
/* Steps of SQLite's machine between two looks for a cancellation: well below a millisecond. */
#define PROGRESS_STEPS 20000
/* Earlier programs put a word into each row of the index that says its block of rows; a row can only
 * be taken out of it with the words that it was put in with. */
#define BLOCK_ROWS 16384

static struct ik_sqlite *sqlite_of(struct ik_database *database)
{
	return (struct ik_sqlite *)database;
}

enum ik_status ik_sqlite_explain(struct ik_sqlite *sqlite, struct ik_error *error)
{
	const char *why = sqlite3_errmsg(sqlite->db), *path = sqlite->base.name;
	int number = sqlite3_system_errno(sqlite->db);

	switch (sqlite3_errcode(sqlite->db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ik_error_set(error, IK_UNAVAILABLE,
			_("The database %s is in use by another program."), path);
	case SQLITE_FULL:
		return ik_error_set(error, IK_IO, _("The disk is full: the database %s cannot grow."),
			path);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return ik_error_set(error, IK_IO, _("The database %s cannot be used: %s (%s)."), path, why,
			number ? strerror(number) : _("no reason given"));
	case SQLITE_READONLY:
		return ik_error_set(error, IK_IO,
			_("The database %s cannot be written: check its permissions."), path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		sqlite->base.damaged = true;
		return ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."), path, why);
	case SQLITE_TOOBIG:
		return ik_error_set(error, IK_TOO_LARGE, _("An event is too large for the database %s."),
			path);
	default:
		return ik_error_set(error, IK_FAILED, _("The database %s fails: %s."), path, why);
	}
}

/* ---- statements ---- */

enum ik_status ik_database_run(struct ik_database *database, const char *statements,
	struct ik_error *error)
{
	struct ik_sqlite *sqlite = sqlite_of(database);

	if (sqlite3_exec(sqlite->db, statements, NULL, NULL, NULL) == SQLITE_OK)
		return IK_OK;
	return ik_sqlite_explain(sqlite, error);
}

/* A statement, prepared once for each literal; NULL: it cannot be. */
static sqlite3_stmt *prepare(struct ik_sqlite *sqlite, const char *literal)
{
	size_t i = 0;

	while (i < IK_SQLITE_STATEMENTS - 1 && sqlite->statements[i].text &&
		sqlite->statements[i].text != literal)
		i++;
	if (sqlite->statements[i].text != literal) {
		/* The last place is every further statement's. */
		sqlite3_finalize(sqlite->statements[i].prepared);
		sqlite->statements[i].text = literal;
		sqlite->statements[i].prepared = NULL;
	}
	if (!sqlite->statements[i].prepared)
		(void)sqlite3_prepare_v3(sqlite->db, literal, -1, SQLITE_PREPARE_PERSISTENT,
			&sqlite->statements[i].prepared, NULL);
	return sqlite->statements[i].prepared;
}

/* Bind values; what a statement has no parameter for is left out. */
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

static void reset(sqlite3_stmt *statement)
{
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
}

enum ik_status ik_database_change(struct ik_database *database, const char *literal,
	const struct ik_value *values, struct ik_error *error)
{
	struct ik_sqlite *sqlite = sqlite_of(database);
	sqlite3_stmt *statement = literal ? prepare(sqlite, literal) : NULL;
	enum ik_status status = IK_OK;

	if (!literal)
		return IK_OK;
	if (!statement)
		return ik_sqlite_explain(sqlite, error);
	bind(statement, values, SQLITE_STATIC);
	if (sqlite3_step(statement) != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	reset(statement);
	return status;
}

/* ---- rows ---- */

enum ik_status ik_database_ask(struct ik_database *database, const char *literal,
	const struct ik_value *values, struct ik_rows **ret_rows, struct ik_error *error)
{
	struct ik_sqlite *sqlite = sqlite_of(database);
	sqlite3_stmt *statement = prepare(sqlite, literal);
	struct ik_rows *rows;

	if (!statement)
		return ik_sqlite_explain(sqlite, error);
	bind(statement, values, SQLITE_TRANSIENT);
	rows = ik_alloc(sizeof(*rows));
	rows->database = database;
	rows->answer = statement;
	*ret_rows = rows;
	return IK_OK;
}

bool ik_rows_next(struct ik_rows *rows, enum ik_status *status, struct ik_error *error)
{
	int step = *status == IK_OK ? sqlite3_step(rows->answer) : SQLITE_DONE;

	if (step != SQLITE_ROW && step != SQLITE_DONE)
		*status = ik_sqlite_explain(sqlite_of(rows->database), error);
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
		reset(rows->answer);
	free(rows);
	return NULL;
}

/* ---- opening ---- */

bool ik_sqlite_is_lost(const struct ik_sqlite *sqlite)
{
	struct stat now;

	if (stat(sqlite->base.address, &now) != 0)
		return errno == ENOENT || errno == ENOTDIR;
	return now.st_dev != sqlite->device || now.st_ino != sqlite->inode;
}

/* Is the file system of this path mounted for reading only? */
static bool is_on_read_only_disk(const char *path)
{
	struct statvfs facts;

	return statvfs(path, &facts) == 0 && (facts.f_flag & ST_RDONLY);
}

bool ik_database_is_open(const struct ik_database *database)
{
	const struct ik_sqlite *sqlite = (const struct ik_sqlite *)database;

	/* What is written to one that is lost nobody would find again; one that could only be read is
	 * opened again once it can be written. */
	return sqlite->db && !ik_sqlite_is_lost(sqlite) &&
		!(database->reads_only && !is_on_read_only_disk(database->address));
}

/* Refuse a database of another program, or one that somebody has added programs to. */
static enum ik_status check_owner(struct ik_sqlite *sqlite, struct ik_error *error)
{
	struct ik_database *database = &sqlite->base;
	int64_t ours = 0, tables = 0, foreign = 0;
	enum ik_status status = ik_database_number(database, "PRAGMA application_id", NULL, &ours,
		error);

	if (status == IK_OK)
		status = ik_database_number(database, "SELECT count(*) FROM sqlite_schema", NULL, &tables,
			error);
	if (status == IK_OK)
		status = ik_database_number(database, IK_SQLITE_FOREIGN("main"), NULL, &foreign, error);
	if (status != IK_OK || tables == 0)
		return status;
	if (ours != strtoll(IK_SQLITE_APPLICATION, NULL, 10))
		return ik_error_set(error, IK_DENIED,
			_("%s is the database of another program. Choose another file with --database."),
			database->name);
	if (foreign > 0)
		return ik_error_set(error, IK_DENIED,
			_("The database %s has views or triggers, which no "
			  "ikigai makes, so it is not used. Choose another file with --database."),
			database->name);
	return IK_OK;
}

/* Called from within statements: nonzero interrupts the current one. */
static int on_progress(void *arg)
{
	struct ik_database *database = arg;

	return database->interruptible && ik_connection_is_cancelled(database->client);
}

int ik_sqlite_lock_directory(const char *path)
{
	char *directory = ik_path_directory(path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		(void)close(fd);
		fd = -1;
	}
	free(directory);
	return fd;
}

/* Finish, or forget, a recovery that was killed. */
static void finish_recovery(const char *path)
{
	char *ready = ik_format("%s.new-ready", path);
	int lock = access(ready, F_OK) == 0 ? ik_sqlite_lock_directory(path) : -1;

	if (lock >= 0) {
		/* With both, events may have been stored in the damaged one since. */
		if (access(path, F_OK) == 0)
			(void)unlink(ready);
		else
			(void)rename(ready, path);
		(void)close(lock);
	}
	free(ready);
}

/* Another program has the database for the count-th time: wait for it, but not long if another
 * request waits. */
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

/* Make the file, which SQLite would make readable to others, and its directory. */
static enum ik_status make_file(const char *path, struct ik_error *error)
{
	char *directory = ik_path_directory(path);
	enum ik_status status = ik_path_make(directory, 0700, error);
	int fd = status == IK_OK ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		(void)close(fd);
	free(directory);
	return status;
}

void ik_sqlite_protect(sqlite3 *db)
{
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

static void forget_statements(struct ik_sqlite *sqlite)
{
	for (size_t i = 0; i < IK_SQLITE_STATEMENTS; i++) {
		sqlite3_finalize(sqlite->statements[i].prepared);
		sqlite->statements[i].text = NULL;
		sqlite->statements[i].prepared = NULL;
	}
}

/* Open the handle; name is a path, or a URI. */
static enum ik_status open_handle(struct ik_sqlite *sqlite, const char *name, int flags,
	struct ik_error *error)
{
	forget_statements(sqlite);
	(void)sqlite3_close_v2(sqlite->db);
	sqlite->db = NULL;
	if (sqlite3_open_v2(name, &sqlite->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_protect(sqlite->db);
	(void)sqlite3_busy_handler(sqlite->db, on_busy, sqlite);
	sqlite3_progress_handler(sqlite->db, PROGRESS_STEPS, on_progress, sqlite);
	return ik_database_run(&sqlite->base, "PRAGMA cache_size = -4096; PRAGMA user_version", error);
}

/* A copy of what was opened, in a temporary file: its tables can be brought to their present form,
 * and their words indexed, where the file itself cannot. */
static enum ik_status copy_handle(struct ik_sqlite *sqlite, struct ik_error *error)
{
	sqlite3 *from = sqlite->db;
	sqlite3_backup *backup;
	enum ik_status status;

	sqlite->db = NULL;
	status = open_handle(sqlite, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
	backup = status == IK_OK ? sqlite3_backup_init(sqlite->db, "main", from, "main") : NULL;
	if (backup) {
		(void)sqlite3_backup_step(backup, -1);
		if (sqlite3_backup_finish(backup) != SQLITE_OK)
			status = ik_sqlite_explain(sqlite, error);
	} else if (status == IK_OK) {
		status = ik_sqlite_explain(sqlite, error);
	}
	(void)sqlite3_close_v2(from);
	return status;
}

/* The name of a file for SQLite that it must not look for a log or locks beside
 * (sqlite.org/uri.html). New memory. */
static char *immutable_uri(const char *path)
{
	struct ik_buf uri;

	ik_buf_init(&uri, IK_KIB(64));
	ik_buf_puts(&uri, "file:");
	for (; *path; path++)
		if (strchr("?#%", *path))
			ik_buf_printf(&uri, "%%%02X", (unsigned char)*path);
		else
			ik_buf_putc(&uri, *path);
	ik_buf_puts(&uri, "?immutable=1");
	return ik_buf_take(&uri, NULL);
}

/* Tell that there is a log, which is not read. */
static void name_unread_log(const struct ik_sqlite *sqlite)
{
	char *log = ik_format("%s-wal", sqlite->base.name), *notice;
	struct stat about;

	if (stat(log, &about) == 0 && about.st_size > 0) {
		notice = ik_format(_("What was said last may be missing: it is in %s-wal, which cannot be "
							 "read where the file system is read-only. Copy the database and that "
							 "file to another place."),
			sqlite->base.name);
		ik_connection_tell(sqlite->base.client, "notice", notice);
		free(notice);
	}
	free(log);
}

/* Open a file that is on a file system for reading only. */
static enum ik_status open_to_read(struct ik_sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = open_handle(sqlite, sqlite->base.name, SQLITE_OPEN_READONLY, error);
	int64_t form = 0, behind = 0;
	char *uri;
	bool old;

	/* A log that has no index can only be read where one can be made. */
	if (status != IK_OK) {
		uri = immutable_uri(sqlite->base.name);
		status = open_handle(sqlite, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
		free(uri);
		name_unread_log(sqlite);
	}
	if (status == IK_OK)
		status = check_owner(sqlite, error);
	if (status == IK_OK)
		status = ik_database_number(&sqlite->base, ik_sqlite_form.ask, NULL, &form, error);
	old = form < (int64_t)ik_sqlite_form.count;
	if (status == IK_OK && !old)
		status = ik_database_number(&sqlite->base, ik_database_sql.behind, NULL, &behind, error);
	return status == IK_OK && (old || behind) ? copy_handle(sqlite, error) : status;
}

/* Open a file that is to be written. */
static enum ik_status open_to_write(struct ik_sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = open_handle(sqlite, sqlite->base.name, SQLITE_OPEN_READWRITE, error);
	int code;

	if (status == IK_OK)
		status = check_owner(sqlite, error);
	if (status == IK_OK)
		status = ik_database_run(&sqlite->base, "PRAGMA journal_mode = WAL", error);
	code = sqlite->db ? sqlite3_extended_errcode(sqlite->db) : SQLITE_OK;
	/* No shared memory for a log, as on some network file systems: a journal is slower, as safe. Only
	 * one who has the file for itself can leave a log without it. */
	if (status != IK_OK && (code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_SHMOPEN))
		status = open_handle(sqlite, sqlite->base.name, SQLITE_OPEN_READWRITE, error);
	if (code == SQLITE_IOERR_SHMMAP || code == SQLITE_IOERR_SHMOPEN)
		status = ik_database_run(&sqlite->base,
			"PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;"
			" PRAGMA locking_mode = NORMAL; PRAGMA user_version",
			error);
	/* A journal of a session is removed once its events are committed: they must be on the disk. */
	if (status == IK_OK)
		status = ik_database_run(&sqlite->base, "PRAGMA synchronous = FULL", error);
	return status;
}

/* What was stored before may be missing, except what the journals still have. */
static void tell_loss(const struct ik_database *database)
{
	char *notice = ik_format(_("The database %s was removed or replaced while it was in use. What "
							   "is said from now on "
							   "is stored in the one that is there now; what was said before may "
							   "be missing in it."),
		database->name);

	ik_connection_tell(database->client, "notice", notice);
	free(notice);
}

enum ik_status ik_database_open(struct ik_database *database, struct ik_error *error)
{
	const char *path = database->address;
	struct ik_sqlite *sqlite = sqlite_of(database);
	struct stat about = { .st_ino = 0 };
	enum ik_status status;

	database->name = ik_strdup(path);
	if (sqlite->inode != 0 && ik_sqlite_is_lost(sqlite))
		tell_loss(database);
	finish_recovery(path);
	database->reads_only = is_on_read_only_disk(path);
	status = database->reads_only ? IK_OK : make_file(path, error);
	if (status == IK_OK)
		status = database->reads_only ? open_to_read(sqlite, error) : open_to_write(sqlite, error);
	(void)stat(path, &about);
	sqlite->device = about.st_dev;
	sqlite->inode = about.st_ino;
	return status == IK_OK ? ik_database_migrate(database, &ik_sqlite_form, error) : status;
}

void ik_database_close(struct ik_database *database)
{
	struct ik_sqlite *sqlite = sqlite_of(database);

	forget_statements(sqlite);
	(void)sqlite3_close_v2(sqlite->db);
	sqlite->db = NULL;
	free(database->name);
	database->name = NULL;
}

/* ---- transactions ---- */

enum ik_status ik_database_begin(struct ik_database *database, struct ik_error *error)
{
	enum ik_status status = ik_database_run(database, "BEGIN IMMEDIATE", error);

	/* Whoever recovers a file has this lock until the new one is in its place. */
	if (status != IK_OK || !ik_sqlite_is_lost(sqlite_of(database)))
		return status;
	(void)sqlite3_exec(sqlite_of(database)->db, "ROLLBACK", NULL, NULL, NULL);
	return ik_error_set(error, IK_UNAVAILABLE, _("The database %s is in use by another program."),
		database->name);
}

enum ik_status ik_database_end(struct ik_database *database, enum ik_status status,
	struct ik_error *error)
{
	struct ik_sqlite *sqlite = sqlite_of(database);

	if (status == IK_OK)
		status = ik_database_run(database, "COMMIT", error);
	if (status != IK_OK && !sqlite3_get_autocommit(sqlite->db))
		(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
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

/* Take the words of the event of a row out of the index. */
static enum ik_status drop_row(struct ik_database *database, struct ik_rows *rows,
	struct ik_error *error)
{
	int64_t row = ik_rows_number(rows, IK_EVENT_COLUMN_COUNT);
	struct ik_message *message = ik_rows_event(rows);
	enum ik_status status = IK_OK;
	struct ik_buf words;

	ik_buf_init(&words, 16 * IK_SEARCH_BYTES);
	ik_index_put_words(message, &words);
	if (words.length > 0) {
		if (ik_rows_number(rows, IK_EVENT_COLUMN_COUNT + 1) != 0)
			ik_buf_printf(&words, "\xff%lld", (long long)(row / BLOCK_ROWS));
		status = ik_database_change(database,
			"INSERT INTO search(search, rowid, words) VALUES('delete', ?1, ?2)",
			IK_VALUES(ik_value_number(row), ik_value_chars(words.data, words.length)), error);
	}
	ik_message_unref(message);
	ik_buf_done(&words);
	return status;
}

/* Its texts can have everything: there are no columns for exact bytes. */
bool ik_database_takes_text(const struct ik_database *database, const char *text, size_t length)
{
	return true;
}

#define EVENT "e.id, e.sequence, e.kind, e.content, e.data_json, NULL, NULL, e.time"

enum ik_status ik_database_drop_words(struct ik_database *database, const char *session,
	int64_t count, struct ik_error *error)
{
	struct ik_rows *rows = NULL;
	enum ik_status status = ik_database_ask(database,
		"SELECT * FROM (SELECT " EVENT ", e.rowid, (SELECT e.rowid > plain_rows AND"
		" e.rowid <= named_rows FROM search_state), e.rowid AS row" IK_OLDEST_EVENTS
		") WHERE row <= (SELECT indexed FROM search_state)",
		IK_VALUES(ik_value_id(session), ik_value_number(count)), &rows, error);

	if (status != IK_OK)
		return status;
	while (ik_rows_next(rows, &status, error))
		status = drop_row(database, rows, error);
	(void)ik_rows_free(rows);
	return status;
}

const char ik_database_kind[] = "sqlite";

const struct ik_database_sql ik_database_sql = {
	.state = "SELECT s.last_sequence, 0, e.id, CASE WHEN e.session = s.id THEN e.sequence ELSE 0"
			 " END FROM sessions s LEFT JOIN events e ON e.id IN (SELECT value FROM"
			 " json_each('[\"' || replace(?2, ',', '\",\"') || '\"]')) WHERE s.id = ?1",
	.add_event = "INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
				 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	.add_part = "INSERT OR IGNORE INTO blobs(id, part, bytes) VALUES(?1, ?2, ?3)",
	.list = IK_LIST("s.title || char(10) || s.directory || char(10) || s.id"
					" LIKE ?4 ESCAPE '\\'"),
	.page = "SELECT " EVENT " FROM events e WHERE e.session = ?1 AND e.sequence < ?2"
			" ORDER BY e.sequence DESC LIMIT ?3",
	.after = "SELECT " EVENT " FROM events e WHERE e.session = ?1 AND e.sequence > ?2"
			 " ORDER BY e.sequence LIMIT ?3",
	.search = "SELECT " EVENT ", CAST(e.rowid AS TEXT), e.session, " IK_SESSION_COLUMNS
			  " FROM search CROSS JOIN events e ON e.rowid = search.rowid"
			  " LEFT JOIN sessions s ON s.id = e.session AND s.event_count > 0"
			  " WHERE search MATCH ?1"
			  " AND search.rowid < coalesce(CAST(?2 AS INTEGER), 9223372036854775807)"
			  " AND (?3 IS NULL OR ?3 = (SELECT directory FROM sessions WHERE id = e.session))"
			  " ORDER BY search.rowid DESC LIMIT ?5",
	.behind = "SELECT coalesce((SELECT max(rowid) FROM events), 0) > indexed FROM search_state",
	.unindexed = "SELECT " EVENT ", NULL, e.rowid, 0, 0 FROM events e"
				 " WHERE e.rowid > (SELECT indexed FROM search_state)"
				 " ORDER BY e.rowid LIMIT 5000",
	.add_words = "INSERT INTO search(rowid, words) VALUES(?2, ?4)",
	.set_mark = "UPDATE search_state SET indexed = ?2",
	.drop_parts = "DELETE FROM blobs WHERE id IN (SELECT"
				  " json_extract(e.data_json, '$.blobs.' || stream.value || '.id')"
				  " FROM events e, json_each('[\"stdout\",\"stderr\"]') AS stream"
				  " WHERE e.rowid IN (SELECT e.rowid" IK_OLDEST_EVENTS ")"
				  " AND e.kind IN ('tool_result', 'command') AND json_valid(e.data_json))",
	.events_deleted = "UPDATE search_state SET indexed = min(indexed, last),"
					  " plain_rows = min(plain_rows, last), named_rows = min(named_rows, last)"
					  " FROM (SELECT coalesce(max(rowid), 0) AS last FROM events)",
};
