#include "tui/text/wrap.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "util/limits.h"
#include "util/utf8.h"

/* All rows of a text, joined by '|'. */
static const char *rows_of(const char *text, int columns)
{
	static char out[4096];
	size_t used = 0;
	size_t length = strlen(text);
	for (size_t at = 0; at < length;) {
		struct ik_row row = ik_wrap_row(text + at, length - at, columns);
		cr_assert(row.taken >= row.shown && row.taken > 0);
		memcpy(out + used, text + at, row.shown);
		used += row.shown;
		out[used++] = '|';
		at += row.taken;
	}
	out[used] = '\0';
	return out;
}

Test(wrap, breaks_at_blanks_and_line_feeds)
{
	cr_assert_str_eq(rows_of("one two three", 80), "one two three|");
	cr_assert_str_eq(rows_of("one two three", 7), "one two|three|");
	cr_assert_str_eq(rows_of("one two three", 8), "one two|three|");
	cr_assert_str_eq(rows_of("one two three", 6), "one|two|three|");
	cr_assert_str_eq(rows_of("a\n\nb\n", 6), "a||b|");
	cr_assert_str_eq(rows_of("one   two", 3), "one|two|");
	cr_assert_str_eq(rows_of("one \ntwo", 3), "one|two|");
}

Test(wrap, cuts_words_that_are_too_long)
{
	cr_assert_str_eq(rows_of("abcdefgh", 3), "abc|def|gh|");
	cr_assert_str_eq(rows_of("a bcdefgh", 3), "a|bcd|efg|h|");
	cr_assert_str_eq(rows_of("abcdefgh", 1), "a|b|c|d|e|f|g|h|");
}

Test(wrap, keeps_indentation)
{
	cr_assert_str_eq(rows_of("    if (x)\n", 20), "    if (x)|");
	cr_assert_str_eq(rows_of("    abcdefgh", 8), "    abcd|efgh|");
}

Test(wrap, wide_characters_break_between_each_other_and_never_in_half)
{
	cr_assert_str_eq(rows_of("日本語", 4), "日本|語|");
	cr_assert_str_eq(rows_of("日本語", 5), "日本|語|");
	cr_assert_str_eq(rows_of("日", 1), "日|");
	cr_assert_str_eq(rows_of("a日本", 3), "a日|本|");
}

Test(wrap, clusters_stay_whole)
{
	cr_assert_str_eq(rows_of("e\xCC\x81" "e\xCC\x81" "e\xCC\x81", 2), "e\xCC\x81" "e\xCC\x81|e\xCC\x81|");
}

Test(wrap, tabs_are_blanks_up_to_the_next_stop)
{
	cr_assert_str_eq(rows_of("a\tb", 8), "a|b|");
	cr_assert_str_eq(rows_of("a\tb", 9), "a\tb|");
}

Test(wrap, runs_stand_where_tabs_and_styles_put_them)
{
	static const char text[] = "ab\tcd";
	struct ik_lines lines = {0};
	struct ik_render request = {.text = text, .end = 5, .columns = 20, .prose = 20, .head = 1, .tail = 4,
		.head_style = IK_STYLE_BOLD, .style = IK_STYLE_NORMAL, .tail_style = IK_STYLE_DIM};
	ik_renderer_plain.render(&request, &lines);
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 1, 20);
	ik_lines_draw(&lines, 0, text, &cells, (struct ik_rectangle){0, 0, 1, 20}, 0);
	PICTURE_IS(&cells, "ab      cd\n");
	cr_assert_eq(picture_style(&cells, "a"), IK_STYLE_BOLD);
	cr_assert_eq(picture_style(&cells, "b"), IK_STYLE_NORMAL);
	cr_assert_eq(picture_style(&cells, "c"), IK_STYLE_NORMAL);
	cr_assert_eq(picture_style(&cells, "d"), IK_STYLE_DIM);
	ik_cells_done(&cells);
	ik_lines_done(&lines);
}

Test(wrap, rows_that_continue_a_line_can_hang)
{
	static const char text[] = "key  what it does\nother";
	struct ik_lines lines = {0};
	struct ik_render request = {.text = text, .end = strlen(text), .columns = 12, .prose = 12, .hang = 5,
		.tail = SIZE_MAX};
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 3, 12);
	ik_renderer_plain.render(&request, &lines);
	for (uint32_t i = 0; i < lines.count; i++)
		ik_lines_draw(&lines, i, text, &cells, (struct ik_rectangle){0, 0, 3, 12}, (int)i);
	PICTURE_IS(&cells, "key  what it\n     does\nother\n");
	ik_cells_done(&cells);
	ik_lines_done(&lines);
}

