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
/* So much is done in any case, if that does not take too long. */
enum { FILES_SURELY = 1024, KEPT_SURELY = 16 };
#define BYTES_SURELY IK_KIB(512)
/* For what is kept in any case, in microseconds: it cannot be had later. */
#define KEPT_SURELY_US 100000

/* Until when there is time, and until when for what is done in any case. */
struct limits {
	int64_t until_us, surely_us, kept_us;
};

/* The clock that files get their times from: it lags behind the finer one. */
static int64_t file_clock_ns(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The mask of the process. */
static mode_t the_mask(void)
{
	mode_t mask = umask(077);

	(void)umask(mask);
	return mask;
}

/* The permissions of a new file, which can be executed or not. */
static int new_mode(const struct ik_worktree_look *look, int git_mode)
{
	return (int)((git_mode == IK_GIT_PROGRAM ? 0777 : 0666) & ~look->mask);
}

/* Keep a file; without its bytes where the time is up first. */
static struct ik_file_state keep(const struct ik_worktree_look_options *options, const char *path,
	const struct stat *status, int64_t until_us)
{
	struct ik_file_keep *keep = ik_file_keep_new(options->objects, path, options->most);
	struct ik_file_state state = { .kind = IK_FILE_OTHER, .identity = ik_identity_of(status) };
	bool over = false;

	while (!over && ik_clock_us() < until_us)
		over = ik_file_keep_step(keep);
	if (over)
		state = ik_file_state_copy(ik_file_keep_state(keep));
	ik_file_keep_free(keep);
	return state;
}

/* Keep a file that is not as its entry says. */
static void see(struct ik_worktree_look *look, const struct ik_worktree_look_options *options,
	const char *name, const struct stat *status, const struct limits *limits)
{
	char *path = ik_path_join(options->root, name);
	bool surely = look->count < KEPT_SURELY &&
		status->st_size <= (off_t)(BYTES_SURELY / KEPT_SURELY);

	if (!options->hidden || !options->hidden(options->arg, path)) {
		if (look->count % 16 == 0)
			look->seen = ik_alloc_array(look->seen, look->count + 16, sizeof(*look->seen));
		look->seen[look->count++] = (struct ik_worktree_seen){
			.entry = look->looked,
			.state = keep(options, path, status, surely ? limits->kept_us : limits->until_us),
		};
	}
	free(path);
}

/* Note the permissions of a file if they are unusual. */
static void note_mode(struct ik_worktree_look *look, const struct ik_worktree_entry *entry,
	const struct stat *status)
{
	int mode = (int)(status->st_mode & 07777);

	if (!S_ISREG(status->st_mode) || mode == new_mode(look, entry->mode))
		return;
	if (look->mode_count % 64 == 0)
		look->modes = ik_alloc_array(look->modes, look->mode_count + 64, sizeof(*look->modes));
	look->modes[look->mode_count++] = (struct ik_worktree_mode){ look->looked, mode };
}

/* Look at one file. */
static void look_at(struct ik_worktree_look *look, const struct ik_worktree_look_options *options,
	int root, const struct limits *limits)
{
	struct ik_worktree_entry entry = ik_worktree_index_entry(look->index, look->looked);
	struct stat status = { .st_size = 0 };
	bool there;

	if (entry.mode == IK_GIT_LINK)
		return;
	there = fstatat(root, entry.path, &status, AT_SYMLINK_NOFOLLOW) == 0;
	if (there && ik_worktree_entry_holds(&entry, &status))
		note_mode(look, &entry, &status);
	else
		see(look, options, entry.path, &status, limits);
}

/* Is there time for one more file? */
static bool has_time(const struct ik_worktree_look *look, const struct limits *limits)
{
	int64_t now_us;

	if (look->looked == 0 || look->looked % FILES_AT_ONCE != 0)
		return true;
	now_us = ik_clock_us();
	return now_us < limits->until_us || (look->looked < FILES_SURELY && now_us < limits->surely_us);
}

struct ik_worktree_look *ik_worktree_look_new(const struct ik_worktree_look_options *options)
{
	struct ik_worktree_look *look = ik_alloc(sizeof(*look));
	int64_t now_us = ik_clock_us();
	const struct limits limits = {
		now_us + options->most_us,
		now_us + options->surely_us,
		now_us + KEPT_SURELY_US,
	};
	int root = open(options->root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	look->index = ik_worktree_index_ref(options->index);
	look->mask = the_mask();
	for (; root >= 0 && look->looked < ik_worktree_index_count(look->index) &&
		 has_time(look, &limits);
		 look->looked++)
		look_at(look, options, root, &limits);
	if (root >= 0)
		(void)close(root);
	look->time_ns = file_clock_ns();
	return look;
}

struct ik_worktree_look *ik_worktree_look_free(struct ik_worktree_look *look)
{
	if (!look)
		return NULL;
	for (size_t i = 0; i < look->count; i++)
		ik_file_state_done(&look->seen[i].state);
	free(look->seen);
	free(look->modes);
	ik_worktree_index_unref(look->index);
	free(look);
	return NULL;
}

bool ik_worktree_look_complete(const struct ik_worktree_look *look)
{
	return look->looked == ik_worktree_index_count(look->index);
}

/* Compare the place of an entry with that of something that begins with one. */
static int compare_entry(const void *entry, const void *noted)
{
	size_t one = *(const size_t *)entry, other = *(const size_t *)noted;

	return one < other ? -1 : one > other;
}

const struct ik_worktree_seen *ik_worktree_look_seen(const struct ik_worktree_look *look,
	size_t entry)
{
	return look->count == 0
		? NULL
		: bsearch(&entry, look->seen, look->count, sizeof(*look->seen), compare_entry);
}

int ik_worktree_look_mode(const struct ik_worktree_look *look, size_t entry)
{
	const struct ik_worktree_mode *unusual = look->mode_count == 0
		? NULL
		: bsearch(&entry, look->modes, look->mode_count, sizeof(*look->modes), compare_entry);

	if (entry >= look->looked)
		return -1;
	return unusual ? unusual->mode
				   : new_mode(look, ik_worktree_index_entry(look->index, entry).mode);
}
