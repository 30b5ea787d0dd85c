/*
 * library: a shared library that is loaded when it is first needed.
 *
 * What a chat does not need before its first frame is not linked but loaded, with a table of
 * the functions that are used of it.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_LIBRARY_H
#define IK_UTIL_LIBRARY_H

#include <stddef.h>

/* A function by its name, and where in the table its address goes. */
struct ik_library_function {
	const char *name;
	size_t offset;
};

/*
 * Load the library (its file's name) and fill table, a struct of pointers to functions, with
 * all that is named. NULL where the library or one of them is missing: nothing is loaded then,
 * the table is as it was, and dlerror(3) says why. What is returned is for dlclose(3); most
 * callers keep the library as long as the process lives.
 */
void *ik_library_load(const char *name, const struct ik_library_function *functions, size_t count,
	void *table);

#endif
