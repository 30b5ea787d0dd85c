#include "loop/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loop/children.h"
#include "loop/end_watch.h"
#include "loop/guard.h"
#include "loop/internal.h"
#include "util/alloc.h"
#include "util/clock.h"

/* How long the end of the program waits for processes that were killed. */
#define LAST_WAIT_MS 1000

/* Put an end to the watching for the process's end. */
static void stop_watching(struct ik_process *process)
{
	process->watch = ik_watch_close(process->watch);
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
}

/* Take a process out of the list. */
static void unlink_process(struct ik_process *process)
{
	struct ik_children *children = process->children;

	if (process->previous)
		process->previous->next = process->next;
	else
		children->first = process->next;
	if (process->next)
		process->next->previous = process->previous;
	children->count--;
}

/* Release the record of a process that is closed and reaped. */
static void release(struct ik_process *process)
{
	ik_loop_defer(process->children->loop, free, process);
}

void ik_process_set_reaped(struct ik_process *process, int status)
{
	process->reaped = true;
	process->status = status;
	stop_watching(process);
	unlink_process(process);
	ik_children_changed(process->children);
	if (!process->ended)
		release(process);
}

void ik_process_notice(struct ik_process *process)
{
	int status;

	if (!ik_process_ended(process))
		return;
	stop_watching(process); /* it would stay readable */
	if (process->ended)
		process->ended(process->arg);
	else
		ik_process_reap(process, &status);
}

/* The pidfd is readable. */
static void pidfd_readable(void *arg, int what)
{
	ik_process_notice(arg);
}

struct ik_process *ik_process_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg)
{
	struct ik_children *children = ik_loop_children(loop);
	struct ik_process *process = ik_alloc(sizeof(*process));

	process->children = children;
	process->pid = pid;
	process->ended = ended;
	process->arg = arg;
	process->next = children->first;
	if (process->next)
		process->next->previous = process;
	children->first = process;
	children->count++;

	process->pidfd = ik_end_watch_open(pid);
	if (process->pidfd >= 0) {
		process->watch = ik_watch_new(loop, process->pidfd, pidfd_readable, process);
		if (ik_watch_set(process->watch, IK_READABLE, NULL) != IK_OK)
			stop_watching(process);
	}
	if (!process->watch)
		ik_children_watch_signal(children);
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
	else if (errno == ECHILD) /* somebody else waited for it; how it ended is lost */
		ik_process_set_reaped(process, SIGKILL);
	return process->reaped || process->is_zombie;
}

void ik_process_signal(struct ik_process *process, int number)
{
	if (process->reaped)
		return;
	kill(-process->pid, number);
	/* What is stopped would not notice anything short of SIGKILL. */
	if (number != SIGKILL)
		kill(-process->pid, SIGCONT);
}

bool ik_process_reap(struct ik_process *process, int *ret_status)
{
	int status = 0;

	if (!process->reaped) {
		pid_t pid = waitpid(process->pid, &status, WNOHANG);

		if (pid == process->pid)
			ik_process_set_reaped(process, status);
		else if (pid < 0 && errno == ECHILD)
			ik_process_set_reaped(process, SIGKILL);
	}
	if (process->reaped)
		*ret_status = process->status;
	return process->reaped;
}

struct ik_process *ik_process_close(struct ik_process *process)
{
	int status;

	if (!process)
		return NULL;
	process->ended = NULL;
	if (process->reaped) {
		release(process);
		return NULL;
	}
	ik_process_signal(process, SIGKILL);
	/* Not always dead at once: else the watch for its end stays. */
	ik_process_reap(process, &status);
	return NULL;
}

struct ik_children *ik_children_free(struct ik_children *children)
{
	const struct timespec moment = { 0, 1000 * 1000 };
	const int64_t end = ik_clock_ms() + LAST_WAIT_MS;

	if (!children)
		return NULL;
	children->guard = ik_guard_close(children->guard);
	while (children->first) {
		struct ik_process *process = children->first;
		int status;

		/* SIGKILL is out; only a process stuck in the kernel takes longer. */
		if (ik_process_reap(process, &status))
			continue;
		if (ik_clock_ms() < end) {
			nanosleep(&moment, NULL);
			continue;
		}
		stop_watching(process);
		unlink_process(process);
		release(process);
	}
	ik_children_dispose(children);
	return NULL;
}
