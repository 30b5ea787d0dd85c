#include "undo/worktree_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"

/* Files between two looks at the clock. */
enum { FILES_AT_ONCE = 64 };
/* On a busy machine the time is up at once: so much is done in any case, within a moment. */
enum { FILES_SURELY = 1024, KEPT_SURELY = 16 };
#define BYTES_SURELY IK_KIB(512)

/* The clock that files get their times from: it lags behind the finer one. */
static int64_t file_clock_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Keep a file; without its bytes where the time is up first. */
static struct ik_file_state keep(const struct ik_worktree_look_options *options, const char *path,
	bool surely, int64_t until_us)
{
	struct ik_file_keep *keep = ik_file_keep_new(options->objects, path, options->most);
	struct ik_file_state state = { .kind = IK_FILE_OTHER };
	bool over = false;

	while (!over && (surely || ik_clock_us() < until_us))
		over = ik_file_keep_step(keep);
	if (over)
		state = ik_file_state_copy(ik_file_keep_state(keep));
	ik_file_keep_free(keep);
	return state;
}

/* Look at one file. */
static void look_at(struct ik_worktree_look *look, const struct ik_worktree_look_options *options,
	int root, int64_t until_us)
{
	struct ik_worktree_entry entry = ik_worktree_index_entry(look->index, look->looked);
	struct stat status = { .st_size = 0 };
	bool surely;
	char *path;

	if (entry.mode == IK_GIT_LINK ||
	    (fstatat(root, entry.path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	     ik_worktree_entry_holds(&entry, &status)))
		return;
	path = ik_path_join(options->root, entry.path);
	if (options->hidden == NULL || !options->hidden(options->arg, path)) {
		if (look->count % 16 == 0)
			look->seen = ik_alloc_array(look->seen, look->count + 16, sizeof(*look->seen));
		surely = look->count < KEPT_SURELY &&
			status.st_size <= (off_t)(BYTES_SURELY / KEPT_SURELY);
		look->seen[look->count++] = (struct ik_worktree_seen){
			.entry = look->looked, .state = keep(options, path, surely, until_us),
		};
	}
	free(path);
}

struct ik_worktree_look *ik_worktree_look_new(const struct ik_worktree_look_options *options)
{
	struct ik_worktree_look *look = ik_alloc(sizeof(*look));
	int64_t until_us = ik_clock_us() + options->most_us;
	int root = open(options->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	look->index = ik_worktree_index_ref(options->index);
	while (root >= 0 && look->looked < ik_worktree_index_count(look->index) &&
	       (look->looked < FILES_SURELY || look->looked % FILES_AT_ONCE != 0 ||
		ik_clock_us() < until_us)) {
		look_at(look, options, root, until_us);
		look->looked++;
	}
	if (root >= 0)
		(void)close(root);
	look->time_ns = file_clock_ns();
	return look;
}

struct ik_worktree_look *ik_worktree_look_free(struct ik_worktree_look *look)
{
	if (look == NULL)
		return NULL;
	for (size_t i = 0; i < look->count; i++)
		ik_file_state_done(&look->seen[i].state);
	free(look->seen);
	ik_worktree_index_unref(look->index);
	free(look);
	return NULL;
}

bool ik_worktree_look_complete(const struct ik_worktree_look *look)
{
	return look->looked == ik_worktree_index_count(look->index);
}

/* Compare the place of an entry with that of a file that was seen. */
static int compare_seen(const void *entry, const void *seen)
{
	size_t one = *(const size_t *)entry, other = ((const struct ik_worktree_seen *)seen)->entry;

	return one < other ? -1 : one > other;
}

const struct ik_worktree_seen *ik_worktree_look_seen(const struct ik_worktree_look *look,
	size_t entry)
{
	return look->count == 0 ? NULL :
		bsearch(&entry, look->seen, look->count, sizeof(*look->seen), compare_seen);
}
