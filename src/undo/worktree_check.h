/*
 * worktree_check: check, right before a call, which files of a work tree differ from the index.
 *
 * The index reflects an earlier time. Files that have changed since (the user edits, too) are
 * copied now, so that the changes are not attributed to the call.  Each file costs an lstat(2);
 * some thousands fit into the time limit.  The check also records permissions, of which git stores
 * only the executable bit.
 *
 * May include: util, json, undo.
 */
#ifndef IK_UNDO_WORKTREE_CHECK_H
#define IK_UNDO_WORKTREE_CHECK_H

#include "undo/file_keep.h"
#include "undo/worktree_index.h"

/* Limits on a check, in microseconds. On a busy machine the first is over at once; the first
 * thousand files or so are checked, and the first few that changed are kept, anyway, up to the
 * second limit: their contents will be gone later. */
#define IK_WORKTREE_CHECK_US 3000
#define IK_WORKTREE_CHECK_SURELY_US 100000

/* A file that differs from its entry in the index. */
struct ik_worktree_seen {
	size_t entry;
	struct ik_file_state state; /* no hash if it could not be kept */
};

struct ik_worktree_check {
	struct ik_worktree_index *index;
	int64_t time_ns;               /* later changes have a later ctime */
	struct ik_worktree_seen *seen; /* in the order of the index */
	size_t count;
	int *modes; /* permissions of each file checked; -1 if it had changed, or is not a regular file
				 */
	size_t checked; /* number of entries checked */
};

struct ik_worktree_check_options {
	struct ik_worktree_index *index;
	const char *root;                            /* of the work tree */
	const char *objects;                         /* where contents are kept */
	bool (*hidden)(void *arg, const char *path); /* is this file not to be kept? NULL: all are */
	void *arg;
	int64_t most_us, surely_us; /* IK_WORKTREE_CHECK_US, IK_WORKTREE_CHECK_SURELY_US */
};

struct ik_worktree_check *ik_worktree_check_new(const struct ik_worktree_check_options *options);
struct ik_worktree_check *ik_worktree_check_free(struct ik_worktree_check *check);

/* Was there time for all files? */
bool ik_worktree_check_complete(const struct ik_worktree_check *check);
/* Return what was found for an entry that had changed; NULL: it had not, or was not checked. */
const struct ik_worktree_seen *ik_worktree_check_seen(const struct ik_worktree_check *check,
	size_t entry);
/* Return the permissions of a regular file that had not changed; -1: it was not checked. */
int ik_worktree_check_mode(const struct ik_worktree_check *check, size_t entry);

#endif
