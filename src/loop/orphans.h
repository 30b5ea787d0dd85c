/*
 * orphans: what finished tools left running, for the user to see and end.
 *
 * Reads /proc only when asked. The call that a process comes from is in its environment
 * (IK_CALL_VARIABLE), which even a daemon keeps.
 *
 * May include: util, loop.
 */
#ifndef IK_LOOP_ORPHANS_H
#define IK_LOOP_ORPHANS_H

#include "loop/loop.h"

#include <stddef.h>

/* Contains the call id, in the environment of each native tool and whatever it starts. */
#define IK_CALL_VARIABLE "IKIGAI_CALL"

struct ik_orphan {
	int pid;
	int64_t running_ms;
	char *command; /* its arguments, separated by blanks; never NULL */
	char *call;    /* id of the call; NULL: unknown */
};

/* List the processes that ik_children_orphans() counts, oldest first. */
struct ik_orphan *ik_orphans_list(struct ik_loop *loop, size_t *ret_count);
struct ik_orphan *ik_orphans_free(struct ik_orphan *orphans, size_t count);

/* Send SIGTERM to one of them and everything it has started, and SIGKILL two seconds later to those
 * that remain. Return false if pid is not in the list. */
bool ik_orphan_end(struct ik_loop *loop, int pid);

#endif
