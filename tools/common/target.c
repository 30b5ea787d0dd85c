#include "tools/common/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/missing_path.h"

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

/* ".ikigai-" + 16 hexadecimal digits + ".tmp": no other program uses such names. */
#define PREFIX ".ikigai-"
#define SUFFIX ".tmp"
#define DIGITS 16
/* Without working locks, a temporary file is stale at this age. */
#define STALE_SECONDS 3600
/* The new contents are written in blocks. */
#define BLOCK IK_KIB(128)
#define LINKS_MAX 40 /* as in the kernel */
#define LOCK_PATIENCE_MS 5000
#define LOCK_PAUSE_NS 3000000
#define LOCK_ATTEMPTS_MAX 1000

/* Answer that the file's directory doesn't exist. */
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

/* Answer with the code for an errno value. opening: the file could not be opened, rather than
 * written. */
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

static bool is_temporary_name(const char *name)
{
	return strlen(name) == strlen(PREFIX) + DIGITS + strlen(SUFFIX) &&
		ik_text_starts(name, PREFIX) && ik_text_ends(name, SUFFIX) &&
		strspn(name + strlen(PREFIX), "0123456789abcdef") == DIGITS;
}

/* Has the writer of the temporary file ended? */
static bool is_stale(int fd)
{
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	return errno != EWOULDBLOCK && status.st_mtime + STALE_SECONDS < time(NULL);
}

/* Remove what killed processes have left in the directory. */
static void sweep(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(stream))) {
		if (!is_temporary_name(entry->d_name))
			continue;
		int found = openat(directory, entry->d_name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (found < 0)
			continue;
		if (is_stale(found))
			unlinkat(directory, entry->d_name, 0);
		close(found);
	}
	closedir(stream);
}

