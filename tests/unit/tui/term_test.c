#include "tui/term/term.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vterm.h>

#include "tui/term/drawing.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/utf8.h"

/* Our side and a terminal that obeys it. */
struct rig {
	struct ik_term *term;
	struct ik_cells cells;
	struct ik_buf out; /* of the last frame */
	VTerm *vterm;
	VTermScreen *screen;
	bool cursor_visible;
	bool alternate;
	bool italic; /* the terminal has it */
	int rows, columns;
};

static int note_property(VTermProp property, VTermValue *value, void *user)
{
	struct rig *rig = user;
	if (property == VTERM_PROP_CURSORVISIBLE)
		rig->cursor_visible = value->boolean;
	if (property == VTERM_PROP_ALTSCREEN)
		rig->alternate = value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = note_property };

static void feed(struct rig *rig, const char *bytes, size_t length)
{
	vterm_input_write(rig->vterm, bytes, length);
}

static struct rig *rig_new(const char *type, bool utf8, enum ik_colour_depth colours,
	int rows, int columns)
{
	static struct rig rigs[8];
	static size_t used;
	struct rig *rig = &rigs[used++ % 8];
	struct ik_error error;
	struct ik_term_options options = { type, colours, ik_theme_find(NULL, "dark"), rows, columns,
		false };
	cr_assert_not_null(setlocale(LC_ALL, utf8 ? "C.UTF-8" : "C"));
	*rig = (struct rig){ .rows = rows, .columns = columns, .italic = strncmp(type, "screen", 6) != 0 };
	rig->term = ik_term_new(&options, &error);
	cr_assert_not_null(rig->term, "%s", error.text);
	ik_cells_init(&rig->cells);
	ik_cells_resize(&rig->cells, rows, columns);
	ik_buf_init(&rig->out, IK_MIB(64));
	rig->vterm = vterm_new(rows, columns);
	vterm_set_utf8(rig->vterm, 1);
	rig->screen = vterm_obtain_screen(rig->vterm);
	vterm_screen_set_callbacks(rig->screen, &callbacks, rig);
	vterm_screen_enable_altscreen(rig->screen, 1);
	vterm_screen_reset(rig->screen, 1);
	/* what a shell left there, which must not shine through */
	for (int i = 0; i < rows; i++)
		feed(rig, "\033[31;7mjunk junk junk\033[m\r\n", 26);
	char *enter = ik_term_modes_enter(rig->term, (struct ik_term_modes){ 0 });
	feed(rig, enter, strlen(enter));
	free(enter);
	return rig;
}

static void rig_free(struct rig *rig)
{
	ik_term_free(rig->term);
	ik_cells_done(&rig->cells);
	ik_buf_done(&rig->out);
	vterm_free(rig->vterm);
}

static void text(struct rig *rig, int row, int column, enum ik_style style, const char *words)
{
	struct ik_rectangle whole = { 0, 0, rig->rows, rig->columns };
	ik_cells_text(&rig->cells, whole, row, column, style, words, strlen(words));
}

static void frame(struct rig *rig, int cursor_row, int cursor_column)
{
	ik_buf_clear(&rig->out);
	ik_cells_set_cursor(&rig->cells, cursor_row, cursor_column);
	ik_term_frame(rig->term, &rig->cells, &rig->out);
	feed(rig, rig->out.data, rig->out.length);
}

/* A cell of the terminal as UTF-8; "" for the second half of a wide character. */
static const char *vterm_text(struct rig *rig, int row, int column, VTermScreenCell *cell)
{
	static char out[64];
	int used = 0;
	cr_assert(vterm_screen_get_cell(rig->screen, (VTermPos){ row, column }, cell));
	if (cell->chars[0] == (uint32_t)-1)
		return "";
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i]; i++)
		used += ik_utf8_encode(cell->chars[i], out + used);
	out[used] = '\0';
	return used ? out : " ";
}

/* ik_colour_nearest() goes through the palette: not for every cell of every frame. */
static int nearest(int32_t colour)
{
	static int64_t known[256]; /* the colour, 15 bits for its number, 1 */
	int64_t *at;
	for (at = known; *at && *at >> 16 != colour; at++);
	if (!*at)
		*at = (int64_t)colour << 16 | ik_colour_nearest(colour) << 1 | 1;
	return *at >> 1 & 255;
}

