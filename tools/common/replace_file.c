#include "tools/common/replace_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/attributes.h"
#include "tools/common/parts.h"

#include "util/text.h"

/* ".ikigai-" + 16 hexadecimal digits + ".tmp": nobody else uses such names. */
#define PREFIX ".ikigai-"
#define SUFFIX ".tmp"
#define DIGITS 16
#define NAME_SIZE (sizeof(PREFIX) + DIGITS + sizeof(SUFFIX))
/* Without working locks, a temporary file is stale at this age. */
#define STALE_SECONDS 3600

/* The file that is being written. */
struct temporary {
	int directory;
	int fd;
	char name[NAME_SIZE];
};

/* Is it the name of one of our temporary files? */
static bool is_temporary_name(const char *name)
{
	return strlen(name) == NAME_SIZE - 2 && ik_text_starts(name, PREFIX) &&
		ik_text_ends(name, SUFFIX) && strspn(name + strlen(PREFIX), "0123456789abcdef") == DIGITS;
}

/* Is nobody writing the temporary file any more? */
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

/* Create a locked temporary file. Return 0 or errno. */
static int temporary_open(struct temporary *temporary, int directory, mode_t mode)
{
	uint64_t number;

	temporary->directory = directory;
	for (int attempts = 0; attempts < 100; attempts++) {
		if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
			return errno;
		snprintf(temporary->name, sizeof(temporary->name), PREFIX "%016jx" SUFFIX,
			(uintmax_t)number);
		temporary->fd = openat(directory, temporary->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (temporary->fd < 0 && errno != EEXIST)
			return errno;
		if (temporary->fd >= 0 && claim(temporary->fd))
			return 0;
		if (temporary->fd >= 0)
			close(temporary->fd);
	}
	return EEXIST;
}

/* Remove the temporary file. */
static void temporary_drop(struct temporary *temporary)
{
	unlinkat(temporary->directory, temporary->name, 0);
	close(temporary->fd);
}

/* Copy everything but the contents from the old file. */
static bool keep_identity(const struct ik_target *target, const struct temporary *temporary)
{
	int from = target->fd;
	struct stat made;
	bool kept = false;

	if (from < 0)
		from = openat(target->directory, target->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from >= 0 && fstat(temporary->fd, &made) == 0) {
		bool same_owner = made.st_uid == target->status.st_uid &&
			made.st_gid == target->status.st_gid;

		/* Set the owner first, since that clears set-user-ID bits. */
		kept = (same_owner ||
				   fchown(temporary->fd, target->status.st_uid, target->status.st_gid) == 0) &&
			fchmod(temporary->fd, target->status.st_mode & 07777) == 0 &&
			ik_attributes_copy(from, temporary->fd);
	}
	if (from >= 0 && from != target->fd)
		close(from);
	return kept;
}

/* Is the file still the expected one? */
static bool is_unchanged(const struct ik_target *target)
{
	struct stat now;

	if (!target->expected)
		return true;
	return fstatat(target->directory, target->name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
		ik_target_same(&target->status, &now);
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

/* Write the temporary file and rename it over the target. */
static enum ik_replace_result fill_and_rename(struct ik_target *target, struct temporary *temporary,
	const struct ik_parts *parts, int *ret_number)
{
	int number = ik_parts_write(temporary->fd, parts);

	/* Writing clears set-user-ID bits and capabilities, so set them again. */
	if (number == 0 && target->exists && !keep_identity(target, temporary)) {
		temporary_drop(temporary);
		return IK_REPLACE_UNFIT;
	}
	if (number == 0 && fsync(temporary->fd) < 0)
		number = errno;
	if (number != 0) {
		temporary_drop(temporary);
		*ret_number = number;
		return number == EFAULT ? IK_REPLACE_CHANGED : IK_REPLACE_FAILED;
	}
	if (!is_unchanged(target)) {
		temporary_drop(temporary);
		return IK_REPLACE_CHANGED;
	}
	if (renameat(temporary->directory, temporary->name, target->directory, target->name) < 0) {
		*ret_number = errno;
		temporary_drop(temporary);
		return target->fd >= 0 ? IK_REPLACE_UNFIT : IK_REPLACE_FAILED;
	}
	close(temporary->fd);
	sync_directory(target->directory);
	return IK_REPLACE_DONE;
}

enum ik_replace_result ik_replace_file(struct ik_target *target, const struct ik_parts *parts,
	int *ret_number)
{
	struct temporary temporary;

	if (target->directory < 0 || (target->exists && target->status.st_nlink > 1))
		return IK_REPLACE_UNFIT;
	sweep(target->directory);
	/* Nobody else may read the new contents before the file has the old mode. */
	int number = temporary_open(&temporary, target->directory, target->exists ? 0600 : 0666);

	if (number != 0) {
		*ret_number = number;
		if (!target->exists)
			return IK_REPLACE_UNOPENED;
		return number == ENOSPC || number == EDQUOT ? IK_REPLACE_FAILED : IK_REPLACE_UNFIT;
	}
	if (target->exists && !keep_identity(target, &temporary)) {
		temporary_drop(&temporary);
		return IK_REPLACE_UNFIT;
	}
	return fill_and_rename(target, &temporary, parts, ret_number);
}
