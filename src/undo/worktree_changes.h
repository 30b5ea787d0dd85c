/*
 * worktree_changes: what a call changed in a work tree, from what is known of it before and after
 * (undo/worktree_index.h), and the bytes of those files, as `git cat-file --batch` prints them.
 *
 * May include: util, json, undo.
 */
#ifndef IK_UNDO_WORKTREE_CHANGES_H
#define IK_UNDO_WORKTREE_CHANGES_H

#include "undo/worktree_look.h"

/* More files are not looked at; nor kept is a larger one, nor what goes beyond the sum. */
#define IK_WORKTREE_CHANGES_MOST 2000
#define IK_WORKTREE_FILE_MOST IK_MIB(64)
#define IK_WORKTREE_BYTES_MOST IK_MIB(512)

/* The name of an object in hexadecimal digits. */
#define IK_WORKTREE_ID (2 * IK_WORKTREE_ID_BYTES + 1)

struct ik_worktree_change {
	char *path;                  /* absolute */
	char ids[2][IK_WORKTREE_ID]; /* of the objects that have its bytes before and after, */
	bool asked[2];               /* where they are to be asked for */
	struct ik_file_state before, after;
};

/* What is known of a call; all borrowed. */
struct ik_worktree_span {
	const char *root; /* of the work tree, absolute */
	const struct ik_worktree_look *before;
	const struct ik_worktree_index *after; /* of a reading that began when the call was over */
	int64_t end_ns;                        /* when that was */
	const struct ik_worktree_look *next; /* before the next call, that began before the reading did;
	                                    NULL: there was none */
	bool fresh; /* the index before is of a reading that began in the turn: what was made since is
	               the doing of calls, where nothing is known of when */
};

/*
 * Find what a call changed: an array in new memory, of at most one more than the most. What
 * somebody else changed before it began is none of it. Of what somebody changed after it was over
 * the state after it is OTHER: not known. Files whose names are no UTF-8 are left out: they
 * cannot be noted.
 */
struct ik_worktree_change *ik_worktree_changes_find(const struct ik_worktree_span *span,
	size_t *ret_count);
void ik_worktree_changes_free(struct ik_worktree_change *changes, size_t count);
/* Drop those that turn out to be none, once all bytes are there; how many are left. */
size_t ik_worktree_changes_drop_same(struct ik_worktree_change *changes, size_t count);

struct ik_worktree_blobs;

/* Bytes are kept in objects under their hashes; the changes are borrowed. */
struct ik_worktree_blobs *ik_worktree_blobs_new(const char *objects,
	struct ik_worktree_change *changes, size_t count);
/* Append what cat-file is asked: a line for each object. */
void ik_worktree_blobs_ask(const struct ik_worktree_blobs *blobs, struct ik_buf *out);
/* A piece of what it answered. */
void ik_worktree_blobs_take(struct ik_worktree_blobs *blobs, const char *bytes, size_t length);
/* All is there: the states before and after are known, but for hashes of what was not told. */
struct ik_worktree_blobs *ik_worktree_blobs_free(struct ik_worktree_blobs *blobs);
/* Was an object missing? Then more of those in the index may be. */
bool ik_worktree_blobs_missed(const struct ik_worktree_blobs *blobs);

#endif
