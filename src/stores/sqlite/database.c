#include "stores/sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/migrate.h"
#include "util/alloc.h"
#include "util/text.h"

/* "ikig": tells our databases from other programs'. */
#define APPLICATION_ID 0x696b6967
/* Steps of SQLite's machine between two looks for a cancellation: well below a millisecond. */
#define PROGRESS_STEPS 20000

/* What the steps of store/migrate.c lead to, and one more. */
static const char journals_step[] =
	"CREATE TABLE journals("
	" name TEXT PRIMARY KEY NOT NULL,"
	" place INTEGER NOT NULL,"     /* all before this byte is stored */
	" stored_as TEXT NOT NULL,"    /* the session, or the fork that late events became */
	" sequence INTEGER NOT NULL);" /* of its newest event that the writer knew */
	"INSERT INTO search(search, rank) VALUES('automerge', 4);";

/* Views, triggers and virtual tables that no ikigai makes: a SELECT could run programs. */
static const char foreign_parts[] =
	"SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')"
	" OR (rootpage = 0 AND name <> 'search')";

enum ik_status ik_database_explain(struct ik_database *database, struct ik_error *error)
{
	const char *why = sqlite3_errmsg(database->db), *path = database->path;
	int number = sqlite3_system_errno(database->db);

	switch (sqlite3_errcode(database->db) & 0xff) {
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
	if (sqlite3_exec(database->db, statements, NULL, NULL, NULL) == SQLITE_OK)
		return IK_OK;
	return ik_database_explain(database, error);
}

sqlite3_stmt *ik_database_statement(struct ik_database *database, const char *literal,
	struct ik_error *error)
{
	size_t i = 0;

