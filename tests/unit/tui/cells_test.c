#include "tui/term/cells.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define WHOLE ((struct ik_rectangle){ 0, 0, 100, 100 })

/* Draw text at (0, column) of a fresh row of that width. */
static int draw(struct ik_cells *cells, int columns, int column, const char *text)
{
	ik_cells_resize(cells, 1, columns);
	return ik_cells_text(cells, WHOLE, 0, column, IK_STYLE_BOLD, text, strlen(text));
}

/* A row as text; '_' for the second half of a wide cluster. Checks the grid's invariants. */
static const char *row_text(const struct ik_cells *cells, int row)
{
	static char out[4096];
	size_t used = 0;
	for (int column = 0; column < cells->columns; column++) {
		const struct ik_cell *cell = ik_cells_at(cells, row, column);
		if (cell->width == 0) {
			cr_assert_eq(cell->length, 0);
			cr_assert(column > 0 && ik_cells_at(cells, row, column - 1)->width == 2);
			out[used++] = '_';
			continue;
		}
		cr_assert(cell->length > 0 && cell->length <= IK_CELL_BYTES);
		if (cell->width == 2)
			cr_assert_eq(ik_cells_at(cells, row, column + 1)->width, 0);
		memcpy(out + used, cell->text, cell->length);
		used += cell->length;
	}
	out[used] = '\0';
	return out;
}

#define ROW_IS(cells, row, expected) cr_assert_str_eq(row_text(cells, row), expected)

Test(cells, starts_blank)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 2, 3);
	ROW_IS(&cells, 0, "   ");
	ROW_IS(&cells, 1, "   ");
	ik_cells_resize(&cells, 0, 0);
	ik_cells_fill(&cells, WHOLE, IK_STYLE_NORMAL);
	cr_assert_eq(ik_cells_text(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "x", 1), 0);
	ik_cells_resize(&cells, -3, -3);
	cr_assert_eq(cells.rows, 0);
	ik_cells_done(&cells);
}

Test(cells, plain_text_and_its_end)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	cr_assert_eq(draw(&cells, 8, 1, "abc"), 4);
	ROW_IS(&cells, 0, " abc    ");
	cr_assert_eq(ik_cells_at(&cells, 0, 1)->style, IK_STYLE_BOLD);
	cr_assert_eq(ik_cells_at(&cells, 0, 4)->style, IK_STYLE_NORMAL);
	cr_assert_eq(draw(&cells, 3, 0, "abcdef"), 3);
	ROW_IS(&cells, 0, "abc");
	ik_cells_done(&cells);
}

Test(cells, wide_clusters)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	cr_assert_eq(draw(&cells, 6, 0, "a日本b"), 6);
	ROW_IS(&cells, 0, "a日_本_b");
	/* one that does not fit leaves a blank, in the style of the text */
	cr_assert_eq(draw(&cells, 4, 0, "a日本b"), 4);
	ROW_IS(&cells, 0, "a日_ ");
	cr_assert_eq(ik_cells_at(&cells, 0, 3)->style, IK_STYLE_BOLD);
	ik_cells_done(&cells);
}

Test(cells, overwriting_half_of_a_wide_cluster_blanks_the_rest)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	draw(&cells, 6, 0, "日本語");
	ik_cells_text(&cells, WHOLE, 0, 1, IK_STYLE_NORMAL, "x", 1);
	ROW_IS(&cells, 0, " x本_語_");
	ik_cells_text(&cells, WHOLE, 0, 4, IK_STYLE_NORMAL, "y", 1);
	ROW_IS(&cells, 0, " x本_y ");
	draw(&cells, 6, 0, "日本語");
	ik_cells_text(&cells, WHOLE, 0, 1, IK_STYLE_NORMAL, "漢", 3);
	ROW_IS(&cells, 0, " 漢_ 語_");
	draw(&cells, 6, 0, "日本語");
	ik_cells_fill(&cells, (struct ik_rectangle){ 0, 1, 1, 2 }, IK_STYLE_DIM);
	ROW_IS(&cells, 0, "    語_");
	ik_cells_done(&cells);
}

Test(cells, clipping_to_an_area)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 3, 8);
	struct ik_rectangle area = { 1, 2, 1, 4 };
	cr_assert_eq(ik_cells_text(&cells, area, 1, 0, IK_STYLE_NORMAL, "abcdefgh", 8), 6);
	ROW_IS(&cells, 1, "  cdef  ");
	ik_cells_text(&cells, area, 0, 2, IK_STYLE_NORMAL, "no", 2);
	ik_cells_text(&cells, area, 2, 2, IK_STYLE_NORMAL, "no", 2);
	ROW_IS(&cells, 0, "        ");
	ROW_IS(&cells, 2, "        ");
	/* halves at both edges */
	ik_cells_fill(&cells, WHOLE, IK_STYLE_NORMAL);
	ik_cells_text(&cells, area, 1, 1, IK_STYLE_NORMAL, "日本語", 9);
	ROW_IS(&cells, 1, "   本_   ");
	/* partly or wholly outside of the grid */
	ik_cells_text(&cells, (struct ik_rectangle){ -1, -1, 9, 9 }, 0, -1, IK_STYLE_NORMAL, "xyz", 3);
	ROW_IS(&cells, 0, "yz      ");
	ik_cells_fill(&cells, (struct ik_rectangle){ 7, 7, 9, 9 }, IK_STYLE_BAD);
	ik_cells_fill(&cells, (struct ik_rectangle){ 0, 0, -2, 5 }, IK_STYLE_BAD);
	cr_assert_eq(ik_cells_at(&cells, 0, 0)->style, IK_STYLE_NORMAL);
	cr_assert_eq(ik_cells_at(&cells, -1, 99)->length, 1);
	ik_cells_done(&cells);
}

