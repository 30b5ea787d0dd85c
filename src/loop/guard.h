/*
 * guard: a process that outlives this one and kills what its children left.
 *
 * A parent-death signal reaches a tool, but nothing that the tool has started, and a process killed
 * by SIGKILL cannot clean up. So while anything runs, a guard does too: this program in a special
 * mode, asleep until its parent dies.
 *
 * It recognises what to kill by a mark that every process inherits, through setsid, a double fork
 * and a new environment: RLIMIT_LOCKS, a limit that Linux keeps but has not used since 2.4.25
 * (getrlimit(2)). The soft and hard limit are the ends of a range that each run draws at random
 * within its own. So an ikigai started by a tool has its own guard, and everything below it also
 * dies with the outer ikigai.
 *
 * It does not find what another program starts on request (a running tmux server, systemd, a
 * container runtime), nor a process that lowers its mark, nor what it is not allowed to kill.
 *
 * Inside src/loop, except for ik_guard_run(). May include: util, loop.
 */
#ifndef IK_LOOP_GUARD_H
#define IK_LOOP_GUARD_H

#include "loop/loop.h"

#include <stddef.h>
#include <sys/resource.h>

/* PROGRAM --guard PARENT LOW HIGH runs the guard. */
#define IK_GUARD_OPTION "--guard"

struct ik_guard;

/* Nothing is started yet. program: path of the executable, which must outlive the guard. */
struct ik_guard *ik_guard_new(struct ik_loop *loop, const char *program);
/* Takes NULL, returns NULL. */
struct ik_guard *ik_guard_close(struct ik_guard *guard);

/* Return the limit for a process that is about to be started; the guard is running by then. NULL:
 * not guarded, because guard is NULL, could not be started, or has no range left. */
const struct rlimit *ik_guard_mark(struct ik_guard *guard);

/* Return how many of this program's children are the guard: 0 or 1. */
size_t ik_guard_count(const struct ik_guard *guard);

/* There is something to guard: start another guard if it has died. */
void ik_guard_renew(struct ik_guard *guard);

/* There is nothing left to guard: end it unless something is started within a second. */
void ik_guard_rest(struct ik_guard *guard);

/* Be the guard, given the arguments after the option; return the exit status. */
int ik_guard_run(char *const arguments[3]);

#endif
