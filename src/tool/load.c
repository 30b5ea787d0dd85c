#include "tool/load.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/proc_stat.h"

/* Limit on the threads examined, whatever a tool starts. */
enum { THREADS_MOST = 64 };

int ik_load_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Read the beginning of /proc/PID/task/TID/NAME; "" if it does not exist. */
static void read_task(int pid, int tid, const char *name, char *text, size_t size)
{
	char path[80];
	ssize_t length = 0;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, size - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
}

/* Add a thread to the result; false: it has ended. */
static bool count_thread(int pid, int tid, struct ik_process_load *look)
{
	struct ik_proc_stat stat;
	char text[1024], *at;
	long long ran, delayed;

	(void)snprintf(text, sizeof(text), "/proc/%d/task/%d/stat", pid, tid);
	if (!ik_proc_stat(AT_FDCWD, text, &stat))
		return false;
	/* "RAN DELAYED SLICES", the first two in nanoseconds (sched-stats.rst of the kernel). */
	read_task(pid, tid, "schedstat", text, sizeof(text));
	ran = strtoll(text, &at, 10);
	delayed = strtoll(at, &at, 10);
	look->delayed_us += delayed / 1000;
	look->held_up = look->held_up || stat.state == 'D' || (stat.state == 'R' && delayed > ran);
	return true;
}

/* Examine the threads of a process and of its descendants. */
static void look_at(int pid, int *left, struct ik_process_load *look)
{
	char path[40], text[1024], *at, *end;
	struct dirent *entry;
	DIR *stream;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	stream = opendir(path);
	while (stream && *left > 0 && (entry = readdir(stream))) {
		int tid = (int)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || !count_thread(pid, tid, look))
			continue;
		--*left;
		read_task(pid, tid, "children", text, sizeof(text));
		for (at = text; (tid = (int)strtol(at, &end, 10)) > 0; at = end)
			look_at(tid, left, look);
	}
	if (stream)
		closedir(stream);
}

struct ik_process_load ik_load_of(int pid)
{
	struct ik_process_load look = { .held_up = false };
	int left = THREADS_MOST;

	look_at(pid, &left, &look);
	return look;
}
