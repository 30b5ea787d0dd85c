/*
 * loop_turns: a library to preload, which measures the turns of a libevent loop.
 *
 * A turn is the time between two waits (epoll_wait).  Each turn that took more CPU than all
 * before it is a line of $IK_BENCH_TURNS: CPU and wall milliseconds, and when it ended.
 * The time before the first wait doesn't count.  SIGUSR2 starts over, to find the longest
 * turn of a part of a run.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

typedef int wait_function(int fd, struct epoll_event *events, int most, int timeout);

static volatile sig_atomic_t longest_us;

static double clock_read_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

static void begin_anew(int number)
{
	(void)number;
	longest_us = 0;
}

/* Write a line where this turn was the longest. */
static void take_turn(double cpu, double wall)
{
	char line[100];
	int fd, length;

	if (cpu * 1000 <= (double)longest_us)
		return;
	longest_us = (sig_atomic_t)(cpu * 1000);
	fd = open(getenv("IK_BENCH_TURNS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	length = snprintf(line, sizeof(line), "%.3f %.3f %.0f\n", cpu, wall,
		clock_read_ms(CLOCK_MONOTONIC));
	if (write(fd, line, (size_t)length) < 0)
		longest_us = 0;
	close(fd);
}

int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
	static wait_function *real;
	static double cpu, wall;
	int count;

	if (real == NULL) {
		void *found = dlsym(RTLD_NEXT, "epoll_wait");

		memcpy(&real, &found, sizeof(real));
		signal(SIGUSR2, begin_anew);
	} else if (wall > 0 && getenv("IK_BENCH_TURNS") != NULL) {
		take_turn(clock_read_ms(CLOCK_THREAD_CPUTIME_ID) - cpu,
			clock_read_ms(CLOCK_MONOTONIC) - wall);
	}
	count = real(fd, events, most, timeout);
	cpu = clock_read_ms(CLOCK_THREAD_CPUTIME_ID);
	wall = clock_read_ms(CLOCK_MONOTONIC);
	return count;
}
