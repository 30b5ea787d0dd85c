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
 * Belongs to its loop. May include: util, loop.
 */
#ifndef IK_LOOP_KILLER_H
#define IK_LOOP_KILLER_H

#include "loop/loop.h"

#include <sys/resource.h>

/* PROGRAM --killer PARENT LOW HIGH runs the killer. */
#define IK_KILLER_OPTION "--killer"

/* From now on, have a killer run while there is anything to kill. program: path of this executable,
 * which must outlive the loop. */
void ik_killer_enable(struct ik_loop *loop, const char *program);

/* Return the limit for a process that is about to be started; the killer is running by then. NULL:
 * the process gets no mark, because the killer is not enabled, could not be started, or has no range
 * left. */
const struct rlimit *ik_killer_mark(struct ik_loop *loop);

/* Be the killer, given the arguments after the option; return the exit status. */
int ik_killer_run(char *const arguments[3]);

#endif
