#include "loop/children.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/exit_watch.h"
#include "loop/reaper.h"
#include "loop/restore.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/proc_stat.h"

/* How long the end of the program waits for processes that were killed. */
#define LAST_WAIT_MS 1000
/* How long ik_children_end() tries: only processes that fork as fast as they
 * are killed, or that hang in the kernel, take more than a few milliseconds. */
#define END_MS 3000

/* Descriptors that are not for children: terminal, store, network, log. */
#define RESERVED_DESCRIPTORS 64
/* Three pipes and a pidfd. */
#define DESCRIPTORS_OF_CHILD 4
#define MOST_CHILDREN 100000

struct ik_process {
	struct ik_process *next;
	struct ik_process *previous;
	struct children *all;
	pid_t pid;
	struct ik_exit_watch *watch; /* until the end was seen; NULL: SIGCHLD reports it */
	void (*ended)(void *arg);    /* NULL: closed, only waits to be reaped */
	void *arg;
	bool is_zombie;
	bool reaped; /* the pid may have been reused */
	int status;
};

/* All children of a loop. */
struct children {
	struct ik_loop *loop;
	struct ik_process *first; /* those that are not reaped */
	size_t count;
	struct ik_signal *signal; /* SIGCHLD; NULL until needed */
	bool adopts;              /* this process is a subreaper */
	pid_t *strangers;         /* children that it had before the program started */
	size_t stranger_count;
	bool change_is_deferred;
	int orphans; /* their number, when a child last ended */
	void (*on_change)(void *arg);
	void *on_change_arg;
	void (*ended)(void *arg);
	void *ended_arg;
	rlim_t descriptor_limit;
};

struct pids {
	pid_t *items;
	size_t count;
};

/* Did this process have the child before the program started? */
static bool is_stranger(const struct children *all, pid_t pid)
{
	for (size_t i = 0; i < all->stranger_count; i++)
		if (all->strangers[i] == pid)
			return true;
	return false;
}

/* List this process's children by looking at every process on the machine. */
static void list_children_slowly(const struct children *all, struct pids *pids)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	struct ik_proc_stat stat;

	while (directory && (entry = readdir(directory))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && ik_proc_stat_of(pid, &stat) && stat.parent == getpid() &&
			!is_stranger(all, pid)) {
			pids->items = ik_alloc_more(pids->items, pids->count, sizeof(*pids->items));
			pids->items[pids->count++] = pid;
		}
	}
	if (directory)
		closedir(directory);
}

/* List this process's children, zombies included, strangers excluded. */
static void list_children(const struct children *all, struct pids *pids)
{
	size_t room = 32;
	ssize_t count;

	*pids = (struct pids){ NULL, 0 };
	do {
		room *= 2;
		pids->items = ik_alloc_array(pids->items, room, sizeof(*pids->items));
		count = ik_reaper_list(pids->items, room);
	} while (count == (ssize_t)room);
	if (count >= 0)
		pids->count = (size_t)count;
	else /* a kernel without CONFIG_PROC_CHILDREN */
		list_children_slowly(all, pids);
}

