#include "store/sqlite_private.h"

#include <stdlib.h>
#include <string.h>

#include "store/database_file.h"
#include "store/migrate.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* So long the loop stands still for another writer; then the store's timer tries again. */
#define BUSY_MS 20
/* Bytes that a transaction takes: between two of a long queue the loop turns. */
#define TRANSACTION_BYTES IK_MIB(1)
/* "ikig": tells our databases from other programs'. */
#define APPLICATION_ID 0x696b6967

#define INFO_COLUMNS "id, title, directory, created_ms, updated_ms, event_count"

static const char *const statement_texts[STATEMENT_COUNT] = {
	[ADD_SESSION] = "INSERT INTO sessions(id, directory, created_ms, updated_ms)"
		" VALUES(?1, ?2, ?3, ?3) ON CONFLICT(id) DO NOTHING",
	[ADD_EVENT] = "INSERT INTO events(id, session, sequence, kind, content, data_json, time)"
		" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(id) DO NOTHING",
	[TOUCH_SESSION] = "UPDATE sessions SET event_count = event_count + 1,"
		" updated_ms = max(updated_ms, ?2),"
		" title = CASE WHEN title = '' THEN ?3 ELSE title END WHERE id = ?1",
	[LAST_SEQUENCE] = "SELECT max(sequence) FROM events WHERE session = ?1",
	[NEWEST] = "SELECT " INFO_COLUMNS " FROM sessions WHERE event_count > 0"
		" ORDER BY updated_ms DESC LIMIT 1",
	[NEWEST_OF_DIRECTORY] = "SELECT " INFO_COLUMNS " FROM sessions"
		" WHERE directory = ?1 AND event_count > 0 ORDER BY updated_ms DESC LIMIT 1",
	[FIND] = "SELECT " INFO_COLUMNS " FROM sessions"
		" WHERE id >= ?1 AND id < ?1 || char(127) ORDER BY id LIMIT 2",
	[PAGE] = "SELECT id, sequence, kind, content, data_json, time FROM events"
		" WHERE session = ?1 AND sequence < ?2 ORDER BY sequence DESC",
};

/* Close the handle; what is not committed is gone. */
static void close_handle(struct sqlite *sqlite)
{
	if (!sqlite->db)
		return; /* perhaps not even the library is there */
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
	const char *why = sqlite3_errmsg(sqlite->db);

	switch (code) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return ik_error_set(error, IK_UNAVAILABLE,
			_("The database %s is in use by another program."), sqlite->path);
	case SQLITE_FULL:
		return ik_error_set(error, IK_IO,
			_("The disk is full: the database %s cannot grow."), sqlite->path);
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
		return ik_error_set(error, IK_INVALID, _("The database %s is damaged: %s."),
			sqlite->path, why);
	case SQLITE_TOOBIG:
		return ik_error_set(error, IK_TOO_LARGE,
			_("An event is too large for the database %s."), sqlite->path);
	default:
		return ik_error_set(error, IK_FAILED, _("The database %s fails: %s."),
			sqlite->path, why);
	}
}

/* ---- statements ---- */

/* Run statements without results. */
static enum ik_status execute(void *database, const char *statements, struct ik_error *error)
{
	struct sqlite *sqlite = database;

	if (sqlite3_exec(sqlite->db, statements, NULL, NULL, NULL) == SQLITE_OK)
		return IK_OK;
	return ik_sqlite_explain(sqlite, error);
}

/* A statement, prepared once, ready to bind; NULL when that failed. */
static sqlite3_stmt *statement(struct sqlite *sqlite, enum statement which)
{
	sqlite3_stmt **slot = &sqlite->statements[which];

	if (!*slot)
		(void)sqlite3_prepare_v3(sqlite->db, statement_texts[which], -1,
			SQLITE_PREPARE_PERSISTENT, slot, NULL);
	return *slot;
}

/* Ready for its next use; bound texts are let go. */
static void rewind_statement(sqlite3_stmt *prepared)
{
	sqlite3_reset(prepared);
	sqlite3_clear_bindings(prepared);
}

