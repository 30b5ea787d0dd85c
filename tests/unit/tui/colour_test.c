#include "tui/term/theme.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tui/term/query.h"

Test(colour, nearest_of_the_palette)
{
	cr_assert_eq(ik_colour_nearest(-1), -1);
	cr_assert_eq(ik_colour_nearest(0x000000), 16);
	cr_assert_eq(ik_colour_nearest(0xFFFFFF), 231);
	cr_assert_eq(ik_colour_nearest(0xFF0000), 196);
	cr_assert_eq(ik_colour_nearest(0x87D7FF), 117);
	cr_assert_eq(ik_colour_nearest(0x303030), 236);
	for (int index = 16; index < 256; index++)
		cr_assert_eq(ik_colour_of_palette(ik_colour_nearest(ik_colour_of_palette(index))),
			ik_colour_of_palette(index));
}

Test(background, answers)
{
	static const struct { const char *report; int light; } rows[] = {
		{ "]11;rgb:0000/0000/0000", 0 }, { "]11;rgb:ffff/ffff/ffff", 1 }, { "]11;rgb:ff/FF/ff", 1 },
		{ "]11;rgb:f/f/e", 1 }, { "]11;rgb:1e1e/1e1e/1e1e", 0 }, { "]11;rgb:fdfd/f6f6/e3e3", 1 },
		{ "]11;rgba:0000/2b2b/3636/ffff", 0 }, { "]11;rgb:8888/8888/8888", 1 },
		{ "]11;rgb:", -1 }, { "]11;rgb:00/00", -1 }, { "]11;rgb:00/00/", -1 },
		{ "]11;rgb:zz/00/00", -1 }, { "]10;rgb:ffff/ffff/ffff", -1 }, { "", -1 }, { "]11;?", -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool light = false;
		bool read = ik_background_read(rows[i].report, strlen(rows[i].report), &light);
		cr_assert_eq(read ? (int)light : -1, rows[i].light, "%s", rows[i].report);
	}
	cr_assert(ik_background_is_fence("[?62;4c", 7) && !ik_background_is_fence("[?1u", 4)
		&& !ik_background_is_fence("]11;c", 5) && !ik_background_is_fence("", 0));
}

Test(background, variable)
{
	static const struct { const char *value; int light; } rows[] = {
		{ "15;0", 0 }, { "0;15", 1 }, { "0;default;15", 1 }, { "7;8", 0 }, { "0;7", 1 },
		{ "15;default", -1 }, { NULL, -1 }, { "", -1 }, { "0", -1 }, { "0;16", -1 }, { "0;151", -1 },
		{ "0;1x", -1 }, { "0;9", 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool light = false;
		bool read = ik_background_of_variable(rows[i].value, &light);
		cr_assert_eq(read ? (int)light : -1, rows[i].light, "%s", rows[i].value);
	}
}

Test(pictures, terminals_that_draw_pictures_say_so)
{
	static const char *const names[] = { "P>|kitty(0.35.2)", "P>|ghostty 1.0.1" },
		*const others[] = { "P>|WezTerm 20240203", "P>|tmux 3.4", "P>|kitty", "[?62;4c", "" },
		*const sixels[] = { "[?62;4c", "[?62;1;4;22c", "[?4;4c" },
		*const none[] = { "[?62;22c", "[?4c", "[?62;14;44c", "[?1;2c", "[?62;4u", "" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		cr_expect(ik_placeholders_are_known(names[i], strlen(names[i])), "%s", names[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		cr_expect_not(ik_placeholders_are_known(others[i], strlen(others[i])), "%s", others[i]);
	for (size_t i = 0; i < sizeof sixels / sizeof *sixels; i++)
		cr_expect(ik_sixels_are_known(sixels[i], strlen(sixels[i])), "%s", sixels[i]);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		cr_expect_not(ik_sixels_are_known(none[i], strlen(none[i])), "%s", none[i]);
}