/* Has the terminal's cell the colours of a part of a picture? */
static void check_own(const VTermScreenCell *shown, const struct ik_cell *cell, int row, int column)
{
	int32_t front = cell->front[0] << 16 | cell->front[1] << 8 | cell->front[2];
	int32_t back = cell->back[0] << 16 | cell->back[1] << 8 | cell->back[2];

	cr_assert(VTERM_COLOR_IS_INDEXED(&shown->fg) && shown->fg.indexed.idx == nearest(front) &&
		VTERM_COLOR_IS_INDEXED(&shown->bg) && shown->bg.indexed.idx == nearest(back),
		"own colours at %d,%d", row, column);
	cr_assert_not(shown->attrs.bold || shown->attrs.italic || shown->attrs.underline);
}

/* Is the terminal's screen the grid, cell by cell? */
static void check_same(struct rig *rig, const char *what)
{
	VTermScreenCell shown;
	for (int row = 0; row < rig->rows; row++)
		for (int column = 0; column < rig->columns; column++) {
			const struct ik_cell *cell = ik_cells_at(&rig->cells, row, column);
			const struct ik_look *look = &ik_theme_find(NULL, "dark")->looks[cell->style];
			char expected[IK_CELL_BYTES + 1];
			snprintf(expected, sizeof expected, "%.*s", cell->length, cell->text);
			cr_assert_str_eq(vterm_text(rig, row, column, &shown), expected,
				"%s: at %d,%d", what, row, column);
			if (cell->width == 0)
				continue;
			if (cell->own) {
				check_own(&shown, cell, row, column);
				continue;
			}
			cr_assert_eq(shown.width, cell->width, "%s: width of '%s' at %d,%d is %d", what,
				expected, row, column, shown.width);
			cr_assert(*expected == ' ' || shown.attrs.bold == !!(look->attributes & IK_ATTRIBUTE_BOLD),
				"%s: bold at %d,%d", what, row, column); /* nobody sees a bold blank */
			cr_assert_eq(shown.attrs.underline != 0,
				(look->attributes & IK_ATTRIBUTE_UNDERLINE) != 0);
			if (rig->italic && strcmp(expected, " ") != 0) /* ncurses 6.6 draws blanks upright */
				cr_assert_eq(shown.attrs.italic, (look->attributes & IK_ATTRIBUTE_ITALIC) != 0);
			if (look->foreground >= 0 && strcmp(expected, " ") != 0)
				cr_assert(VTERM_COLOR_IS_INDEXED(&shown.fg)
					&& shown.fg.indexed.idx == nearest(look->foreground),
					"%s: foreground at %d,%d", what, row, column);
			if (look->background >= 0)
				cr_assert(VTERM_COLOR_IS_INDEXED(&shown.bg)
					&& shown.bg.indexed.idx == nearest(look->background),
					"%s: background at %d,%d", what, row, column);
			else
				cr_assert(VTERM_COLOR_IS_DEFAULT_BG(&shown.bg),
					"%s: background at %d,%d", what, row, column);
		}
}

static void check_cursor(struct rig *rig, int row, int column)
{
	VTermPos position;
	vterm_state_get_cursorpos(vterm_obtain_state(rig->vterm), &position);
	cr_assert_eq(rig->cursor_visible, row >= 0);
	if (row >= 0) {
		cr_assert_eq(position.row, row);
		cr_assert_eq(position.col, column);
	}
}

#define IS_ROW(rig, row, expected) do { \
		char line_[1000] = ""; \
		VTermScreenCell cell_; \
		for (int column_ = 0; column_ < (rig)->columns; column_++) \
			strcat(line_, vterm_text(rig, row, column_, &cell_)); \
		cr_assert_str_eq(line_, expected); \
	} while (0)

Test(term, first_frame)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 4, 20);
	cr_assert(rig->alternate);
	text(rig, 1, 2, IK_STYLE_USER, "hello");
	frame(rig, 2, 3);
	check_same(rig, "first");
	check_cursor(rig, 2, 3);
	cr_assert(ik_buf_status(&rig->out) == IK_OK);
	/* wrapped, and nothing of what enters a screen in it */
	cr_assert_eq(strncmp(rig->out.data, "\033[?2026h", 8), 0);
	cr_assert_str_eq(rig->out.data + rig->out.length - 8, "\033[?2026l");
	cr_assert_null(strstr(rig->out.data, "1049"));
	cr_assert_null(strstr(rig->out.data, "\033[?1h"));
	rig_free(rig);
}

