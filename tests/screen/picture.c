#include "picture.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/utf8.h"

/* A cell in tenths of a pixel, at a font size of 14, and the margin around all of them. */
#define CELL_WIDTH 84
#define CELL_HEIGHT 190
#define BASELINE 140
#define MARGIN 160

#define SECOND_HALF UINT32_MAX /* the character that libvterm has in the second cell of a wide one */

#define PIXELS "%d.%d"
#define AS_PIXELS(tenths) (int)(tenths) / 10, (int)(tenths) % 10

struct look {
	uint32_t foreground, background; /* 0xRRGGBB */
	bool bold, italic, underline, strike;
};

struct picture {
	struct terminal *terminal;
	struct ik_buf *out;
	uint32_t foreground, background; /* the terminal's own */
};

/* ---- what a cell looks like ---- */

static uint32_t rgb_of(struct picture *picture, VTermColor colour)
{
	if (VTERM_COLOR_IS_DEFAULT_FG(&colour))
		return picture->foreground;
	if (VTERM_COLOR_IS_DEFAULT_BG(&colour))
		return picture->background;
	vterm_screen_convert_color_to_rgb(picture->terminal->screen, &colour);
	return (uint32_t)colour.rgb.red << 16 | (uint32_t)colour.rgb.green << 8 | colour.rgb.blue;
}

static struct look look_of(struct picture *picture, const VTermScreenCell *cell)
{
	struct look look = {
		rgb_of(picture, cell->fg), rgb_of(picture, cell->bg), cell->attrs.bold != 0,
		cell->attrs.italic != 0, cell->attrs.underline != 0, cell->attrs.strike != 0,
	};

	if (cell->attrs.reverse) {
		uint32_t foreground = look.foreground;

		look.foreground = look.background;
		look.background = foreground;
	}
	return look;
}

/* Is it drawn the same, apart from the background? */
static bool same_letters(const struct look *one, const struct look *other)
{
	return one->foreground == other->foreground && one->bold == other->bold &&
		one->italic == other->italic && one->underline == other->underline &&
		one->strike == other->strike;
}

/* ---- lines of frames, which fonts draw with gaps between the rows ---- */

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8 };

/* Return the arms of a line character, or 0 for all others. */
static int arms_of(uint32_t character)
{
	static const struct { uint32_t character; int arms; } lines[] = {
		{0x2500, LEFT | RIGHT}, {0x2502, UP | DOWN}, {0x250c, DOWN | RIGHT},
		{0x2510, DOWN | LEFT}, {0x2514, UP | RIGHT}, {0x2518, UP | LEFT},
		{0x251c, UP | DOWN | RIGHT}, {0x2524, UP | DOWN | LEFT}, {0x252c, DOWN | LEFT | RIGHT},
		{0x2534, UP | LEFT | RIGHT}, {0x253c, UP | DOWN | LEFT | RIGHT},
		{0x256d, DOWN | RIGHT}, {0x256e, DOWN | LEFT}, {0x256f, UP | LEFT}, {0x2570, UP | RIGHT},
	};

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if (lines[i].character == character)
			return lines[i].arms;
	return 0;
}

/* Append a line through so many cells of a row. */
static void put_line(struct picture *picture, int row, int column, int count, int arms,
	uint32_t colour)
{
	int left = MARGIN + column * CELL_WIDTH, top = MARGIN + row * CELL_HEIGHT;
	int middle = left + CELL_WIDTH / 2, centre = top + CELL_HEIGHT / 2;
	int right = left + count * CELL_WIDTH, bottom = top + CELL_HEIGHT;

	ik_buf_puts(picture->out, "<path d=\"");
	if ((arms & (LEFT | RIGHT)) != 0)
		ik_buf_printf(picture->out, "M" PIXELS " " PIXELS "H" PIXELS,
			AS_PIXELS((arms & LEFT) != 0 ? left : middle), AS_PIXELS(centre),
			AS_PIXELS((arms & RIGHT) != 0 ? right : middle));
	if ((arms & (UP | DOWN)) != 0)
		ik_buf_printf(picture->out, "M" PIXELS " " PIXELS "V" PIXELS, AS_PIXELS(middle),
			AS_PIXELS((arms & UP) != 0 ? top : centre),
			AS_PIXELS((arms & DOWN) != 0 ? bottom : centre));
	ik_buf_printf(picture->out, "\" stroke=\"#%06x\"/>\n", colour);
}

