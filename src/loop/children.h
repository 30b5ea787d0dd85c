/*
 * children: the child processes of this program, from spawn to reaping.
 *
 * A pid is ours until it is reaped: until then neither it nor its group's number can be reused.
 * So signals are only sent before reaping, and a leader that has ended stays a zombie until its
 * owner is done with the group.
 *
 * Children that nobody here spawned are orphans: processes that a child left behind and that
 * this program adopted as a subreaper (PR_SET_CHILD_SUBREAPER in prctl(2)). They are counted, and
 * ended with the program; loop/killer.h ends them if it is killed.
 *
 * Belongs to its loop.  May include: util, loop.
 */
#ifndef IK_LOOP_CHILDREN_H
#define IK_LOOP_CHILDREN_H

#include "loop/loop.h"

#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Make this process the subreaper of all its descendants, and reap orphans from now on. The
 * children that it already has are left alone. Call early. */
void ik_children_become_reaper(struct ik_loop *loop);

/* Return the number of orphans: processes that children left running and that this process has
 * adopted (their own children are not counted). Makes no system call: they are counted when a
 * child ends. */
int ik_children_orphans(struct ik_loop *loop);

/* Call fn (deferred) when that number may have changed. */
void ik_children_on_change(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Send SIGKILL to everything below this process and reap it, for at most a second, if this process
 * is the reaper. Children that were told to end (ik_child_end()) get a moment before that. The last
 * act: children that still run are not reported as done. */
void ik_children_end(struct ik_loop *loop);

/* The same with system calls only, when memory has run out. (For fatal signals there is a handler:
 * loop/fatal.h.) */
void ik_children_end_now(void);

/* Raise the limit of open files as high as allowed and return how many children with three pipes
 * may run at once. Children get the limit as it was before. */
int ik_children_capacity(struct ik_loop *loop);

/* The rest is for src/loop only. */

/* The soft limit of open files that this program was started with. */
rlim_t ik_children_descriptor_limit(struct ik_loop *loop);

/* Call fn (deferred) when a child has ended. */
void ik_children_on_end(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Return how many processes this program has spawned that are not reaped. */
size_t ik_children_count(struct ik_loop *loop);

/* Return the pids of the orphans, zombies included, to be released with free(). */
pid_t *ik_children_list_orphans(struct ik_loop *loop, size_t *ret_count);

struct ik_process; /* one that this program spawned, the leader of its own session */

/* Take charge of pid. ended(arg) runs once, from the loop, when it has ended. */
struct ik_process *ik_process_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg);

pid_t ik_process_pid(const struct ik_process *process);

/* Has it ended? Leaves the zombie. Whoever learns it from here gets no callback any more. */
bool ik_process_ended(struct ik_process *process);

/* Send a signal to its group. Does nothing once it is reaped. */
void ik_process_signal(struct ik_process *process, int number);

/* Reap it. Return false if it has not ended; otherwise the status is that of waitpid(2). */
bool ik_process_reap(struct ik_process *process, int *ret_status);

/* No callback runs from here on. If it was not reaped, kill it with its group and reap it when
 * it has ended. */
struct ik_process *ik_process_close(struct ik_process *process);
/* The same, but let it live until it ends by itself. */
struct ik_process *ik_process_let_go(struct ik_process *process);
/* The same, but it has been told to end: ik_children_end() waits for a moment, and one that runs on
 * for some seconds is ended. */
struct ik_process *ik_process_part(struct ik_process *process);

#endif
