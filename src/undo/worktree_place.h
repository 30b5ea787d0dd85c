/*
 * worktree_place: which work tree a directory lies in, and the shadow that is kept of it.
 *
 * May include: util, tool.
 */
#ifndef IK_UNDO_WORKTREE_PLACE_H
#define IK_UNDO_WORKTREE_PLACE_H

#include "undo/worktree.h"

struct ik_worktree_place {
	char *git;     /* the program */
	char *root;    /* of the work tree, without links */
	char *shadow;  /* the repository */
	char **spared; /* pathspecs of what is never looked at */
	size_t spared_count;
};

/* Find it, and make its shadow where it is missing. Whatever comes of it, release it with
 * ik_worktree_place_done(). */
enum ik_worktree_problem ik_worktree_place_find(struct ik_worktree_place *place,
	const struct ik_worktree_options *options);
/* What git gets to know, with an index file of that name: nothing of what this process was given
 * (own); and where the person's own configuration is to be read (global). New strings, the rest
 * is NULL. */
enum { IK_WORKTREE_VARIABLES = 16 };
void ik_worktree_place_environments(const struct ik_worktree_place *place,
	const struct ik_worktree_options *options, const char *index, char *own[IK_WORKTREE_VARIABLES],
	char *global[IK_WORKTREE_VARIABLES]);
/* What is to be cleared away now, once a day: the shadow (new memory) that nobody used for
 * IK_WORKTREE_KEPT_DAYS, or NULL. False: nothing, today. What sessions that were killed left in
 * this one goes at once. */
bool ik_worktree_place_sweep(const struct ik_worktree_place *place, const char *shadows,
	char **ret_old);
void ik_worktree_place_done(struct ik_worktree_place *place);

#endif