/* ---- what differs between runs ---- */

/* Return how many digits there are from a column on. */
static int count_digits(const VTermScreenCell *cells, int column, int columns)
{
	int count = 0;

	while (column + count < columns && cells[column + count].chars[0] >= '0' &&
		cells[column + count].chars[0] <= '9')
		count++;
	return count;
}

/* Do the cells from a column on show the text? */
static bool shows(const VTermScreenCell *cells, int column, int columns, const char *text)
{
	size_t length = strlen(text);

	while (length > 0 && column >= 0 && column < columns) {
		uint32_t character;
		int bytes = ik_utf8_decode(text, length, &character);

		if (bytes <= 0 || (cells[column].chars[0] != character &&
			(character != ' ' || cells[column].chars[0] != 0)))
			return false;
		text += bytes;
		length -= (size_t)bytes;
		column += cells[column].width > 1 ? cells[column].width : 1;
	}
	return length == 0;
}

/* Are there milliseconds at a column, in any language? */
static bool shows_unit(const VTermScreenCell *cells, int column, int columns)
{
	static const char *const units[] = {" ms", " ミリ秒", " 毫秒"};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (shows(cells, column, columns, units[i]))
			return true;
	return false;
}

static bool is_gap(const VTermScreenCell *cells, int column, int width)
{
	while (width > 0 && cells[column + width - 1].chars[0] <= ' ')
		width--;
	return width == 0;
}

/* Return the end of the gap from which on the cells up to a column are right-aligned, or 0. */
static int right_aligned_from(const VTermScreenCell *cells, int column)
{
	if (column < 2 || !is_gap(cells, column - 2, 2))
		return 0;
	while (column > 2 && !is_gap(cells, column - 3, 3))
		if (arms_of(cells[--column].chars[0]) != 0)
			return 0;
	return column > 2 ? column : 0;
}

/* Make count digits at a column a single one: move what is before them, if that is right-aligned,
 * or what follows, up to the next gap. */
static void shorten(VTermScreenCell *cells, int column, int count, int columns)
{
	VTermScreenCell blank = cells[column];
	int begin = right_aligned_from(cells, column), end = column + count;

	blank.chars[0] = ' ';
	cells[column].chars[0] = cells[end - 1].chars[0] = '2';
	if (begin > 0) {
		memmove(&cells[begin + count - 1], &cells[begin], (size_t)(column - begin) * sizeof *cells);
		for (int i = begin; i < begin + count - 1; i++)
			cells[i] = blank;
		return;
	}
	while (end < columns && (end + 3 >= columns || !is_gap(cells, end, 4)))
		end++;
	memmove(&cells[column + 1], &cells[column + count],
		(size_t)(end - column - count) * sizeof *cells);
	for (int i = end - count + 1; i < end; i++)
		cells[i] = blank;
}

/* Do the cells from a column on show a short session ID: a word of eight hexadecimal digits? */
static bool shows_id(const VTermScreenCell *cells, int column, int columns)
{
	int end = column;

	if (column > 0 && cells[column - 1].chars[0] > ' ')
		return false;
	while (end < columns && cells[end].chars[0] < 0x80 && isxdigit((int)cells[end].chars[0]))
		end++;
	return end == column + 8 && (end == columns || cells[end].chars[0] <= ' ');
}

/* Is there a digit that counts the seconds of what is at work? */
static bool shows_seconds(const VTermScreenCell *cells, int column, int columns)
{
	return shows(cells, column - 2, columns, "· ") && shows(cells, column + 1, columns, "s ");
}

/* Is there a mark that turns while something is at work? */
static bool is_turning(const VTermScreenCell *cell)
{
	return cell->chars[0] >= 0x25d0 && cell->chars[0] <= 0x25d3;
}

