/*
 * ignore: what .gitignore and .ignore files exclude from a walk.
 *
 * As in gitignore(5), the rules of a directory's own files take precedence over those of the
 * directories above it, up to the root of the git repository; then come those of .git/info/exclude
 * and of the user's core.excludesFile, which .git/config cannot change, since it is not read.  At
 * most 20,000 rules of a file count.  As in ripgrep, .ignore files take precedence over all of
 * these.  It does not matter whether git tracks an excluded file.  Without a repository, the files
 * count from the directory where the walk begins.  ".git" itself is excluded.
 *
 * Owns its rules.  May include: util.
 */
#ifndef IK_TOOLS_IGNORE_H
#define IK_TOOLS_IGNORE_H

#include <stdbool.h>

struct ik_ignore;

/* Make the rules for a walk that begins in this directory (ending in a slash, or ""), which is not
 * judged itself. */
struct ik_ignore *ik_ignore_new(const char *directory);

/* Returns NULL. Takes NULL. */
struct ik_ignore *ik_ignore_free(struct ik_ignore *ignore);

/* Files of interest in a directory. */
enum ik_ignore_file {
	IK_IGNORE_GIT = 1,       /* ".git": the root of a repository */
	IK_IGNORE_GITIGNORE = 2, /* ".gitignore" */
	IK_IGNORE_IGNORE = 4     /* ".ignore" */
};

/* Return the bit for a name, 0 for any other. */
unsigned ik_ignore_file(const char *name);

/* Enter a directory: first the one where the walk begins, then one below the last entered. path is
 * as for ik_ignore_new(); fd is open there; files has the bits for its contents. */
void ik_ignore_enter(struct ik_ignore *ignore, const char *path, int fd, unsigned files);

/* Leave the last entered directory. */
void ik_ignore_leave(struct ik_ignore *ignore);

/* Is a name in the last entered directory excluded? */
bool ik_ignore_excludes(struct ik_ignore *ignore, const char *name, bool directory);

/* Did a file have more rules than the limit? */
bool ik_ignore_is_cut(const struct ik_ignore *ignore);

#endif
