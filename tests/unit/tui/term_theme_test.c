#include "tui/term/term.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

#include "util/limits.h"

/* Draw a word of each style, and return what is written. */
static struct ik_buf draw_words(struct ik_term *term, const char *words)
{
	struct ik_cells cells;
	struct ik_buf out;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, IK_STYLE_COUNT, 12);
	ik_buf_init(&out, IK_MIB(1));
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		ik_cells_text(&cells, (struct ik_rectangle){ 0, 0, IK_STYLE_COUNT, 12 }, style, 0,
			(enum ik_style)style, words, strlen(words));
	ik_cells_set_cursor(&cells, 0, 0);
	ik_term_frame(term, &cells, &out);
	ik_cells_done(&cells);
	cr_assert_eq(ik_buf_status(&out), IK_OK);
	return out;
}

static struct ik_buf draw(struct ik_term *term)
{
	return draw_words(term, "word 38;5;17");
}

static struct ik_term *make(const char *type, enum ik_colour_depth colours)
{
	struct ik_error error;
	struct ik_term_options options = { .type = type, .colours = colours,
		.theme = ik_theme_find(NULL, "dark"), .rows = IK_STYLE_COUNT, .columns = 12,
		.direct = colours == IK_COLOURS_TRUE };
	cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
	struct ik_term *term = ik_term_new(&options, &error);
	cr_assert_not_null(term, "%s", error.text);
	return term;
}

/* How often does it stand there? */
static int count(const struct ik_buf *out, const char *what)
{
	int found = 0;
	for (const char *at = out->data; (at = strstr(at, what)); at++)
		found++;
	return found;
}

Test(term_theme, colours_of_24_bits)
{
	struct ik_term *term = make("xterm-256color", IK_COLOURS_TRUE);
	struct ik_buf out = draw(term);
	/* ncurses may write a lone blank of the cursor's cell again; the texts are whole */
	cr_assert_eq(count(&out, "38;5;1"), IK_STYLE_COUNT, "the text is no colour");
	cr_assert(count(&out, "38;2;141;185;245m") > 0, "the person's, as the theme has it");
	cr_assert(count(&out, "48;2;134;174;232m") > 0, "the background of a selection");
	ik_buf_done(&out);
	ik_term_free(term);
	term = make("xterm-direct", IK_COLOURS_TRUE);
	out = draw(term);
	cr_assert(count(&out, "38;2;141;185;245m") > 0);
	ik_buf_done(&out);
	ik_term_free(term);
}

Test(term_theme, another_theme_repaints)
{
	static const enum ik_colour_depth depths[] = { IK_COLOURS_8, IK_COLOURS_16, IK_COLOURS_256,
		IK_COLOURS_TRUE };
	for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
		struct ik_term *term = make("xterm-256color", depths[i]);
		struct ik_buf dark = draw(term);
		struct ik_buf none = draw(term);
		cr_assert_eq(none.length, 0);
		ik_term_set_theme(term, ik_theme_find(NULL, "dark"));
		struct ik_buf same = draw(term);
		cr_assert_eq(same.length, 0, "the same theme changes nothing");
		ik_term_set_theme(term, ik_theme_find(NULL, "light"));
		struct ik_buf light = draw(term);
		cr_assert(light.length > 0 && count(&light, "word") >= IK_STYLE_COUNT);
		cr_assert_str_neq(light.data, dark.data);
		ik_term_set_theme(term, ik_theme_find(NULL, "dark"));
		struct ik_buf again = draw(term);
		cr_assert_eq(again.length, dark.length);
		cr_assert_str_eq(again.data, dark.data);
		for (size_t k = 0; k < 5; k++)
			ik_buf_done((struct ik_buf *[]){ &dark, &none, &same, &light, &again }[k]);
		ik_term_free(term);
	}
}

Test(term_theme, who_answers)
{
	static const struct { const char *type; bool answers; } rows[] = {
		{ "xterm-256color", true }, { "tmux-256color", true }, { "screen-256color", true },
		{ "linux", false }, { "vt100", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_term *term = make(rows[i].type, IK_COLOURS_256);
		cr_assert_eq(ik_term_answers(term), rows[i].answers, "%s", rows[i].type);
		ik_term_free(term);
	}
}