	while (i < IK_DATABASE_STATEMENTS - 1 && database->statements[i].text &&
		database->statements[i].text != literal)
		i++;
	if (database->statements[i].text != literal) {
		/* The last place is every further statement's. */
		sqlite3_finalize(database->statements[i].prepared);
		database->statements[i].text = literal;
		database->statements[i].prepared = NULL;
	}
	if (!database->statements[i].prepared &&
		sqlite3_prepare_v3(database->db, literal, -1, SQLITE_PREPARE_PERSISTENT,
			&database->statements[i].prepared, NULL) != SQLITE_OK)
		(void)ik_database_explain(database, error);
	return database->statements[i].prepared;
}

void ik_database_reset(sqlite3_stmt *statement)
{
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
}

void ik_database_bind(sqlite3_stmt *statement, int index, const char *text)
{
	(void)sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

enum ik_status ik_database_finish(struct ik_database *database, sqlite3_stmt *statement,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (sqlite3_step(statement) != SQLITE_DONE)
		status = ik_database_explain(database, error);
	ik_database_reset(statement);
	return status;
}

enum ik_status ik_database_number(struct ik_database *database, const char *literal,
	const char *first, const char *second, int64_t *ret_number, bool *ret_found,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_database_statement(database, literal, error);
	enum ik_status status = IK_OK;
	int step;

	if (!query)
		return error->status;
	if (first)
		ik_database_bind(query, 1, first);
	if (second)
		ik_database_bind(query, 2, second);
	step = sqlite3_step(query);
	if (step == SQLITE_ROW)
		*ret_number = sqlite3_column_int64(query, 0);
	else if (step != SQLITE_DONE)
		status = ik_database_explain(database, error);
	if (ret_found)
		*ret_found = step == SQLITE_ROW;
	ik_database_reset(query);
	return status;
}

enum ik_status ik_database_begin(struct ik_database *database, struct ik_error *error)
{
	return ik_database_run(database, "BEGIN IMMEDIATE", error);
}

enum ik_status ik_database_end(struct ik_database *database, enum ik_status status,
	struct ik_error *error)
{
	if (status == IK_OK)
		status = ik_database_run(database, "COMMIT", error);
	if (status != IK_OK && !sqlite3_get_autocommit(database->db))
		(void)sqlite3_exec(database->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* ---- opening ---- */

static enum ik_status get_version(void *database, int64_t *ret_version, struct ik_error *error)
{
	return ik_database_number(database, "PRAGMA user_version", NULL, NULL, ret_version, NULL,
		error);
}

static enum ik_status set_version(void *database, int64_t version, struct ik_error *error)
{
	char *text = ik_format("PRAGMA application_id = %d; PRAGMA user_version = %lld", APPLICATION_ID,
		(long long)version);
	enum ik_status status = ik_database_run(database, text, error);

	free(text);
	return status;
}

static enum ik_status execute(void *database, const char *statements, struct ik_error *error)
{
	return ik_database_run(database, statements, error);
}

static enum ik_status migrate(struct ik_database *database, struct ik_error *error)
{
	static const struct ik_migrate_ops ops = {
		.begin = "BEGIN IMMEDIATE",
		.version = get_version,
		.set_version = set_version,
		.execute = execute,
	};
	const char *steps[16];
	size_t count = ik_sqlite_step_count;

	for (size_t i = 0; i < count; i++)
		steps[i] = ik_sqlite_steps[i];
	steps[count++] = journals_step;
	return ik_migrate(&ops, database, database->path, steps, count, error);
}

/* Refuse a database of another program, or one that somebody has added programs to. */
static enum ik_status check_owner(struct ik_database *database, struct ik_error *error)
{
	int64_t application = 0, tables = 0, foreign = 0;
	enum ik_status status = ik_database_number(database, "PRAGMA application_id", NULL, NULL,
		&application, NULL, error);

	if (status == IK_OK)
		status = ik_database_number(database, "SELECT count(*) FROM sqlite_schema", NULL, NULL,
			&tables, NULL, error);
	if (status == IK_OK)
		status = ik_database_number(database, foreign_parts, NULL, NULL, &foreign, NULL, error);
	if (status != IK_OK || tables == 0)
		return status;
	if (application != APPLICATION_ID)
		return ik_error_set(error, IK_DENIED,
			_("%s is the database of another program. Choose another file with --database."),
			database->path);
	if (foreign > 0)
		return ik_error_set(error, IK_DENIED,
			_("The database %s has views or triggers, which no "
			  "ikigai makes, so it is not used. Choose another file with --database."),
			database->path);
	return IK_OK;
}

/* Called from within statements: nonzero interrupts the current one. */
static int on_progress(void *arg)
{
	struct ik_database *database = arg;

	return database->interruptible && ik_connection_is_cancelled(database->connection);
}

/* Make the file, which SQLite would make readable to others. */
static void make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		(void)close(fd);
}

enum ik_status ik_database_open(struct ik_database *database, const char *path,
	struct ik_connection *connection, struct ik_error *error)
{
	enum ik_status status;

	memset(database, 0, sizeof(*database));
	database->path = ik_strdup(path);
	database->connection = connection;
	make_file(path);
	if (sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
		SQLITE_OK)
		return ik_database_explain(database, error);
	(void)sqlite3_db_config(database->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(database->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_busy_timeout(database->db, IK_DATABASE_BUSY_MS);
	sqlite3_progress_handler(database->db, PROGRESS_STEPS, on_progress, database);
	/* A journal file is removed once its events are committed, so a commit is on the disk. */
	status = ik_database_run(database, "PRAGMA cache_size = -4096; PRAGMA synchronous = FULL",
		error);
	if (status == IK_OK)
		status = check_owner(database, error);
	/* Where there is no shared memory for a log, SQLite keeps its rollback journal by itself. */
	if (status == IK_OK)
		status = ik_database_run(database, "PRAGMA journal_mode = WAL", error);
	return status == IK_OK ? migrate(database, error) : status;
}

void ik_database_close(struct ik_database *database)
{
	for (size_t i = 0; i < IK_DATABASE_STATEMENTS; i++)
		sqlite3_finalize(database->statements[i].prepared);
	(void)sqlite3_close_v2(database->db);
	free(database->path);
	memset(database, 0, sizeof(*database));
}
