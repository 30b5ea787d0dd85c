#include "util/library.h"

#include <dlfcn.h>
#include <string.h>

void *ik_library_load(const char *name, const struct ik_library_function *functions, size_t count,
	void *table)
{
	void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	size_t i;

	for (i = 0; handle && i < count; i++) {
		if (!dlsym(handle, functions[i].name)) {
			(void)dlclose(handle);
			return NULL;
		}
	}
	for (i = 0; handle && i < count; i++) {
		void *function = dlsym(handle, functions[i].name);

		/* POSIX allows object pointers to hold functions, ISO C does not. */
		memcpy((char *)table + functions[i].offset, &function, sizeof(function));
	}
	return handle;
}