Test(term, enter_and_leave)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 4, 20);
	char *enter = ik_term_modes_enter(rig->term, (struct ik_term_modes){ 0 });
	char *leave = ik_term_modes_leave(rig->term, (struct ik_term_modes){ 0 });
	cr_assert(strstr(enter, "\033[?1049h") && strstr(enter, "\033[?2004h"));
	cr_assert(strstr(leave, "\033[?1049l") && strstr(leave, "\033[?2004l")
		&& strstr(leave, "\033[?25h") && strstr(leave, "\033[?2026l"));
	text(rig, 0, 0, IK_STYLE_BAD, "red");
	frame(rig, -1, -1);
	cr_assert_not(rig->cursor_visible);
	feed(rig, leave, strlen(leave));
	cr_assert(rig->cursor_visible);
	cr_assert_not(rig->alternate);
	/* what the shell writes now is plain */
	VTermScreenCell cell;
	feed(rig, "\033[HX", 4);
	cr_assert_str_eq(vterm_text(rig, 0, 0, &cell), "X");
	cr_assert_not(cell.attrs.bold);
	cr_assert(VTERM_COLOR_IS_DEFAULT_FG(&cell.fg));
	free(enter);
	free(leave);
	rig_free(rig);
}

Test(term, nothing_changed_is_nothing_written)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 4, 20);
	text(rig, 0, 0, IK_STYLE_NORMAL, "abc");
	frame(rig, 0, 3);
	frame(rig, 0, 3);
	cr_assert_eq(rig->out.length, 0);
	frame(rig, 0, 2);
	cr_assert(rig->out.length > 0 && rig->out.length < 40);
	check_cursor(rig, 0, 2);
	frame(rig, -1, 0);
	check_cursor(rig, -1, 0);
	frame(rig, -1, 7);
	cr_assert_eq(rig->out.length, 0);
	text(rig, 3, 19, IK_STYLE_NORMAL, "x");
	frame(rig, -1, 0);
	cr_assert(rig->out.length > 0 && rig->out.length < 60);
	check_same(rig, "corner");
	check_cursor(rig, -1, 0);
	frame(rig, 99, 99);
	check_cursor(rig, 3, 19);
	rig_free(rig);
}

Test(term, every_style)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, IK_STYLE_COUNT, 10);
	for (int style = 0; style < IK_STYLE_COUNT; style++)
		text(rig, style, style % 3, (enum ik_style)style, "style");
	frame(rig, 0, 0);
	check_same(rig, "styles");
	rig_free(rig);
}

/* Number of a cell's foreground; -1: the terminal's own. */
static int foreground_at(struct rig *rig, int row, int column)
{
	VTermScreenCell cell;
	vterm_screen_get_cell(rig->screen, (VTermPos){ row, column }, &cell);
	return VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) ? -1 : cell.fg.indexed.idx;
}

Test(term, fewer_colours)
{
	VTermScreenCell cell;
	const struct ik_look *look = &ik_theme_find(NULL, "dark")->looks[IK_STYLE_CODE];
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_8, 2, 10);
	text(rig, 0, 0, IK_STYLE_CODE, "tool");
	frame(rig, 1, 0);
	cr_assert_eq(foreground_at(rig, 0, 0), ik_colour_of_16(look->foreground, false) & 7);
	rig_free(rig);
	/* a terminal that has fewer than were asked for */
	rig = rig_new("linux", true, IK_COLOURS_256, 2, 10);
	text(rig, 0, 0, IK_STYLE_CODE, "tool");
	frame(rig, 1, 0);
	cr_assert_eq(foreground_at(rig, 0, 0), ik_colour_of_16(look->foreground, false) & 7);
	cr_assert_null(strstr(rig->out.data, "2026"));
	rig_free(rig);
	/* none: attributes */
	rig = rig_new("xterm-256color", true, IK_COLOURS_NONE, 2, 10);
	text(rig, 0, 0, IK_STYLE_CODE, "tool");
	text(rig, 1, 0, IK_STYLE_SELECTION, "one");
	frame(rig, 1, 0);
	cr_assert_eq(foreground_at(rig, 0, 0), -1);
	vterm_screen_get_cell(rig->screen, (VTermPos){ 0, 0 }, &cell);
	cr_assert(cell.attrs.bold);
	vterm_screen_get_cell(rig->screen, (VTermPos){ 1, 0 }, &cell);
	cr_assert(cell.attrs.reverse);
	cr_assert_null(strstr(rig->out.data, "38;5"));
	rig_free(rig);
	rig = rig_new("vt100", true, IK_COLOURS_256, 2, 10);
	text(rig, 0, 0, IK_STYLE_CODE, "tool");
	frame(rig, 1, 0);
	IS_ROW(rig, 0, "tool      ");
	cr_assert_eq(foreground_at(rig, 0, 0), -1);
	rig_free(rig);
}

