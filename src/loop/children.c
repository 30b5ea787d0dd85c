#include "loop/children.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/child.h"
#include "loop/guard.h"
#include "loop/internal.h"
#include "loop/reaper.h"
#include "loop/restore.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"

/* A growing list of pids. */
struct pids {
	pid_t *items;
	size_t count;
	size_t capacity;
};

/* How long ik_children_end() tries: only processes that fork as fast as they
 * are killed, or that hang in the kernel, take more than a few milliseconds. */
#define END_MS 3000

/* Descriptors that are not for children: terminal, store, network, log. */
#define RESERVED_DESCRIPTORS 64
/* Three pipes and a pidfd. */
#define DESCRIPTORS_OF_CHILD 4
#define MOST_CHILDREN 100000

/* Make room for more. */
static void grow_pids(struct pids *pids)
{
	pids->capacity = pids->capacity > 0 ? 2 * pids->capacity : 64;
	pids->items = ik_alloc_array(pids->items, pids->capacity, sizeof(*pids->items));
}

/* Append a pid. */
static void add_pid(struct pids *pids, pid_t pid)
{
	if (pids->count == pids->capacity)
		grow_pids(pids);
	pids->items[pids->count++] = pid;
}

/* Was this child ours before the program began? */
static bool is_stranger(const struct ik_children *children, pid_t pid)
{
	for (size_t i = 0; i < children->stranger_count; i++)
		if (children->strangers[i] == pid)
			return true;
	return false;
}

/* The parent of a process after /proc/PID/stat (proc_pid_stat(5)); 0 if it is gone. */
static pid_t parent_of(const char *pid_text)
{
	char path[64], line[512];
	const char *end;
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid_text);
	file = fopen(path, "re");
	if (!file)
		return 0;
	/* The name in parentheses may hold anything, also parentheses. */
	if (fgets(line, sizeof(line), file) && (end = strrchr(line, ')')) &&
		sscanf(end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

/* List this process's children by looking at every process there is. */
static void list_children_slowly(const struct ik_children *children, struct pids *pids)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	pid_t pid;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == getpid()) {
			pid = (pid_t)strtol(entry->d_name, NULL, 10);
			if (!is_stranger(children, pid))
				add_pid(pids, pid);
		}
	closedir(directory);
}

/* List this process's children, zombies included, but those that it was born with. */
static void list_children(const struct ik_children *children, struct pids *pids)
{
	ssize_t count = 0;

	pids->count = 0;
	do {
		if (pids->count == pids->capacity)
			grow_pids(pids);
		count = ik_reaper_list(pids->items, pids->capacity);
		if (count >= 0)
			pids->count = (size_t)count;
	} while (count >= 0 && pids->count == pids->capacity);
	if (count < 0) /* a kernel without CONFIG_PROC_CHILDREN */
		list_children_slowly(children, pids);
}

/* The process of ours with this pid, or NULL. */
static struct ik_process *find_process(const struct ik_children *children, pid_t pid)
{
	struct ik_process *process = children->first;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

/*
 * Reap adopted processes that have ended. The kernel names the oldest zombie
 * first, and one of ours stays a zombie until its owner is through with it: it
 * hides those behind it until then, and its reaping brings us here again.
 */
static void reap_orphans(struct ik_children *children)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return;
		if (find_process(children, info.si_pid))
			return;
		if (waitpid(info.si_pid, NULL, WNOHANG) != info.si_pid)
			return;
	}
}

/* Children of this process that nobody here has spawned. */
static int count_orphans(struct ik_children *children)
{
	struct pids pids = { 0 };
	int count;

	list_children(children, &pids);
	count = (int)pids.count;
	free(pids.items);
	/* All that are not reaped are among them. */
	count -= (int)children->count;
	return count > 0 ? count : 0;
}

pid_t *ik_children_adopted(struct ik_children *children, size_t *ret_count)
{
	struct pids pids = { 0 };

	*ret_count = 0;
	if (!children->is_reaper)
		return NULL;
	list_children(children, &pids);
	for (size_t i = 0; i < pids.count; i++)
		if (!find_process(children, pids.items[i]))
			pids.items[(*ret_count)++] = pids.items[i];
	return pids.items;
}

/* Deferred: bring the picture of the orphans up to date. */
static void look_at_orphans(void *arg)
{
	struct ik_children *children = arg;
	int before = children->orphans;

	children->changed = false;
	reap_orphans(children);
	children->orphans = count_orphans(children);
	if (children->orphans == 0 && children->count == ik_guard_count(children->guard))
		ik_guard_rest(children->guard);
	else
		ik_guard_renew(children->guard);
	if (children->orphans != before && children->on_change)
		children->on_change(children->on_change_arg);
}

