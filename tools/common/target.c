#include "tools/common/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/missing_path.h"
#include "tools/common/parts.h"
#include "tools/common/replace_file.h"

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"

#define LINKS_MAX 40 /* as in the kernel */
#define LOCK_PATIENCE_MS 5000
#define LOCK_PAUSE_NS 3000000
#define LOCK_ATTEMPTS_MAX 1000

/* Answer that there is no directory for the file. */
static void directory_failed(const char *path, int number, struct ik_tool_answer *answer)
{
	struct ik_buf hint;

	ik_buf_init(&hint, IK_KIB(64));
	ik_missing_directory(path, &hint);
	if (hint.length == 0)
		ik_buf_puts(&hint, strerror(number));
	ik_answer_error(answer, "OPEN_FAILED", hint.data, "Cannot open file: %s", path);
	ik_buf_done(&hint);
}

/* Answer with the code for an errno value; opening tells the step. */
static void target_failed(const struct ik_target *target, int number, bool opening,
	struct ik_tool_answer *answer)
{
	const char *path = target->path;

	if (number == ENOMEM)
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory");
	else if (number == ENOSPC || number == EDQUOT)
		ik_answer_error(answer, "NO_SPACE", number == EDQUOT ? strerror(number) : NULL,
			"No space left on device: %s", path);
	else if (number == EACCES && opening)
		ik_answer_error(answer, "PERMISSION_DENIED", NULL, "Permission denied: %s", path);
	else if ((number == ENOENT || number == ENOTDIR) && opening)
		directory_failed(path, number, answer);
	else if (opening)
		ik_answer_error(answer, "OPEN_FAILED", strerror(number), "Cannot open file: %s", path);
	else
		ik_answer_error(answer, "WRITE_FAILED", strerror(number), "Failed to write file: %s", path);
}

