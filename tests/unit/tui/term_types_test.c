/* The difference of two frames looks like the whole frame, on terminals of all makes. */
#include "tui/term/term.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <vterm.h>

#include "util/limits.h"

#define ROWS 30
#define COLUMNS 40
#define FRAMES 5
#define HIDDEN 3 /* the frame without a cursor */

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
	ik_cells_text(cells, whole, ROWS - 1, COLUMNS - 2 + offset % 2, IK_STYLE_DIM, "語z", 4);
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

static void check_same(struct side *one, struct side *other, bool visible, const char *what)
{
	VTermPos at, here, there;
	for (at.row = 0; at.row < ROWS; at.row++) {
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
			if (cell.width == 2)
				at.col++; /* its second half has no look of its own */
		}
	}
	if (!visible)
		return;
	vterm_state_get_cursorpos(vterm_obtain_state(one->vterm), &here);
	vterm_state_get_cursorpos(vterm_obtain_state(other->vterm), &there);
	cr_assert(here.row == there.row && here.col == there.col, "%s: another place", what);
}

/* Words of another style here and there, of all kinds, less than a screen. */
static void change_few(struct ik_cells *cells, int offset)
{
	const struct ik_rectangle whole = { 0, 0, ROWS, COLUMNS };
	for (int row = offset % 7; row < ROWS; row += 9) {
		const char *word = words[(row + offset) % WORD_COUNT];
		ik_cells_text(cells, whole, row, row % 3 * 17, (enum ik_style)((row * 5 + offset)
			% IK_STYLE_COUNT), word, strlen(word));
	}
}

/* Draw frames as differences, and the same frames whole: both look the same. */
static void compare(const char *type, enum ik_colour_depth colours, const struct ik_theme *theme,
	bool utf8)
{
	struct ik_term_options options = { .type = type, .colours = colours,
		.theme = theme, .rows = ROWS, .columns = COLUMNS, .direct = true };
	struct side one = side_new(), other = side_new();
	struct ik_buf frames[2][FRAMES];
	struct ik_cells cells;
	struct ik_error error;
	char what[100];
	cr_assert_not_null(setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C"));
	ik_cells_init(&cells);
	ik_cells_resize(&cells, ROWS, COLUMNS);
	for (int i = 0; i < 2; i++) {
		struct ik_term *term = ik_term_new(&options, &error);
		cr_assert_not_null(term, "%s", error.text);
		for (int frame = 0; frame < FRAMES; frame++)
			ik_buf_init(&frames[i][frame], IK_MIB(4));
		for (int frame = 0; frame < FRAMES; frame++) {
			bool few = frame >= 2 && frame < FRAMES - 1;
			if (few)
				change_few(&cells, frame);
			else
				fill(&cells, frame);
			if (i == 1)
				ik_term_invalidate(term);
			ik_cells_set_cursor(&cells, frame == HIDDEN ? -1 : 7 + frame, 9 + frame);
			ik_term_frame(term, &cells, &frames[i][frame]);
		}
		ik_term_free(term);
	}
	for (int frame = 0; frame < FRAMES; frame++) {
		(void)snprintf(what, sizeof what, "%s, %d, %s, frame %d", type, (int)colours, theme->name,
			frame);
		vterm_input_write(one.vterm, frames[0][frame].data, frames[0][frame].length);
		vterm_input_write(other.vterm, frames[1][frame].data, frames[1][frame].length);
		check_same(&one, &other, frame != HIDDEN, what);
		ik_buf_done(&frames[0][frame]);
		ik_buf_done(&frames[1][frame]);
	}
	vterm_free(one.vterm);
	vterm_free(other.vterm);
	ik_cells_done(&cells);
}

Test(term_types, differences_look_like_whole_frames)
{
	static const char *const types[] = { "xterm-256color", "xterm", "screen-256color", "screen" };
	const struct ik_theme *theme;
	for (size_t i = 0; (theme = ik_theme_at(NULL, i)) != NULL; i++)
		for (size_t type = 0; type < sizeof types / sizeof *types; type++)
			for (int colours = IK_COLOURS_NONE; colours <= IK_COLOURS_TRUE; colours++)
				compare(types[type], (enum ik_colour_depth)colours, theme, true);
	compare("xterm-256color", IK_COLOURS_256, ik_theme_at(NULL, 0), false);
}

/* The types that people use, as far as they are installed, each with one of the themes. */
Test(term_types, all_makes)
{
	static const char *const types[] = { "xterm-16color", "xterm-88color", "xterm-direct",
		"xterm-mono", "xterm-new", "xterm-r6", "xterm-vt220", "xterm-xfree86", "xterm-utf8",
		"xterm-kitty", "xterm-ghostty", "screen-16color", "screen-bce", "screen-256color-bce",
		"screen-256color-s", "screen.xterm-256color", "screen.linux", "screen.rxvt",
		"screen.vte-256color", "screen.konsole-256color", "tmux", "tmux-256color", "tmux-direct",
		"rxvt", "rxvt-16color", "rxvt-256color", "rxvt-unicode", "rxvt-unicode-256color",
		"linux", "linux-16color", "fbterm", "vt100", "vt220", "vt320", "vt420", "kitty",
		"kitty-direct", "foot", "foot-direct", "alacritty", "alacritty-direct", "st",
		"st-256color", "st-16color", "st-direct", "konsole", "konsole-256color",
		"konsole-16color", "konsole-direct", "gnome", "gnome-256color", "vte", "vte-256color",
		"vte-direct", "putty", "putty-256color", "mlterm", "mlterm-256color", "Eterm",
		"Eterm-256color", "terminator", "terminology", "mintty", "mintty-direct",
		"iTerm2.app", "iterm2", "iterm2-direct", "nsterm", "nsterm-256color", "nsterm-direct",
		"ms-terminal", "contour", "wezterm", "domterm", "vscode", "vscode-direct", "dvtm",
		"dvtm-256color" };
	size_t themes = 0, compared = 0;
	while (ik_theme_at(NULL, themes) != NULL)
		themes++;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct ik_term_options options = { .type = types[i],
			.colours = IK_COLOURS_256, .theme = ik_theme_at(NULL, 0), .rows = ROWS, .columns = COLUMNS };
		struct ik_error error;
		struct ik_term *term = ik_term_new(&options, &error);
		if (!term)
			continue;
		ik_term_free(term);
		for (int depth = 0; depth < 2; depth++)
			compare(types[i], depth == 0 ? IK_COLOURS_256 :
				(enum ik_colour_depth)(i % (IK_COLOURS_TRUE + 1)), ik_theme_at(NULL, i % themes), true);
		compared++;
	}
	cr_assert_gt(compared, 3);
}
