#include "loop/orphans.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop/children.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/proc_stat.h"

/* From SIGTERM to SIGKILL. */
#define KILL_AFTER_MS 2000
/* No one reads a longer command. */
#define COMMAND_LENGTH IK_KIB(4)
/* The kernel's own limit depends on the stack size. */
#define ENVIRONMENT_LENGTH IK_MIB(8)

/* Limit on the wait for processes that are being stopped, at each of the two signals, and the
 * interval of looks at them. */
#define STOP_MS 1000
#define LOOK_MS 1

/* A process to be ended, with its start time, because pids are reused. */
struct ending {
	pid_t pid;
	uint64_t start;
	bool told; /* it was sent a signal, or is gone */
};

struct endings {
	struct ik_timer *look; /* at those that are being stopped */
	struct ik_timer *kill; /* runs until those that are left get SIGKILL */
	int64_t until_ms;      /* when to signal them even if they haven't stopped */
	int number;            /* the signal */
	struct ending *list;
	size_t count;
};

/* Append the beginning of a file. */
static void read_file(int directory, const char *path, struct ik_buf *out)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!ik_read_all(fd, out, 1);
	close(fd);
}

/* The same for a file in /proc/PID. */
static void read_file_of(pid_t pid, const char *name, struct ik_buf *out)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	read_file(AT_FDCWD, path, out);
}

/* Return the start time of a process; 0 if it is gone or a zombie. */
static uint64_t start_of(pid_t pid)
{
	struct ik_proc_stat stat;

	return ik_proc_stat_of(pid, &stat) && stat.state != 'Z' ? stat.start : 0;
}

/* Return its arguments, or its name in parentheses if it has none. */
static char *command_of(pid_t pid)
{
	struct ik_buf text;

	ik_buf_init(&text, COMMAND_LENGTH);
	read_file_of(pid, "cmdline", &text);
	while (text.length > 0 && text.data[text.length - 1] == '\0')
		ik_buf_truncate(&text, text.length - 1);
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < 0x20)
			text.data[i] = ' '; /* keep it on one line */
	if (text.length == 0) {
		ik_buf_putc(&text, '(');
		read_file_of(pid, "comm", &text);
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
	read_file_of(pid, "environ", &environment);
	end = environment.data + environment.length;
	for (at = environment.data; !call && at < end; at += strlen(at) + 1)
		if (strncmp(at, prefix, sizeof(prefix) - 1) == 0)
			call = ik_strdup(at + sizeof(prefix) - 1);
	ik_buf_done(&environment);
	return call;
}

static int compare_running(const void *left, const void *right)
{
	const struct ik_orphan *one = left, *other = right;

	return (one->running_ms < other->running_ms) - (one->running_ms > other->running_ms);
}

