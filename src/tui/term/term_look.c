#include "tui/term/term_look.h"

#include <stdlib.h>
#include <string.h>

#include "tui/term/colour.h"

/* Two placeholders for each style, its foreground and its background, from the first number of
 * the palette that ncurses writes as "38;5;N". */
#define PLACEHOLDER_FIRST 16
#define PLACEHOLDERS (2 * IK_STYLE_COUNT)

_Static_assert(PLACEHOLDER_FIRST + PLACEHOLDERS <= 256, "the palette has room");

/* Return the ncurses number of a colour that is given as 24 bits, of 16, and of 8. */
static int number_of(enum ik_colour_depth colours, int32_t rgb, int of16, int of8, int placeholder)
{
	switch (colours) {
	case IK_COLOURS_NONE:
		return IK_COLOUR_OWN;
	case IK_COLOURS_8:
		return of8;
	case IK_COLOURS_16:
		return of16;
	case IK_COLOURS_256:
		return ik_colour_nearest(rgb);
	default:
		return rgb < 0 ? IK_COLOUR_OWN : placeholder;
	}
}

/* Return the ncurses attributes for a set of ours. */
static attr_t attributes_of(unsigned attributes)
{
	static const struct {
		unsigned ours;
		attr_t theirs;
	} table[] = {
		{ IK_ATTRIBUTE_BOLD, A_BOLD },
		{ IK_ATTRIBUTE_DIM, A_DIM },
		{ IK_ATTRIBUTE_REVERSE, A_REVERSE },
		{ IK_ATTRIBUTE_UNDERLINE, A_UNDERLINE },
		{ IK_ATTRIBUTE_ITALIC, A_ITALIC },
	};
	attr_t theirs = A_NORMAL;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (attributes & table[i].ours)
			theirs |= table[i].theirs;
	return theirs;
}

void ik_term_looks_make(const struct ik_theme *theme, enum ik_colour_depth colours,
	bool default_colours, struct ik_term_look ret_looks[IK_STYLE_COUNT])
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
			if (!default_colours) {
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
	const char *start;
	int32_t rgb;

	while ((start = strstr(bytes, "\033["))) {
		ik_buf_append(out, bytes, (size_t)(start - bytes));
		ik_buf_puts(out, "\033[");
		/* The parameters of one control sequence, up to its last byte. */
		for (bytes = start + 2; (*bytes >= '0' && *bytes <= '9') || *bytes == ';';) {
			const char *end = read_placeholder(theme, bytes, &rgb);

			if (!end) {
				size_t length = strspn(bytes, "0123456789");

				ik_buf_append(out, bytes, length > 0 ? length : 1);
				bytes += length > 0 ? length : 1;
				continue;
			}
			ik_buf_printf(out, "%c8;2;%d;%d;%d", *bytes, (int)(rgb >> 16 & 0xFF),
				(int)(rgb >> 8 & 0xFF), (int)(rgb & 0xFF));
			bytes = end;
		}
	}
	ik_buf_puts(out, bytes);
}
