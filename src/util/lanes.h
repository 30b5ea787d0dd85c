/*
 * lanes: many bytes that are compared at once.
 *
 * A comparison of two (a == b) has all bits set in the bytes in which it is true.
 *
 * Pure.  May include: libc.
 */
#ifndef IK_UTIL_LANES_H
#define IK_UTIL_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define IK_LANES 16
typedef uint8_t ik_lanes __attribute__((vector_size(IK_LANES)));

/* The bytes from a place on. */
static inline ik_lanes ik_lanes_load(const char *bytes)
{
	ik_lanes result;
	memcpy(&result, bytes, sizeof result);
	return result;
}

/* One byte in all places. */
static inline ik_lanes ik_lanes_repeat(uint8_t byte)
{
	ik_lanes result;
	memset(&result, byte, sizeof result);
	return result;
}

/* Is any of them not zero? */
static inline bool ik_lanes_any(ik_lanes lanes)
{
	uint64_t any[IK_LANES / sizeof(uint64_t)];
	memcpy(any, &lanes, sizeof any);
	return (any[0] | any[1]) != 0;
}

/* The index of the first that has all bits set, where each has all or none and one has them. */
static inline unsigned ik_lanes_first(ik_lanes lanes)
{
	uint64_t half[IK_LANES / sizeof(uint64_t)];
	memcpy(half, &lanes, sizeof half);
	unsigned index = half[0] ? 0 : 1;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return index * 8 + (unsigned)__builtin_ctzll(half[index]) / 8;
#else
	return index * 8 + (unsigned)__builtin_clzll(half[index]) / 8;
#endif
}

/* Which are above an ASCII character? Those that are none count as below. */
static inline ik_lanes ik_lanes_above(ik_lanes lanes, char character)
{
	typedef int8_t signed_lanes __attribute__((vector_size(IK_LANES)));
	return (ik_lanes)((signed_lanes)lanes > (signed_lanes)ik_lanes_repeat((uint8_t)character));
}

#endif
