#include "guard/sandbox_covered.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

/* Is that file held, with so much left? */
static bool is_held(const struct ik_sandbox_covered *held, const struct stat *status,
	enum ik_confine_left left)
{
	for (size_t i = 0; i < held->count; i++)
		if (held->items[i].left == left && held->items[i].device == status->st_dev &&
			held->items[i].number == status->st_ino)
			return true;
	return false;
}

void ik_sandbox_covered_add(struct ik_sandbox_covered *held, const char *path,
	enum ik_confine_left left)
{
	struct stat status;
	int fd = held->count < IK_SANDBOX_COVERED_MOST ? open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)
												   : -1;

	if (fd < 0)
		return;
	if (fstat(fd, &status) != 0 || is_held(held, &status, left)) {
		close(fd);
		return;
	}
	held->items = ik_alloc_array(held->items, held->count + 1, sizeof(*held->items));
	held->items[held->count++] = (struct ik_sandbox_covered_item){
		.fd = fd,
		.device = status.st_dev,
		.number = status.st_ino,
		.left = left,
	};
}

char *ik_sandbox_covered_path(const struct ik_sandbox_covered *held, size_t index)
{
	char name[64], path[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (fstat(held->items[index].fd, &status) != 0 || status.st_nlink == 0)
		return NULL;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", held->items[index].fd);
	length = readlink(name, path, sizeof(path));
	return length > 0 && length < (ssize_t)sizeof(path) && path[0] == '/'
		? ik_strndup(path, (size_t)length)
		: NULL;
}

void ik_sandbox_covered_done(struct ik_sandbox_covered *held)
{
	for (size_t i = 0; i < held->count; i++)
		close(held->items[i].fd);
	free(held->items);
}
