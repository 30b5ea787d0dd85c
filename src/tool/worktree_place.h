/*
 * worktree_place: which work tree a directory lies in, and the shadow that is kept of it.
 *
 * May include: util, tool.
 */
#ifndef IK_TOOL_WORKTREE_PLACE_H
#define IK_TOOL_WORKTREE_PLACE_H

#include "tool/worktree.h"

struct ik_worktree_place {
	char *git;    /* the program */
	char *root;   /* of the work tree, without links */
	char *shadow; /* the repository */
	char **spared; /* pathspecs of what is never looked at */
	size_t spared_count;
};

/* Find it, and make its shadow where it is missing. Whatever comes of it, release it with
 * ik_worktree_place_done(). */
enum ik_worktree_problem ik_worktree_place_find(struct ik_worktree_place *place,
	const struct ik_worktree_options *options);
void ik_worktree_place_done(struct ik_worktree_place *place);

#endif
