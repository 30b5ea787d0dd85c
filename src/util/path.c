#include "util/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/alloc.h"
#include "util/text.h"

_Static_assert(sizeof(off_t) >= 8, "files of any size, also on 32 bits: see configure.ac");

#define READ_PIECE ((size_t)65536)
#define LINKS_MOST 40 /* limit on links to what doesn't exist; more means a loop */

char *ik_path_join(const char *directory, const char *name)
{
	if (name[0] == '/' || directory[0] == '\0')
		return ik_strdup(name);
	return ik_format("%s%s%s", directory, ik_text_ends(directory, "/") ? "" : "/", name);
}

char *ik_path_expand(const char *path, const char *home)
{
	if (!home || path[0] != '~' || (path[1] != '/' && path[1] != '\0'))
		return ik_strdup(path);
	return ik_format("%s%s", home, path + 1);
}

char *ik_path_shorten(const char *path, const char *home)
{
	if (!home || home[0] != '/' || strcmp(home, "/") == 0 || !ik_path_below(path, home))
		return ik_strdup(path);
	return ik_format("~%s", path + strlen(home));
}

char *ik_path_canonical(const char *path)
{
	char *resolved = realpath(path, NULL), *parent, *slash, *whole;

	if (resolved || strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
		return resolved ? resolved : ik_strdup(path);
	parent = strchr(path, '/') ? ik_strdup(path) : ik_format("./%s", path);
	slash = strrchr(parent, '/');
	*slash = '\0';
	if (slash[1] == '\0' || strcmp(slash + 1, ".") == 0) {
		whole = ik_path_canonical(parent[0] != '\0' ? parent : "/");
	} else {
		resolved = ik_path_canonical(parent[0] != '\0' ? parent : "/");
		whole = ik_path_join(resolved, slash + 1);
		free(resolved);
	}
	free(parent);
	return whole;
}

const char *ik_path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *ik_path_directory(const char *path)
{
	size_t length = (size_t)(ik_path_base(path) - path);

	return length == 0 ? ik_strdup(".") : ik_strndup(path, length > 1 ? length - 1 : length);
}

/* Resolve a path, following at most links links to what doesn't exist. */
static char *resolve(const char *path, int links)
{
	char *place, *directory, *leads, *target;
	const char *name = ik_path_base(path);

	if (strlen(path) >= PATH_MAX || links == 0)
		return NULL;
	place = realpath(path, NULL);
	if (place || (errno != ENOENT && errno != ENOTDIR))
		return place;
	/* The name, the target of a link or a parent directory doesn't exist. */
	leads = ik_path_directory(path);
	/* The directory of "." is itself: the current directory was removed. */
	directory = ik_text_equal(leads, path) ? NULL : resolve(leads, links);
	free(leads);
	if (!directory || ik_text_equal(name, "") || ik_text_equal(name, "."))
		return directory;
	if (ik_text_equal(name, "..")) {
		place = ik_path_directory(directory);
		free(directory);
		return place;
	}
	place = ik_path_join(directory, name);
	target = ik_alloc(PATH_MAX); /* not on the stack, because there is one per directory of the
	                                path */
	if (readlink(place, target, PATH_MAX - 1) >= 0) {
		free(place);
		leads = ik_path_join(directory, target);
		place = resolve(leads, links - 1);
		free(leads);
	}
	free(target);
	free(directory);
	return place;
}

char *ik_path_resolve(const char *path)
{
	return resolve(path, LINKS_MOST);
}

char *ik_path_follow(const char *path)
{
	char target[PATH_MAX], *directory, *next;
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return NULL;
	target[length] = '\0';
	directory = ik_strndup(path, (size_t)(ik_path_base(path) - path));
	next = ik_path_join(directory, target);
	free(directory);
	return next;
}

/* Make a directory unless it exists. Return 0 or errno. */
static int make_one(const char *directory, mode_t mode)
{
	struct stat status;
	int number;

	if (mkdir(directory, mode) == 0)
		return 0;
	number = errno;
	/* On a read-only or foreign file system, a parent may give an error other than EEXIST. */
	if (stat(directory, &status) == 0)
		return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
	return number;
}

/* Open component by component, if the kernel lacks openat2(2) or a container forbids it. */
static int open_name_by_name(const char *path, int flags)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	while (fd >= 0 && *(path += strspn(path, "/")) != '\0') {
		size_t length = strcspn(path, "/");
		char name[NAME_MAX + 1] = "";
		struct stat status;
		int next, number;

		memcpy(name, path, length < sizeof(name) ? length : 0); /* "": ENOENT */
		next = openat(fd, name,
			O_PATH | O_NOFOLLOW | O_CLOEXEC | (path[length] == '/' ? O_DIRECTORY : flags));
		number = errno;
		if (next < 0 && number == ENOTDIR && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISLNK(status.st_mode))
			number = ELOOP;
		(void)close(fd);
		errno = number;
		fd = next;
		path += length;
	}
	return fd;
}

int ik_path_open(const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_name_by_name(path, flags);
	return (int)fd;
}

const char *ik_path_temporary(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && directory[0] == '/' ? directory : "/tmp";
}

enum ik_status ik_path_make(const char *directory, mode_t mode, struct ik_error *error)
{
	char *path = ik_strdup(directory);
	enum ik_status status = IK_OK;
	int number = 0;

