#include "util/uuid.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* Return random bits; if the kernel has none yet (early boot), derive them from clock and
 * process. */
static uint64_t random_bits(void)
{
	uint64_t bits;
	struct timespec now;

	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) == (ssize_t)sizeof(bits))
		return bits;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)getpid()) * 0x9e3779b97f4a7c15u;
}

void ik_uuid_new(char out[IK_UUID_TEXT])
{
	/* 48 bits of milliseconds and 12 bits of their fraction as one number (RFC 9562, section 6.2,
	 * method 3). Remember the last one, so that ids always increase, even if the clock is set
	 * back. */
	static uint64_t last;
	struct timespec now;
	uint64_t stamp, random;

	clock_gettime(CLOCK_REALTIME, &now);
	stamp = ((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000) << 12;
	stamp |= (uint64_t)(now.tv_nsec % 1000000) * 4096 / 1000000;
	if (stamp <= last)
		stamp = last + 1;
	last = stamp;
	random = random_bits();
	snprintf(out, IK_UUID_TEXT, "%08x-%04x-7%03x-%04x-%012llx",
		(unsigned)(stamp >> 28 & 0xffffffff), (unsigned)(stamp >> 12 & 0xffff),
		(unsigned)(stamp & 0xfff), (unsigned)(0x8000 | (random >> 48 & 0x3fff)),
		(unsigned long long)(random & 0xffffffffffff));
}
