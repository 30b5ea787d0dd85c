#include "tools/common/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/path.h"

/* Write so many NULs, as a hole where that is possible. 0 or errno. */
static int write_hole(int fd, size_t length)
{
	static const char nuls[IK_KIB(64)];
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (at >= 0 && fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, (off_t)length) == 0)
		return lseek(fd, (off_t)length, SEEK_CUR) < 0 ? errno : 0;
	for (size_t left = length, size; left > 0; left -= size) {
		size = left < sizeof(nuls) ? left : sizeof(nuls);
		int number = ik_write_all(fd, nuls, size);
		if (number != 0)
			return number;
	}
	return 0;
}

/* Write one of the parts at least, without its first done bytes; ret_written is
 * how many bytes that were. 0 or errno. */
static int write_batch(int fd, const struct iovec *parts, size_t count, size_t done,
	size_t *ret_written)
{
	struct iovec batch[IOV_MAX];
	size_t size = 0;

	if (parts->iov_base == NULL) {
		*ret_written = parts->iov_len;
		return write_hole(fd, parts->iov_len);
	}
	while (size < count && size < IOV_MAX && parts[size].iov_base != NULL) {
		batch[size] = parts[size];
		size++;
	}
	batch[0].iov_base = (char *)batch[0].iov_base + done;
	batch[0].iov_len -= done;
	ssize_t written = writev(fd, batch, (int)size);
	if (written < 0 && errno != EINTR)
		return errno;
	*ret_written = written > 0 ? (size_t)written : 0;
	return 0;
}

int ik_parts_write(int fd, const struct iovec *parts, size_t count)
{
	size_t done = 0; /* bytes of the first part that are written */
	bool hole = count > 0 && parts[count - 1].iov_base == NULL;

	while (count > 0) {
		size_t written;
		int number = write_batch(fd, parts, count, done, &written);

		if (number != 0)
			return number;
		done += written;
		while (count > 0 && done >= parts->iov_len) {
			done -= parts->iov_len;
			parts++;
			count--;
		}
	}
	/* A hole at the end does not count by itself. */
	if (hole && ftruncate(fd, lseek(fd, 0, SEEK_CUR)) < 0)
		return errno;
	return 0;
}

char *ik_parts_copy(struct iovec *copies, const struct iovec *parts, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += parts[i].iov_base != NULL ? parts[i].iov_len : 0;
	char *memory = malloc(total > 0 ? total : 1);
	char *at = memory;
	for (size_t i = 0; i < count; i++) {
		copies[i] = parts[i];
		if (memory == NULL || parts[i].iov_base == NULL)
			continue;
		copies[i].iov_base = memcpy(at, parts[i].iov_base, parts[i].iov_len);
		at += parts[i].iov_len;
	}
	return memory;
}