/* Make times, ports, session IDs and what moves the same in every run. */
static void settle(VTermScreenCell *cells, int columns)
{
	static const char host[] = "127.0.0.1:";
	int count;

	for (int column = 0; column < columns; column += count + 1) {
		count = count_digits(cells, column, columns);
		if (count > 0 && shows_unit(cells, column + count, columns))
			shorten(cells, column, count, columns);
		else if (shows(cells, column - (int)strlen(host), columns, host))
			for (int i = 0; i < count; i++)
				cells[column + i].chars[0] = '8';
		else if (count == 1 && shows_seconds(cells, column, columns))
			cells[column].chars[0] = '2';
		else if (is_turning(&cells[column]))
			cells[column].chars[0] = 0x25d0;
		else if (shows_id(cells, column, columns))
			for (count = 0; count < 8; count++)
				cells[column + count].chars[0] = (uint32_t)('0' + count);
	}
}

/* ---- a row ---- */

static void put_character(uint32_t character, struct ik_buf *out)
{
	char bytes[4];

	switch (character) {
	case '<':
		ik_buf_puts(out, "&lt;");
		break;
	case '&':
		ik_buf_puts(out, "&amp;");
		break;
	default:
		ik_buf_append(out, bytes, (size_t)ik_utf8_encode(character, bytes));
	}
}

/* Append a text of count columns: stretched to the grid, or one character in the middle of its
 * cells, since the font it comes from may be another one. */
static void put_text(struct picture *picture, int row, int column, int count, bool centred,
	const struct look *look, const struct ik_buf *text)
{
	int left = MARGIN + column * CELL_WIDTH, width = count * CELL_WIDTH;
	struct ik_buf *out = picture->out;

	ik_buf_printf(out, "<text x=\"" PIXELS "\" y=\"" PIXELS "\" fill=\"#%06x\"",
		AS_PIXELS(centred ? left + width / 2 : left),
		AS_PIXELS(MARGIN + row * CELL_HEIGHT + BASELINE), look->foreground);
	if (centred)
		ik_buf_puts(out, " text-anchor=\"middle\"");
	else
		ik_buf_printf(out, " textLength=\"" PIXELS "\"", AS_PIXELS(width));
	if (look->bold)
		ik_buf_puts(out, " font-weight=\"bold\"");
	if (look->italic)
		ik_buf_puts(out, " font-style=\"italic\"");
	if (look->underline || look->strike)
		ik_buf_printf(out, " text-decoration=\"%s\"", look->underline ? "underline" : "line-through");
	ik_buf_printf(out, ">%s</text>\n", text->data);
}

/* Append the backgrounds of a row that are not the terminal's own. */
static void put_backgrounds(struct picture *picture, const struct look *looks, int row)
{
	int columns = picture->terminal->columns;

	for (int begin = 0, end; begin < columns; begin = end) {
		for (end = begin + 1; end < columns; end++)
			if (looks[end].background != looks[begin].background)
				break;
		if (looks[begin].background != picture->background)
			ik_buf_printf(picture->out,
				"<rect x=\"" PIXELS "\" y=\"" PIXELS "\" width=\"" PIXELS "\" height=\"" PIXELS
				"\" fill=\"#%06x\"/>\n",
				AS_PIXELS(MARGIN + begin * CELL_WIDTH), AS_PIXELS(MARGIN + row * CELL_HEIGHT),
				AS_PIXELS((end - begin) * CELL_WIDTH), AS_PIXELS(CELL_HEIGHT),
				looks[begin].background);
	}
}

/* Is it a blank of which nothing is seen but the background? */
static bool is_blank(const VTermScreenCell *cell, const struct look *look)
{
	return (cell->chars[0] == 0 || cell->chars[0] == ' ') && !look->underline && !look->strike;
}

/* Is it a letter or a sign that every font has, as wide as all the others? */
static bool is_plain(const VTermScreenCell *cell)
{
	return cell->width == 1 && cell->chars[0] < 0x250 && cell->chars[1] == 0;
}

