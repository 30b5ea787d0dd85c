/*
 * load: who has a processor and who waits for one, so that a scan times out no tool that had no chance
 * to run.
 *
 * Asks the kernel each time and keeps nothing.  Without /proc the machine counts as idle.
 *
 * May include: libc, util.
 */
#ifndef IK_TOOL_LOAD_H
#define IK_TOOL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* Return the number of processors that this process may use. */
int ik_load_processors(void);

/* The state of a process, its threads and all its living descendants. */
struct ik_process_load {
	/* Some of them want to run but cannot: they wait for the disk, or have waited longer for a
	 * processor than they had one. */
	bool held_up;
	/* Microseconds that they have waited for a processor so far; 0 if the kernel does not count
	 * them. Descendants that have ended are not included. */
	int64_t delayed_us;
};

/* False and 0 if it has ended. */
struct ik_process_load ik_load_of(int pid);

#endif
