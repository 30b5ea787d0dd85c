#define IK_SQLITE_LIBRARY_LOADER
#include "store/sqlite/sqlite_library.h"

#include <dlfcn.h>

#include "util/library.h"
#include "util/text.h"

#define LIBRARY_NAME "libsqlite3.so.0"

struct ik_sqlite_library ik_sqlite;

enum ik_status ik_sqlite_library_load(struct ik_error *error)
{
	static const struct ik_library_function functions[] = {
#define FUNCTION(name) { "sqlite3_" #name, offsetof(struct ik_sqlite_library, name) },
		IK_SQLITE_FUNCTIONS(FUNCTION)
#undef FUNCTION
	};
	const char *why;

	if (ik_sqlite.open_v2 ||
		ik_library_load(LIBRARY_NAME, functions, sizeof(functions) / sizeof(functions[0]),
			&ik_sqlite))
		return IK_OK;
	why = dlerror();
	return ik_error_set(error, IK_FAILED, /* trying again would not help */
		_("SQLite cannot be loaded, so sessions are not kept: %s (if it is missing, install "
		  "libsqlite3-0 or sqlite-libs)"),
		why ? why : LIBRARY_NAME);
}

void ik_sqlite_protect(sqlite3 *database)
{
	(void)ik_sqlite.db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
	(void)ik_sqlite.db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
}

int64_t ik_sqlite_number(sqlite3 *database, const char *statement)
{
	sqlite3_stmt *prepared = NULL;
	int64_t number = -1;

	if (ik_sqlite.prepare_v2(database, statement, -1, &prepared, NULL) == SQLITE_OK &&
		ik_sqlite.step(prepared) == SQLITE_ROW)
		number = ik_sqlite.column_int64(prepared, 0);
	ik_sqlite.finalize(prepared);
	return number;
}
