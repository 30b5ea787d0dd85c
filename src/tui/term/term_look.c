#include "tui/term/term_look.h"

#include <stdlib.h>
#include <string.h>

#include "tui/term/ascii.h"
#include "tui/term/colour.h"
#include "util/utf8.h"

#define REPLACEMENT L'\xFFFD'
#define FLAG_LETTER_BYTES 4 /* of U+1F1E6 to U+1F1FF */

/* Two placeholders for each style, its foreground and its background, from the first number of
 * the palette that ncurses writes as "38;5;N". */
#define PLACEHOLDER_FIRST 16
#define PLACEHOLDERS (2 * IK_STYLE_COUNT)
_Static_assert(PLACEHOLDER_FIRST + PLACEHOLDERS <= 256, "the palette has room");

/* Return ncurses' number for a colour that a theme gives as 24 bits, of 16, and of 8. */
static int number_of(enum ik_colour_depth colours, int32_t rgb, int of16, int of8, int placeholder)
{
	const int numbers[] = { [IK_COLOURS_NONE] = IK_COLOUR_OWN,
		[IK_COLOURS_8] = of8,
		[IK_COLOURS_16] = of16,
		[IK_COLOURS_256] = ik_colour_nearest(rgb),
		[IK_COLOURS_TRUE] = rgb < 0 ? IK_COLOUR_OWN : placeholder };

	return numbers[colours];
}

/* Return ncurses' attributes for a set of IK_ATTRIBUTE_. */
static attr_t attributes_of(unsigned ours)
{
	return (ours & IK_ATTRIBUTE_BOLD ? A_BOLD : A_NORMAL) |
		(ours & IK_ATTRIBUTE_DIM ? A_DIM : A_NORMAL) |
		(ours & IK_ATTRIBUTE_REVERSE ? A_REVERSE : A_NORMAL) |
		(ours & IK_ATTRIBUTE_UNDERLINE ? A_UNDERLINE : A_NORMAL) |
		(ours & IK_ATTRIBUTE_ITALIC ? A_ITALIC : A_NORMAL);
}

void ik_term_looks_make(const struct ik_theme *theme, enum ik_colour_depth colours, bool own,
	struct ik_term_look ret_looks[IK_STYLE_COUNT])
{
	for (int style = 0; style < IK_STYLE_COUNT; style++) {
		const struct ik_look *look = &theme->looks[style];
		int placeholder = PLACEHOLDER_FIRST + 2 * style;
		int front = number_of(colours, look->foreground, look->foreground16, look->foreground8,
			placeholder);
		int back = number_of(colours, look->background, look->background16, look->background8,
			placeholder + 1);
		short pair = 0;

		if (front >= 0 || back >= 0) {
			if (!own) {
				front = front < 0 ? COLOR_WHITE : front;
				back = back < 0 ? COLOR_BLACK : back;
			}
			pair = (short)(style + 1);
			if (init_pair(pair, (short)front, (short)back) == ERR)
				pair = 0;
		}
		ret_looks[style] = (struct ik_term_look){
			attributes_of(colours == IK_COLOURS_NONE ? look->mono_attributes : look->attributes),
			pair
		};
	}
}

/* Read the characters of a cluster; false where the C library gives it another width. */
static bool read_cluster(const struct ik_cell *cell, wchar_t ret_text[CCHARW_MAX + 1])
{
	int count = 0;

	for (size_t at = 0; at < cell->length && count < CCHARW_MAX;) {
		uint32_t codepoint;
		int bytes = ik_utf8_decode(cell->text + at, cell->length - at, &codepoint);

		if (bytes <= 0)
			return false;
		int width = wcwidth((wchar_t)codepoint);

		if (count == 0 && width != cell->width)
			return false;
		if (count > 0 && width != 0)
			break;
		ret_text[count++] = (wchar_t)codepoint;
		at += (size_t)bytes;
	}
	ret_text[count] = L'\0';
	return count > 0;
}

