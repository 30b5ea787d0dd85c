/*
 * reaper: find and kill this process's children with system calls alone.
 *
 * For the handler of a fatal signal, which may do nothing else, and for the ordinary exit, which
 * does the same. The program is a child subreaper, so whatever its children leave behind becomes
 * its child in turn.
 *
 * Owns nothing: the strangers (children from before the program started, which are left alone)
 * belong to the caller. One of the few globals, because a signal handler has no argument.
 *
 * Inside src/loop only. May include: libc.
 */
#ifndef IK_LOOP_REAPER_H
#define IK_LOOP_REAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Have ik_reaper_end() end everything below this process from now on. */
void ik_reaper_arm(const pid_t *strangers, size_t count);
void ik_reaper_disarm(void);

/* List up to size children of this process, zombies included, strangers excluded. -1 if the kernel
 * does not provide it (no CONFIG_PROC_CHILDREN). */
ssize_t ik_reaper_list(pid_t *pids, size_t size);

/* Send SIGKILL to a child of ours (not reaped yet, so the pid is its own) and, if it is in another
 * session, to its whole group: a process that keeps forking cannot outrun that. */
void ik_reaper_kill(pid_t pid);

/* If armed: kill everything below this process, generation by generation, and reap it, for at most
 * a second. May be called from a signal handler. */
void ik_reaper_end(void);

#endif
