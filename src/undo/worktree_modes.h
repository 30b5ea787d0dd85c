/*
 * worktree_modes: the permissions that the files of a work tree have; git only knows whether a
 * file can be executed.
 *
 * What is not as a new file's is remembered.  Each file is looked at once, and again when the index
 * has it otherwise, some milliseconds at a time.
 *
 * May include: util, undo/worktree_index.h.
 */
#ifndef IK_UNDO_WORKTREE_MODES_H
#define IK_UNDO_WORKTREE_MODES_H

#include "undo/worktree_index.h"

struct ik_worktree_modes;

/* Nothing is known yet. */
struct ik_worktree_modes *ik_worktree_modes_new(const char *root);
struct ik_worktree_modes *ik_worktree_modes_free(struct ik_worktree_modes *modes);

/* From here on learn what the files of this index have. */
void ik_worktree_modes_begin(struct ik_worktree_modes *modes, struct ik_worktree_index *index);
/* Go on for so long, in microseconds; true: all is known. */
bool ik_worktree_modes_step(struct ik_worktree_modes *modes, int64_t most_us);

/* The permissions of a file when it was read; -1: they are not known. */
int ik_worktree_modes_of(const struct ik_worktree_modes *modes,
	const struct ik_worktree_entry *entry);

/* Those of a new file, which can be executed or not. */
int ik_worktree_new_mode(bool program);

#endif