/* Return the letter that a regional indicator is, half of a flag; 0 where there is none. */
static wchar_t flag_letter(const char *text)
{
	uint32_t codepoint;
	int bytes = ik_utf8_decode(text, FLAG_LETTER_BYTES, &codepoint);

	return bytes > 0 && codepoint >= 0x1F1E6 && codepoint <= 0x1F1FF
		? (wchar_t)(L'A' + (codepoint - 0x1F1E6))
		: 0;
}

/* Set what is drawn for a cluster whose width is not certain, a character for each column. */
static void replace_cluster(const struct ik_cell *cell, bool utf8, wchar_t ret_text[2])
{
	if (cell->width == 2 && cell->length == 2 * FLAG_LETTER_BYTES) {
		ret_text[0] = flag_letter(cell->text);
		ret_text[1] = flag_letter(cell->text + FLAG_LETTER_BYTES);
		if (ret_text[0] && ret_text[1])
			return;
	}
	ret_text[0] = utf8 ? REPLACEMENT : (wchar_t)ik_ascii_for(cell->text, cell->length);
	ret_text[1] = L' ';
}

int ik_term_cell_make(const struct ik_cell *cell, const struct ik_term_look *look, bool utf8,
	bool corner, cchar_t ret_cells[IK_TERM_CELL_MOST])
{
	attr_t attributes = look->attributes | (cell->underline ? A_UNDERLINE : A_NORMAL);
	bool ascii = cell->length == 1 && cell->text[0] >= 0x20 && cell->text[0] < 0x7F;
	wchar_t text[CCHARW_MAX + 1] = { (wchar_t)cell->text[0] };

	if (cell->width == 0)
		return 0;
	if (!(corner && cell->width == 2) && (ascii || (utf8 && read_cluster(cell, text)))) {
		if (corner)
			text[1] = L'\0';
		setcchar(ret_cells, text, attributes, look->pair, NULL);
		return 1;
	}
	if (corner && cell->width == 2)
		text[0] = text[1] = L' ';
	else
		replace_cluster(cell, utf8, text);
	for (int i = 0; i < cell->width; i++)
		setcchar(ret_cells + i, (wchar_t[]){ text[i], L'\0' }, attributes, look->pair, NULL);
	return cell->width;
}

/* Read a placeholder, "38;5;N" or "48;5;N"; returns its end, or NULL where there is none. */
static const char *read_placeholder(const struct ik_theme *theme, const char *text,
	int32_t *ret_rgb)
{
	static const char middle[] = "8;5;";
	char *end;

	if ((*text != '3' && *text != '4') || strncmp(text + 1, middle, strlen(middle)) != 0)
		return NULL;
	long index = strtol(text + 1 + strlen(middle), &end, 10) - PLACEHOLDER_FIRST;

	if (index < 0 || index >= PLACEHOLDERS)
		return NULL;
	const struct ik_look *look = &theme->looks[index / 2];

	*ret_rgb = index % 2 == 0 ? look->foreground : look->background;
	return end;
}

void ik_term_put_direct(const struct ik_theme *theme, const char *bytes, struct ik_buf *out)
{
	static const char introducer[] = "\033[";
	const char *start, *end;
	int32_t rgb;

	/* ncurses writes each colour as a control sequence of its own. */
	while ((start = strstr(bytes, introducer))) {
		start += strlen(introducer);
		ik_buf_append(out, bytes, (size_t)(start - bytes));
		bytes = start;
		if (!(end = read_placeholder(theme, start, &rgb)))
			continue;
		ik_buf_printf(out, "%c8;2;%d;%d;%d", *start, (int)(rgb >> 16 & 0xFF),
			(int)(rgb >> 8 & 0xFF), (int)(rgb & 0xFF));
		bytes = end;
	}
	ik_buf_puts(out, bytes);
}
