#include "tui/term/term_cell.h"

#include "tui/term/ascii.h"
#include "util/utf8.h"

#define REPLACEMENT L'\xFFFD'
#define FLAG_LETTER_BYTES 4 /* of U+1F1E6 to U+1F1FF */

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

/* Read the two letters of a flag (regional indicators), whose width terminals and C libraries
 * disagree about; false where the cluster is not a flag. */
static bool read_flag(const struct ik_cell *cell, wchar_t ret_letters[2])
{
	uint32_t codepoint;

	if (cell->width != 2 || cell->length != 2 * FLAG_LETTER_BYTES)
		return false;
	for (int i = 0; i < 2; i++) {
		int bytes = ik_utf8_decode(cell->text + i * FLAG_LETTER_BYTES, FLAG_LETTER_BYTES,
			&codepoint);

		if (bytes <= 0 || codepoint < 0x1F1E6 || codepoint > 0x1F1FF)
			return false;
		ret_letters[i] = (wchar_t)(L'A' + (codepoint - 0x1F1E6));
	}
	return true;
}

/* Set what is drawn for a cluster that is not certain: a character for each of its columns. */
static void replace_cluster(const struct ik_cell *cell, bool utf8, wchar_t ret_text[2])
{
	if (read_flag(cell, ret_text))
		return;
	ret_text[0] = utf8 ? REPLACEMENT
					   : (wchar_t)(unsigned char)ik_ascii_for(cell->text, cell->length);
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
