/*
 * worktree_index: read git's index file, which has for each file of a work tree the result of
 * lstat(2) when it was read and the object with its contents (gitformat-index(5), versions 2 and
 * 3).
 *
 * The file is mapped: git never changes an index file but replaces it.
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

/* One file; path and id are valid as long as the index. */
struct ik_worktree_entry {
	const char *path;        /* relative to the root of the work tree */
	const unsigned char *id; /* IK_WORKTREE_ID_BYTES */
	int mode;                /* git's */
	uint32_t inode, size;    /* the lower 32 bits */
	int64_t mtime_ns, ctime_ns;
};
#define IK_WORKTREE_ID_BYTES 20

/* Open an index; a missing file is an index without entries. NULL: it cannot be read. */
struct ik_worktree_index *ik_worktree_index_open(const char *path);
struct ik_worktree_index *ik_worktree_index_ref(struct ik_worktree_index *index);
struct ik_worktree_index *ik_worktree_index_unref(struct ik_worktree_index *index);

size_t ik_worktree_index_count(const struct ik_worktree_index *index);
/* Entries are sorted by the bytes of their paths. */
struct ik_worktree_entry ik_worktree_index_entry(const struct ik_worktree_index *index, size_t at);
/* Return the position of the first entry whose path does not sort before this one. */
size_t ik_worktree_index_find(const struct ik_worktree_index *index, const char *path);
/* Is there an entry with that inode? The first call sorts all entries by inode. */
bool ik_worktree_index_inode(struct ik_worktree_index *index, uint32_t inode,
	struct ik_worktree_entry *ret_entry);
/* Return the first directory of a path that has no entries (new memory); NULL: all have some. */
char *ik_worktree_index_missing(const struct ik_worktree_index *index, const char *path);

/* Has the file not changed since it was read? */
bool ik_worktree_entry_holds(const struct ik_worktree_entry *entry, const struct stat *status);
bool ik_worktree_is_regular(int mode);

#endif
