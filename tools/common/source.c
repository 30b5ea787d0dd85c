#include "tools/common/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/missing_path.h"

#include "util/limits.h"

static void open_failed(const char *path, int number, struct ik_tool_answer *answer)
{
	struct ik_buf hint;

	ik_buf_init(&hint, IK_KIB(64));
	if (number == ENOENT || number == ENOTDIR)
		ik_missing_path(path, &hint);
	else if (number != EACCES)
		ik_buf_puts(&hint, strerror(number));
	if (number == ENOENT)
		ik_answer_error(answer, "FILE_NOT_FOUND", hint.data, "File not found: %s", path);
	else if (number == EACCES)
		ik_answer_error(answer, "PERMISSION_DENIED", NULL, "Permission denied: %s", path);
	else
		ik_answer_error(answer, "OPEN_FAILED", hint.data, "Cannot open file: %s", path);
	ik_buf_done(&hint);
}

void ik_source_read_failed(const char *path, int number, struct ik_tool_answer *answer)
{
	if (number == ENOMEM)
		ik_answer_error(answer, "OUT_OF_MEMORY", NULL, "Out of memory");
	else
		ik_answer_error(answer, "READ_FAILED", strerror(number), "Failed to read file: %s", path);
}

ssize_t ik_source_read(int fd, char *to, size_t size)
{
	ssize_t count;

	do {
		count = read(fd, to, size);
	} while (count < 0 && errno == EINTR);
	return count;
}

off_t ik_source_skip_hole(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR), data = at < 0 ? -1 : lseek(fd, at, SEEK_DATA);

	/* ENXIO: only a hole is left. With any other error, holes are not known, and are read. */
	if (at >= 0 && data < 0)
		data = errno == ENXIO ? lseek(fd, 0, SEEK_END) : lseek(fd, at, SEEK_SET);
	return data > at ? data - at : 0;
}

/* Answer for an open file without a definite size; false if it has one. */
static bool refuse_endless(int fd, const char *path, struct ik_tool_answer *answer)
{
	struct stat status;
	char byte;

	if (fstat(fd, &status) < 0) {
		ik_answer_error(answer, "SIZE_FAILED", strerror(errno), "Cannot get file size: %s", path);
		return true;
	}
	if (S_ISREG(status.st_mode))
		return false;
	if (S_ISDIR(status.st_mode)) {
		ik_answer_error(answer, "READ_FAILED", "It is a directory: glob lists what is in it.",
			"Failed to read file: %s", path);
		return true;
	}
	if (lseek(fd, 0, SEEK_CUR) < 0) {
		ik_answer_error(answer, "SEEK_FAILED", strerror(errno), "Cannot seek file: %s", path);
		return true;
	}
	/* A device such as /dev/null is empty, one such as /dev/zero has no end. */
	if (S_ISCHR(status.st_mode) && ik_source_read(fd, &byte, 1) != 0) {
		ik_answer_error(answer, "SIZE_FAILED", NULL, "Cannot get file size: %s", path);
		return true;
	}
	return false;
}

int ik_source_open(const char *path, struct ik_tool_answer *answer)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0) {
		open_failed(path, errno, answer);
		return -1;
	}
	if (refuse_endless(fd, path, answer)) {
		close(fd);
		return -1;
	}
	return fd;
}