struct ik_orphan *ik_orphans_list(struct ik_loop *loop, size_t *ret_count)
{
	size_t adopted = 0, count = 0;
	pid_t *pids = ik_children_list_orphans(loop, &adopted);
	struct ik_orphan *list = ik_alloc_array(NULL, adopted + 1, sizeof(*list));
	const int64_t ticks = sysconf(_SC_CLK_TCK);
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	for (size_t i = 0; i < adopted; i++) {
		const int64_t start = (int64_t)start_of(pids[i]);

		if (start == 0)
			continue;
		list[count++] = (struct ik_orphan){
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

struct ik_orphan *ik_orphans_free(struct ik_orphan *orphans, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(orphans[i].command);
		free(orphans[i].call);
	}
	free(orphans);
	return NULL;
}

/* Is it still the same process? */
static bool is_here(const struct ending *ending)
{
	return ending->start != 0 && start_of(ending->pid) == ending->start;
}

/* Stop a process that will be ended, unless it is being stopped already. */
static void stop(struct endings *endings, pid_t pid)
{
	const struct ending ending = { .pid = pid, .start = start_of(pid) };

	for (size_t i = 0; i < endings->count; i++)
		if (endings->list[i].pid == pid && endings->list[i].start == ending.start &&
			!endings->list[i].told)
			return;
	if (ending.start == 0)
		return;
	endings->list = ik_alloc_more(endings->list, endings->count, sizeof(*endings->list));
	endings->list[endings->count++] = ending;
	kill(pid, SIGSTOP);
}

/* Stop the children of a thread, whose directory is below an open one. Return false if it runs: it
 * may be in a fork(2), which is completed and leaves a child. */
static bool stop_children_of_thread(struct endings *endings, int directory, const char *thread)
{
	char path[40], *at, *end;
	struct ik_proc_stat stat;
	struct ik_buf pids;
	bool stopped;
	long child;

	snprintf(path, sizeof(path), "%.20s/stat", thread);
	stopped = !ik_proc_stat(directory, path, &stat) || strchr("TtZ", stat.state);
	ik_buf_init(&pids, IK_MIB(1));
	snprintf(path, sizeof(path), "%.20s/children", thread);
	read_file(directory, path, &pids);
	for (at = pids.data; (child = strtol(at, &end, 10)) > 0; at = end)
		stop(endings, (pid_t)child);
	ik_buf_done(&pids);
	return stopped;
}

/* Stop the children of a process. Return false if it has a thread that runs. */
static bool stop_children(struct endings *endings, pid_t pid)
{
	char path[40];
	bool stopped = true;
	struct dirent *task;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (task = readdir(tasks)))
		if (isdigit((unsigned char)task->d_name[0]) &&
			!stop_children_of_thread(endings, dirfd(tasks), task->d_name))
			stopped = false;
	if (tasks)
		closedir(tasks);
	return stopped;
}

/* Stop the children of those that were stopped, and theirs, so that nothing can be started any
 * more. Return false if some still run. */
static bool stop_all(struct endings *endings)
{
	bool stopped = true;

	for (size_t i = 0; i < endings->count; i++)
		if (!endings->list[i].told && is_here(&endings->list[i]) &&
			!stop_children(endings, endings->list[i].pid))
			stopped = false;
	return stopped;
}

/* Signal all of them once they have stopped. One that doesn't stop in time, for example inside the
 * kernel, is signalled with the children found so far. */
static void look(void *arg)
{
	struct endings *endings = arg;

	if (!stop_all(endings) && ik_clock_ms() < endings->until_ms) {
		ik_timer_start(endings->look, LOOK_MS);
		return;
	}
	for (size_t i = 0; i < endings->count; i++) {
		struct ending *ending = &endings->list[i];

		if (!ending->told && is_here(ending)) {
			kill(ending->pid, endings->number);
			kill(ending->pid, SIGCONT);
		}
		ending->told = true;
	}
	if (endings->number == SIGTERM)
		ik_timer_start(endings->kill, KILL_AFTER_MS);
	else
		endings->count = 0;
}

static void tell(struct endings *endings, int number)
{
	endings->number = number;
	endings->until_ms = ik_clock_ms() + STOP_MS;
	look(endings);
}

/* Two seconds have passed. Processes that ignore SIGTERM may have started more since then. */
static void kill_rest(void *arg)
{
	struct endings *endings = arg;
	const size_t count = endings->count;

	for (size_t i = 0; i < count; i++)
		if (is_here(&endings->list[i]))
			stop(endings, endings->list[i].pid);
	tell(endings, SIGKILL);
}

static void *make_endings(struct ik_loop *loop)
{
	struct endings *endings = ik_alloc(sizeof(*endings));

	endings->look = ik_timer_new(loop, look, endings);
	endings->kill = ik_timer_new(loop, kill_rest, endings);
	return endings;
}

static void release_endings(void *object)
{
	struct endings *endings = object;

	ik_timer_close(endings->look);
	ik_timer_close(endings->kill);
	free(endings->list);
	free(endings);
}

bool ik_orphan_end(struct ik_loop *loop, int pid)
{
	struct endings *endings = ik_loop_attached(loop, make_endings, release_endings);
	bool found = false;
	size_t adopted = 0;
	pid_t *pids = ik_children_list_orphans(loop, &adopted);

	for (size_t i = 0; i < adopted; i++)
		found = found || (pids[i] == pid && start_of(pid) != 0);
	free(pids);
	if (!found)
		return false;
	ik_timer_stop(endings->kill); /* look() starts it again */
	stop(endings, pid);
	tell(endings, SIGTERM);
	return true;
}
