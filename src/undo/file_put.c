#include "undo/file_put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/path.h"
#include "util/text.h"

/* Bytes of a step. */
#define SLICE IK_MIB(1)

struct ik_file_put {
	const char *objects, *path;
	const struct ik_file_state *wanted, *present;
	int directory; /* of the file; everything goes through it, wherever the path leads by now */
	int from, to;
	char *temporary; /* name in the directory; NULL: writing in place */
	int number;      /* errno, or 0 */
	bool changed;    /* the file changed before it could be replaced */
};

struct ik_file_put *ik_file_put_new(const char *objects, const char *path,
	const struct ik_file_state *wanted, const struct ik_file_state *present)
{
	struct ik_file_put *put = ik_alloc(sizeof(*put));

	put->objects = objects;
	put->path = path;
	put->wanted = wanted;
	put->present = present;
	put->directory = put->from = put->to = -1;
	return put;
}

/* Release what only a write in progress needs. */
static void put_down(struct ik_file_put *put)
{
	if (put->from >= 0)
		close(put->from);
	if (put->to >= 0)
		close(put->to);
	if (put->temporary)
		unlinkat(put->directory, put->temporary, 0);
	if (put->directory >= 0)
		close(put->directory);
	put->directory = put->from = put->to = -1;
	free(put->temporary);
	put->temporary = NULL;
}

struct ik_file_put *ik_file_put_free(struct ik_file_put *put)
{
	if (!put)
		return NULL;
	put_down(put);
	free(put);
	return NULL;
}

/* Is the file still the same one, in the same directory? */
static bool is_unchanged(struct ik_file_put *put)
{
	struct ik_file_state now = ik_file_state_look_in(put->directory, errno, put->path, 0);
	bool same = now.kind == put->present->kind &&
		(now.kind == IK_FILE_ABSENT || ik_identity_equal(&now.identity, &put->present->identity)) &&
		(put->present->directory.inode == 0 ||
			ik_file_directory_same(&now.directory, &put->present->directory));

	ik_file_state_done(&now);
	put->changed = !same;
	return same;
}

/* Remove the file, and the directories that did not exist before it. */
static void remove_file(struct ik_file_put *put)
{
	const char *until = put->wanted->made_from;
	char *directory = ik_strdup(put->path);
	bool removed;
	int parent;

	put->directory = ik_file_directory_open(put->path);
	removed = is_unchanged(put) && put->directory >= 0;
	if (removed && unlinkat(put->directory, ik_path_base(put->path), 0) != 0 && errno != ENOENT) {
		put->number = errno;
		removed = false;
	}
	while (removed && until && !ik_text_equal(directory, until)) {
		directory[ik_path_base(directory) - directory - 1] = '\0';
		parent = ik_text_starts(directory, until) ? ik_file_directory_open(directory) : -1;
		removed = parent >= 0 && unlinkat(parent, ik_path_base(directory), AT_REMOVEDIR) == 0;
		if (parent >= 0)
			close(parent);
	}
	free(directory);
}

