/*
 * sqlite_library: SQLite, loaded when a store is first used.
 *
 * Linked in the ordinary way it costs more of the time before the first frame
 * than any other library (some 1,600 symbols are bound at start-up), and a chat
 * that only shows its first frame needs none of it.  Whoever includes this
 * instead of <sqlite3.h> calls sqlite3_...() as ever, after
 * ik_sqlite_library_load() has succeeded once.
 *
 * Owns the table of functions, which lives as long as the process.
 * May include: util, <sqlite3.h>.
 */
#ifndef IK_STORE_SQLITE_SQLITE_LIBRARY_H
#define IK_STORE_SQLITE_SQLITE_LIBRARY_H

#include <sqlite3.h>
#include <stdint.h>

#include "util/err.h"

/* Load it, unless that was done; the error names the library. */
enum ik_status ik_sqlite_library_load(struct ik_error *error) IK_MUST_USE;

/*
 * A database file may come from anywhere, and its schema can hold programs.  After opening one:
 * let its schema call nothing that does more than compute, and let nobody write to what keeps
 * the file in order. Then IK_SQLITE_FOREIGN gives the number of what an ikigai never makes
 * (views, triggers, virtual tables but the index of words): with any of it, nothing else is asked,
 * for a SELECT could run for ever.
 */
void ik_sqlite_protect(sqlite3 *database);
#define IK_SQLITE_FOREIGN \
	"SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')" \
	" OR (rootpage = 0 AND name <> 'search')"

/* The number that a statement gives; -1 when it fails. */
int64_t ik_sqlite_number(sqlite3 *database, const char *statement);

/* Every function that the store calls. */
/* clang-format off */
#define IK_SQLITE_FUNCTIONS(FUNCTION) \
	FUNCTION(bind_blob64) FUNCTION(bind_int64) FUNCTION(bind_text64) \
	FUNCTION(busy_timeout) FUNCTION(changes) FUNCTION(clear_bindings) FUNCTION(close_v2) \
	FUNCTION(column_blob) FUNCTION(column_bytes) FUNCTION(column_int64) \
	FUNCTION(column_text) FUNCTION(db_config) FUNCTION(db_readonly) \
	FUNCTION(errcode) FUNCTION(errmsg) FUNCTION(exec) \
	FUNCTION(extended_errcode) FUNCTION(finalize) \
	FUNCTION(get_autocommit) FUNCTION(open_v2) FUNCTION(prepare_v2) \
	FUNCTION(prepare_v3) FUNCTION(progress_handler) \
	FUNCTION(reset) FUNCTION(step) FUNCTION(system_errno) FUNCTION(total_changes) \
	FUNCTION(wal_checkpoint_v2) FUNCTION(wal_hook)
/* clang-format on */

struct ik_sqlite_library {
#define IK_SQLITE_MEMBER(name) __typeof__(sqlite3_##name) *name;
	IK_SQLITE_FUNCTIONS(IK_SQLITE_MEMBER)
#undef IK_SQLITE_MEMBER
};
extern struct ik_sqlite_library ik_sqlite;

#ifndef IK_SQLITE_LIBRARY_LOADER
#define sqlite3_bind_blob64 ik_sqlite.bind_blob64
#define sqlite3_bind_int64 ik_sqlite.bind_int64
#define sqlite3_bind_text64 ik_sqlite.bind_text64
#define sqlite3_busy_timeout ik_sqlite.busy_timeout
#define sqlite3_changes ik_sqlite.changes
#define sqlite3_clear_bindings ik_sqlite.clear_bindings
#define sqlite3_close_v2 ik_sqlite.close_v2
#define sqlite3_column_blob ik_sqlite.column_blob
#define sqlite3_column_bytes ik_sqlite.column_bytes
#define sqlite3_column_int64 ik_sqlite.column_int64
#define sqlite3_column_text ik_sqlite.column_text
#define sqlite3_db_config ik_sqlite.db_config
#define sqlite3_db_readonly ik_sqlite.db_readonly
#define sqlite3_errcode ik_sqlite.errcode
#define sqlite3_errmsg ik_sqlite.errmsg
#define sqlite3_exec ik_sqlite.exec
#define sqlite3_extended_errcode ik_sqlite.extended_errcode
#define sqlite3_finalize ik_sqlite.finalize
#define sqlite3_get_autocommit ik_sqlite.get_autocommit
#define sqlite3_open_v2 ik_sqlite.open_v2
#define sqlite3_prepare_v2 ik_sqlite.prepare_v2
#define sqlite3_prepare_v3 ik_sqlite.prepare_v3
#define sqlite3_progress_handler ik_sqlite.progress_handler
#define sqlite3_reset ik_sqlite.reset
#define sqlite3_step ik_sqlite.step
#define sqlite3_system_errno ik_sqlite.system_errno
#define sqlite3_total_changes ik_sqlite.total_changes
#define sqlite3_wal_checkpoint_v2 ik_sqlite.wal_checkpoint_v2
#define sqlite3_wal_hook ik_sqlite.wal_hook
#endif

#endif
