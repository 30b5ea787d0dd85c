#define IK_SQLITE_LIBRARY_LOADER
#include "store/sqlite_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "util/text.h"

#define LIBRARY_NAME "libsqlite3.so.0"

struct ik_sqlite_library ik_sqlite;

/* Find every function; false when one is missing. */
static bool find_functions(void *handle)
{
	struct ik_sqlite_library found;

	/* dlsym(3): POSIX has object pointers hold functions, ISO C does not. */
#define FIND(name) \
	do { \
		void *function = dlsym(handle, "sqlite3_" #name); \
		if (function == NULL) \
			return false; \
		memcpy(&found.name, &function, sizeof function); \
	} while (0);
	IK_SQLITE_FUNCTIONS(FIND)
#undef FIND
	ik_sqlite = found;
	return true;
}

enum ik_status ik_sqlite_library_load(struct ik_error *error)
{
	void *handle;

	if (ik_sqlite.open_v2 != NULL)
		return IK_OK;
	handle = dlopen(LIBRARY_NAME, RTLD_LAZY | RTLD_LOCAL);
	if (handle != NULL && find_functions(handle))
		return IK_OK;
	if (handle != NULL)
		(void)dlclose(handle);
	return ik_error_set(error, IK_UNAVAILABLE,
		_("SQLite (%s) cannot be loaded: sessions are not kept; install it."), LIBRARY_NAME);
}