/* Return the process with this pid, NULL if nobody here spawned it. */
static struct ik_process *find_process(const struct children *all, pid_t pid)
{
	struct ik_process *process = all->first;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

/*
 * Reap orphans that have ended. The kernel reports the oldest zombie first. If that is one we
 * spawned, it stays a zombie until its owner is done with it and hides the ones after it;
 * reaping it brings us here again.
 */
static void reap_orphans(struct children *all)
{
	for (;;) {
		siginfo_t info = { 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return;
		if (find_process(all, info.si_pid))
			return;
		if (waitpid(info.si_pid, NULL, WNOHANG) != info.si_pid)
			return;
	}
}

/* Deferred: reap orphans, count them again and report that something changed. */
static void report_change(void *arg)
{
	struct children *all = arg;
	const int before = all->orphans;
	size_t count;

	all->change_is_deferred = false;
	reap_orphans(all);
	free(ik_children_list_orphans(all->loop, &count));
	all->orphans = (int)count;
	if (all->ended)
		all->ended(all->ended_arg);
	if (all->orphans != before && all->on_change)
		all->on_change(all->on_change_arg);
}

/* A child was reaped or SIGCHLD was received. */
static void changed(struct children *all)
{
	if (all->adopts && !all->change_is_deferred) {
		all->change_is_deferred = true;
		ik_loop_defer(all->loop, report_change, all);
	}
}

/* Remove a process from the list. */
static void unlink_process(struct ik_process *process)
{
	struct children *all = process->all;

	if (process->previous)
		process->previous->next = process->next;
	else
		all->first = process->next;
	if (process->next)
		process->next->previous = process->previous;
	all->count--;
}

/* Release the record of a process that is closed and reaped. */
static void release(struct ik_process *process)
{
	ik_loop_defer(process->all->loop, free, process);
}

/* It is gone; status is that of waitpid(2). */
static void set_reaped(struct ik_process *process, int status)
{
	process->reaped = true;
	process->status = status;
	process->watch = ik_exit_watch_close(process->watch);
	unlink_process(process);
	changed(process->all);
	if (!process->ended)
		release(process);
}

static void watch_signal(struct children *all);

/* If it has ended: tell its owner, or reap it if it was closed. */
static void notice(void *arg)
{
	struct ik_process *process = arg;
	int status;

	process->watch = ik_exit_watch_close(process->watch);
	/* Until its tracer has seen the end, a traced process has not ended for us: SIGCHLD follows. */
	if (!ik_process_ended(process))
		watch_signal(process->all);
	if (!ik_process_ended(process))
		return;
	if (process->ended)
		process->ended(process->arg);
	else
		ik_process_reap(process, &status);
}

/* SIGCHLD: check the processes that are not watched, and the orphans. */
static void child_signal(void *arg, int number)
{
	struct children *all = arg;
	struct ik_process *process = all->first;

	while (process) {
		struct ik_process *next = process->next;

		/* A process that this call closes is freed between turns, but it may have left the
		 * list: then start over. */
		if (!process->watch && !process->is_zombie) {
			notice(process);
			if (process->is_zombie || process->reaped)
				next = all->first;
		}
		process = next;
	}
	changed(all);
}

/* Watch SIGCHLD from now on. */
static void watch_signal(struct children *all)
{
	if (!all->signal)
		all->signal = ik_signal_new(all->loop, SIGCHLD, child_signal, all);
}

static void *make_children(struct ik_loop *loop)
{
	struct children *all = ik_alloc(sizeof(*all));
	struct rlimit limit;

	all->loop = loop;
	all->descriptor_limit = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
	return all;
}

/* Release the list. Every process is closed by now; reap those that are still dying. */
static void release_children(void *object)
{
	const struct timespec moment = { 0, 1000 * 1000 };
	const int64_t end = ik_clock_ms() + LAST_WAIT_MS;
	struct children *all = object;

	while (all->first) {
		struct ik_process *process = all->first;
		int status;

		/* They were sent SIGKILL; only a process stuck in the kernel takes longer. */
		if (ik_process_reap(process, &status))
			continue;
		if (ik_clock_ms() < end) {
			nanosleep(&moment, NULL);
			continue;
		}
		process->watch = ik_exit_watch_close(process->watch);
		unlink_process(process);
		release(process);
	}
	ik_loop_cancel_deferred(all->loop, report_change, all);
	all->signal = ik_signal_close(all->signal);
	if (all->adopts) {
		ik_reaper_disarm();
		ik_restore_unhandle();
	}
	free(all->strangers);
	ik_loop_defer(all->loop, free, all);
}

static struct children *children_of(struct ik_loop *loop)
{
	return ik_loop_attached(loop, make_children, release_children);
}

struct ik_process *ik_process_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg)
{
	struct children *all = children_of(loop);
	struct ik_process *process = ik_alloc(sizeof(*process));

	process->all = all;
	process->pid = pid;
	process->ended = ended;
	process->arg = arg;
	process->next = all->first;
	if (process->next)
		process->next->previous = process;
	all->first = process;
	all->count++;

