/*
 * ignore: what .gitignore and .ignore files exclude from a walk.
 *
 * As gitignore(5) has it: the rules of a directory's own files come before those
 * of the directories above, up to the root of the git repository; then those of
 * .git/info/exclude and of the user's core.excludesFile, which .git/config cannot
 * change: it is not read.  At most 20,000 rules of a file count.  What an .ignore file
 * says, anywhere on the way, goes before all of these, as for ripgrep.  That git
 * tracks a file all the same does not matter.  Without a repository the files
 * count from the directory where the walk begins.  ".git" itself is excluded.
 *
 * Owns its rules.  May include: util.
 */
#ifndef IK_TOOLS_IGNORE_H
#define IK_TOOLS_IGNORE_H

#include <stdbool.h>

struct ik_ignore;

/* Rules for a walk that begins in this directory (with a slash at its end, or
 * ""), which is not judged itself. */
struct ik_ignore *ik_ignore_new(const char *directory);

/* Returns NULL. Takes NULL. */
struct ik_ignore *ik_ignore_free(struct ik_ignore *ignore);

/* What of interest there is in a directory. */
enum ik_ignore_file {
	IK_IGNORE_GIT = 1,       /* ".git": it is the root of a repository */
	IK_IGNORE_GITIGNORE = 2, /* ".gitignore" */
	IK_IGNORE_IGNORE = 4     /* ".ignore" */
};

/* The bit for a name, 0 for any other. */
unsigned ik_ignore_file(const char *name);

/* Go into a directory: the one where the walk begins, then those below the one
 * that was entered last. path is as ik_ignore_new() has it; fd is open there;
 * files are the bits for what is in it. */
void ik_ignore_enter(struct ik_ignore *ignore, const char *path, int fd, unsigned files);

/* Leave the directory that was entered last. */
void ik_ignore_leave(struct ik_ignore *ignore);

/* Is a name in the directory that was entered last excluded? */
bool ik_ignore_excludes(struct ik_ignore *ignore, const char *name, bool directory);

/* Had a file more rules than count? */
bool ik_ignore_is_cut(const struct ik_ignore *ignore);

/* Does a pattern of gitignore(5), without its marks ("!" and slashes at its ends), match a
 * path? Bytes, whatever the locale. */
bool ik_ignore_matches(const char *pattern, const char *path);

#endif
