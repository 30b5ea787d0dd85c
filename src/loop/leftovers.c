#include "loop/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop/process.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"

/* From SIGTERM to SIGKILL. */
#define KILL_AFTER_MS 2000
/* No one reads a longer command. */
#define COMMAND_LENGTH IK_KIB(4)
/* The kernel's own limit depends on the stack size. */
#define ENVIRONMENT_LENGTH IK_MIB(8)

/* How often, and how many times, to check whether all have stopped. */
#define LOOK_AFTER_MS 2
#define MOST_LOOKS 250

enum leftovers_stage {
	STOPPING, /* was sent SIGSTOP */
	STOPPED,  /* cannot start anything any more; its children are noted */
	TOLD      /* was sent SIGTERM and SIGCONT */
};

/* A process to be ended, with its start time, because pids are reused. */
struct ending {
	pid_t pid;
	uint64_t start;
	enum leftovers_stage stage;
	bool last; /* was sent SIGTERM before: SIGKILL comes next */
};

struct leftovers {
	struct ik_timer *look, *kill;
	struct ending *endings;
	size_t count, capacity;
	int looks;
};

/* Append the beginning of a file in /proc/PID. */
static void read_file(pid_t pid, const char *name, struct ik_buf *out)
{
	char path[64];
	ssize_t length = 0;
	char *place;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	do {
		size_t room = out->ceiling - out->length;

		if (room > IK_KIB(16))
			room = IK_KIB(16);
		place = room > 0 ? ik_buf_reserve(out, room) : NULL;
		length = place ? read(fd, place, room) : 0;
		if (length > 0)
			ik_buf_commit(out, (size_t)length);
	} while (length > 0);
	close(fd);
}

/* Return the state of a process or thread from its stat file (proc_pid_stat(5)), 'Z' if it is gone
 * or a zombie, and its start time in clock ticks since boot (field 22). */
static char state_of(pid_t pid, const char *name, uint64_t *ret_start)
{
	struct ik_buf line;

	unsigned long long start = 0;
	const char *at;
	char state = 'Z';

	ik_buf_init(&line, IK_KIB(4));
	read_file(pid, name, &line);
	at = strrchr(line.data, ')'); /* the name before it may contain anything */
	if (at &&
		sscanf(at + 1,
			" %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
			" %*s %*s %*s %*s %llu",
			&state, &start) != 2)
		state = 'Z';
	ik_buf_done(&line);
	*ret_start = start;
	return state == 'X' ? 'Z' : state;
}

/* Return the start time of a process; 0 if it is gone or a zombie. */
static uint64_t start_of(pid_t pid)
{
	uint64_t start;

	return state_of(pid, "stat", &start) == 'Z' ? 0 : start;
}

/* Return its arguments, or its name in parentheses if it has none. */
static char *command_of(pid_t pid)
{
	struct ik_buf text;

	ik_buf_init(&text, COMMAND_LENGTH);
	read_file(pid, "cmdline", &text);
	while (text.length > 0 && text.data[text.length - 1] == '\0')
		ik_buf_truncate(&text, text.length - 1);
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < 0x20)
			text.data[i] = ' '; /* keep it on one line */
	if (text.length == 0) {
		ik_buf_putc(&text, '(');
		read_file(pid, "comm", &text);
		if (text.data[text.length - 1] == '\n')
			ik_buf_truncate(&text, text.length - 1);
		ik_buf_putc(&text, ')');
	}
	return ik_buf_take(&text, NULL);
}

/* Return the call id from its environment, or NULL. */
static char *call_of(pid_t pid)
{
	static const char prefix[] = IK_CALL_VARIABLE "=";
	struct ik_buf environment;
	const char *at, *end;
	char *call = NULL;

	ik_buf_init(&environment, ENVIRONMENT_LENGTH);
	read_file(pid, "environ", &environment);
	end = environment.data + environment.length;
	for (at = environment.data; !call && at < end; at += strlen(at) + 1)
		if (strncmp(at, prefix, sizeof(prefix) - 1) == 0)
			call = ik_strdup(at + sizeof(prefix) - 1);
	ik_buf_done(&environment);
	return call;
}

static int compare_running(const void *left, const void *right)
{
	const struct ik_leftover *one = left, *other = right;

	return (one->running_ms < other->running_ms) - (one->running_ms > other->running_ms);
}

struct ik_leftover *ik_leftovers_list(struct ik_loop *loop, size_t *ret_count)
{
	size_t adopted = 0, count = 0;
	pid_t *pids = ik_processes_orphans(loop, &adopted);
	struct ik_leftover *list = ik_alloc_array(NULL, adopted + 1, sizeof(*list));
	const int64_t ticks = sysconf(_SC_CLK_TCK);
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	for (size_t i = 0; i < adopted; i++) {
		const int64_t start = (int64_t)start_of(pids[i]);

		if (start == 0)
			continue;
		list[count++] = (struct ik_leftover){
			.pid = pids[i],
			.running_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000 - start * 1000 / ticks,
			.command = command_of(pids[i]),
			.call = call_of(pids[i]),
		};
	}
	free(pids);
	qsort(list, count, sizeof(*list), compare_running);
	*ret_count = count;
	return list;
}

struct ik_leftover *ik_leftovers_free(struct ik_leftover *leftovers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(leftovers[i].command);
		free(leftovers[i].call);
	}
	free(leftovers);
	return NULL;
}

/* Is it still the same process? */
static bool is_here(const struct ending *ending)
{
	return ending->start != 0 && start_of(ending->pid) == ending->start;
}

