#include "tui/term/theme.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>


Test(theme, four_themes_by_name)
{
	static const char *const names[] = { "dark", "light", "contrast", "mono" };
	for (size_t i = 0; i < 4; i++) {
		const struct ik_theme *theme = ik_theme_find(names[i]);
		cr_assert_not_null(theme);
		cr_assert_str_eq(theme->name, names[i]);
		cr_assert_eq(theme, ik_theme_at(i));
	}
	cr_assert_null(ik_theme_at(4));
	cr_assert_null(ik_theme_find("Dark"));
	cr_assert_null(ik_theme_find(""));
}

/* A look that was forgotten in the table would be black on black. */
Test(theme, every_style_has_a_look)
{
	for (size_t i = 0; ik_theme_at(i); i++)
		for (int style = 0; style < IK_STYLE_COUNT; style++) {
			const struct ik_look *look = &ik_theme_at(i)->looks[style];
			const char *name = ik_theme_at(i)->name;
			cr_assert(look->foreground != look->background || look->foreground == -1,
				"%s %d", name, style);
			cr_assert(look->foreground16 != look->background16 || look->foreground16 == -1,
				"%s %d", name, style);
			cr_assert(look->foreground16 == -1 || look->background16 == -1 ||
				(look->foreground16 & 7) != (look->background16 & 7), "%s %d", name, style);
			cr_assert(look->foreground16 < 16 && look->background16 < 16);
			/* with a colour somewhere, with one everywhere */
			cr_assert_eq(look->background < 0, look->background16 < 0, "%s %d", name, style);
		}
}

static bool is_frame(int style)
{
	return style == IK_STYLE_FRAME;
}

/* Relative luminance, 0 to 1, and the contrast of two colours, 1 to 21, by WCAG 2. */
static double luminance(int32_t rgb)
{
	static const double weights[3] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;
	for (int part = 0; part < 3; part++) {
		double value = (rgb >> 8 * part & 0xFF) / 255.0;
		sum += weights[part] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(int32_t one, int32_t other)
{
	double first = luminance(one) + 0.05, second = luminance(other) + 0.05;
	return first > second ? first / second : second / first;
}

/* Text can be read: WCAG's 4.5 to 1, in "contrast" 7 to 1, frames 3 to 1; in 24 bits and
 * by the palette, on the backgrounds that people have. */
static void check_contrast(const char *name, const int32_t *grounds, size_t count, double least)
{
	const struct ik_theme *theme = ik_theme_find(name);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		for (size_t i = 0; i < count; i++) {
			const struct ik_look *look = &theme->looks[style];
			int32_t back = look->background < 0 ? grounds[i] : look->background;
			int32_t back256 = look->background < 0 ? grounds[i]
				: ik_colour_of_palette(ik_colour_nearest(look->background));
			double wanted = is_frame(style) ? 3 : least;
			if (look->foreground < 0)
				continue;
			double exact = contrast(look->foreground, back);
			double near = contrast(
				ik_colour_of_palette(ik_colour_nearest(look->foreground)), back256);
			cr_assert(exact >= wanted, "%s, style %d on %06x: %.2f", name, style, back, exact);
			cr_assert(near >= wanted, "%s, style %d of 256 on %06x: %.2f", name, style, back256,
				near);
		}
}

Test(theme, text_stands_out)
{
	static const int32_t dark[] = { 0x000000, 0x1E1E1E, 0x282A36, 0x002B36 };
	static const int32_t light[] = { 0xFFFFFF, 0xFDF6E3, 0xF6F8FA };
	static const int32_t black[] = { 0x000000 };
	check_contrast("dark", dark, sizeof dark / sizeof *dark, 4.5);
	check_contrast("light", light, sizeof light / sizeof *light, 4.5);
	check_contrast("contrast", black, 1, 7);
}

/* What must catch the eye does so without any colour. */
Test(theme, mono_attributes_tell_styles_apart)
{
	static const enum ik_style loud[] = { IK_STYLE_ERROR, IK_STYLE_SELECTION, IK_STYLE_STATUS,
		IK_STYLE_MATCH, IK_STYLE_FRAME_FOCUS };
	for (size_t i = 0; ik_theme_at(i); i++)
		for (size_t k = 0; k < sizeof loud / sizeof *loud; k++)
			cr_assert_neq(ik_theme_at(i)->looks[loud[k]].mono_attributes, 0);
}
