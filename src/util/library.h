/*
 * library: load a shared library when it is first needed.
 *
 * Libraries that a chat does not need before its first frame, and that cost more than 2 ms at
 * start, are not linked but loaded, with a table of the functions used.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_LIBRARY_H
#define IK_UTIL_LIBRARY_H

#include <stddef.h>

/* A function's name, and where in the table its address goes. */
struct ik_library_function {
	const char *name;
	size_t offset;
};

/*
 * Load the library (by its file's name) and fill table, a struct of function pointers. If the
 * library or any function is missing, return NULL and leave the table unchanged; dlerror(3) says
 * why. The result is for dlclose(3); most callers keep the library for the life of the process.
 */
void *ik_library_load(const char *name, const struct ik_library_function *functions, size_t count,
	void *table);

#endif