Test(term, wide_and_combining)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 6, 12);
	text(rig, 0, 0, IK_STYLE_NORMAL, "日本語漢字表");
	text(rig, 1, 1, IK_STYLE_BOLD, "x한국어y");
	text(rig, 2, 0, IK_STYLE_NORMAL, "e\u0301a\u0308\u0304|");
	text(rig, 3, 0, IK_STYLE_NORMAL, "\U0001F600|\U0001F680|");
	text(rig, 4, 10, IK_STYLE_NORMAL, "日");
	text(rig, 5, 11, IK_STYLE_NORMAL, "日");
	frame(rig, 0, 0);
	check_same(rig, "wide");
	/* halves of what was there are overwritten */
	text(rig, 0, 1, IK_STYLE_NORMAL, "字");
	text(rig, 1, 3, IK_STYLE_NORMAL, "z");
	text(rig, 4, 11, IK_STYLE_NORMAL, "k");
	frame(rig, 0, 0);
	check_same(rig, "wide, overwritten");
	rig_free(rig);
}

/* Whatever a cluster is, what stands behind it stays in its column. */
Test(term, right_edge_holds_for_difficult_clusters)
{
	static const char *const clusters[] = {
		"\U0001F468\u200D\U0001F469\u200D\U0001F467", "\U0001F44D\U0001F3FD", "\u2764\uFE0F",
		"\U0001F1E9\U0001F1EA", "\U0001FAE8", "\u0915\u094D\u0937", "\u0E01\u0E33", "\u1100\u1161",
		"\u05D0\u05B8", "e\u0301\u0302\u0303\u0304\u0305\u0306\u0307", "\uFFFD", "\u2014",
		"\u00AD", "\uE000", "\U000E0001", "\u0378",
	};
	enum { COUNT = sizeof clusters / sizeof *clusters };
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, COUNT, 10);
	for (int i = 0; i < COUNT; i++) {
		struct ik_rectangle whole = { 0, 0, COUNT, 10 };
		text(rig, i, 0, IK_STYLE_NORMAL, clusters[i]);
		ik_cells_text(&rig->cells, whole, i, 9, IK_STYLE_NORMAL, "|", 1);
	}
	frame(rig, 0, 0);
	for (int i = 0; i < COUNT; i++) {
		VTermScreenCell cell;
		cr_assert_str_eq(vterm_text(rig, i, 9, &cell), "|", "cluster %d", i);
	}
	rig_free(rig);
}

Test(term, ascii_where_there_is_no_utf8)
{
	struct rig *rig = rig_new("xterm-256color", false, IK_COLOURS_256, 4, 12);
	text(rig, 0, 0, IK_STYLE_FRAME, "┌──┬──┐");
	text(rig, 1, 0, IK_STYLE_NORMAL, "│日本│é…●|");
	text(rig, 2, 0, IK_STYLE_NORMAL, "plain");
	frame(rig, 2, 5);
	IS_ROW(rig, 0, "+--+--+     ");
	IS_ROW(rig, 1, "|? ? |?~*|  ");
	IS_ROW(rig, 2, "plain       ");
	for (size_t i = 0; i < rig->out.length; i++)
		cr_assert((unsigned char)rig->out.data[i] < 0x80);
	rig_free(rig);
}

static void resize(struct rig *rig, int rows, int columns)
{
	rig->rows = rows;
	rig->columns = columns;
	vterm_set_size(rig->vterm, rows, columns);
	ik_term_resize(rig->term, rows, columns);
	ik_cells_resize(&rig->cells, rows, columns);
}

Test(term, resize)
{
	static const int sizes[][2] = { { 5, 20 }, { 30, 100 }, { 1, 1 }, { 2, 7 }, { 60, 200 },
		{ 24, 80 }, { 24, 81 }, { 23, 80 } };
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 24, 80);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		resize(rig, sizes[i][0], sizes[i][1]);
		for (int row = 0; row < rig->rows; row++)
			text(rig, row, row % 5, IK_STYLE_USER, "resized 日本語");
		frame(rig, 0, 0);
		check_same(rig, "resized");
	}
	for (int i = 0; i < 1000; i++)
		resize(rig, 1 + i % 50, 1 + i * 7 % 150);
	frame(rig, 0, 0);
	check_same(rig, "after a storm");
	rig_free(rig);
}

