#include "loop/guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "loop/process.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

/* Calls of one turn follow each other faster than this. */
#define REST_MS 1000
/* Each run draws one of 2^RANGE_BITS ranges within its own. */
#define RANGE_BITS 30
/* A guard that dies this often would always do so. */
enum { MOST_DEATHS = 100 };
/* How long the guard tries: only processes that hang in the kernel take more than an instant. */
#define KILL_MS 10000
#define PAUSE_NS (10 * 1000 * 1000)

struct ik_guard {
	struct ik_loop *loop;
	const char *program;
	struct ik_process *process; /* NULL: not running */
	struct ik_timer *rest;
	struct rlimit mark;
	bool lost; /* it has died and was not replaced yet */
	int deaths;
	bool usable; /* there is a range to draw from, and it could be started */
};

/* ---- in this process ---- */

/* Draw a range. Return false if this process's own is too small. */
static bool draw_mark(struct rlimit *mark)
{
	struct rlimit range;
	uint32_t drawn;
	rlim_t width;

	if (getrlimit(RLIMIT_LOCKS, &range) != 0)
		return false;
	if (range.rlim_cur == RLIM_INFINITY)
		range.rlim_cur = 0;
	if (range.rlim_max == RLIM_INFINITY)
		range.rlim_max = RLIM_INFINITY >> 2;
	width = (range.rlim_max - range.rlim_cur) >> RANGE_BITS;
	if (width == 0 || getrandom(&drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
		return false;
	mark->rlim_cur = range.rlim_cur + (drawn & ((1U << RANGE_BITS) - 1)) * width;
	mark->rlim_max = mark->rlim_cur + width - 1;
	return true;
}

/* It died by itself or was killed. */
static void ended(void *arg)
{
	struct ik_guard *guard = arg;

	guard->process = ik_process_close(guard->process); /* reaps it; ik_guard_renew() follows */
	guard->lost = true;
	if (++guard->deaths == MOST_DEATHS)
		guard->usable = false;
}

/* No process was started for a while. */
static void end(void *arg)
{
	struct ik_guard *guard = arg;

	guard->process = ik_process_close(guard->process);
}

struct ik_guard *ik_guard_new(struct ik_loop *loop, const char *program)
{
	struct ik_guard *guard = ik_alloc(sizeof(*guard));

	guard->loop = loop;
	guard->program = program;
	guard->rest = ik_timer_new(loop, end, guard);
	guard->usable = draw_mark(&guard->mark);
	return guard;
}

struct ik_guard *ik_guard_close(struct ik_guard *guard)
{
	if (!guard)
		return NULL;
	guard->process = ik_process_close(guard->process);
	guard->rest = ik_timer_close(guard->rest);
	free(guard);
	return NULL;
}

/* Start it. 0 or an errno value. */
static int start(struct ik_guard *guard, pid_t *ret_pid)
{
	const char **environment = ik_spawn_helper_environment();
	char name[] = "ik-guard", option[] = IK_GUARD_OPTION, parent[24], low[24], high[24];
	char *argv[] = { name, option, parent, low, high, NULL };
	struct ik_spawn spawn = {
		.path = guard->program,
		.argv = argv,
		.environment = (char *const *)(uintptr_t)environment,
		.directory = "/",
		.memory_limit = RLIM_INFINITY,
		.descriptor_limit = RLIM_INFINITY,
		.outlives = true,
	};
	const int fd = ik_spawn_above_streams(open("/dev/null", O_RDWR | O_CLOEXEC));
	enum ik_spawn_step step;
	int number = errno;

	(void)snprintf(parent, sizeof(parent), "%d", (int)getpid());
	(void)snprintf(low, sizeof(low), "%llu", (unsigned long long)guard->mark.rlim_cur);
	(void)snprintf(high, sizeof(high), "%llu", (unsigned long long)guard->mark.rlim_max);
	for (int i = 0; i < 3; i++)
		spawn.streams[i] = fd;
	if (fd >= 0) {
		number = ik_spawn(&spawn, ret_pid, &step);
		close(fd);
	}
	free(environment);
	return number;
}

const struct rlimit *ik_guard_mark(struct ik_guard *guard)
{
	pid_t pid;
	int number;

	if (!guard || !guard->usable)
		return NULL;
	ik_timer_stop(guard->rest);
	/* The loop may not have noticed its end yet. */
	if (guard->process && ik_process_ended(guard->process))
		ended(guard);
	if (!guard->process) {
		number = start(guard, &pid);
		if (number != 0) {
			ik_log(IK_LOG_ERROR, "guard: %s", strerror(number));
			/* A lack of memory or descriptors is temporary. */
			guard->usable = number == EAGAIN || number == ENOMEM || number == EMFILE ||
				number == ENFILE;
			return NULL;
		}
		guard->process = ik_process_new(guard->loop, pid, ended, guard);
		guard->lost = false;
	}
	return &guard->mark;
}

size_t ik_guard_count(const struct ik_guard *guard)
{
	return guard && guard->process ? 1 : 0;
}

void ik_guard_renew(struct ik_guard *guard)
{
	if (guard && guard->lost)
		(void)ik_guard_mark(guard);
}

void ik_guard_rest(struct ik_guard *guard)
{
	if (guard)
		guard->lost = false;
	if (ik_guard_count(guard) > 0 && !ik_timer_running(guard->rest))
		ik_timer_start(guard->rest, REST_MS);
}

/* ---- in the guard ---- */

/* Read a file of a process into text, as much as fits. */
static bool read_entry(int process, const char *name, char *text, size_t size)
{
	const int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
	ssize_t length = -1;

	if (fd >= 0) {
		length = read(fd, text, size - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* Is its limit within the range? Looks at /proc/PID/limits, which anyone may read; prlimit(2) is
 * refused for a process with another group. */
static bool is_marked(int process, const struct rlimit *mark)
{
	static const char name[] = "Max file locks";

	unsigned long long low, high;
	char text[4096];
	const char *line;

	if (!read_entry(process, "limits", text, sizeof(text)))
		return false;
	line = strstr(text, name);
	return line && sscanf(line + sizeof(name) - 1, "%llu %llu", &low, &high) == 2 &&
		low >= mark->rlim_cur && high <= mark->rlim_max;
}

/* Kill the process whose directory in /proc is open, even if its pid has been reused; before Linux
 * 5.1 by pid. */
static bool kill_process(int process, const char *name)
{
#ifdef SYS_pidfd_send_signal
	if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) == 0)
		return true;
	if (errno != ENOSYS)
		return false;
#endif
	return kill((pid_t)strtol(name, NULL, 10), SIGKILL) == 0;
}

/* Kill a process if it has the mark. Return true if it was alive; it may be for another moment. */
static bool kill_marked(int proc, const char *name, const struct rlimit *mark)
{
	const int process = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char text[4096], state = 'Z';
	const char *rest;
	bool alive = false;
	int group = 0;

	if (process < 0)
		return false;
	if (is_marked(process, mark) && read_entry(process, "stat", text, sizeof(text))) {
		/* The name before it may contain anything. */
		rest = strrchr(text, ')');
		if (rest && sscanf(rest + 1, " %c %*d %d", &state, &group) == 2 && state != 'Z' &&
			state != 'X')
			alive = kill_process(process, name);
		/* The whole group at once: a process that keeps forking would outrun us otherwise. A tool
		 * leads a session of its own, so the group contains nobody else. */
		if (alive && group > 1)
			kill(-group, SIGKILL);
	}
	close(process);
	return alive;
}

/* Kill all that have the mark. Return true if there was one. */
static bool kill_all(const struct rlimit *mark)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	bool any = false;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
			kill_marked(dirfd(directory), entry->d_name, mark))
			any = true;
	if (directory)
		closedir(directory);
	return any;
}

int ik_guard_run(char *const arguments[3])
{
	const struct timespec pause = { 0, PAUSE_NS };
	const pid_t parent = (pid_t)strtol(arguments[0], NULL, 10);
	const struct rlimit mark = {
		strtoull(arguments[1], NULL, 10),
		strtoull(arguments[2], NULL, 10),
	};
	sigset_t set;
	int64_t end_ms;
	int number;

	/* So that killall(1) with our name does not hit it. */
	(void)prctl(PR_SET_NAME, "ik-guard");
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		return 1;
	/* Ignore a signal that someone else sent. */
	while (getppid() == parent)
		(void)sigwait(&set, &number);
	end_ms = ik_clock_ms() + KILL_MS;
	while (kill_all(&mark) && ik_clock_ms() < end_ms)
		nanosleep(&pause, NULL);
	return 0;
}
