#include "undo/worktree_check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/path.h"

/* Files between two reads of the clock. */
enum { FILES_AT_ONCE = 64 };
/* Files checked, and files kept, in any case if that does not take too long. */
enum { FILES_SURELY = 1024, KEPT_SURELY = 16 };
#define BYTES_SURELY IK_KIB(512)

/* Deadlines: for the check, and for the files that are checked or kept in any case. */
struct limits {
	int64_t until_us, surely_us;
};

/* Return the time of the clock that file times come from, which lags behind the precise one. */
static int64_t file_clock_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Keep a file; without its contents if time runs out. */
static struct ik_file_state keep(const struct ik_worktree_check_options *options, const char *path,
	const struct stat *status, int64_t until_us)
{
	struct ik_file_keep *keep = ik_file_keep_new(options->objects, path);
	struct ik_file_state state = { .kind = IK_FILE_OTHER, .identity = ik_identity_of(status) };
	bool over = false;

	while (!over && ik_clock_us() < until_us)
		over = ik_file_keep_step(keep);
	if (over)
		state = ik_file_state_copy(ik_file_keep_state(keep));
	ik_file_keep_free(keep);
	return state;
}

/* Record a file that differs from its entry. */
static void record_seen(struct ik_worktree_check *check,
	const struct ik_worktree_check_options *options, const char *name, const struct stat *status,
	const struct limits *limits)
{
	char *path = ik_path_join(options->root, name);
	bool surely = check->count < KEPT_SURELY &&
		status->st_size <= (off_t)(BYTES_SURELY / KEPT_SURELY);

	if (!options->hidden || !options->hidden(options->arg, path)) {
		if (check->count % 16 == 0)
			check->seen = ik_alloc_array(check->seen, check->count + 16, sizeof(*check->seen));
		check->seen[check->count++] = (struct ik_worktree_seen){
			.entry = check->checked,
			.state = keep(options, path, status, surely ? limits->surely_us : limits->until_us),
		};
	}
	free(path);
}

static void check_file(struct ik_worktree_check *check,
	const struct ik_worktree_check_options *options, int root, const struct limits *limits)
{
	struct ik_worktree_entry entry = ik_worktree_index_entry(check->index, check->checked);
	struct stat status = { .st_size = 0 };
	bool there;

	check->modes[check->checked] = -1;
	if (entry.mode == IK_GIT_LINK)
		return;
	there = fstatat(root, entry.path, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (!there || !ik_worktree_entry_holds(&entry, &status))
		record_seen(check, options, entry.path, &status, limits);
	else if (S_ISREG(status.st_mode))
		check->modes[check->checked] = (int)(status.st_mode & 07777);
}

static bool has_time(const struct ik_worktree_check *check, const struct limits *limits)
{
	int64_t now_us;

	if (check->checked == 0 || check->checked % FILES_AT_ONCE != 0)
		return true;
	now_us = ik_clock_us();
	return now_us < limits->until_us ||
		(check->checked < FILES_SURELY && now_us < limits->surely_us);
}

struct ik_worktree_check *ik_worktree_check_new(const struct ik_worktree_check_options *options)
{
	struct ik_worktree_check *check = ik_alloc(sizeof(*check));
	int64_t now_us = ik_clock_us();
	const struct limits limits = {
		now_us + options->most_us,
		now_us + options->surely_us,
	};
	int root = open(options->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	check->index = ik_worktree_index_ref(options->index);
	check->modes = ik_alloc_array(NULL, ik_worktree_index_count(check->index) + 1,
		sizeof(*check->modes));
	for (; root >= 0 && check->checked < ik_worktree_index_count(check->index) &&
		 has_time(check, &limits);
		 check->checked++)
		check_file(check, options, root, &limits);
	if (root >= 0)
		(void)close(root);
	check->time_ns = file_clock_ns();
	return check;
}

struct ik_worktree_check *ik_worktree_check_free(struct ik_worktree_check *check)
{
	if (!check)
		return NULL;
	for (size_t i = 0; i < check->count; i++)
		ik_file_state_done(&check->seen[i].state);
	free(check->seen);
	free(check->modes);
	ik_worktree_index_unref(check->index);
	free(check);
	return NULL;
}

bool ik_worktree_check_complete(const struct ik_worktree_check *check)
{
	return check->checked == ik_worktree_index_count(check->index);
}

static int compare_entry(const void *entry, const void *seen)
{
	size_t one = *(const size_t *)entry, other = ((const struct ik_worktree_seen *)seen)->entry;

	return one < other ? -1 : one > other;
}

const struct ik_worktree_seen *ik_worktree_check_seen(const struct ik_worktree_check *check,
	size_t entry)
{
	return check->count == 0
		? NULL
		: bsearch(&entry, check->seen, check->count, sizeof(*check->seen), compare_entry);
}

int ik_worktree_check_mode(const struct ik_worktree_check *check, size_t entry)
{
	return entry < check->checked ? check->modes[entry] : -1;
}
