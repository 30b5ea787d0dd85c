/*
 * database: one SQLite file, opened, brought to its present form, and asked.
 *
 * Blocks: for other writers up to IK_DATABASE_BUSY_MS, for the disk as long as it takes. What a
 * request asks for can be interrupted by its cancellation.
 *
 * Owns the handle and the prepared statements.  May include: util, store/migrate.h, stores,
 * <sqlite3.h>.
 */
#ifndef IK_STORES_SQLITE_DATABASE_H
#define IK_STORES_SQLITE_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "stores/connection.h"
#include "util/err.h"

#define IK_DATABASE_BUSY_MS 30000
#define IK_DATABASE_STATEMENTS 48 /* more than there are */

struct ik_database {
	sqlite3 *db;
	char *path;
	struct ik_connection *connection;
	bool interruptible; /* the current request may be cancelled within a statement */
	struct {
		const char *text; /* a literal: told by its address */
		sqlite3_stmt *prepared;
	} statements[IK_DATABASE_STATEMENTS];
};

/* Open the file, make it where there is none, and migrate it. IK_DENIED: it is another program's,
 * or a newer ikigai's; IK_INVALID: it is damaged. Close it in any case. */
enum ik_status ik_database_open(struct ik_database *database, const char *path,
	struct ik_connection *connection, struct ik_error *error) IK_MUST_USE;
void ik_database_close(struct ik_database *database);

/* The status and the sentence of what SQLite failed with last. */
enum ik_status ik_database_explain(struct ik_database *database, struct ik_error *error);

/* Run statements that give no rows. */
enum ik_status ik_database_run(struct ik_database *database, const char *statements,
	struct ik_error *error) IK_MUST_USE;

/* A statement, prepared once for each literal, ready to bind; NULL with *error on failure. Give it
 * back with ik_database_reset(), which also forgets what was bound. */
sqlite3_stmt *ik_database_statement(struct ik_database *database, const char *literal,
	struct ik_error *error);
void ik_database_reset(sqlite3_stmt *statement);
/* Bind a text that stays where it is until the statement is reset. */
void ik_database_bind(sqlite3_stmt *statement, int index, const char *text);

/* Run a statement that is bound and gives no rows, then reset it. */
enum ik_status ik_database_finish(struct ik_database *database, sqlite3_stmt *statement,
	struct ik_error *error) IK_MUST_USE;

/* One number of the first row of a statement with up to two texts (NULL: none); *ret_found (may be
 * NULL) says whether there is a row, *ret_number stays as it is without one. */
enum ik_status ik_database_number(struct ik_database *database, const char *literal,
	const char *first, const char *second, int64_t *ret_number, bool *ret_found,
	struct ik_error *error) IK_MUST_USE;

/* A transaction that writes: begin it, and end it by what its work came to. */
enum ik_status ik_database_begin(struct ik_database *database, struct ik_error *error) IK_MUST_USE;
enum ik_status ik_database_end(struct ik_database *database, enum ik_status status,
	struct ik_error *error) IK_MUST_USE;

#endif