Test(wrap, rows_that_continue_a_line_of_a_table_stand_under_its_words)
{
	static const char text[] = "  /a [B]  one two three\n  no gap in this line\n"
		"a-long-name-of-14  far away\nx";
	struct ik_lines lines = {0};
	struct ik_render request = {.text = text, .end = strlen(text), .columns = 20, .prose = 20,
		.hang = IK_HANG_TABLE, .tail = SIZE_MAX};
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 7, 20);
	ik_renderer_plain.render(&request, &lines);
	for (uint32_t i = 0; i < lines.count; i++)
		ik_lines_draw(&lines, i, text, &cells, (struct ik_rectangle){0, 0, 7, 20}, (int)i);
	PICTURE_IS(&cells, "  /a [B]  one two\n          three\n  no gap in this\n  line\n"
		"a-long-name-of-14\nfar away\nx\n");
	ik_cells_done(&cells);
	ik_lines_done(&lines);
}

Test(wrap, long_texts_are_cut_into_sections_after_lines)
{
	size_t length = IK_LINE_MAX + 3, opener = 0;
	char *text = malloc(length);
	memset(text, 'x', length);
	cr_assert_eq(ik_renderer_plain.split(text, 0, IK_SECTION_MAX, &opener), 0);
	cr_assert_eq(ik_renderer_plain.split(text, 0, length, &opener), IK_LINE_MAX);
	memcpy(text + IK_LINE_MAX - 1, "\xC3\xBC", 2);
	cr_assert_eq(ik_renderer_plain.split(text, 0, length, &opener), IK_LINE_MAX - 1);
	text[IK_SECTION_MAX + 2] = '\n';
	cr_assert_eq(ik_renderer_plain.split(text, 0, length, &opener), IK_SECTION_MAX + 3);
	cr_assert_eq(ik_renderer_plain.split(text, 0, IK_SECTION_MAX + 3, &opener), 0);
	text[100] = '\n';
	cr_assert_eq(ik_renderer_plain.split(text, 0, length, &opener), 101);
	free(text);
}

Test(wrap, a_table_shows_names_headings_and_bars)
{
	struct ik_lines lines = {0};
	static const char text[] = "/command\nheading\n  name  words\n  n  100%  \u2588\u2588\u2588\u2588\n  text\nplain  text";
	struct ik_render request = {.text = text, .end = sizeof text - 1, .columns = 14, .prose = 14,
		.hang = IK_HANG_TABLE, .head = 8, .tail = SIZE_MAX, .head_style = IK_STYLE_USER};
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 6, 14);
	ik_renderer_table.render(&request, &lines);
	cr_assert_eq(lines.count, 6); /* the bar is cut, not continued */
	for (uint32_t i = 0; i < lines.count; i++)
		ik_lines_draw(&lines, i, text, &cells, (struct ik_rectangle){0, 0, 6, 14}, (int)i);
	PICTURE_IS(&cells, "/command\nheading\n  name  words\n  n  100%  \u2588\u2588\u2588\n  text\nplain  text\n");
	cr_assert_eq(ik_cells_at(&cells, 0, 0)->style, IK_STYLE_USER);
	cr_assert_eq(ik_cells_at(&cells, 1, 0)->style, IK_STYLE_BOLD);
	cr_assert_eq(ik_cells_at(&cells, 2, 2)->style, IK_STYLE_CODE);
	cr_assert_eq(ik_cells_at(&cells, 2, 8)->style, IK_STYLE_NORMAL);
	cr_assert_eq(ik_cells_at(&cells, 3, 11)->style, IK_STYLE_ACCENT);
	cr_assert_eq(ik_cells_at(&cells, 4, 2)->style, IK_STYLE_NORMAL);
	cr_assert_eq(ik_cells_at(&cells, 5, 0)->style, IK_STYLE_NORMAL);
	ik_cells_done(&cells);
	ik_lines_done(&lines);
}

Test(wrap, figures_are_at_the_right_of_their_columns)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(4));
	ik_figures_put(&out, "Heading\na\t1\t1,000\t\u2588\u2588\nlong\t100\t5\t\u258f\nx\t\t7\t\n");
	cr_assert_str_eq(out.data, "Heading\n  a       1  1,000  \u2588\u2588\n  long  100      5  \u258f\n"
		"  x              7\n", "%s", out.data);
	ik_buf_done(&out);
}

Test(wrap, bars_are_as_long_as_what_they_show)
{
	static const struct { double part; const char *bar; } rows[] = {
		{ 0, "" }, { 1, "\u2588\u2588\u2588\u2588" }, { 0.5, "\u2588\u2588" }, { 0.03125, "\u258f" }, { 0.001, "\u258f" },
		{ 0.21875, "\u2589" }, { 0.28125, "\u2588\u258f" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ik_buf out;
		ik_buf_init(&out, IK_KIB(4));
		ik_bar_put(&out, rows[i].part, 4);
		cr_assert_str_eq(out.data, rows[i].bar, "%g", rows[i].part);
		ik_buf_done(&out);
	}
}

Test(wrap, a_name_wider_than_its_column_has_its_words_below)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(4));
	ik_table_put(&out, "a\tone\nlonger\ttwo\n", 4);
	cr_assert_str_eq(out.data, "  a     one\n  longer\n        two\n", "%s", out.data);
	ik_buf_done(&out);
}
