/*
 * sqlite_private: what the files of the SQLite backend share.
 *
 * sqlite.c opens the database; sqlite_write.c and sqlite_read.c keep sessions and
 * events; sqlite_sessions.c lists and deletes sessions; sqlite_search.c keeps the index of words,
 * sqlite_find.c searches it; sqlite_blob.c keeps large texts; sqlite_repair.c saves what it can of
 * a damaged one.
 * May include: what backend.h may, store/sqlite/sqlite_library.h.
 */
#ifndef IK_STORE_SQLITE_SQLITE_PRIVATE_H
#define IK_STORE_SQLITE_SQLITE_PRIVATE_H

#include "store/backend.h"
#include "store/sqlite/checkpoint.h"
#include "store/sqlite/sqlite_library.h"
#include "util/identity.h"

enum ik_sqlite_statement {
	ADD_SESSION,
	ADD_EVENT,
	TOUCH_SESSION,
	LAST_SEQUENCE,
	EVENT_SEQUENCE,
	LATE_FORKS,
	PARENT,
	NEWEST,
	NEWEST_OF_DIRECTORY,
	FIND,
	LIST,
	PAGE,
	AFTER,
	SEARCH,
	READ_THROUGH,
	ROW_BELOW,
	BEGINS_SO,
	SESSION,
	SEEN_IN,
	INDEXED,
	PLAIN_ROWS,
	LAST_ROW,
	UNINDEXED,
	OLDEST_EVENTS,
	ADD_WORDS,
	DROP_WORDS,
	SET_INDEXED,
	MERGE_RECORD,
	MERGE,
	STATEMENT_COUNT
};

struct sqlite {
	struct ik_backend base;
	char *path;
	sqlite3 *db;                  /* NULL: not open */
	struct ik_identity file, log; /* which they are; log only if has_log */
	bool has_log;
	int losses; /* so often there was another file in its place */
	sqlite3_stmt *statements[STATEMENT_COUNT];
	struct ik_checkpoint *checkpoint;
	int64_t begun_ms; /* an operation was; 0: as long as it takes */
	int busy_ms;      /* so long somebody else's lock is waited for in a call */
	bool helper_was_killed;
	bool read_only;     /* the file system is, */
	bool immutable;     /* and what is in a log that was left there cannot be read */
	int64_t plain_rows; /* of the index up to this one: they say no block */
	bool index_stuck;   /* some events cannot be indexed: a search reads them instead */
	bool no_memory;     /* could be shared for the log: that failed last */
	bool damaged;       /* as an operation found out, */
	bool writes;        /* which was to add something */
	bool tried;         /* some of it cannot be read: it stays until something is to be stored */
};

static inline struct sqlite *sqlite_of(struct ik_backend *backend)
{
	return (struct sqlite *)backend;
}

/* ---- sqlite.c ---- */

/* An operation begins, which may not take for ever; writes: it adds something. */
void ik_sqlite_begin(struct sqlite *sqlite, bool writes);
/* What the handle last failed with, as status and sentence. */
enum ik_status ik_sqlite_explain(struct sqlite *sqlite, struct ik_error *error);
/* An operation ended with status: where it found the file damaged, that is let go, to be repaired
 * before the operation is tried again (IK_UNAVAILABLE). */
enum ik_status ik_sqlite_failed(struct sqlite *sqlite, enum ik_status status);
/* Is the file that was opened not at its place any more? */
bool ik_sqlite_is_lost(const struct sqlite *sqlite);
/* Begin a transaction that writes. IK_UNAVAILABLE: somebody else is writing, or the file was
 * replaced while that was waited for. */
enum ik_status ik_sqlite_begin_transaction(struct sqlite *sqlite,
	struct ik_error *error) IK_MUST_USE;
/* Run statements without results. */
enum ik_status ik_sqlite_execute(void *sqlite, const char *statements, struct ik_error *error);
/* A statement, prepared once, ready to bind; NULL when that failed. */
sqlite3_stmt *ik_sqlite_statement(struct sqlite *sqlite, enum ik_sqlite_statement which);
/* Ready for its next use; bound texts are let go. */
void ik_sqlite_rewind(sqlite3_stmt *prepared);
/* Bind text that stays where it is until the statement is rewound; a failure
 * (its length) shows when it is stepped, since the column is NOT NULL. */