	for (char *slash = path; number == 0 && (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		number = make_one(path, mode);
		*slash = '/';
	}
	if (number == 0)
		number = make_one(path, mode);
	if (number != 0)
		status = ik_error_set_errno(error, number, _("cannot make the directory %s"), directory);
	free(path);
	return status;
}

/* Wait until a non-blocking descriptor is ready. */
static bool await(int fd, short events)
{
	struct pollfd ready = { .fd = fd, .events = events };

	(void)poll(&ready, 1, -1);
	return true;
}

int ik_read_all(int fd, struct ik_buf *buf, size_t expected)
{
	bool wait = expected == 0;

	for (;;) {
		size_t room = buf->ceiling - buf->length;
		size_t piece = expected > READ_PIECE ? expected : READ_PIECE;
		char probe;
		char *place;
		ssize_t count;

		if (piece > room)
			piece = room;
		/* At the limit, only end of file is acceptable. */
		place = piece ? ik_buf_reserve(buf, piece) : &probe;
		if (!place)
			return 0;
		do {
			count = read(fd, place, piece ? piece : 1);
		} while (count < 0 && (errno == EINTR || (errno == EAGAIN && wait && await(fd, POLLIN))));
		if (count < 0)
			return errno;
		if (count == 0)
			return 0;
		if (!piece) {
			buf->status = IK_TOO_LARGE;
			return 0;
		}
		ik_buf_commit(buf, (size_t)count);
		expected -= expected < (size_t)count ? expected : (size_t)count;
	}
}

enum ik_status ik_file_read(const char *path, struct ik_buf *buf, struct ik_error *error)
{
	size_t before = buf->length;
	enum ik_status result;
	struct stat status;
	int fd, number;

	/* Non-blocking, so that a FIFO with that name can't block the program. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return ik_error_set_errno(error, errno, _("cannot read %s"), path);
	if (fstat(fd, &status) != 0) {
		result = ik_error_set_errno(error, errno, _("cannot read %s"), path);
	} else if (!S_ISREG(status.st_mode)) {
		result = ik_error_set(error, IK_INVALID,
			S_ISDIR(status.st_mode) ? _("cannot read %s: it is a directory")
									: _("cannot read %s: it is no regular file"),
			path);
	} else {
		/* One byte more than its size, so that the first read detects the end of the file. */
		number = ik_read_all(fd, buf, (size_t)status.st_size + 1);
		if (number != 0)
			result = ik_error_set_errno(error, number, _("cannot read %s"), path);
		else
			result = ik_buf_check(buf, path, error);
	}
	close(fd);
	if (result != IK_OK)
		ik_buf_truncate(buf, before);
	return result;
}

/* Make the rename itself survive a power failure, if the file system can sync directories. */
static void sync_directory_of(const char *path)
{
	char *directory = ik_path_directory(path);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(directory);
}

/* Replace a file atomically; if durable, it is on disk afterwards. */
static enum ik_status replace(const char *path, const char *bytes, size_t length, mode_t mode,
	bool durable, struct ik_error *error)
{
	/* Keep a link to a file elsewhere (dotfiles). */
	char *resolved = realpath(path, NULL);
	const char *target = resolved ? resolved : path;
	char *temporary = ik_format("%s.XXXXXX", target);
	enum ik_status status = IK_OK;
	int fd = mkostemp(temporary, O_CLOEXEC);
	int number = 0;

	if (fd < 0) {
		number = errno;
	} else {
		number = ik_write_all(fd, bytes, length);
		if (number == 0 && (fchmod(fd, mode) != 0 || (durable && fsync(fd) != 0)))
			number = errno;
		if (close(fd) != 0 && number == 0)
			number = errno;
		if (number == 0 && rename(temporary, target) != 0)
			number = errno;
		if (number != 0)
			unlink(temporary);
		else if (durable)
			sync_directory_of(target);
	}
	if (number != 0)
		status = ik_error_set_errno(error, number, _("cannot write %s"), path);
	free(temporary);
	free(resolved);
	return status;
}

enum ik_status ik_file_write(const char *path, const char *bytes, size_t length, mode_t mode,
	struct ik_error *error)
{
	return replace(path, bytes, length, mode, true, error);
}

enum ik_status ik_file_write_unsynced(const char *path, const char *bytes, size_t length,
	mode_t mode, struct ik_error *error)
{
	return replace(path, bytes, length, mode, false, error);
}

enum ik_status ik_file_append(const char *path, const char *line, size_t length, bool durable,
	struct ik_error *error)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	int number = fd < 0 ? errno : 0;
	off_t before = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char last;

	if (before > 0 && pread(fd, &last, 1, before - 1) == 1 && last != '\n')
		number = ik_write_all(fd, "\n", 1);
	if (number == 0)
		number = ik_write_all(fd, line, length);
	if (number != 0 && fd >= 0)
		(void)!ftruncate(fd, before);
	if (number == 0 && durable && fsync(fd) != 0)
		number = errno;
	if (fd >= 0)
		close(fd);
	if (number == 0 && durable && before == 0)
		sync_directory_of(path);
	return number == 0 ? IK_OK : ik_error_set_errno(error, number, _("cannot write %s"), path);
}

int ik_write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = write(fd, bytes, length);

		if (count < 0) {
			if (errno == EINTR || (errno == EAGAIN && await(fd, POLLOUT)))
				continue;
			return errno;
		}
		bytes += count;
		length -= (size_t)count;
	}
	return 0;
}

bool ik_path_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (length == 1)
		return true; /* directory is "/" */
	return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool ik_path_within(const char *directory, const char *path)
{
	char *whole = realpath(path, NULL);
	bool within = !whole || ik_path_below(whole, directory);

	free(whole);
	return within;
}
