#include "tui/term/term_cell.h"

#include <stdlib.h>

#include "tui/term/term_shape.h"
#include "util/alloc.h"

#define ASCII_FIRST 0x20
#define ASCII_COUNT (0x7F - ASCII_FIRST)

_Static_assert(IK_SHAPE_CHARACTERS == CCHARW_MAX, "a curses cell holds what is drawn of ours");

void ik_term_look_set(struct ik_term_look *look, attr_t attributes, short pair)
{
	ik_term_look_forget(look);
	*look = (struct ik_term_look){ .known = true, .attributes = attributes, .pair = pair };
}

void ik_term_look_forget(struct ik_term_look *look)
{
	free(look->ascii);
	*look = (struct ik_term_look){ .known = false };
}

/* Make the cells of all ASCII characters. */
static void make_ascii(struct ik_term_look *look)
{
	look->ascii = ik_alloc_array(NULL, ASCII_COUNT, sizeof(*look->ascii));
	for (int i = 0; i < ASCII_COUNT; i++) {
		const wchar_t wide[2] = { ASCII_FIRST + i, L'\0' };

		setcchar(&look->ascii[i], wide, look->attributes, look->pair, NULL);
	}
}

int ik_term_cell_make(struct ik_term_look *look, const struct ik_cell *cell, bool utf8,
	cchar_t *out)
{
	struct ik_shape shapes[2];
	bool plain = cell->length == 1 && cell->text[0] >= ASCII_FIRST && cell->text[0] < 0x7F;

	if (plain && !cell->underline) {
		if (!look->ascii)
			make_ascii(look);
		*out = look->ascii[cell->text[0] - ASCII_FIRST];
		return 1;
	}
	int count = ik_shape_of(cell, utf8, shapes);

	for (int i = 0; i < count; i++)
		setcchar(out + i, shapes[i].text, look->attributes | (cell->underline ? A_UNDERLINE : 0),
			look->pair, NULL);
	return count;
}
