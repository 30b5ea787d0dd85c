/*
 * leftovers: what finished tools left running, for a person to see and to end.
 *
 * Reads /proc when asked, never by itself; which call a process comes from
 * stands in its environment (IK_CALL_VARIABLE), which even a daemon keeps.
 *
 * May include: util, loop.
 */
#ifndef IK_LOOP_LEFTOVERS_H
#define IK_LOOP_LEFTOVERS_H

#include "loop/loop.h"

#include <stddef.h>

/* Names the call, in the environment of each native tool and what it starts. */
#define IK_CALL_VARIABLE "IKIGAI_CALL"

struct ik_leftover {
	int pid;
	int64_t running_ms;
	char *command; /* its arguments with blanks between them; never NULL */
	char *call;    /* the id of the call; NULL: not known */
};

/* Those that ik_children_orphans() counts, in the order of their start. */
struct ik_leftover *ik_leftovers_list(struct ik_loop *loop, size_t *ret_count);
struct ik_leftover *ik_leftovers_free(struct ik_leftover *leftovers, size_t count);

/* SIGTERM to one of them with all that it has started, and two seconds later SIGKILL to what
 * is there still. False when pid is none of them. */
bool ik_leftover_end(struct ik_loop *loop, int pid);

#endif
