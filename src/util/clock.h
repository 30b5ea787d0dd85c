/*
 * clock: the monotonic and the wall clock, and how times are written.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_CLOCK_H
#define IK_UTIL_CLOCK_H

#include <stdint.h>

/* Monotonic clock, in milliseconds and in microseconds: for durations. */
int64_t ik_clock_ms(void);
int64_t ik_clock_us(void);

/* Milliseconds since 1970 UTC, for what is stored; nanoseconds, to compare with the times of files. */
int64_t ik_clock_wall_ms(void);
int64_t ik_clock_wall_ns(void);

/* RFC 3339 in UTC with milliseconds, "2026-01-31T12:00:00.000Z". */
#define IK_CLOCK_TEXT 32
void ik_clock_text(int64_t wall_ms, char out[IK_CLOCK_TEXT]);

#endif