/* Lock the new temporary file; false if another process is about to remove it as stale. */
static bool claim(int fd)
{
	struct stat status;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* Create the locked temporary file beside the target. Return 0 or errno. */
static int temporary_open(struct ik_target *target)
{
	/* Nobody else may read the new contents before the file has the old mode. */
	mode_t mode = target->exists ? 0600 : 0666;
	uint64_t number;

	for (int attempts = 0; attempts < 100; attempts++) {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return errno;
		snprintf(target->temporary, sizeof(target->temporary), PREFIX "%016jx" SUFFIX,
			(uintmax_t)number);
		target->contents = openat(target->directory, target->temporary,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (target->contents >= 0 && claim(target->contents))
			return 0;
		if (target->contents < 0 && errno != EEXIST) {
			target->temporary[0] = '\0';
			return errno;
		}
		if (target->contents >= 0)
			close(target->contents);
	}
	target->temporary[0] = '\0';
	target->contents = -1;
	return EEXIST;
}

/* Make the file for the new contents: beside the target if it may replace it, else in memory.
 * Return 0 or errno. */
static int contents_open(struct ik_target *target)
{
	if (target->directory >= 0 && (!target->exists || target->status.st_nlink == 1)) {
		sweep(target->directory);
		int number = temporary_open(target);

		if (number == 0 || !target->exists || number == ENOSPC || number == EDQUOT)
			return number;
	}
	target->contents = memfd_create("contents", MFD_CLOEXEC);
	return target->contents < 0 ? errno : 0;
}

bool ik_target_open(struct ik_target *target, const char *path, struct ik_tool_answer *answer)
{
	*target = (struct ik_target){ .path = path, .directory = -1, .fd = -1, .contents = -1 };
	int number = path[0] == '\0' ? ENOENT : 0;

	ik_buf_init(&target->pending, SIZE_MAX / 2);
	if (number == 0) {
		target->fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		number = target->fd < 0 ? errno : 0;
		if (number == 0)
			number = target_examine(target);
		else if (number == ENOENT || number == ETXTBSY)
			number = target_unopened(target, number);
	}
	if (number == 0)
		number = contents_open(target);
	if (number != 0)
		target_failed(target, number, true, answer);
	return number == 0;
}

void ik_target_close(struct ik_target *target)
{
	if (target->temporary[0] != '\0')
		unlinkat(target->directory, target->temporary, 0);
	if (target->contents >= 0)
		close(target->contents);
	if (target->fd >= 0)
		close(target->fd);
	if (target->directory >= 0)
		close(target->directory);
	ik_buf_done(&target->pending);
	free(target->name);
	*target = (struct ik_target){ .directory = -1, .fd = -1, .contents = -1 };
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

/* ---- the new contents ---- */

static void flush(struct ik_target *target)
{
	if (ik_buf_status(&target->pending) != IK_OK)
		ik_alloc_fail();
	if (target->number == 0)
		target->number = ik_write_all(target->contents, target->pending.data,
			target->pending.length);
	ik_buf_clear(&target->pending);
}

void ik_target_write(struct ik_target *target, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t part = length < BLOCK ? length : BLOCK;

		ik_buf_append(&target->pending, bytes, part);
		if (target->pending.length >= BLOCK)
			flush(target);
		bytes += part;
		length -= part;
	}
}

void ik_target_skip(struct ik_target *target, off_t length)
{
	flush(target);
	if (target->number == 0 && lseek(target->contents, length, SEEK_CUR) < 0)
		target->number = errno;
}

/* Complete the new contents; a hole at their end does not extend the file by itself. Return 0 or
 * errno. */
static int contents_finish(struct ik_target *target, off_t *ret_length)
{
	flush(target);
	if (target->number != 0)
		return target->number;
	*ret_length = lseek(target->contents, 0, SEEK_CUR);
	return ftruncate(target->contents, *ret_length) < 0 ? errno : 0;
}

static bool is_unchanged(const struct ik_target *target, const struct stat *expected)
{
	struct stat now;
	int failed = target->directory >= 0
		? fstatat(target->directory, target->name, &now, AT_SYMLINK_NOFOLLOW)
		: fstat(target->fd, &now);

	return failed == 0 && now.st_dev == expected->st_dev && now.st_ino == expected->st_ino &&
		now.st_size == expected->st_size && now.st_mtim.tv_sec == expected->st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == expected->st_mtim.tv_nsec;
}

/* List a file's attributes, NUL-terminated, in new memory. False: they are unknown. */
static bool list_names(int fd, char **ret_names, size_t *ret_length)
{
	char *names = ik_alloc(XATTR_LIST_MAX);
	ssize_t length = flistxattr(fd, names, XATTR_LIST_MAX);

	/* A file system without attributes has none to lose. */
	if (length < 0 && errno != ENOTSUP) {
		free(names);
		return false;
	}
	*ret_names = names;
	*ret_length = length > 0 ? (size_t)length : 0;
	return true;
}

/* Does the attribute of fd have this value? */
static bool has_value(int fd, const char *name, const char *value, size_t length)
{
	char *other = ik_alloc(XATTR_SIZE_MAX);
	ssize_t size = fgetxattr(fd, name, other, XATTR_SIZE_MAX);
	bool same = size >= 0 && (size_t)size == length && memcmp(other, value, length) == 0;

	free(other);
	return same;
}

static bool copy_one(int from, int to, const char *name)
{
	char *value = ik_alloc(XATTR_SIZE_MAX);
	ssize_t length = fgetxattr(from, name, value, XATTR_SIZE_MAX);
	bool copied = length >= 0 &&
		(has_value(to, name, value, (size_t)length) ||
			fsetxattr(to, name, value, (size_t)length, 0) == 0);

	free(value);
	return copied;
}

/* Is name one of the NUL-terminated names? */
static bool has_name(const char *names, size_t length, const char *name)
{
	for (const char *at = names; at < names + length; at += strlen(at) + 1)
		if (strcmp(at, name) == 0)
			return true;
	return false;
}

/* Remove attributes that a new file has by default, such as the directory's default ACL. */
static bool remove_others(int to, const char *names, size_t length)
{
	char *made;
	size_t made_length;
	bool removed = true;

	if (!list_names(to, &made, &made_length))
		return false;
	for (const char *at = made; at < made + made_length; at += strlen(at) + 1)
		if (!has_name(names, length, at) && fremovexattr(to, at) < 0)
			removed = false;
	free(made);
	return removed;
}

/* Make the extended attributes of to exactly those of from, including access control lists (which
 * are such attributes). False if one could not be copied. */
static bool copy_attributes(int from, int to)
{
	char *names;
	size_t length;

	if (!list_names(from, &names, &length))
		return false;
	bool copied = remove_others(to, names, length);

	for (const char *at = names; copied && at < names + length; at += strlen(at) + 1)
		copied = copy_one(from, to, at);
	free(names);
	return copied;
}

/* Copy everything but the contents from the old file to the temporary one. */
static bool keep_identity(const struct ik_target *target)
{
	int from = target->fd;
	struct stat made;
	bool kept = false;

	if (from < 0)
		from = openat(target->directory, target->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from >= 0 && fstat(target->contents, &made) == 0) {
		bool same_owner = made.st_uid == target->status.st_uid &&
			made.st_gid == target->status.st_gid;

		/* Set the owner first, since that clears set-user-ID bits. */
		kept = (same_owner ||
				   fchown(target->contents, target->status.st_uid, target->status.st_gid) == 0) &&
			fchmod(target->contents, target->status.st_mode & 07777) == 0 &&
			copy_attributes(from, target->contents);
	}
	if (from >= 0 && from != target->fd)
		close(from);
	return kept;
}

/* Force the rename to the disk; a failure does no harm. */
static void sync_directory(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Rename the temporary file over the target. Return 0 or errno; *ret_unfit: its contents must be
 * copied instead. */
static int replace(struct ik_target *target, bool *ret_unfit)
{
	if (renameat(target->directory, target->temporary, target->directory, target->name) < 0) {
		*ret_unfit = target->fd >= 0;
		return *ret_unfit ? 0 : errno;
	}
	target->temporary[0] = '\0';
	sync_directory(target->directory);
	return 0;
}

/* Write at the offset of fd; if all bytes are NUL, make a hole if possible. Return 0 or errno. */
static int write_sparsely(int fd, const char *bytes, size_t length)
{
	bool nuls = length >= IK_KIB(4) && bytes[0] == '\0' &&
		memcmp(bytes, bytes + 1, length - 1) == 0;
	off_t at = nuls ? lseek(fd, 0, SEEK_CUR) : -1;

	if (at < 0 || fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, (off_t)length) < 0)
		return ik_write_all(fd, bytes, length);
	return lseek(fd, (off_t)length, SEEK_CUR) < 0 ? errno : 0;
}

/* Copy the new contents into the open file itself. Return 0 or errno. */
static int copy_in_place(struct ik_target *target, off_t length)
{
	static char block[BLOCK];
	bool regular = S_ISREG(target->status.st_mode);
	off_t old = target->status.st_size, at = 0;
	int number = 0;

	if (target->fd < 0)
		return ETXTBSY;
	/* Allocate the space first, so that a full disk leaves the old contents alone. */
	if (regular && length > old &&
		fallocate(target->fd, FALLOC_FL_KEEP_SIZE, old, length - old) < 0 &&
		(errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return errno;
	while (number == 0 && at < length) {
		ssize_t count = pread(target->contents, block, sizeof(block), at);

		if (count <= 0)
			return count < 0 ? errno : EIO;
		number = write_sparsely(target->fd, block, (size_t)count);
		at += count;
	}
	if (number == 0 && regular && ftruncate(target->fd, length) < 0)
		number = errno;
	if (number == 0 && fsync(target->fd) < 0 && errno != EINVAL && errno != EROFS)
		number = errno;
	return number;
}

enum ik_target_result ik_target_commit(struct ik_target *target, const struct stat *expected,
	struct ik_tool_answer *answer)
{
	off_t length = 0;
	int number = contents_finish(target, &length);
	bool unfit = target->temporary[0] == '\0' || (target->exists && !keep_identity(target));

	if (number == 0 && !unfit && fsync(target->contents) < 0)
		number = errno;
	if (expected && number == 0 && !is_unchanged(target, expected))
		return IK_TARGET_CHANGED;
	if (number == 0 && !unfit)
		number = replace(target, &unfit);
	if (number == 0 && unfit)
		number = copy_in_place(target, length);
	if (number == 0)
		return IK_TARGET_WRITTEN;
	target_failed(target, number, number == ETXTBSY, answer);
	return IK_TARGET_FAILED;
}
