/*
 * guard: a process that outlives this one and then kills what its children left.
 *
 * A parent-death signal reaches a tool, but nothing that the tool has started, and whoever
 * dies of SIGKILL cannot clean up.  So while anything runs there is a guard: this program in
 * a mode of its own, asleep until its parent dies.  It finds what is to be killed by a mark
 * that every process hands on to what it starts, through setsid, a double fork and a new
 * environment: RLIMIT_LOCKS, a limit that Linux keeps but has not used since 2.4.25
 * (getrlimit(2)).  The soft and the hard limit are the ends of a range that each run draws at
 * random within its own, so an ikigai that a tool runs has a guard of its own, and dies with
 * all of its own when the outer one does.
 *
 * It does not find what another program starts on request (a running tmux server, systemd,
 * a container runtime), nor a process that lowers its mark, nor what it may not kill.
 *
 * Inside src/loop, but for ik_guard_run().  May include: util, loop.
 */
#ifndef IK_LOOP_GUARD_H
#define IK_LOOP_GUARD_H

#include "loop/loop.h"

#include <stddef.h>
#include <sys/resource.h>

/* PROGRAM --guard PARENT LOW HIGH: the guard. */
#define IK_GUARD_OPTION "--guard"

struct ik_guard;

/* Nothing is started yet. program: its executable, a path that lives as long as the guard. */
struct ik_guard *ik_guard_new(struct ik_loop *loop, const char *program);
/* Takes NULL, returns NULL. */
struct ik_guard *ik_guard_close(struct ik_guard *guard);

/* The limit for a process that is about to be started; the guard runs when this returns. NULL:
 * there is none, because guard is NULL, it cannot be started, or there is no range left. */
const struct rlimit *ik_guard_mark(struct ik_guard *guard);

/* How many of this program's children are the guard: 0 or 1. */
size_t ik_guard_count(const struct ik_guard *guard);

/* Something is left to guard: start another if it has died. */
void ik_guard_renew(struct ik_guard *guard);

/* Nothing is left to guard: it ends, unless something is started within a second. */
void ik_guard_rest(struct ik_guard *guard);

/* Be the guard, by the arguments after the option; the exit status. */
int ik_guard_run(char *const arguments[3]);

#endif
