/*
 * match: find the files that match a glob pattern, in sorted order.
 *
 * A pattern without a component "**" means what it means to glob(3).  "**" matches any number of
 * directories; it follows no symbolic links, skips dot entries, and ignores directories that cannot
 * be read.  At the end of a pattern it matches everything below.  Paths that are too long for the
 * kernel are skipped.
 *
 * May include: util, tools/common/program.h, tools/common/ignore.h.
 */
#ifndef IK_TOOLS_MATCH_H
#define IK_TOOLS_MATCH_H

#include "tools/common/program.h"

enum ik_match_result {
	IK_MATCH_DONE,
	IK_MATCH_TOO_LONG,  /* done, except for paths that are too long */
	IK_MATCH_RULES_CUT, /* done, but with some rules of ignore.h only */
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

/* Return what the parameters "recursive" and "ignored" of a tool ask for. */
enum ik_match_depth ik_match_depth(const struct ik_argument *recursive,
	const struct ik_argument *ignored);

/*
 * Call visit for everything that matches pattern in directory (NULL or empty: the current one;
 * paths then begin as pattern does). If a directory of exactly that name exists, it is used;
 * otherwise its wildcards count, too. Unless depth is IK_MATCH_PATTERN, wildcards match a leading
 * dot.
 */
enum ik_match_result ik_match(const char *directory, const char *pattern, enum ik_match_depth depth,
	ik_match_fn visit, void *arg);

/* Complete an answer whose string of paths or lines is open: with their number and a warning of
 * what was skipped, or as an error. A directory that cannot be read counts as empty. */
void ik_match_answer(enum ik_match_result result, int64_t count, struct ik_tool_answer *answer);

#endif
