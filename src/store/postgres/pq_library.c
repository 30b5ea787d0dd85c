#define IK_PQ_LIBRARY_LOADER
#include "store/postgres/pq_library.h"

#include <dlfcn.h>

#include "util/library.h"
#include "util/text.h"

#define LIBRARY_NAME "libpq.so.5"

struct ik_pq_library ik_pq;

enum ik_status ik_pq_library_load(struct ik_error *error)
{
	static const struct ik_library_function functions[] = {
#define FUNCTION(name) { "PQ" #name, offsetof(struct ik_pq_library, name) },
		IK_PQ_FUNCTIONS(FUNCTION)
#undef FUNCTION
	};
	const char *why;

	if (ik_pq.connectStartParams ||
		ik_library_load(LIBRARY_NAME, functions, sizeof(functions) / sizeof(functions[0]), &ik_pq))
		return IK_OK;
	why = dlerror();
	return ik_error_set(error, IK_DENIED,
		_("PostgreSQL's library cannot be loaded: %s (if it is missing, install libpq5 or libpq)"),
		why ? why : LIBRARY_NAME);
}
