#include "util/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Read a clock in nanoseconds. */
static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t ik_clock_ms(void)
{
	return read_clock(CLOCK_MONOTONIC) / 1000000;
}

int64_t ik_clock_us(void)
{
	return read_clock(CLOCK_MONOTONIC) / 1000;
}

int64_t ik_clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t ik_clock_wall_ms(void)
{
	return ik_clock_wall_ns() / 1000000;
}

void ik_clock_text(int64_t wall_ms, char out[IK_CLOCK_TEXT])
{
	int64_t milliseconds = wall_ms % 1000;
	time_t seconds = (time_t)(wall_ms / 1000);
	bool told = seconds == wall_ms / 1000; /* of 32 bits, it ends in 2038 */
	struct tm when;

	if (milliseconds < 0) { /* before 1970: round towards the past */
		milliseconds += 1000;
		seconds--;
	}
	/* RFC 3339 has four-digit years; clamp anything else. */
	if (!told || !gmtime_r(&seconds, &when) || when.tm_year > 9999 - 1900 || when.tm_year < -1900) {
		snprintf(out, IK_CLOCK_TEXT, "%s",
			wall_ms < 0 ? "0000-01-01T00:00:00.000Z" : "9999-12-31T23:59:59.999Z");
		return;
	}
	snprintf(out, IK_CLOCK_TEXT, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ",
		(unsigned)(when.tm_year + 1900) % 10000, (unsigned)(when.tm_mon + 1) % 100,
		(unsigned)when.tm_mday % 100, (unsigned)when.tm_hour % 100, (unsigned)when.tm_min % 100,
		(unsigned)when.tm_sec % 100, (unsigned)milliseconds % 1000);
}

bool ik_clock_read(const char *text, int64_t *ret_wall_ms)
{
	struct tm parts = { .tm_isdst = 0 };
	const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &parts) : NULL;
	int64_t milliseconds = 0;
	int digits;

	if (!rest)
		return false;
	if (*rest == '.') {
		for (rest++, digits = 0; *rest >= '0' && *rest <= '9'; rest++, digits++)
			milliseconds = digits < 3 ? milliseconds * 10 + (*rest - '0') : milliseconds;
		for (; digits < 3; digits++)
			milliseconds *= 10;
	}
	*ret_wall_ms = (int64_t)timegm(&parts) * 1000 + milliseconds;
	/* what is beyond a time_t of 32 bits became -1 */
	return strcmp(rest, "Z") == 0 && (parts.tm_year < 138 || *ret_wall_ms > 0);
}
