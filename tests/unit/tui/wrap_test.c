#include "tui/text/wrap.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
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
