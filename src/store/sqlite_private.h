/*
 * sqlite_private: what the files of the SQLite backend share.
 *
 * sqlite.c opens the database and keeps sessions and events; sqlite_blob.c
 * keeps large texts.  May include: what backend.h may, store/sqlite_library.h.
 */
#ifndef IK_STORE_SQLITE_PRIVATE_H
#define IK_STORE_SQLITE_PRIVATE_H

#include "store/backend.h"
#include "store/sqlite_library.h"

enum statement {
	ADD_SESSION,
	ADD_EVENT,
	TOUCH_SESSION,
	LAST_SEQUENCE,
	NEWEST,
	NEWEST_OF_DIRECTORY,
	FIND,
	PAGE,
	STATEMENT_COUNT
};

struct sqlite {
	struct ik_backend base;
	char *path;
	sqlite3 *db; /* NULL: not open */
	sqlite3_stmt *statements[STATEMENT_COUNT];
	bool damaged; /* put the file aside before it is opened again */
};

static inline struct sqlite *sqlite_of(struct ik_backend *backend)
{
	return (struct sqlite *)backend;
}

/* ---- sqlite.c ---- */

/* What the handle last failed with, as status and sentence. */
enum ik_status ik_sqlite_explain(struct sqlite *sqlite, struct ik_error *error);
/* An operation ended with status: a damaged file is let go, to be put aside. */
enum ik_status ik_sqlite_failed(struct sqlite *sqlite, enum ik_status status);

/* ---- sqlite_blob.c: as struct ik_backend_ops says ---- */

enum ik_status ik_sqlite_write_part(struct ik_backend *backend, const char *id, size_t part,
	const char *bytes, size_t length, struct ik_error *error);
enum ik_status ik_sqlite_read_part(struct ik_backend *backend, const char *id, size_t part,
	struct ik_buf *out, struct ik_error *error);

#endif
