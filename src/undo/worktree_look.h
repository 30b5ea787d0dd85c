/*
 * worktree_look: the files of a work tree right before a call, where they are not as its index
 * says.
 *
 * The index is from a reading before that; what has changed since (the user writes, too) is kept
 * now, so that it is not taken for the call's doing.  All files are asked for by lstat(2), some
 * thousands within the time that a look may take.  It also notes their permissions, of which git
 * only knows whether a file can be executed.
 *
 * May include: util, json, undo.
 */
#ifndef IK_UNDO_WORKTREE_LOOK_H
#define IK_UNDO_WORKTREE_LOOK_H

#include <sys/types.h>

#include "undo/file_copy.h"
#include "undo/worktree_index.h"

/* A look may take so long, in microseconds; on a busy machine this is up at once, and about a
 * thousand files are looked at all the same where that takes no longer than SURELY. */
#define IK_WORKTREE_LOOK_US 3000
#define IK_WORKTREE_LOOK_SURELY_US 15000

/* A file that is not as its entry in the index says. */
struct ik_worktree_seen {
	size_t entry;
	struct ik_file_state state; /* without a hash where it could not be kept */
};

struct ik_worktree_look {
	struct ik_worktree_index *index;
	int64_t time_ns;               /* what was changed from here on has a later ctime */
	struct ik_worktree_seen *seen; /* in the order of the index */
	size_t count;
	struct ik_worktree_mode {
		size_t entry;
		int mode;
	} * modes; /* of unchanged files that have not those of a new file; in the same order */
	size_t mode_count;
	mode_t mask;   /* of a new file */
	size_t looked; /* at so many entries */
};

/* What is looked at. */
struct ik_worktree_look_options {
	struct ik_worktree_index *index;
	const char *root;                            /* of the work tree */
	const char *objects;                         /* where bytes are kept */
	size_t most;                                 /* a larger file is not kept */
	bool (*hidden)(void *arg, const char *path); /* not to be kept; NULL: none is */
	void *arg;
	int64_t most_us, surely_us; /* IK_WORKTREE_LOOK_US, IK_WORKTREE_LOOK_SURELY_US */
};

struct ik_worktree_look *ik_worktree_look_new(const struct ik_worktree_look_options *options);
struct ik_worktree_look *ik_worktree_look_free(struct ik_worktree_look *look);

/* Was there time for all? */
bool ik_worktree_look_complete(const struct ik_worktree_look *look);
/* What was seen of an entry that had changed; NULL: nothing, or it was not looked at. */
const struct ik_worktree_seen *ik_worktree_look_seen(const struct ik_worktree_look *look,
	size_t entry);
/* The permissions of a regular file that had not changed; -1: it was not looked at. */
int ik_worktree_look_mode(const struct ik_worktree_look *look, size_t entry);

#endif
