/*
 * walk: find the matches of a glob pattern with "**", reading each directory once.
 *
 * Internal to match.  May include: util, tools/common/match.h, tools/common/ignore.h.
 */
#ifndef IK_TOOLS_WALK_H
#define IK_TOOLS_WALK_H

#include "tools/common/match.h"

/* depth says whether wildcards match a leading dot, and whether to skip what ignore.h excludes; the
 * pattern itself says where to search. */
enum ik_match_result ik_walk(const char *pattern, enum ik_match_depth depth, ik_match_fn visit,
	void *arg);

#endif
