#include "tool/worktree_modes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

/* Names of files with unusual permissions: some hundred thousand of them. */
#define NAMES_MOST IK_MIB(16)
/* The loop waits while files are looked at: so long for a piece of the output. */
#define PIECE_MOST_US 5000
/* So many are looked at however long it takes. */
#define FILES_SURELY 2000
#define NOWHERE SIZE_MAX

struct entry {
	size_t name; /* its place in names */
	int mode;
};

/* Files that were not looked at, since that would have taken too long. */
struct gap {
	size_t from; /* the place of the first name, */
	size_t to;   /* and of the one behind the last; NOWHERE: it goes to the end */
};

struct ik_worktree_modes {
	char *root;
	int fd;             /* of the root; -1: it cannot be looked at */
	mode_t mask;        /* as it was at first */
	struct ik_buf rest; /* a record that is not whole */
	struct ik_buf names;
	struct entry *entries;
	size_t count, capacity;
	bool sorted;
	struct gap *gaps;
	size_t gap_count, gap_capacity;
	char gap_mark;      /* of the files in the last one, which goes on; '\0': it has ended */
	size_t looked;      /* at so many */
	int64_t most_us, spent_us, begun_us;
};

/* The permissions of a new file under a mask. */
static int mode_under(mode_t mask, bool program)
{
	return (int)((program ? 0777 : 0666) & ~mask);
}

/* The mask of the process. */
static mode_t the_mask(void)
{
	mode_t mask = umask(077);

	(void)umask(mask);
	return mask;
}

int ik_worktree_new_mode(bool program)
{
	return mode_under(the_mask(), program);
}

struct ik_worktree_modes *ik_worktree_modes_new(const char *root, int64_t most_us)
{
	struct ik_worktree_modes *modes = ik_alloc(sizeof(*modes));

	modes->root = ik_strdup(root);
	modes->fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	modes->mask = the_mask();
	modes->most_us = most_us;
	ik_buf_init(&modes->rest, IK_KIB(64));
	ik_buf_init(&modes->names, NAMES_MOST);
	return modes;
}

struct ik_worktree_modes *ik_worktree_modes_free(struct ik_worktree_modes *modes)
{
	if (modes == NULL)
		return NULL;
	if (modes->fd >= 0)
		(void)close(modes->fd);
	ik_buf_done(&modes->rest);
	ik_buf_done(&modes->names);
	free(modes->entries);
	free(modes->gaps);
	free(modes->root);
	free(modes);
	return NULL;
}

/* Remember a name; its place. */
static size_t put_name(struct ik_worktree_modes *modes, const char *name)
{
	size_t place = modes->names.length;

	ik_buf_append(&modes->names, name, strlen(name) + 1);
	return place;
}

/* Has this taken too long? */
static bool is_late(const struct ik_worktree_modes *modes)
{
	int64_t took;

	if (modes->looked < FILES_SURELY)
		return false;
	took = ik_clock_us() - modes->begun_us;
	return took >= PIECE_MOST_US || modes->spent_us + took >= modes->most_us;
}

/* Pass over a file. Those with the same mark come in the order of their names. */
static void pass_over(struct ik_worktree_modes *modes, char mark, const char *name)
{
	if (modes->gap_mark == mark)
		return;
	if (modes->gap_count == modes->gap_capacity) {
		modes->gap_capacity = modes->gap_capacity > 0 ? 2 * modes->gap_capacity : 16;
		modes->gaps = ik_alloc_array(modes->gaps, modes->gap_capacity, sizeof(*modes->gaps));
	}
	modes->gaps[modes->gap_count++] = (struct gap){ put_name(modes, name), NOWHERE };
	modes->gap_mark = mark;
}

/* Remember a file's permissions, unless they are those of a new one. */
static void look(struct ik_worktree_modes *modes, char mark, const char *name)
{
	struct stat status;
	int mode;

	if (is_late(modes)) {
		pass_over(modes, mark, name);
		return;
	}
	modes->looked++;
	if (modes->gap_mark == mark)
		modes->gaps[modes->gap_count - 1].to = put_name(modes, name);
	modes->gap_mark = '\0';
	if (modes->fd < 0 || fstatat(modes->fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(status.st_mode))
		return;
	mode = (int)(status.st_mode & 07777);
	if (mode == mode_under(modes->mask, (mode & 0100) != 0))
		return;
	if (modes->count == modes->capacity) {
		modes->capacity = modes->capacity > 0 ? 2 * modes->capacity : 16;
		modes->entries = ik_alloc_array(modes->entries, modes->capacity, sizeof(*modes->entries));
	}
	modes->entries[modes->count++] = (struct entry){ put_name(modes, name), mode };
}

/* Take a whole record: a mark, a blank, a name. */
static void take(struct ik_worktree_modes *modes, const char *record, struct ik_buf *ret_changed)
{
	if (record[0] == '\0' || record[1] != ' ')
		return;
	if (record[0] == 'H' || record[0] == '?')
		look(modes, record[0], record + 2);
	if (record[0] != 'H')
		ik_buf_append(ret_changed, record + 2, strlen(record + 2) + 1);
}

void ik_worktree_modes_take(struct ik_worktree_modes *modes, const char *bytes, size_t length,
	struct ik_buf *ret_changed)
{
	modes->begun_us = ik_clock_us();
	while (length > 0) {
		const char *end = memchr(bytes, '\0', length);
		size_t part = end != NULL ? (size_t)(end - bytes) + 1 : length;

		if (end != NULL && modes->rest.length == 0) {
			take(modes, bytes, ret_changed);
		} else {
			ik_buf_append(&modes->rest, bytes, part);
			if (end != NULL && ik_buf_status(&modes->rest) == IK_OK)
				take(modes, modes->rest.data, ret_changed);
			if (end != NULL)
				ik_buf_clear(&modes->rest);
		}
		bytes += part;
		length -= part;
	}
	modes->spent_us += ik_clock_us() - modes->begun_us;
}

/* May it be one that was not looked at? */
static bool is_in_gap(const struct ik_worktree_modes *modes, const char *name)
{
	for (size_t i = 0; i < modes->gap_count; i++) {
		const struct gap *gap = &modes->gaps[i];

		if (strcmp(modes->names.data + gap->from, name) <= 0 &&
		    (gap->to == NOWHERE || strcmp(name, modes->names.data + gap->to) < 0))
			return true;
	}
	return false;
}

static int compare_entries(const void *a, const void *b, void *names)
{
	const struct entry *one = a, *other = b;

	return strcmp((const char *)names + one->name, (const char *)names + other->name);
}

int ik_worktree_modes_of(struct ik_worktree_modes *modes, const char *path, bool program)
{
	size_t length = strlen(modes->root), low = 0, high = modes->count;

	if (ik_buf_status(&modes->names) != IK_OK || modes->fd < 0)
		return -1;
	path += strncmp(path, modes->root, length) == 0 ? length : 0;
	path += *path == '/';
	if (!modes->sorted && modes->count > 0)
		qsort_r(modes->entries, modes->count, sizeof(*modes->entries), compare_entries,
			modes->names.data);
	modes->sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(modes->names.data + modes->entries[middle].name, path);

		if (order == 0)
			return modes->entries[middle].mode;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return is_in_gap(modes, path) ? -1 : mode_under(modes->mask, program);
}
