/*
 * scratch: a temporary directory for a test, removed with its contents afterwards.
 */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_TEMPLATE "/tmp/ik-test-XXXXXX"

/* Create a directory from template (SCRATCH_TEMPLATE in a char array), which becomes its name. */
static inline char *scratch_make(char *template)
{
	if (!mkdtemp(template))
		abort();
	return template;
}

static inline int scratch_remove_one(const char *path, const struct stat *status, int kind,
	struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void scratch_remove(const char *directory)
{
	nftw(directory, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