/* Bind text that stays where it is until the statement is rewound; a failure
 * (its length) shows when it is stepped, since the column is NOT NULL. */
static void bind_text(sqlite3_stmt *prepared, int index, const char *text, size_t length)
{
	(void)sqlite3_bind_text64(prepared, index, text, length, SQLITE_STATIC, SQLITE_UTF8);
}

/* Run a prepared statement that returns nothing. */
static enum ik_status step_once(struct sqlite *sqlite, sqlite3_stmt *prepared,
	struct ik_error *error)
{
	enum ik_status status = IK_OK;

	if (sqlite3_step(prepared) != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	rewind_statement(prepared);
	return status;
}

/* One whole number of one row. */
static enum ik_status query_number(struct sqlite *sqlite, const char *text,
	int64_t *ret_number, struct ik_error *error)
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
	char *text = ik_format("PRAGMA application_id = %d; PRAGMA user_version = %lld",
		APPLICATION_ID, (long long)version);
	enum ik_status status = execute(database, text, error);

	free(text);
	return status;
}

static const struct ik_migrate_ops migrate_ops = {
	.begin = "BEGIN IMMEDIATE",
	.version = get_version,
	.set_version = set_version,
	.execute = execute,
};

/* Refuse a database that belongs to another program. */
static enum ik_status check_owner(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status;
	int64_t application = 0, tables = 0;

	status = query_number(sqlite, "PRAGMA application_id", &application, error);
	if (status == IK_OK)
		status = query_number(sqlite, "SELECT count(*) FROM sqlite_schema", &tables, error);
	if (status != IK_OK || application == APPLICATION_ID || tables == 0)
		return status;
	return ik_error_set(error, IK_DENIED,
		_("%s is the database of another program. Choose another file with --database."),
		sqlite->path);
}

/* Open the handle and bring the database to its present form. */
static enum ik_status open_handle(struct sqlite *sqlite, struct ik_error *error)
{
	enum ik_status status = ik_sqlite_library_load(error);

	if (status == IK_OK)
		status = ik_database_file_make(sqlite->path, error);
	if (status != IK_OK)
		return status;
	if (sqlite3_open_v2(sqlite->path, &sqlite->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		status = ik_sqlite_explain(sqlite, error);
		close_handle(sqlite);
		return status;
	}
	sqlite3_busy_timeout(sqlite->db, BUSY_MS);
	/* Where WAL is not to be had (some network file systems) the journal stays
	 * what it is: slower, as safe. Rarer checkpoints than by default: the pages
	 * that every event changes are then written once for many. */
	status = execute(sqlite, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		" PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -1024", error);
	if (status == IK_OK)
		status = check_owner(sqlite, error);
	if (status == IK_OK)
		status = ik_migrate(&migrate_ops, sqlite, sqlite->path, ik_sqlite_steps,
			ik_sqlite_step_count, error);
	if (status != IK_OK)
		close_handle(sqlite);
	return status;
}

static enum ik_status sqlite_open(struct ik_backend *backend, struct ik_buf *notice,
	struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	enum ik_status status = IK_OK;

	if (sqlite->db)
		return IK_OK;
	if (!sqlite->damaged)
		status = open_handle(sqlite, error);
	if (sqlite->damaged) {
		status = ik_database_file_put_aside(sqlite->path, notice, error);
		sqlite->damaged = status != IK_OK;
		if (status == IK_OK)
			status = open_handle(sqlite, error);
	}
	return status;
}

static bool sqlite_is_open(const struct ik_backend *backend)
{
	return ((const struct sqlite *)backend)->db != NULL;
}

enum ik_status ik_sqlite_failed(struct sqlite *sqlite, enum ik_status status)
{
	if (sqlite->damaged)
		close_handle(sqlite);
	return status;
}

/* ---- writing ---- */

/* The sequence that the next event of a session gets. */
static enum ik_status next_sequence(struct sqlite *sqlite, const char *session,
	int64_t *ret_sequence, struct ik_error *error)
{
	sqlite3_stmt *query = statement(sqlite, LAST_SEQUENCE);
	enum ik_status status = IK_OK;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	bind_text(query, 1, session, strlen(session));
	if (sqlite3_step(query) == SQLITE_ROW)
		*ret_sequence = sqlite3_column_int64(query, 0) + 1; /* NULL reads 0 */
	else
		status = ik_sqlite_explain(sqlite, error);
	rewind_statement(query);
	return status;
}

/* The row of a session, unless it is there. */
static enum ik_status add_session(struct sqlite *sqlite, const struct ik_store_session *session,
	struct ik_error *error)
{
	sqlite3_stmt *insert = statement(sqlite, ADD_SESSION);