Test(term, invalidate_repaints_what_was_spoilt)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 5, 20);
	text(rig, 2, 3, IK_STYLE_BOLD, "heading");
	frame(rig, 2, 3);
	feed(rig, "\033[H\033[41mspoilt\033[3;4Hspoilt\033[?25l", 33);
	ik_term_invalidate(rig->term);
	feed(rig, "\033[m", 3);
	frame(rig, 2, 3);
	check_same(rig, "repainted");
	check_cursor(rig, 2, 3);
	frame(rig, 2, 3);
	cr_assert_eq(rig->out.length, 0);
	rig_free(rig);
}

/* A picture in half blocks. */
static void half_blocks(struct rig *rig, struct ik_rectangle area, unsigned seed)
{
	char bytes[6 * 5 * 60];
	struct ik_drawing drawing = { IK_DRAWING_CELLS, 1, area.columns, area.rows, bytes,
		sizeof bytes };
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)((seed >> (i / 6 % 20)) & 0xC0);
	for (int line = 0; line < area.rows; line++)
		ik_drawing_draw(&drawing, line, &rig->cells, area, area.row + line);
	rig->cells.drawing_count = 0;
}

/* A thousand frames, each told as a difference, look like the whole picture. */
static void random_frames(const char *type, unsigned seed)
{
	static const char *const pieces[] = { "a", "some words here", "日本", "e\u0301", "\U0001F600",
		"          ", "║│─", "한", "x", "-----------------------------------", "\t", "%s%n" };
	struct rig *rig = rig_new(type, true, IK_COLOURS_256, 14, 53);
	for (int i = 0; i < 1000; i++) {
		int changes = 1 + (int)(seed >> 20 & 7);
		for (int k = 0; k < changes; k++) {
			seed = seed * 1103515245u + 12345u;
			unsigned dice = seed >> 8;
			int row = (int)(dice % 14), column = (int)(dice / 14 % 53);
			enum ik_style style = (enum ik_style)(dice / 1000 % IK_STYLE_COUNT);
			struct ik_rectangle area = { row, column, 1 + (int)(dice / 7 % 5), (int)(dice / 77 % 60) };
			if (dice % 17 == 0)
				half_blocks(rig, area, dice);
			else if (dice % 11 == 0)
				ik_cells_fill(&rig->cells, area, style);
			else if (dice % 13 == 0)
				/* all but the last rows some rows up, as a scrollback does */
				memmove(rig->cells.cells, rig->cells.cells + 53 * (1 + dice % 4),
					(13 - dice % 4 - dice % 3) * 53 * sizeof *rig->cells.cells);
			else
				text(rig, row, column, style, pieces[dice / 100 % 12]);
		}
		if (i % 200 == 199)
			ik_term_invalidate(rig->term);
		/* libvterm misplaces a mark that follows an ASCII letter in the last column */
		for (int y = 0; y < 14; y++)
			if (ik_cells_at(&rig->cells, y, 52)->length == 3
			    && ik_cells_at(&rig->cells, y, 52)->text[0] == 'e')
				text(rig, y, 52, IK_STYLE_NORMAL, "e");
		text(rig, 13, 50, (enum ik_style)(seed % IK_STYLE_COUNT), "end"); /* not the last corner */
		int row = i % 7 == 0 ? -1 : i % 14;
		frame(rig, row, i % 53);
		check_cursor(rig, row, i % 53);
		check_same(rig, type);
	}
	rig_free(rig);
}

Test(term, placeholders_are_sent_once_and_texts_have_none)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 5, 20);
	char png[4000] = "PNG";
	struct ik_drawing drawing = { IK_DRAWING_KITTY, 0x010203, 2, 1, png, sizeof png };
	VTermScreenCell cell;

	text(rig, 0, 0, IK_STYLE_NORMAL, "\U0010EEEE\u0305\u0305 \U00100001");
	ik_drawing_draw(&drawing, 0, &rig->cells, (struct ik_rectangle){ 1, 4, 1, 10 }, 1);
	frame(rig, -1, 0);
	cr_assert_eq(strstr(rig->out.data, "\033_Ga=T,U=1,q=2,f=100,i=66051,c=2,r=1,m=1;UE5H"), rig->out.data);
	cr_assert_not_null(strstr(rig->out.data, "\033\\\033_Gq=2,m=0;"));
	cr_assert_not_null(strstr(rig->out.data,
		"\033[38;2;1;2;3m\U0010EEEE\u0305\u0305\U0010EEEE\u0305\u030D\033[39;49m"));
	cr_assert_str_eq(vterm_text(rig, 0, 0, &cell), "\uFFFD");
	cr_assert_str_eq(vterm_text(rig, 0, 2, &cell), "\uFFFD");
	text(rig, 2, 4, IK_STYLE_NORMAL, "more");
	frame(rig, -1, 0);
	cr_assert_null(strstr(rig->out.data, "\033_G"));
	cr_assert_null(strstr(rig->out.data, "\U0010EEEE"));
	ik_term_invalidate(rig->term);
	frame(rig, -1, 0);
	cr_assert_not_null(strstr(rig->out.data, "\033_Ga=T"));
	rig_free(rig);
}