/* Would replacing the file lose any of its attributes? */
static bool must_be_in_place(const struct ik_file_put *put)
{
	const char *name = ik_path_base(put->path);
	struct stat status;
	bool attributes;
	int fd;

	if (fstatat(put->directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	fd = openat(put->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	attributes = fd >= 0 && flistxattr(fd, NULL, 0) > 0;
	if (fd >= 0)
		close(fd);
	return status.st_nlink > 1 || status.st_uid != geteuid() || attributes;
}

/* Give the temporary file the group of the file; false: that is not allowed. */
static bool take_group(const struct ik_file_put *put)
{
	struct stat old, new;

	return fstatat(put->directory, ik_path_base(put->path), &old, AT_SYMLINK_NOFOLLOW) != 0 ||
		(fstat(put->to, &new) == 0 && old.st_gid == new.st_gid) ||
		fchown(put->to, (uid_t)-1, old.st_gid) == 0;
}

/* Create a temporary file in the same directory. It is locked, so that the tools do not remove it
 * as a leftover. False: it cannot be created. */
static bool open_temporary(struct ik_file_put *put)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return false;
	put->temporary = ik_format(".ikigai-%016llx.tmp", (unsigned long long)number);
	put->to = openat(put->directory, put->temporary,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (put->to >= 0 && take_group(put)) {
		(void)flock(put->to, LOCK_EX | LOCK_NB);
		return true;
	}
	put->number = errno;
	if (put->to >= 0) {
		(void)unlinkat(put->directory, put->temporary, 0);
		(void)close(put->to);
		put->to = -1;
	}
	free(put->temporary);
	put->temporary = NULL;
	return false;
}

/* Open the file itself and truncate it, if it is still the same. */
static bool open_in_place(struct ik_file_put *put)
{
	struct ik_identity identity;
	struct stat status;

	put->number = 0;
	put->to = openat(put->directory, ik_path_base(put->path),
		O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (put->to < 0 || fstat(put->to, &status) != 0) {
		put->number = errno;
		return false;
	}
	identity = ik_identity_of(&status);
	put->changed = !is_unchanged(put) || !ik_identity_equal(&identity, &put->present->identity);
	if (!put->changed && ftruncate(put->to, 0) != 0)
		put->number = errno;
	return !put->changed && put->number == 0;
}

/* Create the directory of a file with its parents, and open it; -1 with errno. */
static int make_directory(const char *directory)
{
	int fd = ik_path_open(directory, O_DIRECTORY), parent, number;
	char *above;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	above = ik_path_directory(directory);
	parent = make_directory(above);
	free(above);
	if (parent < 0)
		return -1;
	if (mkdirat(parent, ik_path_base(directory), 0777) == 0 || errno == EEXIST)
		fd = openat(parent, ik_path_base(directory), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	number = errno;
	close(parent);
	errno = number;
	return fd;
}

/* Open the directory, created if the file was removed; false: see number. */
static bool open_directory(struct ik_file_put *put)
{
	char *directory = ik_path_directory(put->path);

	put->directory = put->present->kind == IK_FILE_ABSENT ? make_directory(directory)
														  : ik_path_open(directory, O_DIRECTORY);
	if (put->directory < 0)
		put->number = errno;
	free(directory);
	return put->directory >= 0;
}

/* Open source and destination; false: see number. */
static bool begin(struct ik_file_put *put)
{
	char *name = ik_path_join(put->objects, put->wanted->hash);

	put->from = open(name, O_RDONLY | O_CLOEXEC);
	if (put->from < 0)
		put->number = errno;
	free(name);
	if (put->from < 0 || !open_directory(put))
		return false;
	if (!must_be_in_place(put) && open_temporary(put))
		return true;
	/* The present contents are kept under their hash, so a crash on the way loses nothing. */
	return put->present->kind == IK_FILE_REGULAR && open_in_place(put);
}

/* Force the finished copy to the disk and put it in place. */
static void finish(struct ik_file_put *put)
{
	int fd;

	if ((fchmod(put->to, (mode_t)put->wanted->mode) != 0 && put->temporary) ||
		fsync(put->to) != 0) {
		put->number = errno;
		return;
	}
	if (!put->temporary || !is_unchanged(put))
		return;
	if (renameat(put->directory, put->temporary, put->directory, ik_path_base(put->path)) != 0) {
		put->number = errno;
		return;
	}
	free(put->temporary);
	put->temporary = NULL;
	fd = openat(put->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
}

bool ik_file_put_step(struct ik_file_put *put)
{
	ssize_t count = -1;

	if (put->wanted->kind == IK_FILE_ABSENT) {
		remove_file(put);
		put_down(put);
		return true;
	}
	if (put->from >= 0 || begin(put)) {
		do {
			count = sendfile(put->to, put->from, NULL, SLICE);
		} while (count < 0 && errno == EINTR);
		if (count > 0)
			return false;
		if (count < 0)
			put->number = errno;
		else
			finish(put);
	}
	put_down(put);
	return true;
}

enum ik_status ik_file_put_end(struct ik_file_put *put, struct ik_file_state *ret_state,
	struct ik_error *error)
{
	if (put->changed)
		return ik_error_set(error, IK_DENIED, _("%s has just been changed"), put->path);
	if (put->number != 0)
		return ik_error_set_errno(error, put->number, _("cannot write %s"), put->path);
	*ret_state = ik_file_state_look(put->path, 0);
	memcpy(ret_state->hash, put->wanted->hash, sizeof(ret_state->hash));
	return IK_OK;
}
