#include "util/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ik_proc_stat(int directory, const char *path, struct ik_proc_stat *ret_stat)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
	struct ik_proc_stat found;

	unsigned long long start;
	char text[1024];

	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	/* The name in parentheses may contain anything, even parentheses. */
	const char *end = strrchr(text, ')');

	if (!end ||
		sscanf(end + 1,
			" %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			&found.state, &found.parent, &found.group, &start) != 4)
		return false;
	found.start = start;
	if (found.state == 'X')
		found.state = 'Z';
	*ret_stat = found;
	return true;
}

bool ik_proc_stat_of(int64_t pid, struct ik_proc_stat *ret_stat)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	return ik_proc_stat(AT_FDCWD, path, ret_stat);
}