void ik_children_changed(struct ik_children *children)
{
	if (children->is_reaper && !children->changed) {
		children->changed = true;
		ik_loop_defer(children->loop, look_at_orphans, children);
	}
}

/* SIGCHLD: look after those that have no pidfd, and for orphans. */
static void child_signal(void *arg, int number)
{
	struct ik_children *children = arg;
	struct ik_process *process = children->first;

	while (process) {
		struct ik_process *next = process->next;

		/* A process that is closed by this call is freed between turns
		 * only, but it may have left the list: then begin anew. */
		if (!process->watch && !process->is_zombie) {
			ik_process_notice(process);
			if (process->is_zombie || process->reaped)
				next = children->first;
		}
		process = next;
	}
	ik_children_changed(children);
}

void ik_children_watch_signal(struct ik_children *children)
{
	if (!children->signal)
		children->signal = ik_signal_new(children->loop, SIGCHLD, child_signal, children);
}

struct ik_children *ik_children_new(struct ik_loop *loop)
{
	struct ik_children *children = ik_alloc(sizeof(*children));
	struct rlimit limit;

	children->loop = loop;
	children->descriptor_limit = RLIM_INFINITY;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		children->descriptor_limit = limit.rlim_cur;
	return children;
}

void ik_children_dispose(struct ik_children *children)
{
	ik_loop_cancel_deferred(children->loop, look_at_orphans, children);
	children->signal = ik_signal_close(children->signal);
	if (children->is_reaper) {
		ik_reaper_disarm();
		ik_restore_unhandle();
	}
	free(children->strangers);
	children->leftovers = ik_leftovers_dispose(children->leftovers);
	ik_loop_defer(children->loop, free, children);
}

rlim_t ik_children_descriptor_limit(const struct ik_children *children)
{
	return children->descriptor_limit;
}

void ik_children_become_reaper(struct ik_loop *loop, const char *guard)
{
	struct ik_children *children = ik_loop_children(loop);
	struct pids pids = { 0 };

	if (children->is_reaper)
		return;
	/* "exec ikigai" in a script inherits that script's children. */
	list_children(children, &pids);
	for (size_t i = 0; i < pids.count; i++)
		if (!find_process(children, pids.items[i]))
			pids.items[children->stranger_count++] = pids.items[i];
	children->strangers = pids.items;
	ik_reaper_arm(children->strangers, children->stranger_count);
	ik_restore_handle();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		ik_log(IK_LOG_ERROR, "prctl(PR_SET_CHILD_SUBREAPER): %s", strerror(errno));
	children->is_reaper = true;
	if (guard)
		children->guard = ik_guard_new(loop, guard);
	ik_children_watch_signal(children);
}

int ik_children_orphans(struct ik_loop *loop)
{
	return ik_loop_children(loop)->orphans;
}

void ik_children_on_change(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	struct ik_children *children = ik_loop_children(loop);

	children->on_change = fn;
	children->on_change_arg = arg;
}

/* One round of the end. Returns how many children it found. */
static size_t end_round(struct ik_children *children, struct pids *pids)
{
	list_children(children, pids);
	for (size_t i = 0; i < pids->count; i++)
		ik_reaper_kill(pids->items[i]);
	for (size_t i = 0; i < pids->count; i++) {
		pid_t pid = pids->items[i];
		struct ik_process *process;
		int status;

		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		process = find_process(children, pid);
		if (process)
			ik_process_set_reaped(process, status);
	}
	return pids->count;
}

void ik_children_end(struct ik_loop *loop)
{
	struct ik_children *children = ik_loop_children(loop);
	const struct timespec moment = { 0, 500 * 1000 };
	const int64_t end = ik_clock_ms() + END_MS;
	struct pids pids = { 0 };

	/* The children of what was killed come to us: each round finds the next
	 * generation, until there is none. */
	while (end_round(children, &pids) > 0) {
		if (ik_clock_ms() > end) {
			ik_log(IK_LOG_ERROR, "%zu child processes could not be ended", pids.count);
			break;
		}
		nanosleep(&moment, NULL);
	}
	free(pids.items);
	ik_children_changed(children);
}

void ik_children_end_now(void)
{
	ik_reaper_end();
}

int ik_children_capacity(void)
{
	struct rlimit limit;
	rlim_t count;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1;
	if (limit.rlim_cur != limit.rlim_max) {
		const struct rlimit raised = { limit.rlim_max, limit.rlim_max };

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	if (limit.rlim_cur == RLIM_INFINITY)
		return MOST_CHILDREN;
	if (limit.rlim_cur < RESERVED_DESCRIPTORS + DESCRIPTORS_OF_CHILD)
		return 1;
	count = (limit.rlim_cur - RESERVED_DESCRIPTORS) / DESCRIPTORS_OF_CHILD;
	return count < MOST_CHILDREN ? (int)count : MOST_CHILDREN;
}
