#include "loop/children.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/fatal.h"
#include "util/alloc.h"
#include "util/log.h"

/* How long the end of the loop waits for processes that were killed. */
#define LAST_WAIT_MS 1000
/* How long the program's end waits for processes that have been told to end. */
#define PARTING_MS 500
/* How long a process that was told to end may run on before SIGTERM, and then before SIGKILL. */
#define PARTED_MS 2000

/* Descriptors that are not for children: terminal, store, network, log. */
#define RESERVED_DESCRIPTORS 64
/* Three pipes and a pidfd. */
#define DESCRIPTORS_OF_CHILD 4
#define MOST_CHILDREN 100000

struct ik_process {
	struct ik_process *next;
	struct children *all;
	pid_t pid;
	void (*ended)(void *arg); /* NULL: closed, only waits to be reaped */
	void *arg;
	struct ik_timer *parting; /* until SIGTERM or SIGKILL, once it was told to end; or NULL */
	bool warned;              /* by SIGTERM */
	bool is_zombie;
	bool reaped; /* the pid may have been reused */
	int status;
};

/* All children of a loop. */
struct children {
	struct ik_loop *loop;
	struct ik_process *first; /* those that are not reaped */
	size_t count;
	struct ik_watch *signal; /* SIGCHLD; NULL until needed */
	bool adopts;             /* this process is a subreaper */
	pid_t *strangers;        /* children that it had before the program started */
	bool change_is_deferred;
	int orphans; /* their number, when a child last ended */
	void (*on_change)(void *arg);
	void *on_change_arg;
	void (*ended)(void *arg);
	void *ended_arg;
	rlim_t descriptor_limit;
};

/* List this process's children, zombies included, strangers excluded. */
static pid_t *list_children(size_t *ret_count)
{
	pid_t *pids = NULL;
	size_t room = 32, count;

	do {
		room *= 2;
		pids = ik_alloc_array(pids, room, sizeof(*pids));
		count = ik_fatal_list_children(pids, room);
	} while (count == room);
	*ret_count = count;
	return pids;
}

/* Return the process with this pid, or NULL if we didn't spawn it. */
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

/* Release the record of a process that is closed and reaped. */
static void release(struct ik_process *process)
{
	process->parting = ik_timer_close(process->parting);
	ik_loop_defer(process->all->loop, free, process);
}

/* It is gone; status is that of waitpid(2). */
static void set_reaped(struct ik_process *process, int status)
{
	struct children *all = process->all;
	struct ik_process **link = &all->first;

	while (*link != process)
		link = &(*link)->next;
	*link = process->next; /* its own next stays, for a walk that is on it */
	all->count--;
	process->reaped = true;
	process->status = status;
	changed(all);
	if (!process->ended)
		release(process);
}

/* SIGCHLD: tell the owners of those that have ended, or reap those that were closed. A process that
 * has a tracer has not ended for us until that has seen it: another signal follows. */
static void child_signal(void *arg, int number)
{
	struct children *all = arg;
	int status;

	for (struct ik_process *process = all->first; process; process = process->next) {
		if (process->is_zombie || process->reaped || !ik_process_ended(process))
			continue;
		if (process->ended)
			process->ended(process->arg);
		else
			ik_process_reap(process, &status);
	}
	changed(all);
}

/* Watch SIGCHLD from now on. */
static void watch_signal(struct children *all)
{
	if (all->signal)
		return;
	all->signal = ik_watch_signal(all->loop, SIGCHLD, child_signal, all);
	raise(SIGCHLD); /* the first child may have ended already */
}

/* Reap all that have ended. */
static void reap_all(struct children *all)
{
	int status;

	for (struct ik_process *process = all->first; process; process = process->next)
		ik_process_reap(process, &status);
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
	struct children *all = object;

	/* They were sent SIGKILL; only a process stuck in the kernel takes longer. */
	reap_all(all);
	for (int waited = 0; all->first && waited < LAST_WAIT_MS; waited++) {
		nanosleep(&moment, NULL);
		reap_all(all);
	}
	while (all->first)
		set_reaped(all->first, SIGKILL);
	ik_loop_cancel_deferred(all->loop, report_change, all);
	all->signal = ik_watch_close(all->signal);
	if (all->adopts)
		ik_fatal_forget_children();
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
	all->first = process;
	all->count++;
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
	int status;

	if (!process)
		return NULL;
	process->ended = NULL;
	if (process->reaped)
		release(process);
	else
		ik_process_reap(process, &status); /* or at its SIGCHLD */
	return NULL;
}

/* It runs on although it was told to end. */
static void on_parting(void *arg)
{
	struct ik_process *process = arg;

	ik_process_signal(process, process->warned ? SIGKILL : SIGTERM);
	if (!process->warned)
		ik_timer_start(process->parting, PARTED_MS);
	process->warned = true;
}

struct ik_process *ik_process_part(struct ik_process *process)
{
	if (process && !process->reaped) {
		process->parting = ik_timer_new(process->all->loop, on_parting, process);
		ik_timer_start(process->parting, PARTED_MS);
	}
	return ik_process_let_go(process);
}

struct ik_process *ik_process_close(struct ik_process *process)
{
	if (process)
		ik_process_signal(process, SIGKILL);
	return ik_process_let_go(process);
}

size_t ik_children_count(struct ik_loop *loop)
{
	return children_of(loop)->count;
}

void ik_children_become_reaper(struct ik_loop *loop)
{
	struct children *all = children_of(loop);
	size_t count;

	if (all->adopts)
		return;
	/* "exec ikigai" in a script inherits that script's children. */
	all->adopts = true;
	all->strangers = ik_children_list_orphans(loop, &count);
	ik_fatal_end_children(all->strangers, count);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		ik_log(IK_LOG_ERROR, "prctl(PR_SET_CHILD_SUBREAPER): %s", strerror(errno));
	watch_signal(all);
}

pid_t *ik_children_list_orphans(struct ik_loop *loop, size_t *ret_count)
{
	struct children *all = children_of(loop);
	size_t count, kept = 0;
	pid_t *pids;

	*ret_count = 0;
	if (!all->adopts)
		return NULL;
	pids = list_children(&count);
	for (size_t i = 0; i < count; i++)
		if (!find_process(all, pids[i]))
			pids[kept++] = pids[i];
	*ret_count = kept;
	return pids;
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

/* Is there a process that has been told to end? */
static bool some_part(const struct children *all)
{
	const struct ik_process *process = all->first;

	while (process && !process->parting)
		process = process->next;
	return process;
}

void ik_children_end(struct ik_loop *loop)
{
	const struct timespec moment = { 0, 1000 * 1000 };
	struct children *all = children_of(loop);

	for (int waited = 0; some_part(all) && waited < PARTING_MS; waited++) {
		nanosleep(&moment, NULL);
		reap_all(all);
	}
	ik_children_end_now();
	reap_all(all); /* ik_children_end_now() killed them, too */
	changed(all);
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
