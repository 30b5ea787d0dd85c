#include "tools/common/open_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Open as many directories of *path as the kernel accepts at once, relative to at; *path is then
 * the rest. */
static int open_beginning(int at, const char **path)
{
	char part[PATH_MAX];
	const char *slash = memrchr(*path, '/', sizeof(part) - 1);

	if (!slash) {
		errno = ENAMETOOLONG;
		return -1;
	}
	size_t length = (size_t)(slash + 1 - *path);
	memcpy(part, *path, length);
	part[length] = '\0';
	*path += length + strspn(*path + length, "/");
	return openat(at, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int ik_open_path(const char *path, int flags)
{
	int at = AT_FDCWD;
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0 || errno != ENAMETOOLONG)
		return fd;
	while (strlen(path) >= PATH_MAX) {
		int next = open_beginning(at, &path);
		int error = errno;

		if (at != AT_FDCWD)
			close(at);
		errno = error;
		if (next < 0)
			return -1;
		at = next;
	}
	fd = openat(at, *path != '\0' ? path : ".", flags | O_CLOEXEC);
	if (at != AT_FDCWD) {
		int error = errno;

		close(at);
		errno = error;
	}
	return fd;
}
