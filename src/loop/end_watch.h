/*
 * end_watch: told, at once, when a process of this machine ends that is not a child.
 *
 * By a descriptor of the process (pidfd_open(2)); where there are none the caller is told so
 * and looks now and then.  Nothing is armed while nothing happens.
 *
 * Owns its descriptor.  May include: util, loop.
 */
#ifndef IK_LOOP_END_WATCH_H
#define IK_LOOP_END_WATCH_H

#include "loop/loop.h"

#include <sys/types.h>

struct ik_end_watch;

/* ended(arg) runs once, from the loop, when the process has ended; it may close the watch.
 * NULL: there is no such process any more, or its end cannot be told. A number may have been given
 * to another process: whoever knows it by more than that looks again once this is there. */
struct ik_end_watch *ik_end_watch_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg);

/* Silent at once. Takes NULL, returns NULL. */
struct ik_end_watch *ik_end_watch_close(struct ik_end_watch *watch);

/* A descriptor that becomes readable when the process ends; -1 where there are none. */
int ik_end_watch_open(pid_t pid);

#endif
