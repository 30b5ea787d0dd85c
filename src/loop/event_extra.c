#define IK_EVENT_EXTRA_LOADER
#include "loop/event_extra.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"

#define CORE "libevent_core"
#define EXTRA "libevent_extra"

struct ik_event_extra ik_event_extra;

/* Find every function; return false if one is missing. */
static bool find_functions(void *handle)
{
	struct ik_event_extra found;

	/* dlsym(3): POSIX allows object pointers to hold functions, ISO C does not. */
#define FIND(name) \
	do { \
		void *function = dlsym(handle, #name); \
		if (!function) \
			return false; \
		memcpy(&found.name##_, &function, sizeof(function)); \
	} while (0);
	IK_EVENT_EXTRA_FUNCTIONS(FIND)
#undef FIND
	ik_event_extra = found;
	return true;
}

/* Return the file next to libevent_core, of the same version. */
static char *library_name(void)
{
	void *core = dlsym(RTLD_DEFAULT, "event_base_loop");

	Dl_info info;
	const char *at;

	if (!core || dladdr(core, &info) == 0 || !info.dli_fname)
		return ik_strdup(EXTRA ".so");
	at = strstr(info.dli_fname, CORE);
	if (!at)
		return ik_strdup(EXTRA ".so");
	return ik_format("%.*s" EXTRA "%s", (int)(at - info.dli_fname), info.dli_fname,
		at + sizeof(CORE) - 1);
}

enum ik_status ik_event_extra_load(struct ik_error *error)
{
	char *name;
	void *handle;

	if (ik_event_extra.evdns_base_new_)
		return IK_OK;
	/* A libevent in one library is already there. */
	if (find_functions(RTLD_DEFAULT))
		return IK_OK;
	name = library_name();
	handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	if (handle && find_functions(handle)) {
		free(name);
		return IK_OK;
	}
	if (handle)
		(void)dlclose(handle);
	(void)ik_error_set(error, IK_UNAVAILABLE, _("%s cannot be loaded: install all of libevent."),
		name);
	free(name);
	return IK_UNAVAILABLE;
}
