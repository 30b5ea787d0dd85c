/* What stands at the right of a text stands where it should on a real terminal, whatever
 * the text is made of. */
#include "tui/term/term.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>
#include <vterm.h>

#include "tui/text/markdown.h"
#include "tui/scrollback/scrollback.h"
#include "util/limits.h"

#define EDGE "|"
#define ROWS 60

static const char *const texts[] = {
	/* CJK, wide punctuation, half-width kana */
	"日本語のテキストは幅が二つ分あります。全角「括弧」と、ｶﾀｶﾅも。中文字符也是两列宽，한국어도 그렇습니다.",
	/* emoji: plain, ZWJ families, skin tones, VS16, keycaps, flags (none that are newer than
	 * libvterm) */
	"faces 😀😃 families 👨‍👩‍👧‍👦👩‍💻 hands 👍🏽👋🏿 hearts ❤️☀️ keys 1️⃣#️⃣ flags 🇩🇪🇯🇵🏴‍☠️ text ☺︎ 🤗🎉",
	/* combining runs: short, long, on nothing, Indic, Thai, Hangul of parts */
	("e\xCC\x81 a\xCC\x8A\xCC\x81 z\xCC\x80\xCC\x81\xCC\x82\xCC\x83\xCC\x84\xCC\x85\xCC\x86\xCC\x87\xCC\x88"
		"\xCC\x89\xCC\x8A \xCC\x81 नमस्ते क्षत्रिय ภาษาไทย ที่นี่ \xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB tail"),
	/* right to left, mixed with left to right and digits */
	"שלום עולם 123 abc العربية نص ٤٥٦ مع mixed עברית.",
	/* ambiguous widths, controls made visible, zero width */
	"… — “quotes” ± × ÷ § ° ① ▲ ● ◐ ─│┌ \x1b[31mred \xE2\x80\x8Bzero\xE2\x80\x8D joiner\xC2\xAD end\t tab",
};

/* The texts as Markdown that has right edges of its own: tables, framed code. */
static void add_blocks(struct ik_scrollback *scrollback)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ik_block *block = ik_block_new(IK_BLOCK_ASSISTANT);
		struct ik_buf out;
		ik_buf_init(&out, IK_KIB(64));
		ik_buf_printf(&out, "%s\n\n> %s\n\n```\n%s\n```\n\n| a | b |\n|---|---|\n| %s | x |\n", texts[i],
			texts[i], texts[i], texts[i]);
		ik_block_set_renderer(block, &ik_renderer_markdown);
		ik_block_append(block, out.data, out.length);
		ik_block_finish(block);
		ik_scrollback_add(scrollback, block);
		ik_buf_done(&out);
	}
}

/* A row of cells, for a test that failed. */
static char *row_text(const struct ik_cells *cells, int row)
{
	struct ik_buf out;
	ik_buf_init(&out, IK_KIB(64));
	for (int column = 0; column < cells->columns; column++) {
		const struct ik_cell *cell = ik_cells_at(cells, row, column);
		ik_buf_append(&out, cell->text, cell->length);
	}
	return ik_buf_take(&out, NULL);
}

/* Draw all of it at a width, page by page, and look for the mark behind each row. */
static void check_width(struct ik_scrollback *scrollback, int columns)
{
	struct ik_term_options options = { .type = "xterm-256color",
		.colours = IK_COLOURS_256, .theme = ik_theme_find(NULL, "dark"), .rows = ROWS + 1,
		.columns = columns + 1 };
	struct ik_rectangle area = { 0, 0, ROWS, columns };
	struct ik_rectangle whole = { 0, 0, ROWS + 1, columns + 1 };
	struct ik_error error;
	struct ik_term *term = ik_term_new(&options, &error);
	VTerm *vterm = vterm_new(ROWS + 1, columns + 1);
	VTermScreen *screen = vterm_obtain_screen(vterm);
	struct ik_cells cells;
	struct ik_buf out;
	bool at_end = false;

	cr_assert_not_null(term, "%s", error.text);
	vterm_set_utf8(vterm, 1);
	vterm_screen_reset(screen, 1);
	ik_cells_init(&cells);
	ik_cells_resize(&cells, ROWS + 1, columns + 1);
	ik_scrollback_resize(scrollback, ROWS, columns);
	ik_scrollback_top(scrollback);
	for (int page = 0; page < 20 && !at_end; page++) {
		ik_cells_fill(&cells, whole, IK_STYLE_NORMAL);
		at_end = ik_scrollback_at_end(scrollback);
		ik_scrollback_draw(scrollback, &cells, area);
		for (int row = 0; row < ROWS; row++)
			ik_cells_text(&cells, whole, row, columns, IK_STYLE_FRAME, EDGE, strlen(EDGE));
		ik_buf_init(&out, IK_MIB(4));
		ik_cells_set_cursor(&cells, 0, 0);
		ik_term_frame(term, &cells, &out);
		vterm_input_write(vterm, out.data, out.length);
		ik_buf_done(&out);
		for (int row = 0; row < ROWS; row++) {
			VTermScreenCell cell;
			vterm_screen_get_cell(screen, (VTermPos){ .row = row, .col = columns }, &cell);
			bool right = cell.chars[0] == (unsigned char)EDGE[0] && cell.chars[1] == 0;
			char *line = right ? NULL : row_text(&cells, row);
			cr_assert(right, "%d columns, page %d, row %d: the edge is U+%04X: %s", columns, page,
				row, cell.chars[0], line);
		}
		ik_scrollback_page(scrollback, 1);
	}
	cr_assert(at_end, "%d columns: the end did not come", columns);
	ik_cells_done(&cells);
	vterm_free(vterm);
	ik_term_free(term);
}

Test(right_edge, stands_at_each_width)
{
	struct ik_scrollback *scrollback = ik_scrollback_new();
	cr_assert_not_null(setlocale(LC_ALL, "C.UTF-8"));
	add_blocks(scrollback);
	for (int columns = 40; columns <= 60; columns++)
		check_width(scrollback, columns);
	ik_scrollback_free(scrollback);
}
