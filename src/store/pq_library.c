#define IK_PQ_LIBRARY_LOADER
#include "store/pq_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#include "util/text.h"

#define LIBRARY_NAME "libpq.so.5"

struct ik_pq_library ik_pq;

/* Find every function; false when one is missing. */
static bool find_functions(void *handle)
{
	struct ik_pq_library found;

	/* dlsym(3): POSIX has object pointers hold functions, ISO C does not. */
#define FIND(name) \
	do { \
		void *function = dlsym(handle, "PQ" #name); \
		if (function == NULL) \
			return false; \
		memcpy(&found.name, &function, sizeof function); \
	} while (0);
	IK_PQ_FUNCTIONS(FIND)
#undef FIND
	ik_pq = found;
	return true;
}

enum ik_status ik_pq_library_load(struct ik_error *error)
{
	void *handle;

	if (ik_pq.connectStartParams != NULL)
		return IK_OK;
	handle = dlopen(LIBRARY_NAME, RTLD_LAZY | RTLD_LOCAL);
	if (handle != NULL && find_functions(handle))
		return IK_OK;
	if (handle != NULL)
		(void)dlclose(handle);
	return ik_error_set(error, IK_DENIED,
		_("PostgreSQL's library (%s) cannot be loaded: install it (Debian: libpq5)."),
		LIBRARY_NAME);
}
