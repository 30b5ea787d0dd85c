/*
 * busy: what keeps the processors, so that a scan starts no more tools than
 * can get anywhere.
 *
 * Asks the kernel each time; keeps nothing.  Where /proc does not answer, the
 * machine counts as idle.
 *
 * May include: libc.
 */
#ifndef IK_TOOL_BUSY_H
#define IK_TOOL_BUSY_H

#include <stdint.h>

/* Processors that this process may use. */
int ik_busy_processors(void);

/* Processes that run or wait for a processor now, without this one. */
int ik_busy_runnable(void);

/* Microseconds, counted from the start of the machine, in which something had
 * to wait for a processor; -1 where the kernel does not count them. */
int64_t ik_busy_stalled_us(void);

#endif