void ik_sqlite_bind_text(sqlite3_stmt *prepared, int index, const char *text, size_t length);

/* Open a file for reading only, on a read-only file system without its log where that cannot be
 * read (*ret_immutable). SQLite's code; the handle is to be closed in any case. */
int ik_sqlite_open_reader(const char *path, int busy_ms, sqlite3 **ret_database,
	bool *ret_immutable);
/* Open the new, empty file at sqlite->path and make the tables; nothing is synced. */
enum ik_status ik_sqlite_open_new(struct sqlite *sqlite, struct ik_error *error);

/* ---- sqlite_repair.c ---- */

/* Make the file, unless it is there. IK_UNAVAILABLE: somebody else makes or replaces it. */
enum ik_status ik_sqlite_make_file(const struct sqlite *sqlite, struct ik_error *error) IK_MUST_USE;

/* Put the file aside, and have what can be read of it in a new one, or, where whole is wanted, do
 * so only if that is all; notice says so. IK_OK: open what is there now, which may be somebody
 * else's new one. IK_INVALID: it is not all. IK_UNAVAILABLE: somebody else is at it. Any other: it
 * could not be copied, for a reason that is not the damage; the file is as it was. */
enum ik_status ik_sqlite_salvage(struct sqlite *sqlite, bool whole, struct ik_buf *notice,
	struct ik_error *error);

/* ---- the others: as struct ik_backend_ops says ---- */

void ik_sqlite_write(struct ik_backend *backend, struct ik_record *first, size_t count);
void ik_sqlite_read(struct ik_backend *backend, struct ik_store_read *read);
void ik_sqlite_write_part(struct ik_backend *backend, const char *id, size_t part,
	const char *bytes, size_t length);

/* Take the session of a row (the columns of INFO_COLUMNS). */
void ik_sqlite_take_session(struct sqlite *sqlite, sqlite3_stmt *query, struct ik_store_read *read);
/* Take the rows of a query for sessions (the columns of INFO_COLUMNS), at most limit. */
enum ik_status ik_sqlite_take_sessions(struct sqlite *sqlite, sqlite3_stmt *query, size_t limit,
	struct ik_store_read *read, struct ik_error *error);
enum ik_status ik_sqlite_read_list(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error);
enum ik_status ik_sqlite_delete_some(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error);

/* Take the words of the oldest events of a session that may go, count of them, out of the
 * index; *ret_count: of so many, fewer where that takes long. */
enum ik_status ik_sqlite_unindex(struct sqlite *sqlite, const char *session, size_t count,
	size_t *ret_count, struct ik_error *error);
void ik_sqlite_index(struct ik_backend *backend);
/* Can nothing be put into the index, since the file cannot be written? */
bool ik_sqlite_is_read_only(struct sqlite *sqlite);
/* In a transaction: put pieces of the index together while there are many and there is time, one
 * step at least, for work that began then; *ret_all: none are left, but for those that the helper
 * puts together. */
enum ik_status ik_sqlite_merge(struct sqlite *sqlite, int64_t begun_us, bool *ret_all,
	struct ik_error *error);
/* One number of a statement without parameters. */
enum ik_status ik_sqlite_ask(struct sqlite *sqlite, enum ik_sqlite_statement which,
	int64_t *ret_number, struct ik_error *error);

/*
 * Rows of the index say which block they are of, by a word that no text has. FTS5 walks the rows
 * of several words until all of them stand in one, or to the end, whatever rows are asked for:
 * with the block among the words that end is near.
 */
#define IK_SQLITE_BLOCK 16384
/* Append the word of the block that has this row. */
void ik_sqlite_put_block(struct ik_buf *out, int64_t row);
enum ik_status ik_sqlite_search(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error);

/* A row's event, its columns EVENT_COLUMNS, NULL when its kind is not known here. */
struct ik_message *ik_sqlite_take_event(sqlite3_stmt *row);

/* The part that read wants. */
enum ik_status ik_sqlite_insert_part(struct sqlite *sqlite, const char *id, size_t part,
	const char *bytes, size_t length, struct ik_error *error);
enum ik_status ik_sqlite_read_part(struct sqlite *sqlite, struct ik_store_read *read,
	struct ik_error *error);

#endif
