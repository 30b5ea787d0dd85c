#include "tui/theme.h"

#include <criterion/criterion.h>
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
			cr_assert(look->foreground != look->background || look->foreground == -1,
				"%s %d", ik_theme_at(i)->name, style);
			cr_assert(look->foreground8 != look->background8 || look->foreground8 == -1,
				"%s %d", ik_theme_at(i)->name, style);
			cr_assert(look->foreground < 256 && look->background < 256);
			cr_assert(look->foreground8 < 8 && look->background8 < 8);
		}
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
