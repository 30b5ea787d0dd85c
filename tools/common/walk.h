/*
 * walk: find the matches of a glob pattern with "**", reading each directory once.
 *
 * Internal to match.  May include: util, tools/common/match.h, tools/common/ignore.h.
 */
#ifndef IK_TOOLS_WALK_H
#define IK_TOOLS_WALK_H

#include "tools/common/match.h"

enum ik_walk_kind {
	IK_WALK_PATTERN,  /* as in glob(7): wildcards do not match a leading dot */
	IK_WALK_ALL,      /* wildcards match a leading dot */
	IK_WALK_UNIGNORED /* the same, but skip what ignore.h excludes */
};

enum ik_match_result ik_walk(const char *pattern, enum ik_walk_kind kind, ik_match_fn visit,
	void *arg);

#endif