/* Stop a process that is to be ended, unless that has started already. */
static void stop(struct leftovers *leftovers, pid_t pid, bool last)
{
	const struct ending ending = { .pid = pid, .start = start_of(pid), .last = last };

	for (size_t i = 0; i < leftovers->count; i++)
		if (leftovers->endings[i].pid == pid && leftovers->endings[i].start == ending.start &&
			leftovers->endings[i].stage != TOLD)
			return;
	if (ending.start == 0)
		return;
	if (leftovers->count == leftovers->capacity) {
		leftovers->capacity = leftovers->capacity > 0 ? 2 * leftovers->capacity : 16;
		leftovers->endings = ik_alloc_array(leftovers->endings, leftovers->capacity,
			sizeof(*leftovers->endings));
	}
	leftovers->endings[leftovers->count++] = ending;
	kill(pid, SIGSTOP);
}

/* Call fn with the directory of each thread, relative to that of the process. */
static void each_thread(pid_t pid, void (*fn)(void *arg, pid_t pid, const char *thread), void *arg)
{
	char path[64];
	DIR *tasks;
	struct dirent *task;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks))) {
		if (!isdigit((unsigned char)task->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "task/%.20s", task->d_name);
		fn(arg, pid, path);
	}
	if (tasks)
		closedir(tasks);
}

static void look_at_thread(void *arg, pid_t pid, const char *thread)
{
	char path[80];
	uint64_t start;

	snprintf(path, sizeof(path), "%s/stat", thread);
	if (!strchr("TtZ", state_of(pid, path, &start)))
		*(bool *)arg = false;
}

/* SIGSTOP may arrive during a fork(2), which is completed first and leaves a child. */
static bool has_stopped(pid_t pid)
{
	bool stopped = true;

	each_thread(pid, look_at_thread, &stopped);
	return stopped;
}

struct parent {
	struct leftovers *leftovers;
	bool last;
};

/* Stop the children of a thread. */
static void stop_children(void *arg, pid_t pid, const char *thread)
{
	const struct parent *parent = arg;
	struct ik_buf pids;
	char path[80], *at, *end;
	long child;

	ik_buf_init(&pids, IK_MIB(1));
	snprintf(path, sizeof(path), "%s/children", thread);
	read_file(pid, path, &pids);
	for (at = pids.data; (child = strtol(at, &end, 10)) > 0; at = end)
		stop(parent->leftovers, (pid_t)child, parent->last);
	ik_buf_done(&pids);
}

/* All that are to end are known and stopped: send the signals. */
static void tell(struct leftovers *leftovers)
{
	size_t kept = 0;

	for (size_t i = 0; i < leftovers->count; i++) {
		struct ending ending = leftovers->endings[i];

		if (!is_here(&ending))
			continue;
		if (ending.stage != TOLD && ending.last) {
			kill(ending.pid, SIGKILL);
			continue;
		}
		if (ending.stage != TOLD) {
			kill(ending.pid, SIGTERM);
			kill(ending.pid, SIGCONT);
			ik_timer_start(leftovers->kill, KILL_AFTER_MS);
		}
		ending.stage = TOLD;
		leftovers->endings[kept++] = ending;
	}
	leftovers->count = kept;
	leftovers->looks = 0;
}

/* Stop the children of those that have stopped, and so on; then signal all of them. A process that
 * does not stop in time, for example inside the kernel, is signalled with the children found so
 * far. */
static void look(void *arg)
{
	struct leftovers *leftovers = arg;
	bool waiting = false;

	for (size_t i = 0; i < leftovers->count; i++) {
		const struct ending ending = leftovers->endings[i];
		struct parent parent = { leftovers, ending.last };

		if (ending.stage != STOPPING)
			continue;
		if (leftovers->looks < MOST_LOOKS && is_here(&ending) && !has_stopped(ending.pid)) {
			waiting = true;
			continue;
		}
		leftovers->endings[i].stage = STOPPED;
		each_thread(ending.pid, stop_children, &parent);
	}
	leftovers->looks++;
	if (waiting)
		ik_timer_start(leftovers->look, LOOK_AFTER_MS);
	else
		tell(leftovers);
}

/* Two seconds have passed. Processes that ignore SIGTERM may have started more since then. */
static void kill_rest(void *arg)
{
	struct leftovers *leftovers = arg;

	for (size_t i = 0; i < leftovers->count; i++) {
		struct ending *ending = &leftovers->endings[i];

		if (ending->stage != TOLD || !is_here(ending))
			continue;
		ending->stage = STOPPING;
		ending->last = true;
		kill(ending->pid, SIGSTOP);
	}
	look(leftovers);
}

static void *make_leftovers(struct ik_loop *loop)
{
	struct leftovers *leftovers = ik_alloc(sizeof(*leftovers));

	leftovers->look = ik_timer_new(loop, look, leftovers);
	leftovers->kill = ik_timer_new(loop, kill_rest, leftovers);
	return leftovers;
}

static void release_leftovers(void *object)
{
	struct leftovers *leftovers = object;

	tell(leftovers); /* leave nothing stopped */
	ik_timer_close(leftovers->look);
	ik_timer_close(leftovers->kill);
	free(leftovers->endings);
	free(leftovers);
}

bool ik_leftover_end(struct ik_loop *loop, int pid)
{
	struct leftovers *leftovers;
	size_t adopted = 0;
	pid_t *pids = ik_processes_orphans(loop, &adopted);
	bool found = false;

	for (size_t i = 0; i < adopted; i++)
		found = found || (pids[i] == pid && start_of(pids[i]) != 0);
	free(pids);
	if (!found)
		return false;
	leftovers = ik_loop_attached(loop, make_leftovers, release_leftovers);
	stop(leftovers, pid, false);
	look(leftovers);
	return true;
}
