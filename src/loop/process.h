/*
 * process: the child processes of this program, from spawn to reaping.
 *
 * A pid is ours until it is reaped: until then neither it nor its group's number can be reused.
 * So signals are only sent before reaping, and a leader that has ended stays a zombie until its
 * owner is done with the group.
 *
 * Children that nobody here spawned are orphans: processes that a child left behind and that
 * this program adopted as a subreaper (PR_SET_CHILD_SUBREAPER in prctl(2)).
 *
 * Belongs to its loop.  Inside src/loop only.  May include: util, loop.
 */
#ifndef IK_LOOP_PROCESS_H
#define IK_LOOP_PROCESS_H

#include "loop/loop.h"

#include <stddef.h>
#include <sys/types.h>

struct ik_process; /* one that this program spawned, the leader of its own session */

/* Take charge of pid. ended(arg) runs once, from the loop, when it has ended. */
struct ik_process *ik_process_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg);

pid_t ik_process_pid(const struct ik_process *process);

/* Has it ended? Leaves the zombie. */
bool ik_process_ended(struct ik_process *process);

/* Send a signal to its group. Does nothing once it is reaped. */
void ik_process_signal(struct ik_process *process, int number);

/* Reap it. Return false if it has not ended; otherwise the status is that of waitpid(2). */
bool ik_process_reap(struct ik_process *process, int *ret_status);

/* No callback runs from here on. If it was not reaped, kill it with its group and reap it when
 * it has ended. */
struct ik_process *ik_process_close(struct ik_process *process);

/* The number of processes that are not reaped. */
size_t ik_processes_count(struct ik_loop *loop);

/* Adopt and reap orphans from now on. The children that this process already has are left
 * alone. changed(arg) runs, deferred, after a child has ended. */
void ik_processes_adopt(struct ik_loop *loop, void (*changed)(void *arg), void *arg);

/* Have changed(arg) of ik_processes_adopt() called. */
void ik_processes_changed(struct ik_loop *loop);

/* Return the pids of the orphans, zombies included, to be released with free(). */
pid_t *ik_processes_orphans(struct ik_loop *loop, size_t *ret_count);

/* Send SIGKILL to every child, orphans included, and reap those that are dead. Return how many
 * children there were. */
size_t ik_processes_kill(struct ik_loop *loop);

#endif
