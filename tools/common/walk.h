/*
 * walk: a glob pattern with "**" carried out, each directory read once.
 *
 * Inside of match.  May include: util, tools/common/match.h.
 */
#ifndef IK_TOOLS_WALK_H
#define IK_TOOLS_WALK_H

#include "tools/common/match.h"

enum ik_match_result ik_walk(const char *pattern, ik_match_fn visit, void *arg);

#endif
