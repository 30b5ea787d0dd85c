/*
 * worktree_changes: the files that differ between two trees of git, and their bytes, as
 * `git diff-tree -r -t -z --raw` and `git cat-file --batch` print them.
 *
 * May include: util, json, tool/{file_state,worktree_modes}.h.
 */
#ifndef IK_TOOL_WORKTREE_CHANGES_H
#define IK_TOOL_WORKTREE_CHANGES_H

#include "tool/file_state.h"
#include "tool/worktree_modes.h"

/* More files are not looked at; nor kept is a larger one, nor what goes beyond the sum. */
#define IK_WORKTREE_CHANGES_MOST 2000
#define IK_WORKTREE_FILE_MOST IK_MIB(64)
#define IK_WORKTREE_BYTES_MOST IK_MIB(512)

/* The name of an object: SHA-1 or SHA-256, in hexadecimal digits. */
#define IK_WORKTREE_ID 65

struct ik_worktree_change {
	char *path; /* absolute */
	int modes[2]; /* git's, before and after; 0: not there */
	char ids[2][IK_WORKTREE_ID];
	struct ik_file_state before, after;
};

/* Take the output of diff-tree: an array in new memory, of at most one more than the most.
 * Files whose names are no UTF-8 are left out: they cannot be noted. */
struct ik_worktree_change *ik_worktree_changes_read(const char *root, const char *output,
	size_t length, size_t *ret_count);
void ik_worktree_changes_free(struct ik_worktree_change *changes, size_t count);

struct ik_worktree_blobs;

/* Bytes are kept in objects under their hashes; the changes are borrowed. */
struct ik_worktree_blobs *ik_worktree_blobs_new(const char *objects,
	struct ik_worktree_change *changes, size_t count);
/* Append what cat-file is asked: a line for each object. */
void ik_worktree_blobs_ask(const struct ik_worktree_blobs *blobs, struct ik_buf *out);
/* A piece of what it answered. */
void ik_worktree_blobs_take(struct ik_worktree_blobs *blobs, const char *bytes, size_t length);
/* All is there: the states before and after are known, but for hashes of what was not told.
 * Looks at the files. modes: as they were before; NULL: as far as git knows them. */
void ik_worktree_blobs_end(struct ik_worktree_blobs *blobs, struct ik_worktree_modes *modes);
struct ik_worktree_blobs *ik_worktree_blobs_free(struct ik_worktree_blobs *blobs);

#endif