/* How often a text stands in the last frame. */
static int count_in_frame(struct rig *rig, const char *words)
{
	int count = 0;
	for (const char *at = rig->out.data; (at = strstr(at, words)); at++)
		count++;
	return count;
}

/* Show one drawing with that number alone. */
static void show_kitty(struct rig *rig, uint32_t id)
{
	struct ik_drawing drawing = { IK_DRAWING_KITTY, id, 2, 1, "PNG", 3 };

	ik_cells_fill(&rig->cells, (struct ik_rectangle){ 0, 0, 5, 20 }, IK_STYLE_NORMAL);
	ik_drawing_draw(&drawing, 0, &rig->cells, (struct ik_rectangle){ 1, 4, 1, 10 }, 1);
	frame(rig, -1, 0);
}

Test(term, drawings_are_deleted_before_they_become_too_many)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 5, 20);
	char *leave;

	for (uint32_t id = 1; id <= 64; id++) {
		show_kitty(rig, id);
		cr_assert_eq(count_in_frame(rig, "\033_Ga=T"), 1);
		cr_assert_eq(count_in_frame(rig, "a=d"), 0);
	}
	/* The first has just been seen again, so it stays. */
	show_kitty(rig, 1);
	cr_assert_eq(count_in_frame(rig, "\033_G"), 0);
	show_kitty(rig, 65);
	cr_assert_eq(count_in_frame(rig, "\033_Ga=d,d=I,i=2,q=2;\033\\"), 1);
	show_kitty(rig, 1);
	cr_assert_eq(count_in_frame(rig, "\033_G"), 0);
	show_kitty(rig, 2);
	cr_assert_eq(count_in_frame(rig, "\033_Ga=T"), 1);
	cr_assert_eq(count_in_frame(rig, "\033_Ga=d,d=I,i=3,q=2;\033\\"), 1);
	leave = ik_term_modes_leave(rig->term, (struct ik_term_modes){ .pictures = true });
	cr_assert_eq(strstr(leave, "\033_Ga=d,d=R,x=1,"), leave);
	free(leave);
	leave = ik_term_modes_leave(rig->term, (struct ik_term_modes){ 0 });
	cr_assert_null(strstr(leave, "\033_G"));
	free(leave);
	rig_free(rig);
}

Test(term, sixels_are_nothing_else)
{
	static const char *const bad[] = { "x", "\033P0;1q~", "\033P0;1q~\033", "\033P0;1q~\033\\\033c",
		"\033P0;1q\a\033\\", "\033P0;1q\302\233c\033\\", "\033P$qm\033\\" };

	cr_assert(ik_drawing_is_sixels(""));
	cr_assert(ik_drawing_is_sixels("\033P0;1q\"1;1;2;6#1!2~-\033\\\033P0;1q~\033\\"));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_assert_not(ik_drawing_is_sixels(bad[i]), "%zu", i);
}

