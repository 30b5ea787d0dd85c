/*
 * match: find the files that match a glob pattern, in sorted order.
 *
 * A pattern without a component "**" means what it means to glob(3).  "**" matches any number of
 * directories; it follows no symbolic links, skips dot entries, and ignores directories that cannot
 * be read.  At the end of a pattern it matches everything below.  Directories more than 4,096
 * levels deep are skipped.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_MATCH_H
#define IK_TOOLS_MATCH_H

#include <stdbool.h>

enum ik_match_result {
	IK_MATCH_DONE,
	IK_MATCH_TOO_DEEP,  /* done, except for directories that are too deep, and */
	IK_MATCH_RULES_CUT, /* done, but with some rules of ignore.h only: see ik_match_warning() */
	IK_MATCH_NO_MEMORY,
	IK_MATCH_READ_ERROR, /* the directory where the search begins cannot be read */
	IK_MATCH_INVALID     /* too many parts */
};

/* A path that matches; type is a DT_... of <dirent.h>, DT_UNKNOWN if it is unknown. Return false to
 * end the search. */
typedef bool (*ik_match_fn)(void *arg, const char *path, unsigned char type);

/* Where the last component of a pattern is searched for. */
enum ik_match_depth {
	IK_MATCH_PATTERN,  /* there only, unless it has a "**" */
	IK_MATCH_BELOW,    /* in all directories below, too, except for what ignore.h excludes */
	IK_MATCH_BELOW_ALL /* in all directories below, too */
};

/*
 * Call visit for everything that matches pattern in directory (NULL or empty: the current one;
 * paths then begin as pattern does). If a directory of exactly that name exists, it is used;
 * otherwise its wildcards count, too. Unless depth is IK_MATCH_PATTERN, wildcards match a leading
 * dot.
 */
enum ik_match_result ik_match(const char *directory, const char *pattern, enum ik_match_depth depth,
	ik_match_fn visit, void *arg);

/* Return a sentence about what was skipped; NULL: nothing was. */
const char *ik_match_warning(enum ik_match_result result);

#endif