Test(cells, nothing_that_controls_a_terminal)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	draw(&cells, 8, 0, "a\033[2J\x7f\n\xc2\x9b");
	ROW_IS(&cells, 0, "a�[2J���");
	draw(&cells, 6, 0, "a\xff\xe2\x82");
	ROW_IS(&cells, 0, "a���  ");
	ik_cells_resize(&cells, 1, 3);
	ik_cells_text(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "a\0b", 3);
	ROW_IS(&cells, 0, "a�b");
	ik_cells_done(&cells);
}

Test(cells, combining_marks_stay_with_their_base)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	cr_assert_eq(draw(&cells, 4, 0, "e\xcc\x81x"), 2);
	cr_assert_eq(ik_cells_at(&cells, 0, 0)->length, 3);
	ROW_IS(&cells, 0, "e\xcc\x81x  ");
	/* a run that no cell can hold: its base */
	char text[256] = "e";
	for (int i = 0; i < 60; i++)
		strcat(text, "\xcc\x81");
	strcat(text, "x");
	cr_assert_eq(draw(&cells, 4, 0, text), 2);
	ROW_IS(&cells, 0, "ex  ");
	ik_cells_done(&cells);
}

Test(cells, emoji_sequences_keep_the_right_edge)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	/* family, thumbs up with skin tone, flag, heart with VS16 */
	int end = draw(&cells, 20, 0, "\U0001F468\u200D\U0001F469\u200D\U0001F467|"
		"\U0001F44D\U0001F3FD|\U0001F1E9\U0001F1EA|\u2764\uFE0F|");
	int bars = 0;
	for (int column = 0; column < end; column++)
		bars += ik_cells_at(&cells, 0, column)->text[0] == '|';
	cr_assert_eq(bars, 4);
	row_text(&cells, 0);
	ik_cells_done(&cells);
}

Test(cells, labels_end_in_an_ellipsis_where_they_are_cut)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 1, 5);
	cr_assert_eq(ik_cells_label(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "abcde"), 5);
	ROW_IS(&cells, 0, "abcde");
	cr_assert_eq(ik_cells_label(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "abcdef"), 5);
	ROW_IS(&cells, 0, "abcd…");
	ik_cells_resize(&cells, 1, 5);
	cr_assert_eq(ik_cells_label(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "a日本語"), 4);
	ROW_IS(&cells, 0, "a日_… ");
	ik_cells_resize(&cells, 1, 5);
	cr_assert_eq(ik_cells_label(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "日本語"), 5);
	ROW_IS(&cells, 0, "日_本_…");
	ik_cells_resize(&cells, 1, 1);
	ik_cells_label(&cells, WHOLE, 0, 0, IK_STYLE_NORMAL, "ab");
	ROW_IS(&cells, 0, "…");
	ik_cells_done(&cells);
}

Test(cells, restyle_keeps_the_text)
{
	struct ik_cells cells;
	ik_cells_init(&cells);
	draw(&cells, 4, 0, "abcd");
	ik_cells_restyle(&cells, (struct ik_rectangle){ 0, 1, 1, 2 }, IK_STYLE_SELECTION);
	ROW_IS(&cells, 0, "abcd");
	cr_assert_eq(ik_cells_at(&cells, 0, 0)->style, IK_STYLE_BOLD);
	cr_assert_eq(ik_cells_at(&cells, 0, 1)->style, IK_STYLE_SELECTION);
	cr_assert_eq(ik_cells_at(&cells, 0, 2)->style, IK_STYLE_SELECTION);
	cr_assert_eq(ik_cells_at(&cells, 0, 3)->style, IK_STYLE_BOLD);
	ik_cells_done(&cells);
}

/* Whatever is drawn wherever, the grid stays whole. */
Test(cells, random_drawing_keeps_the_invariants)
{
	static const char *const pieces[] = { "a", "日", "e\xcc\x81", "\U0001F600", " ", "xyz",
		"本語", "\xff", "\033", "한국" };
	struct ik_cells cells;
	ik_cells_init(&cells);
	ik_cells_resize(&cells, 4, 17);
	unsigned seed = 12345;
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245u + 12345u;
		const char *piece = pieces[(seed >> 16) % 10];
		struct ik_rectangle area = { (int)(seed >> 8 & 3), (int)(seed >> 4 & 15) - 2,
			1 + (int)(seed >> 20 & 3), (int)(seed >> 10 & 15) };
		if (seed >> 28 == 0)
			ik_cells_fill(&cells, area, IK_STYLE_DIM);
		else
			ik_cells_text(&cells, area, (int)(seed >> 8 & 3), (int)(seed >> 22 & 15) - 1,
				IK_STYLE_NORMAL, piece, strlen(piece));
		for (int row = 0; row < 4; row++)
			row_text(&cells, row);
	}
	ik_cells_done(&cells);
}