	process->watch = ik_exit_watch_new(loop, pid, notice, process);
	if (!process->watch)
		watch_signal(all);
	return process;
}

pid_t ik_process_pid(const struct ik_process *process)
{
	return process->pid;
}

bool ik_process_ended(struct ik_process *process)
{
	siginfo_t info = { 0 };

	if (process->reaped || process->is_zombie)
		return true;
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
		process->is_zombie = info.si_pid == process->pid;
	else if (errno == ECHILD) /* someone else waited for it; its status is lost */
		set_reaped(process, SIGKILL);
	return process->reaped || process->is_zombie;
}

void ik_process_signal(struct ik_process *process, int number)
{
	if (process->reaped)
		return;
	kill(-process->pid, number);
	/* A stopped process would only notice SIGKILL. */
	if (number != SIGKILL)
		kill(-process->pid, SIGCONT);
}

bool ik_process_reap(struct ik_process *process, int *ret_status)
{
	int status = 0;

	if (!process->reaped) {
		pid_t pid = waitpid(process->pid, &status, WNOHANG);

		if (pid == process->pid)
			set_reaped(process, status);
		else if (pid < 0 && errno == ECHILD)
			set_reaped(process, SIGKILL);
	}
	if (process->reaped)
		*ret_status = process->status;
	return process->reaped;
}

struct ik_process *ik_process_let_go(struct ik_process *process)
{
	if (!process)
		return NULL;
	process->ended = NULL;
	if (process->reaped)
		release(process);
	return NULL;
}

struct ik_process *ik_process_close(struct ik_process *process)
{
	int status;

	if (!process || process->reaped)
		return ik_process_let_go(process);
	process->ended = NULL;
	ik_process_signal(process, SIGKILL);
	/* It may not be dead yet: then keep watching for its end. */
	ik_process_reap(process, &status);
	return NULL;
}

size_t ik_children_count(struct ik_loop *loop)
{
	return children_of(loop)->count;
}

void ik_children_become_reaper(struct ik_loop *loop)
{
	struct children *all = children_of(loop);
	struct pids pids;

	if (all->adopts)
		return;
	/* "exec ikigai" in a script inherits that script's children. */
	list_children(all, &pids);
	for (size_t i = 0; i < pids.count; i++)
		if (!find_process(all, pids.items[i]))
			pids.items[all->stranger_count++] = pids.items[i];
	all->strangers = pids.items;
	ik_reaper_arm(all->strangers, all->stranger_count);
	ik_restore_handle();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		ik_log(IK_LOG_ERROR, "prctl(PR_SET_CHILD_SUBREAPER): %s", strerror(errno));
	all->adopts = true;
	watch_signal(all);
}

pid_t *ik_children_list_orphans(struct ik_loop *loop, size_t *ret_count)
{
	struct children *all = children_of(loop);
	struct pids pids;

	*ret_count = 0;
	if (!all->adopts)
		return NULL;
	list_children(all, &pids);
	for (size_t i = 0; i < pids.count; i++)
		if (!find_process(all, pids.items[i]))
			pids.items[(*ret_count)++] = pids.items[i];
	return pids.items;
}

/* Send SIGKILL to every child, orphans included, and reap those that are dead. Return how many
 * children there were. */
static size_t kill_children(struct children *all)
{
	struct pids pids;

	list_children(all, &pids);
	for (size_t i = 0; i < pids.count; i++)
		ik_reaper_kill(pids.items[i]);
	for (size_t i = 0; i < pids.count; i++) {
		pid_t pid = pids.items[i];
		struct ik_process *process;
		int status;

		if (waitpid(pid, &status, WNOHANG) != pid)
			continue;
		process = find_process(all, pid);
		if (process)
			set_reaped(process, status);
	}
	free(pids.items);
	return pids.count;
}

int ik_children_orphans(struct ik_loop *loop)
{
	return children_of(loop)->orphans;
}

void ik_children_on_change(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	struct children *all = children_of(loop);

	all->on_change = fn;
	all->on_change_arg = arg;
}

void ik_children_on_end(struct ik_loop *loop, void (*fn)(void *), void *arg)
{
	struct children *all = children_of(loop);

	all->ended = fn;
	all->ended_arg = arg;
}

void ik_children_end(struct ik_loop *loop)
{
	const struct timespec moment = { 0, 500 * 1000 };
	const int64_t end = ik_clock_ms() + END_MS;
	struct children *all = children_of(loop);
	size_t count;

	/* Children of killed processes become ours: each round finds the next generation, until
	 * none is left. */
	while ((count = kill_children(all)) > 0) {
		if (ik_clock_ms() > end) {
			ik_log(IK_LOG_ERROR, "%zu child processes could not be ended", count);
			break;
		}
		nanosleep(&moment, NULL);
	}
	changed(all);
}

void ik_children_end_now(void)
{
	ik_reaper_end();
}

rlim_t ik_children_descriptor_limit(struct ik_loop *loop)
{
	return children_of(loop)->descriptor_limit;
}

int ik_children_capacity(struct ik_loop *loop)
{
	struct rlimit limit;
	rlim_t count;

	(void)children_of(loop); /* notes the limit as it was */
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
