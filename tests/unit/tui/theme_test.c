#include "tui/term/theme.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/path.h"


Test(theme, four_themes_by_name)
{
	static const char *const names[] = { "dark", "light", "contrast", "mono" };
	for (size_t i = 0; i < 4; i++) {
		const struct ik_theme *theme = ik_theme_find(NULL, names[i]);
		cr_assert_not_null(theme);
		cr_assert_str_eq(theme->name, names[i]);
		cr_assert_eq(theme, ik_theme_at(NULL, i));
	}
	cr_assert_null(ik_theme_at(NULL, 4));
	cr_assert_null(ik_theme_find(NULL, "Dark"));
	cr_assert_null(ik_theme_find(NULL, ""));
}

/* A look that was forgotten in the table would be black on black. */
Test(theme, every_style_has_a_look)
{
	for (size_t i = 0; ik_theme_at(NULL, i); i++)
		for (int style = 0; style < IK_STYLE_COUNT; style++) {
			const struct ik_look *look = &ik_theme_at(NULL, i)->looks[style];
			const char *name = ik_theme_at(NULL, i)->name;
			bool in_block = look->background >= 0;
			int front = ik_colour_of_16(look->foreground, in_block);
			int back = ik_colour_of_16(look->background, in_block);
			cr_assert(look->foreground != look->background || look->foreground == -1,
				"%s %d", name, style);
			/* with 8 colours as well */
			cr_assert(back == -1 || (front >= 0 && (front & 7) != (back & 7)), "%s %d", name, style);
			cr_assert(front < 16 && back < 16);
			cr_assert_eq(in_block, back >= 0, "a block is one with 16 colours, too");
		}
}

