/*
 * busy: what keeps the processors, so that a scan starts no more tools than
 * can get anywhere, and ends none that could not.
 *
 * Asks the kernel each time; keeps nothing.  Where /proc does not answer, the
 * machine counts as idle.
 *
 * May include: libc, util.
 */
#ifndef IK_TOOL_LOAD_H
#define IK_TOOL_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* Processors that this process may use. */
int ik_load_processors(void);

/* Processes that run or wait for a processor now, without this one. */
int ik_load_runnable(void);

/* How a process does, with its threads and all that live of what it started. */
struct ik_process_load {
	/* None of them runs, could run, or waits for the disk. */
	bool asleep;
	/* Some of them want to go on and cannot: they wait for the disk, or for a
	 * processor, of which they had less than half of their time. */
	bool held_up;
	/* Microseconds that they have waited for a processor so far; 0 where the kernel
	 * does not count them. What has ended counts no more. */
	int64_t delayed_us;
};

/* All false and 0 when it has ended. */
struct ik_process_load ik_load_of(int pid);

#endif
