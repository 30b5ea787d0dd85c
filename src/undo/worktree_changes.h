/*
 * worktree_changes: compute what a call changed in a work tree from what is known before and after
 * it (undo/worktree_index.h), and read the contents of those files from `git cat-file --batch`.
 *
 * May include: util, json, undo.
 */
#ifndef IK_UNDO_WORKTREE_CHANGES_H
#define IK_UNDO_WORKTREE_CHANGES_H

#include "undo/worktree_check.h"

/* Limits on the number of files, and on what is kept of them. */
#define IK_WORKTREE_CHANGES_MOST 2000
#define IK_WORKTREE_BYTES_MOST IK_MIB(512)

/* Size of an object's name in hexadecimal digits. */
#define IK_WORKTREE_ID (2 * IK_WORKTREE_ID_BYTES + 1)

/* An object that has the contents of a file before or after the call. */
struct ik_worktree_object {
	char id[IK_WORKTREE_ID];
	size_t change; /* index of the file */
	bool after;
};

struct ik_worktree_found {
	struct ik_file_change *changes;
	size_t count;
	struct ik_worktree_object *objects; /* to be fetched */
	size_t object_count;
};

/* The facts known about a call; all borrowed. */
struct ik_worktree_span {
	const char *root; /* of the work tree, absolute */
	const struct ik_worktree_check *before;
	const struct ik_worktree_index *after; /* of a snapshot begun after the call ended */
	int64_t end_ns;                        /* when the call ended */
	const struct ik_worktree_check *next;  /* check before the next call, which started before that
											snapshot; NULL: there was none */
	bool fresh; /* the index before reflects a time within this turn: a new file of unknown age
				   was made by one of its calls */
};

/*
 * Find what a call changed: at most one more change than the limit. Changes that another process
 * made before the call are left out. If another process changed a file after the call, its state
 * after the call is OTHER. Files whose names are not UTF-8 are left out, since the journal cannot
 * hold them.
 */
struct ik_worktree_found ik_worktree_changes_find(const struct ik_worktree_span *span);
void ik_worktree_found_done(struct ik_worktree_found *found);

struct ik_worktree_blobs;

/* Keep the contents in the directory objects under their hashes; both are borrowed. Append the
 * input of cat-file: a line for each object. */
struct ik_worktree_blobs *ik_worktree_blobs_new(const char *objects,
	struct ik_worktree_found *found, struct ik_buf *input);
/* Process a piece of its output. */
void ik_worktree_blobs_take(struct ik_worktree_blobs *blobs, const char *bytes, size_t length);
/* All output was processed: the states before and after are known, except for hashes of objects
 * that were not printed. */
struct ik_worktree_blobs *ik_worktree_blobs_free(struct ik_worktree_blobs *blobs);
/* Was an object missing? Then the index may name others that are missing. */
bool ik_worktree_blobs_missed(const struct ik_worktree_blobs *blobs);

#endif
