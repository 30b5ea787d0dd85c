/*
 * worktree_index: git's index file, which tells of each file of a work tree what lstat(2) said of
 * it when it was read, and which object has its bytes (gitformat-index(5), versions 2 and 3).
 *
 * The file is mapped; git never changes one, but puts another in its place.
 *
 * May include: util.
 */
#ifndef IK_UNDO_WORKTREE_INDEX_H
#define IK_UNDO_WORKTREE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* Git's modes. */
enum { IK_GIT_FILE = 0100644, IK_GIT_PROGRAM = 0100755, IK_GIT_LINK = 0160000 };

struct ik_worktree_index;

/* One file; path and id live as long as the index. */
struct ik_worktree_entry {
	const char *path;        /* from the root of the work tree */
	const unsigned char *id; /* IK_WORKTREE_ID_BYTES */
	int mode;                /* git's */
	uint32_t inode, size;    /* the lower halves */
	int64_t mtime_ns, ctime_ns;
};
#define IK_WORKTREE_ID_BYTES 20

/* A file that is not there is an index without entries. NULL: it is none that can be read. */
struct ik_worktree_index *ik_worktree_index_open(const char *path);
struct ik_worktree_index *ik_worktree_index_ref(struct ik_worktree_index *index);
struct ik_worktree_index *ik_worktree_index_unref(struct ik_worktree_index *index);

size_t ik_worktree_index_count(const struct ik_worktree_index *index);
/* Entries are in the order of their paths' bytes. */
struct ik_worktree_entry ik_worktree_index_entry(const struct ik_worktree_index *index, size_t at);
/* The place of the first entry whose path is not before this one. */
size_t ik_worktree_index_find(const struct ik_worktree_index *index, const char *path);
/* Is there one of that path? */
bool ik_worktree_index_has(const struct ik_worktree_index *index, const char *path);
/* Is there one with that inode? The first question takes a while where there are many. */
bool ik_worktree_index_inode(struct ik_worktree_index *index, uint32_t inode,
	struct ik_worktree_entry *ret_entry);
/* The first of the directories in a path that no entry is in, in new memory; NULL: none. */
char *ik_worktree_index_missing(const struct ik_worktree_index *index, const char *path);

/* Is the file as it was when it was read? */
bool ik_worktree_entry_holds(const struct ik_worktree_entry *entry, const struct stat *status);
bool ik_worktree_is_regular(int mode);

#endif
