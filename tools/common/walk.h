/*
 * walk: a glob pattern with "**" carried out, each directory read once.
 *
 * Inside of match.  May include: util, tools/common/match.h,
 * tools/common/ignore.h.
 */
#ifndef IK_TOOLS_WALK_H
#define IK_TOOLS_WALK_H

#include "tools/common/match.h"

enum ik_walk_kind {
	IK_WALK_PATTERN,  /* as glob(7): wildcards match no dot at the beginning of a name */
	IK_WALK_ALL,      /* they do */
	IK_WALK_UNIGNORED /* they do, but what ignore.h excludes is passed over */
};

enum ik_match_result ik_walk(const char *pattern, enum ik_walk_kind kind, ik_match_fn visit,
	void *arg);

#endif
