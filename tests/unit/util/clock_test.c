#include "util/clock.h"

#include <time.h>

#include <criterion/criterion.h>

Test(clock, spells_rfc_3339)
{
	char text[IK_CLOCK_TEXT];

	ik_clock_text(0, text);
	cr_assert_str_eq(text, "1970-01-01T00:00:00.000Z");
	ik_clock_text(1769860800123, text);
	cr_assert_str_eq(text, "2026-01-31T12:00:00.123Z");
	ik_clock_text(-1, text);
	cr_assert_str_eq(text, "1969-12-31T23:59:59.999Z");
	ik_clock_text(INT64_MAX, text);
	cr_assert_str_eq(text, "9999-12-31T23:59:59.999Z");
	ik_clock_text(INT64_MIN, text);
	cr_assert_str_eq(text, "0000-01-01T00:00:00.000Z");
}

Test(clock, reads_rfc_3339)
{
	int64_t time_ms = 0;

	cr_assert(ik_clock_read("2026-01-31T12:00:00.1239Z", &time_ms));
	cr_assert_eq(time_ms, 1769860800123);
	cr_assert(ik_clock_read("2026-01-31T12:00:00Z", &time_ms));
	cr_assert_eq(time_ms, 1769860800000);
	/* beyond a time_t of 32 bits: refused, never read as another day */
	cr_assert(!ik_clock_read("2100-01-01T00:00:00Z", &time_ms) || time_ms == 4102444800000);
	cr_assert_not(ik_clock_read("2026-01-31T12:00:00", &time_ms));
	cr_assert_not(ik_clock_read("soon", &time_ms));
	cr_assert_not(ik_clock_read(NULL, &time_ms));
}

Test(clock, never_goes_back)
{
	int64_t before = ik_clock_us();

	for (int i = 0; i < 1000; i++) {
		int64_t now = ik_clock_us();

		cr_assert_geq(now, before);
		before = now;
	}
	cr_assert_leq(ik_clock_ms(), ik_clock_us() / 1000);
}

Test(clock, wall_is_the_time_of_day)
{
	cr_assert_leq(llabs(ik_clock_wall_ms() / 1000 - (int64_t)time(NULL)), 1);
}
