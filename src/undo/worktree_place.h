/*
 * worktree_place: find the work tree of a directory, and create our shadow repository for it.
 *
 * May include: util, tool.
 */
#ifndef IK_UNDO_WORKTREE_PLACE_H
#define IK_UNDO_WORKTREE_PLACE_H

#include "undo/worktree.h"

struct ik_worktree_place {
	char *git;     /* the program */
	char *root;    /* of the work tree, without links */
	char *shadow;  /* the shadow repository */
	char **spared; /* pathspecs of what is left out */
	size_t spared_count;
};

/* Find the work tree and create its shadow repository if it is missing. In any case release place
 * with ik_worktree_place_done(). */
enum ik_worktree_problem ik_worktree_place_find(struct ik_worktree_place *place,
	const struct ik_worktree_options *options);
/* Make two environments for git, as new strings followed by NULL, with that index file and without
 * any variable of this process: own, and users, in which git also reads the user's configuration.
 */
enum { IK_WORKTREE_VARIABLES = 16 };
void ik_worktree_place_environments(const struct ik_worktree_place *place,
	const struct ik_worktree_options *options, const char *index, char *own[IK_WORKTREE_VARIABLES],
	char *users[IK_WORKTREE_VARIABLES]);
/* Clean up once a day. Return false if it was done today already. Index files that killed sessions
 * left in this shadow are removed. *ret_old (new memory) is a shadow to remove, because it has not
 * been used for that many days, or NULL. */
bool ik_worktree_place_sweep(const struct ik_worktree_place *place, const char *shadows,
	int64_t days, char **ret_old);
void ik_worktree_place_done(struct ik_worktree_place *place);

#endif
