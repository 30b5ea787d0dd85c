#include "tui/term_cell.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/utf8.h"
#include "tui/ascii.h"

#define ASCII_FIRST 0x20
#define ASCII_COUNT (0x7F - ASCII_FIRST)

void ik_term_look_set(struct ik_term_look *look, attr_t attributes, short pair)
{
	ik_term_look_forget(look);
	*look = (struct ik_term_look){.known = true, .attributes = attributes, .pair = pair};
}

void ik_term_look_forget(struct ik_term_look *look)
{
	free(look->ascii);
	*look = (struct ik_term_look){.known = false};
}

/* Make the cells of all ASCII characters. */
static void make_ascii(struct ik_term_look *look)
{
	look->ascii = ik_alloc_array(NULL, ASCII_COUNT, sizeof *look->ascii);
	for (int i = 0; i < ASCII_COUNT; i++) {
		const wchar_t wide[2] = { ASCII_FIRST + i, L'\0' };
		setcchar(&look->ascii[i], wide, look->attributes, look->pair, NULL);
	}
}

/*
 * The characters of a cell, at most as many as a curses cell holds; 0 when the
 * C library, by whose widths ncurses goes, sees another width than we do: what
 * is not certain is not drawn.
 */
static int wide_text(const struct ik_cell *cell, wchar_t wide[CCHARW_MAX + 1])
{
	int count = 0;
	for (size_t at = 0; at < cell->length && count < CCHARW_MAX;) {
		uint32_t codepoint;
		int bytes = ik_utf8_decode(cell->text + at, cell->length - at, &codepoint);
		if (bytes <= 0)
			return 0;
		int width = wcwidth((wchar_t)codepoint);
		if (count == 0 && width != cell->width)
			return 0;
		if (count > 0 && width != 0)
			break;
		wide[count++] = (wchar_t)codepoint;
		at += (size_t)bytes;
	}
	wide[count] = L'\0';
	return count;
}

/* The letters of a flag (two regional indicators), whose width terminals and C
 * libraries disagree about; false when it is none. */
static bool flag_letters(const struct ik_cell *cell, char letters[2])
{
	const size_t each = 4; /* bytes of U+1F1E6 to U+1F1FF */
	uint32_t codepoint;

	if (cell->width != 2 || cell->length != 2 * each)
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (ik_utf8_decode(cell->text + i * each, each, &codepoint) != (int)each
		    || codepoint < 0x1F1E6 || codepoint > 0x1F1FF)
			return false;
		letters[i] = (char)('A' + (codepoint - 0x1F1E6));
	}
	return true;
}

int ik_term_cell_make(struct ik_term_look *look, const struct ik_cell *cell, bool utf8,
	cchar_t *out)
{
	wchar_t wide[CCHARW_MAX + 1] = { (unsigned char)cell->text[0], L'\0' };
	bool certain = cell->length == 1 && cell->text[0] >= ASCII_FIRST && cell->text[0] < 0x7F;
	attr_t attributes = look->attributes;
	if (certain && !cell->underline) {
		if (!look->ascii)
			make_ascii(look);
		*out = look->ascii[cell->text[0] - ASCII_FIRST];
		return 1;
	}
	if (cell->underline)
		attributes |= A_UNDERLINE;
	if (!certain && utf8) {
		certain = wide_text(cell, wide) > 0;
		if (!certain)
			wide[0] = 0xFFFD;
	} else if (!certain) {
		wide[0] = (wchar_t)(unsigned char)ik_ascii_for(cell->text, cell->length);
	}
	wchar_t second[2] = L" ";
	char letters[2];
	if (!certain)
		wide[1] = L'\0';
	if (!certain && flag_letters(cell, letters)) {
		wide[0] = (wchar_t)letters[0];
		second[0] = (wchar_t)letters[1];
	}
	setcchar(out, wide, attributes, look->pair, NULL);
	if (certain || cell->width != 2)
		return 1;
	setcchar(out + 1, second, attributes, look->pair, NULL);
	return 2;
}
