#include "undo/worktree_modes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"

/* Files between two looks at the clock. */
enum { FILES_AT_ONCE = 64 };

/* What is known of the files of an index, as far as it was gone through. */
struct known {
	struct ik_worktree_index *index; /* NULL: nothing is known */
	size_t looked;
	struct unusual {
		size_t entry;
		int mode; /* with its type: never 0 */
	} *unusual;
	size_t count;
};

struct ik_worktree_modes {
	char *root;
	mode_t mask;        /* as it was at first */
	struct known whole; /* of all files */
	struct known next;  /* that is being learned */
	size_t from;        /* where whole.index goes on */
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

struct ik_worktree_modes *ik_worktree_modes_new(const char *root)
{
	struct ik_worktree_modes *modes = ik_alloc(sizeof(*modes));

	modes->root = ik_strdup(root);
	modes->mask = the_mask();
	return modes;
}

static void forget(struct known *known)
{
	ik_worktree_index_unref(known->index);
	free(known->unusual);
	*known = (struct known){ .index = NULL };
}

struct ik_worktree_modes *ik_worktree_modes_free(struct ik_worktree_modes *modes)
{
	if (modes == NULL)
		return NULL;
	forget(&modes->whole);
	forget(&modes->next);
	free(modes->root);
	free(modes);
	return NULL;
}

void ik_worktree_modes_begin(struct ik_worktree_modes *modes, struct ik_worktree_index *index)
{
	forget(&modes->next);
	modes->next.index = ik_worktree_index_ref(index);
	modes->from = 0;
}

static void add(struct known *known, size_t entry, int mode)
{
	if (known->count % 64 == 0)
		known->unusual = ik_alloc_array(known->unusual, known->count + 64, sizeof(*known->unusual));
	known->unusual[known->count++] = (struct unusual){ entry, mode };
}

/* Compare the place of an entry with that of one whose mode is unusual. */
static int compare_unusual(const void *entry, const void *unusual)
{
	size_t one = *(const size_t *)entry, other = ((const struct unusual *)unusual)->entry;

	return one < other ? -1 : one > other;
}

/* What is known of the entry at a place: its mode if it is unusual, or 0. */
static int unusual_mode(const struct known *known, size_t entry)
{
	const struct unusual *found = known->count == 0 ? NULL :
		bsearch(&entry, known->unusual, known->count, sizeof(*known->unusual), compare_unusual);

	return found != NULL ? found->mode : 0;
}

/* Is the entry the same in what is known of all files? Asked in the order of the paths. */
static bool is_known(struct ik_worktree_modes *modes, const struct ik_worktree_entry *entry)
{
	const struct ik_worktree_index *index = modes->whole.index;
	struct ik_worktree_entry old = { .path = NULL };
	int order = -1;

	if (index == NULL)
		return false;
	for (; modes->from < ik_worktree_index_count(index); modes->from++) {
		old = ik_worktree_index_entry(index, modes->from);
		order = strcmp(old.path, entry->path);
		if (order >= 0)
			break;
	}
	return order == 0 && ik_worktree_entry_same(&old, entry);
}

/* Learn what the next file has. */
static void learn(struct ik_worktree_modes *modes, int root)
{
	struct known *next = &modes->next;
	struct ik_worktree_entry entry = ik_worktree_index_entry(next->index, next->looked);
	struct stat status;
	int mode = 0;

	if (is_known(modes, &entry)) {
		mode = unusual_mode(&modes->whole, modes->from);
	} else if (root >= 0 && fstatat(root, entry.path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISREG(status.st_mode)) {
		mode = (int)status.st_mode;
		if ((mode & 07777) == mode_under(modes->mask, entry.mode == IK_GIT_PROGRAM))
			mode = 0;
	}
	if (mode != 0)
		add(next, next->looked, mode);
	next->looked++;
}

bool ik_worktree_modes_step(struct ik_worktree_modes *modes, int64_t most_us)
{
	struct known *next = &modes->next;
	int64_t until_us = ik_clock_us() + most_us;
	int root;

	if (next->index == NULL)
		return true;
	root = open(modes->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	do {
		for (int i = 0; i < FILES_AT_ONCE; i++)
			if (next->looked < ik_worktree_index_count(next->index))
				learn(modes, root);
	} while (next->looked < ik_worktree_index_count(next->index) && ik_clock_us() < until_us);
	if (root >= 0)
		(void)close(root);
	if (next->looked < ik_worktree_index_count(next->index))
		return false;
	forget(&modes->whole);
	modes->whole = modes->next;
	modes->next = (struct known){ .index = NULL };
	return true;
}

int ik_worktree_modes_of(const struct ik_worktree_modes *modes,
	const struct ik_worktree_entry *entry)
{
	const struct known *known[] = { &modes->next, &modes->whole };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ik_worktree_entry found;
		size_t at;
		int mode;

		at = known[i]->index != NULL ? ik_worktree_index_find(known[i]->index, entry->path) : 0;
		if (at >= known[i]->looked)
			continue;
		found = ik_worktree_index_entry(known[i]->index, at);
		mode = unusual_mode(known[i], at);
		if (strcmp(found.path, entry->path) == 0 && ik_worktree_entry_same(&found, entry))
			return mode != 0 ? mode & 07777 :
				mode_under(modes->mask, entry->mode == IK_GIT_PROGRAM);
	}
	return -1;
}
