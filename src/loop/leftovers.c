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

#include "loop/children.h"
#include "loop/internal.h"
#include "util/alloc.h"
#include "util/buf.h"
#include "util/limits.h"

/* From SIGTERM to SIGKILL. */
#define KILL_AFTER_MS 2000
/* Nobody reads a longer command. */
#define COMMAND_LENGTH IK_KIB(4)
/* The kernel's own limit is a share of the stack's. */
#define ENVIRONMENT_LENGTH IK_MIB(8)

/* A process that was told to end; with its start, because numbers are used again. */
struct ending {
	pid_t pid;
	uint64_t start;
};

struct ik_leftovers {
	struct ik_timer *timer;
	struct ending *endings;
	size_t count, capacity;
};

/* Append the beginning of a file below /proc/PID. */
static void read_file(pid_t pid, const char *name, struct ik_buf *out)
{
	char path[64];
	ssize_t length = 0;
	char *place;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	do {
		size_t room = out->ceiling - out->length;

		if (room > IK_KIB(16))
			room = IK_KIB(16);
		place = room > 0 ? ik_buf_reserve(out, room) : NULL;
		length = place != NULL ? read(fd, place, room) : 0;
		if (length > 0)
			ik_buf_commit(out, (size_t)length);
	} while (length > 0);
	close(fd);
}

/* When a process was started, in clock ticks after the machine was (proc_pid_stat(5), field
 * 22); 0 when it is gone or a zombie. */
static uint64_t start_of(pid_t pid)
{
	struct ik_buf line;
	unsigned long long start = 0;
	const char *at;
	char state = 'Z';

	ik_buf_init(&line, IK_KIB(4));
	read_file(pid, "stat", &line);
	at = strrchr(line.data, ')'); /* the name before it may hold anything */
	if (at != NULL && sscanf(at + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"
		" %*s %*s %*s %*s %llu", &state, &start) != 2)
		start = 0;
	ik_buf_done(&line);
	return state == 'Z' ? 0 : start;
}

/* Its arguments, or its name in parentheses when it has none. */
static char *command_of(pid_t pid)
{
	struct ik_buf text;

	ik_buf_init(&text, COMMAND_LENGTH);
	read_file(pid, "cmdline", &text);
	while (text.length > 0 && text.data[text.length - 1] == '\0')
		ik_buf_truncate(&text, text.length - 1);
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.data[i] < 0x20)
			text.data[i] = ' '; /* one line */
	if (text.length == 0) {
		ik_buf_putc(&text, '(');
		read_file(pid, "comm", &text);
		if (text.data[text.length - 1] == '\n')
			ik_buf_truncate(&text, text.length - 1);
		ik_buf_putc(&text, ')');
	}
	return ik_buf_take(&text, NULL);
}

/* The call that its environment names, or NULL. */
static char *call_of(pid_t pid)
{
	static const char prefix[] = IK_CALL_VARIABLE "=";
	struct ik_buf environment;
	const char *at, *end;
	char *call = NULL;

	ik_buf_init(&environment, ENVIRONMENT_LENGTH);
	read_file(pid, "environ", &environment);
	end = environment.data + environment.length;
	for (at = environment.data; call == NULL && at < end; at += strlen(at) + 1)
		if (strncmp(at, prefix, sizeof prefix - 1) == 0)
			call = ik_strdup(at + sizeof prefix - 1);
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
	pid_t *pids = ik_children_adopted(ik_loop_children(loop), &adopted);
	struct ik_leftover *list = ik_alloc_array(NULL, adopted + 1, sizeof *list);
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
	qsort(list, count, sizeof *list, compare_running);
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

/* Note a process and all that it has started. */
static void add_ending(struct ik_leftovers *leftovers, pid_t pid)
{
	if (leftovers->count == leftovers->capacity) {
		leftovers->capacity = leftovers->capacity > 0 ? 2 * leftovers->capacity : 16;
		leftovers->endings = ik_alloc_array(leftovers->endings, leftovers->capacity,
			sizeof *leftovers->endings);
	}
	leftovers->endings[leftovers->count++] = (struct ending){ pid, start_of(pid) };
}

/* Note the children of a process, as each of its threads has them. */
static void add_children(struct ik_leftovers *leftovers, pid_t parent)
{
	char path[64];
	DIR *tasks;
	struct dirent *task;

	snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
	tasks = opendir(path);
	while (tasks != NULL && (task = readdir(tasks)) != NULL) {
		struct ik_buf pids;
		char *at, *end;
		long pid;

		if (!isdigit((unsigned char)task->d_name[0]))
			continue;
		ik_buf_init(&pids, IK_MIB(1));
		snprintf(path, sizeof path, "task/%.20s/children", task->d_name);
		read_file(parent, path, &pids);
		for (at = pids.data; (pid = strtol(at, &end, 10)) > 0; at = end)
			add_ending(leftovers, (pid_t)pid);
		ik_buf_done(&pids);
	}
	if (tasks != NULL)
		closedir(tasks);
}

/* Two seconds are over. */
static void kill_rest(void *arg)
{
	struct ik_leftovers *leftovers = arg;

	for (size_t i = 0; i < leftovers->count; i++) {
		const struct ending *ending = &leftovers->endings[i];

		if (ending->start != 0 && start_of(ending->pid) == ending->start)
			kill(ending->pid, SIGKILL);
	}
	leftovers->count = 0;
}

bool ik_leftover_end(struct ik_loop *loop, int pid)
{
	struct ik_children *children = ik_loop_children(loop);
	struct ik_leftovers *leftovers = children->leftovers;
	size_t adopted = 0, first;
	pid_t *pids = ik_children_adopted(children, &adopted);
	bool found = false;

	for (size_t i = 0; i < adopted; i++)
		found = found || (pids[i] == pid && start_of(pids[i]) != 0);
	free(pids);
	if (!found)
		return false;
	if (leftovers == NULL) {
		leftovers = children->leftovers = ik_alloc(sizeof *leftovers);
		leftovers->timer = ik_timer_new(loop, kill_rest, leftovers);
	}
	first = leftovers->count;
	add_ending(leftovers, pid);
	for (size_t i = first; i < leftovers->count; i++)
		add_children(leftovers, leftovers->endings[i].pid);
	for (size_t i = first; i < leftovers->count; i++) {
		kill(leftovers->endings[i].pid, SIGTERM);
		kill(leftovers->endings[i].pid, SIGCONT); /* what is stopped would not notice */
	}
	ik_timer_start(leftovers->timer, KILL_AFTER_MS);
	return true;
}

struct ik_leftovers *ik_leftovers_dispose(struct ik_leftovers *leftovers)
{
	if (leftovers != NULL) {
		ik_timer_close(leftovers->timer);
		free(leftovers->endings);
		free(leftovers);
	}
	return NULL;
}