	if (!insert)
		return ik_sqlite_explain(sqlite, error);
	bind_text(insert, 1, session->id, strlen(session->id));
	bind_text(insert, 2, session->directory, strlen(session->directory));
	sqlite3_bind_int64(insert, 3, session->created_ms);
	return step_once(sqlite, insert, error);
}

/* Note a new event in its session's row. */
static enum ik_status touch_session(struct sqlite *sqlite, const struct ik_record *record,
	struct ik_error *error)
{
	const struct ik_message *message = record->message;
	sqlite3_stmt *update = statement(sqlite, TOUCH_SESSION);
	enum ik_status status;
	char *title;

	if (!update)
		return ik_sqlite_explain(sqlite, error);
	title = message->kind == IK_KIND_USER ?
		ik_session_title(message->content, message->content_length) : ik_strdup("");
	bind_text(update, 1, record->session->id, strlen(record->session->id));
	sqlite3_bind_int64(update, 2, message->time_ms);
	bind_text(update, 3, title, strlen(title));
	status = step_once(sqlite, update, error);
	free(title);
	return status;
}

static enum ik_status add_event(struct sqlite *sqlite, struct ik_record *record,
	struct ik_error *error)
{
	struct ik_message *message = record->message;
	const char *kind = ik_kind_name(message->kind);
	sqlite3_stmt *insert = statement(sqlite, ADD_EVENT);
	enum ik_status status;
	int64_t sequence = 0;

	if (!insert)
		return ik_sqlite_explain(sqlite, error);
	status = next_sequence(sqlite, record->session->id, &sequence, error);
	if (status != IK_OK)
		return status;
	bind_text(insert, 1, message->id, strlen(message->id));
	bind_text(insert, 2, record->session->id, strlen(record->session->id));
	sqlite3_bind_int64(insert, 3, sequence);
	bind_text(insert, 4, kind, strlen(kind));
	bind_text(insert, 5, message->content, message->content_length);
	if (message->data)
		bind_text(insert, 6, message->data, message->data_length);
	sqlite3_bind_int64(insert, 7, message->time_ms);
	status = step_once(sqlite, insert, error);
	if (status != IK_OK || sqlite3_changes(sqlite->db) == 0)
		return status;
	message->sequence = sequence;
	return touch_session(sqlite, record, error);
}

static enum ik_status sqlite_write(struct ik_backend *backend, struct ik_record *first,
	size_t count, size_t *ret_count, struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_record *record;
	enum ik_status status;
	size_t written = 0, bytes = 0;

	status = execute(sqlite, "BEGIN IMMEDIATE", error);
	if (status != IK_OK)
		return ik_sqlite_failed(sqlite, status);
	for (record = first; record && written < count && bytes < TRANSACTION_BYTES;
	     record = record->next) {
		status = add_session(sqlite, record->session, error);
		if (status == IK_OK)
			status = add_event(sqlite, record, error);
		if (status != IK_OK)
			break;
		written++;
		bytes += record->message->content_length + record->message->data_length;
	}
	/* Too large, but not the first: keep those before it. */
	if (status == IK_TOO_LARGE && written > 0)
		status = IK_OK;
	if (status == IK_OK)
		status = execute(sqlite, "COMMIT", error);
	if (status != IK_OK) {
		if (!sqlite3_get_autocommit(sqlite->db))
			(void)sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
		return ik_sqlite_failed(sqlite, status);
	}
	*ret_count = written;
	return IK_OK;
}

/* ---- reading ---- */

/* A copy of a text column. */
static char *column_copy(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return ik_strndup(text ? text : "", text ? (size_t)sqlite3_column_bytes(row, column) : 0);
}

/* The next row of INFO_COLUMNS, if there is one. */
static enum ik_status next_info(struct sqlite *sqlite, sqlite3_stmt *query,
	struct ik_session_info *info, bool *ret_found, struct ik_error *error)
{
	int result = sqlite3_step(query);
	const char *id;