Test(term, sixels_are_drawn_again_only_where_their_cells_were_written)
{
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 6, 20);
	static const char bytes[] = "\033Pq1\033\\\033Pq2\033\\";
	struct ik_drawing drawing = { IK_DRAWING_SIXEL, 7, 3, 2, bytes, sizeof bytes - 1 };
	struct ik_rectangle whole = { 0, 0, 6, 20 };

	for (int line = 0; line < 2; line++)
		ik_drawing_draw(&drawing, line, &rig->cells, (struct ik_rectangle){ 1, 4, 4, 10 }, 1 + line);
	frame(rig, 5, 0);
	cr_assert_eq(count_in_frame(rig, "\0337\033[2;5H\033Pq1\033\\\0338"), 1);
	cr_assert_eq(count_in_frame(rig, "\0337\033[3;5H\033Pq2\033\\\0338"), 1);
	IS_ROW(rig, 1, "                    ");
	text(rig, 1, 10, IK_STYLE_NORMAL, "beside");
	text(rig, 4, 4, IK_STYLE_NORMAL, "below");
	frame(rig, 5, 0);
	cr_assert_eq(count_in_frame(rig, "\033P"), 0);
	/* What covers a part is not drawn over, and what it covered comes back. */
	text(rig, 1, 5, IK_STYLE_NORMAL, "X");
	frame(rig, 5, 0);
	cr_assert_eq(count_in_frame(rig, "\033P"), 0);
	ik_drawing_draw(&drawing, 0, &rig->cells, (struct ik_rectangle){ 1, 4, 4, 10 }, 1);
	frame(rig, 5, 0);
	cr_assert_eq(count_in_frame(rig, "\033P"), 1);
	/* Scrolled by a row, with only its second line left. */
	ik_cells_fill(&rig->cells, whole, IK_STYLE_NORMAL);
	ik_drawing_draw(&drawing, 1, &rig->cells, (struct ik_rectangle){ 0, 4, 4, 10 }, 0);
	frame(rig, 5, 0);
	cr_assert_eq(count_in_frame(rig, "\0337\033[1;5H\033Pq2\033\\\0338"), 1);
	cr_assert_eq(count_in_frame(rig, "\033P"), 1);
	check_cursor(rig, 5, 0);
	rig_free(rig);
}

Test(term, random_frames_on_xterm)
{
	random_frames("xterm-256color", 1);
	random_frames("xterm-256color", 99);
}

Test(term, random_frames_on_tmux)
{
	random_frames("tmux-256color", 2);
	random_frames("screen-256color", 3);
}

Test(term, types_that_cannot_and_types_that_are_missing)
{
	static const char *const bad[] = { NULL, "", "dumb", "unknown", "no-such-terminal" };
	setlocale(LC_ALL, "C.UTF-8");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct ik_term_options options = { bad[i], IK_COLOURS_8, ik_theme_find(NULL, "dark"), 24, 80,
			false };
		struct ik_error error = { 0 };
		cr_assert_null(ik_term_new(&options, &error));
		cr_assert_eq(error.status, IK_UNAVAILABLE);
		cr_assert(strstr(error.text, "TERM") && strstr(error.text, "xterm-256color"));
	}
	/* a terminal of today whose description is not installed is known by its family */
	struct rig *rig = rig_new("alacritty-of-tomorrow", true, IK_COLOURS_256, 3, 10);
	text(rig, 0, 0, IK_STYLE_USER, "hello");
	frame(rig, 0, 0);
	check_same(rig, "stand-in");
	rig_free(rig);
	cr_assert_null(ik_term_free(NULL));
}

/* The colours that are drawn on a type, when COLORTERM promises 24-bit ones or not. */
static enum ik_colour_depth colours_of(const char *type, bool direct, const char *drawn_as)
{
	struct ik_term_options options = { type, IK_COLOURS_TRUE, ik_theme_find(NULL, "dark"), 24, 80,
		direct };
	struct ik_error error;
	struct ik_term *term = ik_term_new(&options, &error);
	cr_assert_not_null(term, "%s", error.text);
	enum ik_colour_depth colours = ik_term_colours(term);
	if (drawn_as)
		cr_assert_str_eq(ik_term_drawn_as(term), drawn_as);
	else
		cr_assert_null(ik_term_drawn_as(term));
	ik_term_free(term);
	return colours;
}

Test(term, colours_of_types)
{
	cr_assert_eq(colours_of("xterm-256color", false, NULL), IK_COLOURS_256);
	cr_assert_eq(colours_of("xterm-256color", true, NULL), IK_COLOURS_TRUE);
	cr_assert_eq(colours_of("xterm-direct", false, NULL), IK_COLOURS_TRUE);
	cr_assert_eq(colours_of("linux", true, NULL), IK_COLOURS_8);
	cr_assert_eq(colours_of("vt100", true, NULL), IK_COLOURS_NONE);
	/* types that are not installed have the colours of their family, or of their name */
	cr_assert_eq(colours_of("alacritty-of-tomorrow", false, "xterm-256color"), IK_COLOURS_256);
	cr_assert_eq(colours_of("alacritty-16color", true, "xterm-256color"), IK_COLOURS_16);
	cr_assert_eq(colours_of("kitty-88color", false, "xterm-256color"), IK_COLOURS_16);
	cr_assert_eq(colours_of("wezterm-direct", false, NULL), IK_COLOURS_TRUE);
}

