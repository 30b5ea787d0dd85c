#include "tool/load.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Limit on the threads examined, whatever a tool starts. */
enum { THREADS_MOST = 64 };
/* Younger threads may not have had time to run. */
enum { YOUNG_US = 20000 };

int ik_load_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Read the beginning of a file in /proc; "" if it does not exist. */
static void read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, text, size - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
}

/* A thread: its state, and its times in microseconds (-1: unknown). */
struct thread {
	char state;
	int64_t age, ran, delayed;
};

/* Read /proc/PID/task/TID/NAME. */
static void read_task(int pid, int tid, const char *name, char *text, size_t size)
{
	char path[80];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	read_text(path, text, size);
}

/* Return the age of a thread in microseconds; ticks is its start time since boot. */
static int64_t age_of(long long ticks)
{
	struct timespec now;
	int64_t hertz = sysconf(_SC_CLK_TCK);

	if (clock_gettime(CLOCK_BOOTTIME, &now) != 0 || hertz <= 0)
		return 0;
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 - ticks * 1000000 / hertz;
}

/* False: it has ended. */
static bool read_thread(int pid, int tid, struct thread *ret_thread)
{
	char text[1024], *at;
	long long fields[20] = { 0 }, run, delay;
	char state;

	/* "PID (NAME) S ...": the name may hold anything; after the state, fields 4 to 22
	 * (proc_pid_stat(5)): 14 and 15 are ticks of processor, 22 is the start. */
	read_task(pid, tid, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == '\0')
		return false;
	state = at[2];
	at += 3;
	for (int field = 4; field <= 22; field++)
		fields[field - 3] = strtoll(at, &at, 10);
	*ret_thread = (struct thread){
		.state = state,
		.age = age_of(fields[22 - 3]),
		.ran = (fields[14 - 3] + fields[15 - 3]) * 1000000 / sysconf(_SC_CLK_TCK),
	};
	/* "RAN DELAYED SLICES", the first two in nanoseconds (sched-stats.rst of the kernel). */
	read_task(pid, tid, "schedstat", text, sizeof(text));
	run = strtoll(text, &at, 10);
	delay = strtoll(at, &at, 10);
	if (at > text) {
		ret_thread->ran = run / 1000;
		ret_thread->delayed = delay / 1000;
	}
	return true;
}

/* Add a thread to the result. */
static void count_thread(const struct thread *thread, struct ik_process_load *look)
{
	bool running = thread->state == 'R', waiting = thread->state == 'D';

	look->delayed_us += thread->delayed;
	if (running || waiting)
		look->asleep = false;
	/* A thread that has just begun says nothing. */
	if (waiting || (running && thread->age >= YOUNG_US && thread->ran < thread->age / 2))
		look->held_up = true;
}

/* Examine the threads of a process and of its descendants. */
static void look_at(int pid, int *left, struct ik_process_load *look)
{
	char path[40], text[1024], *at, *end;
	struct thread thread;
	struct dirent *entry;
	DIR *stream;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	stream = opendir(path);
	while (stream && *left > 0 && (entry = readdir(stream))) {
		int tid = (int)strtol(entry->d_name, NULL, 10);

		if (tid <= 0 || !read_thread(pid, tid, &thread))
			continue;
		--*left;
		count_thread(&thread, look);
		read_task(pid, tid, "children", text, sizeof(text));
		for (at = text; (tid = (int)strtol(at, &end, 10)) > 0; at = end)
			look_at(tid, left, look);
	}
	if (stream)
		closedir(stream);
}

struct ik_process_load ik_load_of(int pid)
{
	struct ik_process_load look = { .asleep = true };
	int left = THREADS_MOST;

	look_at(pid, &left, &look);
	if (left == THREADS_MOST)
		look.asleep = false;
	return look;
}
