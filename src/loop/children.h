/*
 * children: what is true of all child processes together.
 *
 * Counts what tools have left running, ends everything when the program ends, and runs the
 * killer (loop/killer.h) while there is anything to kill.
 *
 * Belongs to its loop.  May include: util, loop.
 */
#ifndef IK_LOOP_CHILDREN_H
#define IK_LOOP_CHILDREN_H

#include "loop/loop.h"

#include <sys/resource.h>

/* Make this process the subreaper of whatever its children leave behind. Call once, early.
 * killer: path (not copied) of the executable that kills all of it if this process is killed
 * (loop/killer.h); NULL: none. */
void ik_children_become_reaper(struct ik_loop *loop, const char *killer);

/* Return the number of orphans: processes that children left running and that this process has
 * adopted (their own children are not counted). Makes no system call: they are counted when a
 * child ends. */
int ik_children_orphans(struct ik_loop *loop);

/* Call fn (deferred) when that number may have changed. */
void ik_children_on_change(struct ik_loop *loop, void (*fn)(void *), void *arg);

/* Send SIGKILL to everything below this process and reap it, for at most 3 seconds. The last
 * act: children that still run are not reported as done. */
void ik_children_end(struct ik_loop *loop);

/* The same with system calls only, when memory has run out. (For fatal signals
 * ik_children_become_reaper() has installed a handler.) */
void ik_children_end_now(void);

/* Raise the limit of open files as high as allowed and return how many children with three pipes
 * may run at once. Children get the limit as it was before. */
int ik_children_capacity(struct ik_loop *loop);

/* For loop/child.c: the soft limit of open files that this program was started with. */
rlim_t ik_children_descriptor_limit(struct ik_loop *loop);

/* For loop/child.c: the mark by which the killer finds the process that is about to be started;
 * NULL: it has none. */
const struct rlimit *ik_children_mark(struct ik_loop *loop);

#endif