	*ret_found = result == SQLITE_ROW;
	if (result != SQLITE_ROW)
		return result == SQLITE_DONE ? IK_OK : ik_sqlite_explain(sqlite, error);
	id = (const char *)sqlite3_column_text(query, 0);
	*info = (struct ik_session_info){
		.title = column_copy(query, 1),
		.directory = column_copy(query, 2),
		.created_ms = sqlite3_column_int64(query, 3),
		.updated_ms = sqlite3_column_int64(query, 4),
		.event_count = sqlite3_column_int64(query, 5),
	};
	memcpy(info->id, id ? id : "", strnlen(id ? id : "", sizeof(info->id) - 1));
	return IK_OK;
}

static enum ik_status sqlite_newest(struct ik_backend *backend, const char *directory,
	struct ik_session_info *ret_info, struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	sqlite3_stmt *query = statement(sqlite, directory ? NEWEST_OF_DIRECTORY : NEWEST);
	enum ik_status status;
	bool found;

	if (!query)
		return ik_sqlite_failed(sqlite, ik_sqlite_explain(sqlite, error));
	if (directory)
		bind_text(query, 1, directory, strlen(directory));
	status = next_info(sqlite, query, ret_info, &found, error);
	if (status == IK_OK && !found)
		status = ik_error_set(error, IK_NOT_FOUND, directory ?
			_("There is no stored session of %s.") : _("There is no stored session."),
			directory);
	rewind_statement(query);
	return ik_sqlite_failed(sqlite, status);
}

static enum ik_status sqlite_find(struct ik_backend *backend, const char *id_prefix,
	struct ik_session_info *ret_info, struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	sqlite3_stmt *query = statement(sqlite, FIND);
	struct ik_session_info info = { .id = "" }, second = { .id = "" };
	bool found = false, ambiguous = false;
	enum ik_status status = IK_OK;

	if (!query)
		return ik_sqlite_failed(sqlite, ik_sqlite_explain(sqlite, error));
	bind_text(query, 1, id_prefix, strlen(id_prefix));
	if (id_prefix[0])
		status = next_info(sqlite, query, &info, &found, error);
	if (status == IK_OK && found)
		status = next_info(sqlite, query, &second, &ambiguous, error);
	rewind_statement(query);
	ik_session_info_done(&second);
	if (status == IK_OK && !found)
		status = ik_error_set(error, IK_NOT_FOUND,
			_("There is no session %s. --resume without an id takes the newest of this directory."),
			id_prefix);
	else if (status == IK_OK && ambiguous && !ik_text_equal(info.id, id_prefix))
		status = ik_error_set(error, IK_INVALID,
			_("Several sessions begin with %s; give more of the id."), id_prefix);
	if (status == IK_OK)
		*ret_info = info;
	else
		ik_session_info_done(&info);
	return ik_sqlite_failed(sqlite, status);
}

/* The message of a row of PAGE; NULL when its kind is not known here. */
static struct ik_message *read_message(sqlite3_stmt *row)
{
	char id[IK_UUID_TEXT] = "";
	const char *text = (const char *)sqlite3_column_text(row, 0);
	const char *kind_name = (const char *)sqlite3_column_text(row, 2);
	const char *content, *data;
	enum ik_kind kind;

