/*
 * worktree_modes: the permissions that the files of a work tree have at one time.
 *
 * A tree of git only knows whether a file can be executed.  What `git ls-files -t -z` prints is
 * looked at as it comes, each file once, and what is not as a new file's is remembered.  Of a
 * tree with very many files some are passed over, so that the loop does not wait for long.
 *
 * May include: util.
 */
#ifndef IK_TOOL_WORKTREE_MODES_H
#define IK_TOOL_WORKTREE_MODES_H

#include <stdint.h>

#include "util/buf.h"

struct ik_worktree_modes;

/* To look at files may take so long in all, in microseconds. */
#define IK_WORKTREE_MODES_MOST_US 200000

/* most_us: IK_WORKTREE_MODES_MOST_US. */
struct ik_worktree_modes *ik_worktree_modes_new(const char *root, int64_t most_us);
struct ik_worktree_modes *ik_worktree_modes_free(struct ik_worktree_modes *modes);

/* Take a piece of the output: files that git knows ("H") and new ones ("?") are looked at; the
 * names of the new ones and of those that are marked otherwise are appended, each with its 0. */
void ik_worktree_modes_take(struct ik_worktree_modes *modes, const char *bytes, size_t length,
	struct ik_buf *ret_changed);

/* The permissions of a file (a path) that could be executed, or not; -1: that is not known. */
int ik_worktree_modes_of(struct ik_worktree_modes *modes, const char *path, bool program);

/* Those of a new file. */
int ik_worktree_new_mode(bool program);

#endif
