#include "undo/worktree_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

/* Offsets in an entry. */
enum {
	AT_CTIME = 0,
	AT_MTIME = 8,
	AT_INODE = 20,
	AT_MODE = 24,
	AT_SIZE = 36,
	AT_ID = 40,
	AT_FLAGS = 60,
	AT_PATH = 62
};
enum { HEADER = 12, EXTENDED = 0x4000 };

struct ik_worktree_index {
	size_t references;
	const unsigned char *bytes; /* NULL: there are none */
	size_t length;
	size_t *entries; /* offset of each */
	size_t count;
	struct inode {
		uint32_t number, entry;
	} * inodes; /* sorted; NULL: not needed yet */
};

static uint32_t number_at(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Return the offset of the path in an entry. */
static size_t path_of(const unsigned char *entry)
{
	return AT_PATH + ((entry[AT_FLAGS] << 8 & EXTENDED) != 0 ? 2 : 0);
}

/* Find the entries; false: this is not a valid index. */
static bool find_entries(struct ik_worktree_index *index)
{
	size_t at = HEADER;
	uint32_t version, count;

	if (index->length < HEADER || memcmp(index->bytes, "DIRC", 4) != 0)
		return false;
	version = number_at(index->bytes + 4);
	count = number_at(index->bytes + 8);
	if (version < 2 || version > 3 || count > index->length / AT_PATH)
		return false;
	index->entries = ik_alloc_array(NULL, (size_t)count + 1, sizeof(*index->entries));
	for (; index->count < count; index->count++) {
		size_t left = index->length - at, path, size;

		path = left > AT_PATH + 2 ? path_of(index->bytes + at) : left;
		size = strnlen((const char *)index->bytes + at + path, left - path);
		if (size == left - path)
			return false;
		index->entries[index->count] = at;
		at += (path + size + 8) / 8 * 8; /* entries are padded with at least one 0 */
		if (at > index->length)
			return false;
	}
	return true;
}

struct ik_worktree_index *ik_worktree_index_open(const char *path)
{
	struct ik_worktree_index *index = ik_alloc(sizeof(*index));
	int fd = open(path, O_RDONLY | O_CLOEXEC), number = errno;
	struct stat status;
	void *bytes = MAP_FAILED;
	bool good = fd < 0 && number == ENOENT;

	index->references = 1;
	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0) {
		index->length = (size_t)status.st_size;
		bytes = mmap(NULL, index->length, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		(void)close(fd);
	if (bytes != MAP_FAILED) {
		index->bytes = bytes;
		good = find_entries(index);
	}
	return good ? index : ik_worktree_index_unref(index);
}

struct ik_worktree_index *ik_worktree_index_ref(struct ik_worktree_index *index)
{
	index->references++;
	return index;
}

struct ik_worktree_index *ik_worktree_index_unref(struct ik_worktree_index *index)
{
	if (!index || --index->references > 0)
		return NULL;
	if (index->bytes)
		(void)munmap((void *)(uintptr_t)index->bytes, index->length);
	free(index->entries);
	free(index->inodes);
	free(index);
	return NULL;
}

size_t ik_worktree_index_count(const struct ik_worktree_index *index)
{
	return index->count;
}

static int64_t time_at(const unsigned char *at)
{
	return (int64_t)number_at(at) * 1000000000 + number_at(at + 4);
}

static const char *path_at(const struct ik_worktree_index *index, size_t at)
{
	const unsigned char *entry = index->bytes + index->entries[at];

	return (const char *)entry + path_of(entry);
}

struct ik_worktree_entry ik_worktree_index_entry(const struct ik_worktree_index *index, size_t at)
{
	const unsigned char *entry = index->bytes + index->entries[at];

	return (struct ik_worktree_entry){
		.path = path_at(index, at),
		.id = entry + AT_ID,
		.mode = (int)number_at(entry + AT_MODE),
		.inode = number_at(entry + AT_INODE),
		.size = number_at(entry + AT_SIZE),
		.mtime_ns = time_at(entry + AT_MTIME),
		.ctime_ns = time_at(entry + AT_CTIME),
	};
}

size_t ik_worktree_index_find(const struct ik_worktree_index *index, const char *path)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(path_at(index, middle), path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *one = a, *other = b;

	return (one->number > other->number) - (one->number < other->number);
}

bool ik_worktree_index_inode(struct ik_worktree_index *index, uint32_t number,
	struct ik_worktree_entry *ret_entry)
{
	const struct inode wanted = { .number = number }, *found;

	if (!index->inodes) {
		index->inodes = ik_alloc_array(NULL, index->count + 1, sizeof(*index->inodes));
		for (size_t i = 0; i < index->count; i++)
			index->inodes[i] = (struct inode){
				number_at(index->bytes + index->entries[i] + AT_INODE),
				(uint32_t)i,
			};
		qsort(index->inodes, index->count, sizeof(*index->inodes), compare_inodes);
	}
	found = bsearch(&wanted, index->inodes, index->count, sizeof(*index->inodes), compare_inodes);
	if (found)
		*ret_entry = ik_worktree_index_entry(index, found->entry);
	return found;
}

char *ik_worktree_index_missing(const struct ik_worktree_index *index, const char *path)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		size_t length = (size_t)(slash - path) + 1, at;
		char *directory = ik_strndup(path, length);

		at = ik_worktree_index_find(index, directory);
		directory[length - 1] = '\0';
		if (at == index->count || strncmp(path_at(index, at), path, length) != 0)
			return directory;
		free(directory);
	}
	return NULL;
}

/* A git without nanoseconds may have written one of them. */
static bool is_time(int64_t known_ns, const struct timespec *time)
{
	return known_ns / 1000000000 == (int64_t)(uint32_t)time->tv_sec &&
		(known_ns % 1000000000 == 0 || known_ns % 1000000000 == time->tv_nsec);
}

bool ik_worktree_entry_holds(const struct ik_worktree_entry *entry, const struct stat *status)
{
	/* Git sets the size of files that must be checked again to 0. */
	return ik_worktree_is_regular(entry->mode) == S_ISREG(status->st_mode) &&
		entry->size == (uint32_t)status->st_size && entry->inode == (uint32_t)status->st_ino &&
		is_time(entry->mtime_ns, &status->st_mtim) && is_time(entry->ctime_ns, &status->st_ctim);
}

bool ik_worktree_is_regular(int mode)
{
	return mode == IK_GIT_FILE || mode == IK_GIT_PROGRAM;
}
