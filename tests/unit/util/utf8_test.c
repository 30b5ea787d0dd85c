#include "util/utf8.h"

#include <string.h>

#include <criterion/criterion.h>

#define BAD "\xef\xbf\xbd"

Test(utf8, every_character_goes_both_ways)
{
	for (uint32_t codepoint = 0; codepoint <= 0x110010; codepoint++) {
		char bytes[4];
		uint32_t back;
		int count = ik_utf8_encode(codepoint, bytes);

		if ((codepoint >= 0xd800 && codepoint <= 0xdfff) || codepoint > 0x10ffff) {
			cr_assert_eq(count, 0);
			continue;
		}
		cr_assert_eq(ik_utf8_decode(bytes, (size_t)count, &back), count);
		cr_assert_eq(back, codepoint);
		for (int part = 1; part < count; part++)
			cr_assert_eq(ik_utf8_decode(bytes, (size_t)part, &back), -1);
	}
}

Test(utf8, boundaries)
{
	static const struct {
		const char *bytes;
		size_t length;
		int count;
	} cases[] = {
		{ "\x7f", 1, 1 }, { "\x80", 1, 0 }, { "\xbf", 1, 0 }, { "\xc0\x80", 2, 0 },
		{ "\xc1\xbf", 2, 0 }, { "\xc2\x80", 2, 2 }, { "\xdf\xbf", 2, 2 }, { "\xc2\x7f", 2, 0 },
		{ "\xc2\xc0", 2, 0 }, { "\xe0\x9f\xbf", 3, 0 }, { "\xe0\xa0\x80", 3, 3 },
		{ "\xed\x9f\xbf", 3, 3 }, { "\xed\xa0\x80", 3, 0 }, { "\xed\xbf\xbf", 3, 0 },
		{ "\xee\x80\x80", 3, 3 }, { "\xef\xbf\xbf", 3, 3 }, { "\xf0\x8f\xbf\xbf", 4, 0 },
		{ "\xf0\x90\x80\x80", 4, 4 }, { "\xf4\x8f\xbf\xbf", 4, 4 }, { "\xf4\x90\x80\x80", 4, 0 },
		{ "\xf5\x80\x80\x80", 4, 0 }, { "\xff", 1, 0 }, { "\xe0\x9f", 2, 0 }, { "\xe0\xa0", 2, -1 },
		{ "\xf4\x90", 2, 0 }, { "\xf0\x90\x80", 3, -1 }, { "\xf0\x90\x41", 3, 0 }, { "\xe2", 1, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t codepoint;

		cr_assert_eq(ik_utf8_decode(cases[i].bytes, cases[i].length, &codepoint), cases[i].count,
			"case %zu", i);
	}
}

Test(utf8, valid_prefix)
{
	cr_assert_eq(ik_utf8_valid_prefix("", 0), 0);
	cr_assert_eq(ik_utf8_valid_prefix("abcdefghijklmnop\xff", 17), 16);
	cr_assert_eq(ik_utf8_valid_prefix("abc\xc3\xa9" "defghijkl\xe2\x82", 16), 14);
	cr_assert_eq(ik_utf8_valid_prefix("\0\0", 2), 2);
}

static void expect_repair(const char *from, size_t length, const char *to, size_t to_length)
{
	struct ik_buf out;

	ik_buf_init(&out, 1000);
	ik_utf8_repair(&out, from, length);
	cr_assert_eq(out.length, to_length);
	cr_assert_eq(memcmp(out.data, to, to_length), 0, "%s", out.data);
	ik_buf_done(&out);
}

Test(utf8, repairs_each_maximal_subpart)
{
	/* Unicode 15, tables 3-8 to 3-11. */
	expect_repair("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", 9, BAD BAD BAD BAD BAD BAD BAD BAD "A", 25);
	expect_repair("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", 9, BAD BAD BAD BAD BAD BAD BAD BAD "A", 25);
	expect_repair("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", 9, BAD BAD BAD BAD BAD "A" BAD BAD "B", 23);
	expect_repair("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", 9, BAD BAD BAD BAD "A", 13);
	expect_repair("a\0b", 3, "a\0b", 3);
	expect_repair("\xe2\x82\xac", 3, "\xe2\x82\xac", 3);
}

Test(utf8, cuts_between_characters)
{
	const char *text = "a\xe2\x82\xac" "b"; /* a, three bytes, b */

	cr_assert_eq(ik_utf8_cut(text, 5, 0), 0);
	cr_assert_eq(ik_utf8_cut(text, 5, 1), 1);
	cr_assert_eq(ik_utf8_cut(text, 5, 2), 1);
	cr_assert_eq(ik_utf8_cut(text, 5, 3), 1);
	cr_assert_eq(ik_utf8_cut(text, 5, 4), 4);
	cr_assert_eq(ik_utf8_cut(text, 5, 9), 5);
}
