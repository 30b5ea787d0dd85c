/*
 * reaper: this process's children found and killed with system calls alone.
 *
 * For the handler of a fatal signal, in which nothing else is allowed, and for
 * the ordinary end, which does the same.  The program is a child subreaper, so
 * that what its children leave behind becomes its child in turn.
 *
 * Owns nothing; the strangers (children that the program was born with and
 * that are left alone) are kept by who sets them.  One of the few globals: a
 * signal handler has no argument.
 *
 * Inside src/loop only.  May include: libc.
 */
#ifndef IK_LOOP_REAPER_H
#define IK_LOOP_REAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* From now on ik_reaper_end() ends what is below this process. */
void ik_reaper_arm(const pid_t *strangers, size_t count);
void ik_reaper_disarm(void);

/* List children of this process, zombies included, strangers not: at most size
 * of them. -1 where the kernel does not tell (no CONFIG_PROC_CHILDREN). */
ssize_t ik_reaper_list(pid_t *pids, size_t size);

/* SIGKILL for a child of ours (not reaped yet, so the number is its own) and, where it lives
 * in a session that is not ours, its whole group: what keeps forking cannot outrun that. */
void ik_reaper_kill(pid_t pid);

/* If armed: kill everything below this process, generation by generation, and reap it; a
 * second at most. May be called from a signal handler. */
void ik_reaper_end(void);

#endif
