/*
 * sandbox_glob: find the files that the pattern of a rule matches now.
 *
 * Internal to guard/sandbox.h.  May include: util, guard/glob.h.
 */
#ifndef IK_GUARD_SANDBOX_GLOB_H
#define IK_GUARD_SANDBOX_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Limits for one pattern: names visited, time spent, files found. */
enum { IK_SANDBOX_GLOB_NAMES = 10000, IK_SANDBOX_GLOB_MS = 20, IK_SANDBOX_GLOB_FILES = 128 };

struct ik_sandbox_found {
	char **paths;
	size_t count;
};

/*
 * Find what the glob matches below base, nearest first: files, and directories if it matches
 * everything in them. Other directories are searched; links are not followed. As in policy, *
 * matches a slash, too. False: a limit was reached. In any case release *ret_found with
 * ik_sandbox_found_done().
 */
bool ik_sandbox_glob(const char *base, const char *glob, struct ik_sandbox_found *ret_found);
void ik_sandbox_found_done(struct ik_sandbox_found *found);

#endif
