/*
 * killer: a process that outlives this one and kills what its children left.
 *
 * A parent-death signal reaches a tool, but nothing that the tool has started, and a process killed
 * by SIGKILL cannot clean up. So while anything runs, a killer does too: this program in a special
 * mode, asleep until its parent dies.
 *
 * It recognises what to kill by a mark that every process inherits, through setsid, a double fork
 * and a new environment: RLIMIT_LOCKS, a limit that Linux keeps but has not used since 2.4.25
 * (getrlimit(2)). The soft and hard limit are the ends of a range that each run draws at random
 * within its own. So an ikigai started by a tool has its own killer, and everything below it also
 * dies with the outer ikigai.
 *
 * It does not find what another program starts on request (a running tmux server, systemd, a
 * container runtime), nor a process that lowers its mark, nor what it is not allowed to kill.
 *
 * Inside src/loop, except for ik_killer_run(). May include: util, loop.
 */
#ifndef IK_LOOP_KILLER_H
#define IK_LOOP_KILLER_H

#include "loop/loop.h"

#include <stddef.h>
#include <sys/resource.h>

/* PROGRAM --killer PARENT LOW HIGH runs the killer. */
#define IK_KILLER_OPTION "--killer"

struct ik_killer;

/* Nothing is started yet. program: path of the executable, which must outlive the killer. */
struct ik_killer *ik_killer_new(struct ik_loop *loop, const char *program);
/* Takes NULL, returns NULL. */
struct ik_killer *ik_killer_close(struct ik_killer *killer);

/* Return the limit for a process that is about to be started; the killer is running by then. NULL:
 * not marked, because killer is NULL, could not be started, or has no range left. */
const struct rlimit *ik_killer_mark(struct ik_killer *killer);

/* Return how many of this program's children are the killer: 0 or 1. */
size_t ik_killer_count(const struct ik_killer *killer);

/* There is something to kill one day: start another killer if it has died. */
void ik_killer_renew(struct ik_killer *killer);

/* There is nothing left to kill: end it unless something is started within a second. */
void ik_killer_rest(struct ik_killer *killer);

/* Be the killer, given the arguments after the option; return the exit status. */
int ik_killer_run(char *const arguments[3]);

#endif
