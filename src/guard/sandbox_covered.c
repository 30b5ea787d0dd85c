#include "guard/sandbox_covered.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

/* Is that file known with these rights? */
static bool is_known(const struct ik_sandbox_covered *covered, const struct stat *status,
	enum ik_confine_left left)
{
	for (size_t i = 0; i < covered->count; i++)
		if (covered->items[i].left == left && covered->items[i].device == status->st_dev &&
			covered->items[i].number == status->st_ino)
			return true;
	return false;
}

void ik_sandbox_covered_add(struct ik_sandbox_covered *covered, const char *path,
	enum ik_confine_left left)
{
	struct stat status;
	int fd = covered->count < IK_SANDBOX_COVERED_MOST ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)
													  : -1;

	if (fd < 0)
		return;
	if (fstat(fd, &status) != 0 || is_known(covered, &status, left)) {
		close(fd);
		return;
	}
	covered->items = ik_alloc_array(covered->items, covered->count + 1, sizeof(*covered->items));
	covered->items[covered->count++] = (struct ik_sandbox_covered_item){
		.fd = fd,
		.device = status.st_dev,
		.number = status.st_ino,
		.left = left,
	};
}

char *ik_sandbox_covered_path(const struct ik_sandbox_covered *covered, size_t index)
{
	char name[64], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(covered->items[index].fd, &status) != 0 || status.st_nlink == 0)
		return NULL;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", covered->items[index].fd);
	length = readlink(name, path, sizeof(path));
	return length > 0 && length < (ssize_t)sizeof(path) && path[0] == '/'
		? ik_strndup(path, (size_t)length)
		: NULL;
}

void ik_sandbox_covered_done(struct ik_sandbox_covered *covered)
{
	for (size_t i = 0; i < covered->count; i++)
		close(covered->items[i].fd);
	free(covered->items);
}