/* No two styles of a theme have the same look: one of them would do. */
Test(theme, every_style_has_a_look_of_its_own)
{
	for (size_t i = 0; i < 2; i++)
		for (int style = 0; style < IK_STYLE_COUNT; style++)
			for (int other = 0; other < style; other++) {
				const struct ik_look *one = &ik_theme_at(NULL, i)->looks[style];
				const struct ik_look *two = &ik_theme_at(NULL, i)->looks[other];
				cr_assert(one->foreground != two->foreground ||
					one->background != two->background || one->attributes != two->attributes,
					"%s: %d and %d", ik_theme_at(NULL, i)->name, style, other);
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

static int32_t of_256(int32_t rgb)
{
	return ik_colour_of_palette(ik_colour_nearest(rgb));
}

static void is_seen(const char *theme, int style, int32_t colour, int32_t ground, double wanted)
{
	double got = contrast(colour, ground);
	cr_assert(got >= wanted, "%s, style %d: %06x on %06x is %.2f", theme, style, colour, ground, got);
}

/* Text can be read: WCAG's 4.5 to 1, in "contrast" 7 to 1; frames and blocks stand out from the
 * terminal's background with 3 to 1; in 24 bits and by the palette. */
static void check_contrast(const char *name, const int32_t *grounds, size_t count, double least)
{
	const struct ik_theme *theme = ik_theme_find(NULL, name);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		for (size_t i = 0; i < count; i++) {
			const struct ik_look *look = &theme->looks[style];
			bool block = look->background >= 0 && look->background != grounds[i];
			double wanted = is_frame(style) ? 3 : least;
			if (block) {
				is_seen(name, style, look->background, grounds[i], 3);
				is_seen(name, style, of_256(look->background), grounds[i], 3);
				is_seen(name, style, look->foreground, look->background, wanted);
				is_seen(name, style, of_256(look->foreground), of_256(look->background), wanted);
			} else if (look->foreground >= 0) {
				is_seen(name, style, look->foreground, grounds[i], wanted);
				is_seen(name, style, of_256(look->foreground), grounds[i], wanted);
			}
		}
}

Test(theme, text_stands_out)
{
	static const int32_t dark[] = { 0x000000, 0x1E1E1E, 0x282A36, 0x002B36, 0x282C34 };
	static const int32_t light[] = { 0xFFFFFF, 0xFDF6E3, 0xF6F8FA, 0xF5F0E0 };
	static const int32_t black[] = { 0x000000 };
	check_contrast("dark", dark, sizeof dark / sizeof *dark, 4.5);
	check_contrast("light", light, sizeof light / sizeof *light, 4.5);
	check_contrast("contrast", black, 1, 7);
}

/* What must catch the eye does so without any colour. */
Test(theme, mono_attributes_tell_styles_apart)
{
	static const enum ik_style loud[] = { IK_STYLE_BAD, IK_STYLE_WARNING, IK_STYLE_SELECTION,
		IK_STYLE_MATCH, IK_STYLE_ACCENT, IK_STYLE_USER };
	const struct ik_theme *mono = ik_theme_find(NULL, "mono");
	for (size_t i = 0; i < sizeof loud / sizeof *loud; i++)
		cr_assert_neq(mono->looks[loud[i]].attributes, 0);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		cr_assert(mono->looks[style].foreground == -1 && mono->looks[style].background == -1);
}

/* With 16 colours, a colour keeps its hue, and greys are the terminal's own. */
Test(theme, colours_of_16)
{
	enum { GREEN = 2, BLUE = 4, MAGENTA, CYAN, BRIGHT = 8, RED = 9, YELLOW = 11 };
	cr_assert_eq(ik_colour_of_16(-1, true), -1);
	cr_assert_eq(ik_colour_of_16(0x9AA3B2, false), -1);
	cr_assert_eq(ik_colour_of_16(0x101216, true), 0);
	cr_assert_eq(ik_colour_of_16(0xFFFFFF, true), 15);
	cr_assert_eq(ik_colour_of_16(0xF28F8F, false), RED);
	cr_assert_eq(ik_colour_of_16(0xD9C49A, false), YELLOW);
	cr_assert_eq(ik_colour_of_16(0x8DB9F5, false), BRIGHT | CYAN, "blue is too dark on black");
	cr_assert_eq(ik_colour_of_16(0x1B4FB8, false), BLUE);
	cr_assert_eq(ik_colour_of_16(0x1B6A24, false), GREEN);
	cr_assert_eq(ik_colour_of_16(0x7A5A12, false), MAGENTA, "yellow is too light on white");
}

/* ---- themes in files ---- */

static enum ik_status add(struct ik_themes *themes, const char *name, const char *text,
	struct ik_error *error)
{
	char *copy = ik_strdup(text);
	enum ik_status status = ik_themes_add(themes, name, "mine.json", copy, strlen(copy), error);
	free(copy);
	return status;
}

Test(theme, a_file_changes_its_base)
{
	struct ik_themes themes = { 0 };
	struct ik_error error;
	cr_assert_eq(add(&themes, "one", "{}", &error), IK_OK);
	cr_assert_eq(add(&themes, "two",
		"{ // mine\n\"base\": \"light\", \"user\": {\"foreground\": \"#C0FFEE\"},\n"
		"\"match\": {\"background\": \"default\", \"attributes\": [\"bold\", \"italic\"]}}",
		&error), IK_OK, "%s", error.text);
	const struct ik_theme *dark = ik_theme_find(NULL, "dark"), *light = ik_theme_find(NULL, "light");
	const struct ik_theme *one = ik_theme_find(&themes, "one"), *two = ik_theme_find(&themes, "two");
	cr_assert_eq(ik_theme_at(&themes, 4), one);
	cr_assert_eq(ik_theme_at(&themes, 5), two);
	cr_assert_null(ik_theme_at(&themes, 6));
	cr_assert_null(ik_theme_find(&themes, "three"));
	for (int style = 0; style < IK_STYLE_COUNT; style++) {
		cr_assert_eq(one->looks[style].foreground, dark->looks[style].foreground);
		if (style != IK_STYLE_USER && style != IK_STYLE_MATCH)
			cr_assert_eq(two->looks[style].foreground, light->looks[style].foreground);
	}
	cr_assert_eq(two->looks[IK_STYLE_USER].foreground, 0xC0FFEE);
	cr_assert_eq(two->looks[IK_STYLE_USER].attributes, light->looks[IK_STYLE_USER].attributes);
	cr_assert_eq(two->looks[IK_STYLE_MATCH].background, IK_COLOUR_OWN);
	cr_assert_eq(two->looks[IK_STYLE_MATCH].attributes, IK_ATTRIBUTE_BOLD | IK_ATTRIBUTE_ITALIC);
	ik_themes_done(&themes);
	cr_assert_null(ik_theme_find(&themes, "one"));
}

Test(theme, an_error_in_a_file_names_line_key_and_what_is_allowed)
{
	static const struct { const char *text, *line, *key, *allowed; } rows[] = {
		{ "[]", "mine.json", "array", "object" },
		{ "{\n\"user\": {]}}", "line 2", "column 10", "" },
		{ "{\n\n\"usr\": {}}", "mine.json:3:", "\"usr\"", "base, normal, dim, bold, emphasis, thinking, "
			"user, accent, code, keyword, output, good, bad, warning, frame, selection, link, match" },
		{ "{\"user\": \"blue\"}", "mine.json:1:", "\"user\"", "an object" },
		{ "{\"user\":\n{\"colour\": 1}}", "mine.json:2:", "\"colour\"", "foreground, background, attributes" },
		{ "{\"user\":\n{\"foreground\": \"blue\"}}", "mine.json:2:", "\"foreground\"", "\"#rrggbb\" or" },
		{ "{\"user\": {\"foreground\": \"#12345\"}}", "mine.json:1:", "\"foreground\"", "\"default\"" },
		{ "{\"user\": {\"foreground\": \"#12345g\"}}", "mine.json:1:", "\"foreground\"", "#rrggbb" },
		{ "{\"user\": {\"background\": 7}}", "mine.json:1:", "\"background\"", "#rrggbb" },
		{ "{\"user\": {\"attributes\": \"bold\"}}", "mine.json:1:", "\"attributes\"", "a list of" },
		{ "{\"user\": {\"attributes\": [\"blink\"]}}", "mine.json:1:", "\"attributes\"", "\"underline\"" },
		{ "{\"base\": \"grey\"}", "mine.json:1:", "\"base\"", "\"dark\", \"light\"" },
		{ "{\"base\": 1}", "mine.json:1:", "\"base\"", "\"dark\", \"light\"" },
	};
	struct ik_themes themes = { 0 };
	struct ik_error error;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		cr_assert_eq(add(&themes, "mine", rows[i].text, &error), IK_INVALID, "%s", rows[i].text);
		cr_assert(strstr(error.text, rows[i].line) && strstr(error.text, rows[i].key) &&
			strstr(error.text, rows[i].allowed), "%s: %s", rows[i].text, error.text);
	}
	cr_assert_eq(add(&themes, "dark", "{}", &error), IK_INVALID);
	cr_assert_eq(add(&themes, "auto", "{}", &error), IK_INVALID);
	cr_assert_eq(themes.count, 0);
}

/* The example in the manual's folder is the theme "light". */
Test(theme, the_example_is_true)
{
	const char *top = getenv("IK_TOP_SRCDIR");
	char *path = ik_path_join(top ? top : ".", "man/paper.json");
	struct ik_themes themes = { 0 };
	struct ik_error error;
	struct ik_buf text;
	ik_buf_init(&text, IK_KIB(64));
	cr_assert_eq(ik_file_read(path, &text, &error), IK_OK, "%s", error.text);
	/* not only because of its base */
	char *base = strstr(text.data, "\"base\": \"light\"");
	cr_assert_not_null(base);
	memcpy(base, "\"base\": \"dark\" ", strlen("\"base\": \"dark\" "));
	cr_assert_eq(ik_themes_add(&themes, "paper", path, text.data, text.length, &error), IK_OK, "%s",
		error.text);
	for (int style = 0; style < IK_STYLE_COUNT; style++) {
		const struct ik_look *look = &themes.items[0].looks[style];
		const struct ik_look *light = &ik_theme_find(NULL, "light")->looks[style];
		cr_assert(look->foreground == light->foreground && look->background == light->background &&
			look->attributes == light->attributes, "style %d", style);
	}
	ik_themes_done(&themes);
	ik_buf_done(&text);
	free(path);
}
