/*
 * match: the files that a glob pattern stands for, in sorted order.
 *
 * A pattern without the component "**" is glob(3)'s.  "**" stands for any
 * number of directories: it follows no symbolic links, passes over dot
 * entries, and a directory that cannot be read ends nothing.  At the end of a
 * pattern it stands for everything below.  Directories more than 4,096 levels
 * down are passed over.
 *
 * May include: util.
 */
#ifndef IK_TOOLS_MATCH_H
#define IK_TOOLS_MATCH_H

#include <stdbool.h>

enum ik_match_result {
	IK_MATCH_DONE,
	IK_MATCH_TOO_DEEP,  /* done, but for directories that lie too deep, and */
	IK_MATCH_RULES_CUT, /* done, but with some rules of ignore.h only: see ik_match_warning() */
	IK_MATCH_NO_MEMORY,
	IK_MATCH_READ_ERROR, /* the directory where the search begins cannot be read */
	IK_MATCH_INVALID     /* too many parts */
};

/* One path that matches; type is a DT_... of <dirent.h>, DT_UNKNOWN if it is
 * not known. False ends the search. */
typedef bool (*ik_match_fn)(void *arg, const char *path, unsigned char type);

/* How far below its directory a pattern's last component is looked for. */
enum ik_match_depth {
	IK_MATCH_PATTERN,  /* there, unless it has a "**" */
	IK_MATCH_BELOW,    /* in all directories below too, but for what ignore.h excludes */
	IK_MATCH_BELOW_ALL /* in all directories below too */
};

/*
 * Call visit for all that matches pattern in directory (NULL or empty: in the
 * current one, and paths then begin as pattern does). A directory of that very
 * name is taken literally, otherwise its wildcards count too. Unless depth is
 * IK_MATCH_PATTERN, wildcards match a dot at the beginning of a name too.
 */
enum ik_match_result ik_match(const char *directory, const char *pattern, enum ik_match_depth depth,
	ik_match_fn visit, void *arg);

/* A sentence for the answer about what was not done; NULL: there is none. */
const char *ik_match_warning(enum ik_match_result result);

#endif