Test(term, one_after_the_other)
{
	static const char *const types[] = { "xterm-256color", "linux", "tmux-256color", "vt100" };
	for (int i = 0; i < 40; i++) {
		struct rig *rig = rig_new(types[i % 4], true, IK_COLOURS_256, 5 + i, 90 - i);
		text(rig, i % 5, i, IK_STYLE_NORMAL, "again 日本");
		frame(rig, i % 5, i);
		VTermScreenCell cell;
		cr_assert_str_eq(vterm_text(rig, i % 5, i, &cell), "a");
		rig_free(rig);
	}
}

/* In the last corner ncurses' ways spoil wide and combined characters. */
Test(term, last_corner)
{
	static const char *const types[] = { "xterm-256color", "tmux-256color", "linux", "vt100" };
	for (size_t i = 0; i < 4; i++) {
		struct rig *rig = rig_new(types[i], true, IK_COLOURS_8, 3, 8);
		text(rig, 1, 0, IK_STYLE_NORMAL, "日本語漢");
		text(rig, 2, 0, IK_STYLE_NORMAL, "日本語漢");
		frame(rig, 0, 0);
		IS_ROW(rig, 1, "日本語漢");
		IS_ROW(rig, 2, "日本語  ");
		text(rig, 1, 0, IK_STYLE_NORMAL, "123456e\u0301a\u0301");
		text(rig, 2, 0, IK_STYLE_NORMAL, "123456e\u0301a\u0301");
		frame(rig, 0, 0);
		IS_ROW(rig, 1, "123456e\u0301a\u0301");
		IS_ROW(rig, 2, "123456ea");
		text(rig, 2, 0, IK_STYLE_CODE, "1日本語x");
		frame(rig, 0, 0);
		VTermScreenCell cell;
		cr_assert_str_eq(vterm_text(rig, 2, 3, &cell), "本");
		cr_assert_str_eq(vterm_text(rig, 2, 7, &cell), "x");
		text(rig, 0, 0, IK_STYLE_USER, "above");
		text(rig, 2, 0, IK_STYLE_DIM, "abcdefgh");
		frame(rig, 0, 0);
		check_cursor(rig, 0, 0);
		IS_ROW(rig, 0, "above   ");
		IS_ROW(rig, 2, "abcdefgh");
		rig_free(rig);
	}
}

static void on_signal(int number)
{
	(void)number;
}

Test(term, signal_handlers_stay_those_of_the_program)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGTSTP, SIGWINCH };
	struct sigaction ours = { .sa_handler = on_signal }, now;
	for (int round = 0; round < 2; round++) {
		struct sigaction wanted = round ? ours : (struct sigaction){ .sa_handler = SIG_DFL };
		for (size_t i = 0; i < 4; i++)
			sigaction(numbers[i], &wanted, NULL);
		struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 5, 30);
		frame(rig, 0, 0);
		rig_free(rig);
		for (size_t i = 0; i < 4; i++) {
			sigaction(numbers[i], NULL, &now);
			cr_assert_eq(now.sa_handler, wanted.sa_handler, "signal %d", numbers[i]);
		}
	}
}

/* Not a limit, a record: what a first frame and a changed line cost. */
Test(term, costs)
{
	int64_t start = ik_clock_us();
	struct rig *rig = rig_new("xterm-256color", true, IK_COLOURS_256, 60, 200);
	for (int row = 0; row < 60; row++)
		for (int column = 0; column < 200; column += 10)
			text(rig, row, column, (enum ik_style)(column / 10 % IK_STYLE_COUNT), "some words");
	ik_buf_clear(&rig->out);
	int64_t made = ik_clock_us();
	ik_cells_set_cursor(&rig->cells, 0, 0);
	ik_term_frame(rig->term, &rig->cells, &rig->out);
	int64_t first = ik_clock_us();
	cr_log_info("200x60 made in %d us, first frame in %d us, %zu bytes\n", (int)(made - start),
		(int)(first - made), rig->out.length);
	feed(rig, rig->out.data, rig->out.length);
	text(rig, 30, 0, IK_STYLE_NORMAL, "another line");
	int64_t before = ik_clock_us();
	ik_buf_clear(&rig->out);
	ik_cells_set_cursor(&rig->cells, 0, 0);
	ik_term_frame(rig->term, &rig->cells, &rig->out);
	cr_log_info("one line in %d us, %zu bytes\n", (int)(ik_clock_us() - before), rig->out.length);
	feed(rig, rig->out.data, rig->out.length);
	cr_assert_lt(rig->out.length, 120);
	check_same(rig, "costs");
	rig_free(rig);
}
