/*
 * process: the pids that this program started, from spawn to reaping.
 *
 * A pid is ours until it is reaped: until then it cannot be given to another
 * process, and neither can its group's number.  So signals go out only before
 * the reaping, and an ended leader stays a zombie until its owner is through
 * with the group.  The list of these processes is what tells our children
 * from orphans that the subreaper adopted.
 *
 * Inside src/loop only.  May include: util, loop.
 */
#ifndef IK_LOOP_PROCESS_H
#define IK_LOOP_PROCESS_H

#include "loop/loop.h"

#include <sys/resource.h>
#include <sys/types.h>

struct ik_children; /* all of a loop's processes */
struct ik_process;  /* one, the leader of its own session */

struct ik_children *ik_children_new(struct ik_loop *loop);
/* Every process must be closed; those that are still dying are reaped. */
struct ik_children *ik_children_free(struct ik_children *children);

/* The soft limit of open files as this program was given it. */
rlim_t ik_children_descriptor_limit(const struct ik_children *children);

/* Take charge of pid. ended(arg) runs once, from the loop, when it has ended. */
struct ik_process *ik_process_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg);

pid_t ik_process_pid(const struct ik_process *process);

/* Has it ended? Leaves the zombie. */
bool ik_process_ended(struct ik_process *process);

/* Send a signal to its group; nothing happens once it is reaped. */
void ik_process_signal(struct ik_process *process, int number);

/* Reap it, if it has ended: then true, and a status as of waitpid(2). */
bool ik_process_reap(struct ik_process *process, int *ret_status);

/* Silent at once. What was not reaped is killed with its group and reaped
 * when it has ended. */
struct ik_process *ik_process_close(struct ik_process *process);

#endif