	if (!text || !kind_name || !ik_kind_from_name(kind_name, &kind))
		return NULL;
	memcpy(id, text, strnlen(text, sizeof(id) - 1));
	content = (const char *)sqlite3_column_text(row, 3);
	data = (const char *)sqlite3_column_text(row, 4);
	return ik_message_stored(kind, id, sqlite3_column_int64(row, 1),
		sqlite3_column_int64(row, 5), content ? content : "",
		(size_t)sqlite3_column_bytes(row, 3), data, (size_t)sqlite3_column_bytes(row, 4));
}

static enum ik_status sqlite_page(struct ik_backend *backend, const char *session, int64_t before,
	size_t count, struct ik_message ***ret_messages, size_t *ret_count, struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	sqlite3_stmt *query = statement(sqlite, PAGE);
	struct ik_message **messages;
	enum ik_status status = IK_OK;
	size_t found = 0, size = 0;
	int step = SQLITE_DONE;

	if (!query)
		return ik_sqlite_failed(sqlite, ik_sqlite_explain(sqlite, error));
	/* They come newest first: filled from the end. */
	messages = ik_alloc_array(NULL, count + 1, sizeof(struct ik_message *));
	bind_text(query, 1, session, strlen(session));
	sqlite3_bind_int64(query, 2, before > 0 ? before : INT64_MAX);
	while (found < count && size < IK_LIMIT_PAGE && (step = sqlite3_step(query)) == SQLITE_ROW) {
		struct ik_message *message = read_message(query);

		if (message) {
			messages[count - ++found] = message;
			size += message->content_length + message->data_length;
		}
	}
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	rewind_statement(query);
	memmove(messages, messages + count - found, found * sizeof(struct ik_message *));
	if (status != IK_OK) {
		while (found > 0)
			ik_message_unref(messages[--found]);
		free(messages);
		return ik_sqlite_failed(sqlite, status);
	}
	*ret_messages = messages;
	*ret_count = found;
	return IK_OK;
}

static enum ik_status sqlite_list(struct ik_backend *backend,
	bool (*each)(void *arg, const struct ik_session_info *info), void *arg,
	struct ik_error *error)
{
	struct sqlite *sqlite = sqlite_of(backend);
	sqlite3_stmt *query = NULL; /* its own: each may ask the store something */
	enum ik_status status = IK_OK;
	struct ik_session_info info;
	bool found = true;

	if (sqlite3_prepare_v2(sqlite->db, "SELECT " INFO_COLUMNS " FROM sessions"
	    " WHERE event_count > 0 ORDER BY updated_ms DESC", -1, &query, NULL) != SQLITE_OK)
		return ik_sqlite_failed(sqlite, ik_sqlite_explain(sqlite, error));
	while (found && status == IK_OK) {
		status = next_info(sqlite, query, &info, &found, error);
		if (status == IK_OK && found) {
			found = each(arg, &info);
			ik_session_info_done(&info);
		}
	}
	sqlite3_finalize(query);
	return ik_sqlite_failed(sqlite, status);
}

static struct ik_backend *sqlite_free(struct ik_backend *backend)
{
	struct sqlite *sqlite = sqlite_of(backend);

	close_handle(sqlite);
	free(sqlite->path);
	free(sqlite);
	return NULL;
}

static const struct ik_backend_ops sqlite_ops = {
	.name = "sqlite",
	.open = sqlite_open,
	.is_open = sqlite_is_open,
	.write = sqlite_write,
	.write_part = ik_sqlite_write_part,
	.read_part = ik_sqlite_read_part,
	.newest = sqlite_newest,
	.find = sqlite_find,
	.page = sqlite_page,
	.list = sqlite_list,
	.free = sqlite_free,
};

struct ik_backend *ik_sqlite_new(const char *path)
{
	struct sqlite *sqlite = ik_alloc(sizeof(*sqlite));

	sqlite->base.ops = &sqlite_ops;
	sqlite->path = ik_strdup(path);
	return &sqlite->base;
}
