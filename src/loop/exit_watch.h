/*
 * exit_watch: report the end of any process on this machine, not only of children.
 *
 * Uses pidfd_open(2). Where the kernel does not have it, the caller is told so. Nothing
 * is armed while nothing happens.
 *
 * Owns its descriptor. May include: util, loop.
 */
#ifndef IK_LOOP_EXIT_WATCH_H
#define IK_LOOP_EXIT_WATCH_H

#include "loop/loop.h"

#include <sys/types.h>

struct ik_exit_watch;

/* ended(arg) runs once, from the loop, when the process has ended; it may close the watch. NULL:
 * there is no such process, or its end cannot be watched. The pid may have been reused: callers
 * that identify the process by more than its pid check again after this call. */
struct ik_exit_watch *ik_exit_watch_new(struct ik_loop *loop, pid_t pid, void (*ended)(void *arg),
	void *arg);

/* No callback runs from here on. Takes NULL, returns NULL. */
struct ik_exit_watch *ik_exit_watch_close(struct ik_exit_watch *watch);

#endif
