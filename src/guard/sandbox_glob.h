/*
 * sandbox_glob: the files that the pattern of a rule names, as they are now.
 *
 * Inside of guard/sandbox.h.  May include: util, guard/glob.h.
 */
#ifndef IK_GUARD_SANDBOX_GLOB_H
#define IK_GUARD_SANDBOX_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* So much of a tree is looked at for a pattern, and for so long; so many files are taken. */
enum { IK_SANDBOX_GLOB_NAMES = 10000, IK_SANDBOX_GLOB_MS = 20, IK_SANDBOX_GLOB_FILES = 128 };

struct ik_sandbox_found {
	char **paths;
	size_t count;
};

/*
 * Find what the glob matches below base, the nearest first: files, and directories where
 * it matches all that is in them; other directories are gone through, links are not
 * followed. As in policy * matches a slash, too. False: there was more than may be looked
 * at. To be released with ik_sandbox_found_done(), in any case.
 */
bool ik_sandbox_glob(const char *base, const char *glob, struct ik_sandbox_found *ret_found);
void ik_sandbox_found_done(struct ik_sandbox_found *found);

#endif
