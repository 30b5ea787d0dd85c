#include "store/sqlite/sqlite_private.h"

#include <string.h>

#include "util/limits.h"

/* Prepare a statement and bind id and number. */
static enum ik_status prepare(struct sqlite *sqlite, const char *text, const char *id, size_t part,
	sqlite3_stmt **ret_prepared, struct ik_error *error)
{
	if (sqlite3_prepare_v2(sqlite->db, text, -1, ret_prepared, NULL) != SQLITE_OK ||
		sqlite3_bind_text64(*ret_prepared, 1, id, strlen(id), SQLITE_STATIC, SQLITE_UTF8) !=
			SQLITE_OK ||
		sqlite3_bind_int64(*ret_prepared, 2, (sqlite3_int64)part) != SQLITE_OK)
		return ik_sqlite_explain(sqlite, error);
	return IK_OK;
}

enum ik_status ik_sqlite_insert_part(struct sqlite *sqlite, const char *id, size_t part,
	const char *bytes, size_t length, struct ik_error *error)
{
	sqlite3_stmt *insert = NULL;
	enum ik_status status;

	status = prepare(sqlite,
		"INSERT INTO blobs(id, part, bytes) VALUES(?1, ?2, ?3)"
		" ON CONFLICT DO NOTHING",
		id, part, &insert, error);
	if (status == IK_OK &&
		(sqlite3_bind_blob64(insert, 3, bytes, length, SQLITE_STATIC) != SQLITE_OK ||
			sqlite3_step(insert) != SQLITE_DONE))
		status = ik_sqlite_explain(sqlite, error);
	sqlite3_finalize(insert);
	return status;
}

void ik_sqlite_write_part(struct ik_backend *backend, const char *id, size_t part,
	const char *bytes, size_t length)
{
	struct sqlite *sqlite = sqlite_of(backend);
	struct ik_error error = { .status = IK_OK };
	enum ik_status status;

	ik_sqlite_begin(sqlite, true);
	status = ik_sqlite_insert_part(sqlite, id, part, bytes, length, &error);
	ik_store_part_written(backend->store, ik_sqlite_failed(sqlite, status), &error);
}

enum ik_status ik_sqlite_read_part(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error)
{
	sqlite3_stmt *query = NULL;
	enum ik_status status;

	status = prepare(sqlite, "SELECT bytes FROM blobs WHERE id = ?1 AND part = ?2", read->text,
		(size_t)read->number, &query, error);
	if (status == IK_OK) {
		int step = sqlite3_step(query);

		if (step == SQLITE_ROW)
			ik_buf_append(&read->bytes, sqlite3_column_blob(query, 0),
				(size_t)sqlite3_column_bytes(query, 0));
		else
			status = step == SQLITE_DONE ? IK_NOT_FOUND : ik_sqlite_explain(sqlite, error);
	}
	sqlite3_finalize(query);
	return status;
}
