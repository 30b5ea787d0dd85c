#include "loop/killer.h"

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

#include "loop/children.h"
#include "loop/spawn.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/proc_stat.h"

/* Calls of one turn follow each other faster than this. */
#define REST_MS 1000
/* Each run draws one of 2^RANGE_BITS ranges within its own. */
#define RANGE_BITS 30
/* A killer that dies this often would always do so. */
enum { MOST_DEATHS = 100 };
/* How long the killer tries: only processes that hang in the kernel take more than an instant. */
#define KILL_MS 10000
#define PAUSE_NS (10 * 1000 * 1000)

struct killer {
	struct ik_loop *loop;
	const char *program;        /* NULL: not enabled */
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
	struct killer *killer = arg;

	killer->process = ik_process_close(killer->process); /* reaps it; child_ended() follows */
	killer->lost = true;
	if (++killer->deaths == MOST_DEATHS)
		killer->usable = false;
}

/* No process was started for a while. */
static void end(void *arg)
{
	struct killer *killer = arg;

	killer->process = ik_process_close(killer->process);
}

static void *make_killer(struct ik_loop *loop)
{
	struct killer *killer = ik_alloc(sizeof(*killer));

	(void)ik_children_count(loop); /* attached before this, so released after it */
	killer->loop = loop;
	killer->rest = ik_timer_new(loop, end, killer);
	return killer;
}

static void release_killer(void *object)
{
	struct killer *killer = object;

	killer->process = ik_process_close(killer->process);
	killer->rest = ik_timer_close(killer->rest);
	free(killer);
}

static struct killer *killer_of(struct ik_loop *loop)
{
	return ik_loop_attached(loop, make_killer, release_killer);
}

/* Start it. 0 or an errno value. */
static int start(struct killer *killer, pid_t *ret_pid)
{
	/* Variables that libraries and sanitizers need; never a key. */
	static const char *const wanted[] = {
		"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "LSAN_OPTIONS=", "UBSAN_OPTIONS=", "TMPDIR="
	};
	const char **environment = ik_spawn_environment(wanted, sizeof(wanted) / sizeof(wanted[0]));
	char parent[24], low[24], high[24];
	const char *const argv[] = { "ik-killer", IK_KILLER_OPTION, parent, low, high, NULL };
	struct ik_spawn spawn = {
		.path = killer->program,
		.argv = argv,
		.environment = environment,
		.directory = "/",
		.memory_limit = RLIM_INFINITY,
		.descriptor_limit = RLIM_INFINITY,
		.outlives = true,
	};
	const int fd = ik_spawn_above_streams(open("/dev/null", O_RDWR | O_CLOEXEC));
	enum ik_spawn_step step;
	int number = errno;

	(void)snprintf(parent, sizeof(parent), "%d", (int)getpid());
	(void)snprintf(low, sizeof(low), "%llu", (unsigned long long)killer->mark.rlim_cur);
	(void)snprintf(high, sizeof(high), "%llu", (unsigned long long)killer->mark.rlim_max);
	for (int i = 0; i < 3; i++)
		spawn.streams[i] = fd;
	if (fd >= 0) {
		number = ik_spawn(&spawn, ret_pid, &step);
		close(fd);
	}
	free(environment);
	return number;
}

/* Make sure that it runs. Return false if that is impossible. */
static bool ensure_running(struct killer *killer)
{
	pid_t pid;
	int number;

	if (!killer->usable)
		return false;
	ik_timer_stop(killer->rest);
	/* The loop may not have noticed its end yet. */
	if (killer->process && ik_process_ended(killer->process))
		ended(killer);
	if (!killer->process) {
		number = start(killer, &pid);
		if (number != 0) {
			ik_log(IK_LOG_ERROR, "killer: %s", strerror(number));
			/* A lack of memory or descriptors is temporary. */
			killer->usable = number == EAGAIN || number == ENOMEM || number == EMFILE ||
				number == ENFILE;
			return false;
		}
		killer->process = ik_process_new(killer->loop, pid, ended, killer);
		killer->lost = false;
	}
	return true;
}

/* A child has ended: rest if nothing is left, or replace a killer that has died. */
static void child_ended(void *arg)
{
	struct killer *killer = arg;
	size_t own = killer->process ? 1 : 0;

	if (ik_children_orphans(killer->loop) > 0 || ik_children_count(killer->loop) > own) {
		if (killer->lost)
			(void)ensure_running(killer);
		return;
	}
	killer->lost = false;
	if (killer->process && !ik_timer_running(killer->rest))
		ik_timer_start(killer->rest, REST_MS);
}

void ik_killer_enable(struct ik_loop *loop, const char *program)
{
	struct killer *killer = killer_of(loop);

	if (killer->program)
		return;
	killer->program = program;
	killer->usable = draw_mark(&killer->mark);
	ik_children_on_end(loop, child_ended, killer);
}

const struct rlimit *ik_killer_mark(struct ik_loop *loop)
{
	struct killer *killer = killer_of(loop);

	return ensure_running(killer) ? &killer->mark : NULL;
}

/* ---- in the killer ---- */

/* Is its limit within the range? Looks at /proc/PID/limits, which anyone may read; prlimit(2) is
 * refused for a process with another group. */
static bool is_marked(int process, const struct rlimit *mark)
{
	static const char name[] = "Max file locks";

	unsigned long long low, high;
	const int fd = openat(process, "limits", O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *line = strstr(text, name);

	return line && sscanf(line + sizeof(name) - 1, "%llu %llu", &low, &high) == 2 &&
		low >= mark->rlim_cur && high <= mark->rlim_max;
}

/* Kill a process if it has the mark. Return true if it was alive; it may be for another moment. */
static bool kill_marked(int proc, const char *name, const struct rlimit *mark)
{
	const int process = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct ik_proc_stat stat;
	bool alive = false;

	if (process < 0)
		return false;
	if (is_marked(process, mark) && ik_proc_stat(process, "stat", &stat)) {
		/* By its directory, as its pid may have been reused. */
		if (stat.state != 'Z')
			alive = syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) == 0;
		/* The whole group at once: a process that keeps forking would outrun us otherwise. A tool
		 * leads its own session, so the group contains no other process. */
		if (alive && stat.group > 1)
			kill(-stat.group, SIGKILL);
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

int ik_killer_run(char *const arguments[3])
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
	(void)prctl(PR_SET_NAME, "ik-killer");
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