/* Append a run of plain characters that are drawn the same, and return its end. */
static int put_run(struct picture *picture, const VTermScreenCell *cells, const struct look *looks,
	int row, int begin)
{
	struct ik_buf text;
	int end = begin, last = begin;

	for (; end < picture->terminal->columns && is_plain(&cells[end]) &&
		(same_letters(&looks[end], &looks[begin]) || is_blank(&cells[end], &looks[end]));
		end++)
		if (!is_blank(&cells[end], &looks[end]))
			last = end;
	ik_buf_init(&text, IK_KIB(64));
	for (int column = begin; column <= last; column++)
		put_character(cells[column].chars[0] == 0 ? ' ' : cells[column].chars[0], &text);
	put_text(picture, row, begin, last + 1 - begin, false, &looks[begin], &text);
	ik_buf_done(&text);
	return end;
}

/* Append the characters in a row from column on that are drawn with one element, and return where
 * the next begin. */
static int put_cells(struct picture *picture, const VTermScreenCell *cells, const struct look *looks,
	int row, int column)
{
	const VTermScreenCell *cell = &cells[column];
	int arms = arms_of(cell->chars[0]), end = column + 1;
	struct ik_buf text;

	if (is_blank(cell, &looks[column]) || cell->chars[0] == SECOND_HALF)
		return end;
	if (arms != 0) {
		while (arms == (LEFT | RIGHT) && end < picture->terminal->columns &&
			cells[end].chars[0] == cell->chars[0] &&
			looks[end].foreground == looks[column].foreground)
			end++;
		put_line(picture, row, column, end - column, arms, looks[column].foreground);
		return end;
	}
	if (is_plain(cell))
		return put_run(picture, cells, looks, row, column);
	ik_buf_init(&text, IK_KIB(1));
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i] != 0; i++)
		put_character(cell->chars[i], &text);
	put_text(picture, row, column, cell->width, true, &looks[column], &text);
	ik_buf_done(&text);
	return column + cell->width;
}

static void put_row(struct picture *picture, int row)
{
	int columns = picture->terminal->columns;
	VTermScreenCell *cells = ik_alloc_array(NULL, (size_t)columns, sizeof *cells);
	struct look *looks = ik_alloc_array(NULL, (size_t)columns, sizeof *looks);

	for (int column = 0; column < columns; column++)
		(void)terminal_cell(picture->terminal, row, column, &cells[column]);
	settle(cells, columns);
	for (int column = 0; column < columns; column++)
		looks[column] = cells[column].chars[0] == SECOND_HALF ? looks[column - 1] :
			look_of(picture, &cells[column]);
	put_backgrounds(picture, looks, row);
	for (int column = 0; column < columns;)
		column = put_cells(picture, cells, looks, row, column);
	free(cells);
	free(looks);
}

/* ---- the whole ---- */

static void put_cursor(struct picture *picture, uint32_t colour)
{
	struct terminal *terminal = picture->terminal;

	if (terminal->cursor_visible)
		ik_buf_printf(picture->out,
			"<rect x=\"" PIXELS "\" y=\"" PIXELS "\" width=\"" PIXELS "\" height=\"" PIXELS
			"\" fill=\"#%06x\" fill-opacity=\".6\"/>\n",
			AS_PIXELS(MARGIN + terminal->cursor_column * CELL_WIDTH),
			AS_PIXELS(MARGIN + terminal->cursor_row * CELL_HEIGHT), AS_PIXELS(CELL_WIDTH),
			AS_PIXELS(CELL_HEIGHT), colour);
}

void put_picture(struct terminal *terminal, bool light, struct ik_buf *out)
{
	struct picture picture = {terminal, out, light ? 0x24292f : 0xd9dce3, light ? 0xfcfcfa : 0x15171c};
	int width = 2 * MARGIN + terminal->columns * CELL_WIDTH;
	int height = 2 * MARGIN + terminal->rows * CELL_HEIGHT;

	ik_buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"xml:space=\"preserve\" font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" "
		"font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#%06x\"/>\n",
		width / 10, height / 10, width / 10, height / 10, picture.background);
	for (int row = 0; row < terminal->rows; row++)
		put_row(&picture, row);
	put_cursor(&picture, picture.foreground);
	ik_buf_puts(out, "</svg>\n");
}
