#include "store/sqlite/sqlite_private.h"

#include <string.h>

#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* More forks of forks are a circle. */
#define MOST_PARENTS 10000

/* A copy of a text column. */
static char *column_copy(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return ik_strndup(text ? text : "", text ? (size_t)sqlite3_column_bytes(row, column) : 0);
}

void ik_sqlite_take_session(struct sqlite *sqlite, sqlite3_stmt *query, struct ik_store_read *read)
{
	struct ik_session_info *info = ik_store_read_add_session(read);
	const char *id = (const char *)sqlite3_column_text(query, 0);

	memcpy(info->id, id ? id : "", strnlen(id ? id : "", sizeof(info->id) - 1));
	info->title = column_copy(query, 1);
	info->directory = column_copy(query, 2);
	info->created_ms = sqlite3_column_int64(query, 3);
	info->updated_ms = sqlite3_column_int64(query, 4);
	info->event_count = sqlite3_column_int64(query, 5);
	id = (const char *)sqlite3_column_text(query, 6);
	memcpy(info->parent, id ? id : "", strnlen(id ? id : "", sizeof(info->parent) - 1));
	info->forked_at = sqlite3_column_int64(query, 7);
	ik_lock_file_holder(sqlite->path, info->id, &info->holder);
}

enum ik_status ik_sqlite_take_sessions(struct sqlite *sqlite, sqlite3_stmt *query, size_t limit,
	struct ik_store_read *read, struct ik_error *error)
{
	int step = SQLITE_ROW;

	while (read->found < limit && (step = sqlite3_step(query)) == SQLITE_ROW)
		ik_sqlite_take_session(sqlite, query, read);
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_sqlite_explain(sqlite, error);
}

static enum ik_status read_newest(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, read->text ? NEWEST_OF_DIRECTORY : NEWEST);
	enum ik_status status;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	if (read->text)
		ik_sqlite_bind_text(query, 1, read->text, strlen(read->text));
	status = ik_sqlite_take_sessions(sqlite, query, 1, read, error);
	ik_sqlite_rewind(query);
	if (status == IK_OK && read->found == 0)
		return ik_store_read_not_found(read, error);
	return status;
}

static enum ik_status read_found(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, FIND);
	enum ik_status status = IK_OK;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, read->text, strlen(read->text));
	if (read->text[0])
		status = ik_sqlite_take_sessions(sqlite, query, 2, read, error);
	ik_sqlite_rewind(query);
	return status != IK_OK ? status : ik_store_read_choose(read, error);
}

/* The message of a row of PAGE; NULL when its kind is not known here. */
struct ik_message *ik_sqlite_take_event(sqlite3_stmt *row)
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
	return ik_message_stored(kind, id, sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 5),
		content ? content : "", (size_t)sqlite3_column_bytes(row, 3), data,
		(size_t)sqlite3_column_bytes(row, 4));
}

/* The events of one session before a number, newest first (PAGE), or behind one (AFTER), until
 * the page is full. */
static enum ik_status read_rows(struct sqlite *sqlite, struct ik_store_read *read,
	enum ik_sqlite_statement which, const char *session, int64_t before, size_t *size,
	struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, which);
	enum ik_status status = IK_OK;
	int step = SQLITE_ROW;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, session, strlen(session));
	sqlite3_bind_int64(query, 2, before);
	while (read->found < read->count && *size < IK_LIMIT_PAGE &&
		(step = sqlite3_step(query)) == SQLITE_ROW) {
		struct ik_message *message = ik_sqlite_take_event(query);

		if (message) {
			ik_store_read_add_message(read, message);
			*size += message->content_length + message->data_length;
		}
	}
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		status = ik_sqlite_explain(sqlite, error);
	ik_sqlite_rewind(query);
	return status;
}

/* The session that this one is a fork of ("": of none), and its last event that is both's. */
static enum ik_status read_parent(struct sqlite *sqlite, char session[IK_UUID_TEXT],
	int64_t *before, struct ik_error *error)
{
	sqlite3_stmt *query = ik_sqlite_statement(sqlite, PARENT);
	const char *parent = NULL;
	char found[IK_UUID_TEXT] = "";
	int step;

	if (!query)
		return ik_sqlite_explain(sqlite, error);
	ik_sqlite_bind_text(query, 1, session, strlen(session));
	step = sqlite3_step(query);
	if (step == SQLITE_ROW)
		parent = (const char *)sqlite3_column_text(query, 0);
	if (parent)
		memcpy(found, parent, strnlen(parent, sizeof(found) - 1));
	if (parent && sqlite3_column_int64(query, 1) + 1 < *before)
		*before = sqlite3_column_int64(query, 1) + 1;
	ik_sqlite_rewind(query);
	memcpy(session, found, sizeof(found));
	return step == SQLITE_ROW || step == SQLITE_DONE ? IK_OK : ik_sqlite_explain(sqlite, error);
}

/* A session's own events, below them those of its parents up to where they part. */
static enum ik_status read_page(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	int64_t before = read->number > 0 ? read->number : INT64_MAX;
	char session[IK_UUID_TEXT] = "";
	enum ik_status status = IK_OK;
	size_t size = 0;
	int depth = 0;

	memcpy(session, read->text, strnlen(read->text, sizeof(session) - 1));
	while (session[0] && before > 1 && depth++ < MOST_PARENTS && status == IK_OK) {
		status = read_rows(sqlite, read, PAGE, session, before, &size, error);
		if (read->found == read->count || size >= IK_LIMIT_PAGE)
			break;
		if (status == IK_OK)
			status = read_parent(sqlite, session, &before, error);
	}
	ik_store_read_turn_round(read);
	return status;
}

void ik_sqlite_read(struct ik_backend *backend, struct ik_store_read *read)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status = IK_FAILED;
	size_t size = 0;

	ik_sqlite_begin(sqlite, false);
	switch (read->kind) {
	case IK_READ_NEWEST:
		status = read_newest(sqlite, read, &error);
		break;
	case IK_READ_FIND:
		status = read_found(sqlite, read, &error);
		break;
	case IK_READ_LIST:
		status = ik_sqlite_read_list(sqlite, read, &error);
		break;
	case IK_READ_PAGE:
		status = read_page(sqlite, read, &error);
		break;
	case IK_READ_AFTER:
		status = read_rows(sqlite, read, AFTER, read->text, read->number, &size, &error);
		break;
	case IK_READ_LOCK: /* its locks are files */
		status = ik_error_set(&error, IK_INVALID, "%s", "no lock");
		break;
	case IK_READ_PART:
		status = ik_sqlite_read_part(sqlite, read, &error);
		break;
	case IK_READ_WRITE_PART:
		status = ik_sqlite_insert_part(sqlite, read->text, (size_t)read->number, read->bytes.data,
			read->bytes.length, &error);
		break;
	case IK_READ_SEARCH:
		status = ik_sqlite_search(sqlite, read, &error);
		break;
	case IK_READ_DELETE:
		status = ik_sqlite_delete_some(sqlite, read, &error);
		break;
	}
	ik_store_answered(backend->store, ik_sqlite_failed(sqlite, status), &error);
}
