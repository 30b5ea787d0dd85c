/* What is painted without ncurses looks as what ncurses draws. */
#include "tui/term.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <vterm.h>

#include "util/limits.h"

#define ROWS 30
#define COLUMNS 40

static const char *const words[] = {
	"plain words   with gaps", "wide 日本語 and 한국어", "e\xCC\x81 a\xCC\x8A combined", "flag 🇩🇪 family 👨‍👩‍👧 key 1️⃣",
	"─│┌ ● ▲ ① frames", "                blanks before it", "x",
};
#define WORD_COUNT ((int)(sizeof words / sizeof *words))

/* A terminal of the tests' own, and what is written to it. */
struct side {
	VTerm *vterm;
	VTermScreen *screen;
};

static struct side side_new(void)
{
	struct side side = { .vterm = vterm_new(ROWS, COLUMNS) };
	vterm_set_utf8(side.vterm, 1);
	side.screen = vterm_obtain_screen(side.vterm);
	vterm_screen_reset(side.screen, 1);
	return side;
}

/* Draw a frame into a terminal. */
static void draw(struct ik_term *term, const struct ik_cells *cells, int row, int column,
	struct side *side)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_MIB(4));
	ik_term_frame(term, cells, row, column, &out);
	vterm_input_write(side->vterm, out.data, out.length);
	ik_buf_done(&out);
}

/* Fill the grid with words of all styles, up to the last corner. */
static void fill(struct ik_cells *cells, int offset)
{
	const struct ik_rectangle whole = { 0, 0, ROWS, COLUMNS };
	ik_cells_fill(cells, whole, IK_STYLE_NORMAL);
	for (int row = 0; row < ROWS; row++) {
		enum ik_style style = (enum ik_style)((row + offset) % IK_STYLE_COUNT);
		const char *word = words[(row + offset) % WORD_COUNT];
		int column = ik_cells_text(cells, whole, row, row % 5, style, word, strlen(word));
		if (row % 3 == 0)
			ik_cells_fill(cells, (struct ik_rectangle){ row, column, 1, 4 }, style);
		ik_cells_text(cells, whole, row, COLUMNS - 3 + row % 3, style, "日本", 6);
	}
	ik_cells_text(cells, whole, ROWS - 1, COLUMNS - 2 + offset % 2, IK_STYLE_STATUS, "語z", 4);
}

/* Are the characters of two cells the same? */
static bool same_text(const VTermScreenCell *one, const VTermScreenCell *other)
{
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL; i++) {
		if (one->chars[i] != other->chars[i])
			return false;
		if (one->chars[i] == 0)
			return true;
	}
	return true;
}

static void check_same(struct side *one, struct side *other, const char *what)
{
	VTermPos at, here, there;
	for (at.row = 0; at.row < ROWS; at.row++)
		for (at.col = 0; at.col < COLUMNS; at.col++) {
			VTermScreenCell cell, also;
			vterm_screen_get_cell(one->screen, at, &cell);
			vterm_screen_get_cell(other->screen, at, &also);
			bool blank = (cell.chars[0] == 0 || cell.chars[0] == ' ')
				&& (also.chars[0] == 0 || also.chars[0] == ' ');
			cr_assert(blank || same_text(&cell, &also),
				"%s: row %d, column %d: U+%04X, not U+%04X", what, at.row, at.col,
				cell.chars[0], also.chars[0]);
			cr_assert(cell.attrs.reverse == also.attrs.reverse
				&& cell.attrs.underline == also.attrs.underline
				&& vterm_color_is_equal(&cell.bg, &also.bg),
				"%s: row %d, column %d: another background", what, at.row, at.col);
			cr_assert(blank || (cell.attrs.bold == also.attrs.bold
				&& cell.attrs.italic == also.attrs.italic
				&& vterm_color_is_equal(&cell.fg, &also.fg)),
				"%s: row %d, column %d: another look", what, at.row, at.col);
		}
	vterm_state_get_cursorpos(vterm_obtain_state(one->vterm), &here);
	vterm_state_get_cursorpos(vterm_obtain_state(other->vterm), &there);
	cr_assert(here.row == there.row && here.col == there.col, "%s: another place", what);
}

/* The first frame of a term, and the same from another whose ncurses has begun already. */
static void compare(const char *type, enum ik_colour_depth colours, const struct ik_theme *theme,
	bool utf8)
{
	struct ik_term_options options = { .type = type, .utf8 = utf8, .colours = colours,
		.theme = theme, .rows = ROWS, .columns = COLUMNS };
	struct side sides[2] = { side_new(), side_new() };
	struct ik_cells cells;
	struct ik_error error;
	char what[100];
	cr_assert_not_null(setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C"));
	ik_cells_init(&cells);
	ik_cells_resize(&cells, ROWS, COLUMNS);
	for (int i = 0; i < 2; i++) {
		struct ik_term *term = ik_term_new(&options, &error);
		cr_assert_not_null(term, "%s", error.text);
		if (i == 1) {
			draw(term, &cells, 0, 0, &sides[1]);
			fill(&cells, 1);
			draw(term, &cells, 0, 0, &sides[1]);
			ik_term_invalidate(term);
		}
		fill(&cells, 0);
		draw(term, &cells, 7, 9, &sides[i]);
		ik_term_free(term);
	}
	(void)snprintf(what, sizeof what, "%s, %d, %s", type, (int)colours, theme->name);
	check_same(&sides[0], &sides[1], what);
	for (int i = 0; i < 2; i++)
		vterm_free(sides[i].vterm);
	ik_cells_done(&cells);
}

Test(term_paint, looks_as_by_ncurses)
{
	static const char *const types[] = { "xterm-256color", "xterm", "screen-256color", "screen" };
	const struct ik_theme *theme;
	for (size_t i = 0; (theme = ik_theme_at(i)) != NULL; i++)
		for (size_t type = 0; type < sizeof types / sizeof *types; type++)
			for (int colours = IK_COLOURS_NONE; colours <= IK_COLOURS_TRUE; colours++)
				compare(types[type], (enum ik_colour_depth)colours, theme, true);
	compare("xterm-256color", IK_COLOURS_256, ik_theme_at(0), false);
}