/* Open the directory of path, relative to base. -1 with errno. */
static int open_directory(int base, const char *path)
{
	size_t length = (size_t)(ik_path_base(path) - path);
	char *directory = length > 0 ? ik_strndup(path, length) : ik_strdup(".");
	int fd = openat(base, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(directory);
	return fd;
}

/*
 * Set target->directory and name to where the file is, or would be, with all symbolic links
 * followed. Return 0 or errno.
 */
static int target_resolve(struct ik_target *target)
{
	char *path = ik_strdup(target->path);
	char link[PATH_MAX];
	int base = AT_FDCWD;
	int number = ELOOP;

	for (int links = 0; links <= LINKS_MAX; links++) {
		int directory = open_directory(base, path);

		if (directory < 0) {
			number = errno;
			break;
		}
		if (base >= 0)
			close(base);
		base = directory;
		const char *name = ik_path_base(path);
		ssize_t length = readlinkat(directory, name, link, sizeof(link) - 1);

		if (length < 0) {
			number = name[0] == '\0' ? EISDIR : 0;
			target->name = ik_strdup(name);
			break;
		}
		free(path);
		path = ik_strndup(link, (size_t)length);
	}
	free(path);
	target->directory = base >= 0 ? base : -1;
	return number;
}

/* Keep directory and name only if they lead to the open file: paths below /proc/self/fd lead
 * elsewhere than their links say. */
static void target_verify(struct ik_target *target)
{
	struct stat found;

	if (target->directory >= 0 && target->name &&
		fstatat(target->directory, target->name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		found.st_dev == target->status.st_dev && found.st_ino == target->status.st_ino)
		return;
	if (target->directory >= 0)
		close(target->directory);
	target->directory = -1;
}

/* Examine the file that is open for writing. Return 0 or errno. */
static int target_examine(struct ik_target *target)
{
	if (fstat(target->fd, &target->status) < 0)
		return errno;
	target->exists = true;
	/* Opening must not block, writing may. */
	fcntl(target->fd, F_SETFL, O_WRONLY);
	if (S_ISREG(target->status.st_mode) && target_resolve(target) == 0)
		target_verify(target);
	return 0;
}

/* Examine a file that does not exist or is being executed. Return 0 or errno. */
static int target_unopened(struct ik_target *target, int number)
{
	int failed = target_resolve(target);

	if (failed != 0)
		return failed;
	if (number == ENOENT)
		return 0;
	/* The file of a running program can be replaced, but not written. */
	if (fstatat(target->directory, target->name, &target->status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	target->exists = true;
	return 0;
}

bool ik_target_open(struct ik_target *target, const char *path, struct ik_tool_answer *answer)
{
	*target = (struct ik_target){ .path = path, .directory = -1, .fd = -1 };
	int number = path[0] == '\0' ? ENOENT : 0;

	if (number == 0) {
		target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		number = target->fd < 0 ? errno : 0;
		if (number == 0)
			number = target_examine(target);
		else if (number == ENOENT || number == ETXTBSY)
			number = target_unopened(target, number);
	}
	if (number != 0)
		target_failed(target, number, true, answer);
	return number == 0;
}

bool ik_target_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino &&
		one->st_size == other->st_size && one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
		one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

bool ik_target_expect(struct ik_target *target, const struct stat *status)
{
	target->expected = true;
	return target->exists && ik_target_same(&target->status, status);
}

void ik_target_close(struct ik_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	if (target->directory >= 0)
		close(target->directory);
	free(target->name);
	*target = (struct ik_target){ .path = target->path, .directory = -1, .fd = -1 };
}

bool ik_target_lock(int fd, const char *path, int attempt)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	int64_t until = ik_clock_ms() + LOCK_PATIENCE_MS;
	struct stat opened, named;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		if (ik_clock_ms() >= until)
			break;
		nanosleep(&pause, NULL);
	}
	/* On some file systems the two never match. */
	return attempt >= LOCK_ATTEMPTS_MAX || fstat(fd, &opened) < 0 || stat(path, &named) < 0 ||
		(opened.st_dev == named.st_dev && opened.st_ino == named.st_ino);
}

/* Write to the open file itself. Return 0 or errno. */
static int write_in_place(struct ik_target *target, const struct ik_parts *parts)
{
	bool regular = S_ISREG(target->status.st_mode);
	off_t total = parts->total;

	/* Allocate the space first, so that a full disk or a limit leaves the old contents alone. */
	struct rlimit limit;

	if (regular && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		(rlim_t)total > limit.rlim_cur)
		return EFBIG;
	if (regular && total > target->status.st_size &&
		fallocate(target->fd, FALLOC_FL_KEEP_SIZE, 0, total) < 0 &&
		(errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return errno;
	int number = ik_parts_write(target->fd, parts);

	if (number == 0 && regular && ftruncate(target->fd, total) < 0)
		number = errno;
	if (number == 0 && fsync(target->fd) < 0 && errno != EINVAL && errno != EROFS)
		number = errno;
	return number;
}

/* The same for parts that may be in a map of this file. */
static int write_copy_in_place(struct ik_target *target, const struct ik_parts *parts)
{
	struct ik_parts_copy copy;
	struct stat now;
	int number = ik_parts_copy(parts, &copy);

	if (number == 0 && (fstat(target->fd, &now) < 0 || !ik_target_same(&target->status, &now)))
		number = EFAULT;
	if (number == 0) {
		const struct ik_parts copied = ik_parts_of_row(&copy.row);

		number = write_in_place(target, &copied);
	}
	ik_parts_copy_free(&copy);
	return number;
}

enum ik_target_result ik_target_write(struct ik_target *target, const struct ik_parts *parts,
	struct ik_tool_answer *answer)
{
	int number = 0;

	switch (ik_replace_file(target, parts, &number)) {
	case IK_REPLACE_DONE:
		return IK_TARGET_WRITTEN;
	case IK_REPLACE_CHANGED:
		return IK_TARGET_CHANGED;
	case IK_REPLACE_UNOPENED:
		target_failed(target, number, true, answer);
		return IK_TARGET_FAILED;
	case IK_REPLACE_FAILED:
		target_failed(target, number, false, answer);
		return IK_TARGET_FAILED;
	case IK_REPLACE_UNFIT:
		break;
	}
	if (target->fd < 0) {
		target_failed(target, ETXTBSY, true, answer);
		return IK_TARGET_FAILED;
	}
	number = target->expected ? write_copy_in_place(target, parts) : write_in_place(target, parts);
	if (number == EFAULT)
		return IK_TARGET_CHANGED;
	if (number != 0) {
		target_failed(target, number, false, answer);
		return IK_TARGET_FAILED;
	}
	return IK_TARGET_WRITTEN;
}
