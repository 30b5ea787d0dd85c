/*
 * clock: the monotonic clock, the wall clock, and the format of times.
 *
 * May include: libc.
 */
#ifndef IK_UTIL_CLOCK_H
#define IK_UTIL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Return the monotonic clock, for durations, in milliseconds or microseconds. */
int64_t ik_clock_ms(void);
int64_t ik_clock_us(void);

/* Return the wall clock since 1970 UTC: milliseconds, for stored times, or nanoseconds, to compare
 * with the times of files. */
int64_t ik_clock_wall_ms(void);
int64_t ik_clock_wall_ns(void);

/* Write a time in RFC 3339, in UTC with milliseconds: "2026-01-31T12:00:00.000Z". */
#define IK_CLOCK_TEXT 32
void ik_clock_text(int64_t wall_ms, char out[IK_CLOCK_TEXT]);
/* Read such a time, with any number of decimals. Return false for anything else, and for NULL. */
bool ik_clock_read(const char *text, int64_t *ret_wall_ms);

#endif
