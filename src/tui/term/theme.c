#include "tui/term/theme.h"

#include <limits.h>

#include "util/text.h"

#define BOLD IK_ATTRIBUTE_BOLD
#define DIM IK_ATTRIBUTE_DIM
#define REVERSE IK_ATTRIBUTE_REVERSE
#define UNDERLINE IK_ATTRIBUTE_UNDERLINE
#define ITALIC IK_ATTRIBUTE_ITALIC
#define OWN IK_COLOUR_OWN

/*
 * Columns: foreground, background, attributes.
 *
 * One accent, indigo, says where you are: your messages, what has focus, what is at work. What
 * the machine is given is sand: calls and code. Green, red and amber judge; all else is grey.
 *
 * The contrast is at least 4.5 to 1 for text and 3 to 1 for frames and blocks, in 24 bits and in
 * the 256-colour palette: on backgrounds from #000000 to #282C34 for "dark", from #FFFFFF to
 * #F5F0E0 for "light". For text in "contrast", which has its own background, it is 7 to 1.
 */
/* clang-format off */
static const struct ik_theme themes[] = {
	{ "dark", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { 0x9AA3B2, OWN, 0 },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, ITALIC },
		[IK_STYLE_THINKING] = { 0xA6A9B8, OWN, ITALIC },
		[IK_STYLE_USER] = { 0x8DB9F5, OWN, BOLD },
		[IK_STYLE_ACCENT] = { 0x8DB9F5, OWN, 0 },
		[IK_STYLE_CODE] = { 0xD9C49A, OWN, 0 },
		[IK_STYLE_KEYWORD] = { 0xC3A6F0, OWN, 0 },
		[IK_STYLE_OUTPUT] = { 0xB6BCC8, OWN, 0 },
		[IK_STYLE_GOOD] = { 0x8CC98F, OWN, 0 },
		[IK_STYLE_BAD] = { 0xF28F8F, OWN, 0 },
		[IK_STYLE_WARNING] = { 0xF0B858, OWN, 0 },
		[IK_STYLE_FRAME] = { 0x7A8294, OWN, 0 },
		[IK_STYLE_SELECTION] = { 0x0E1420, 0x86AEE8, 0 },
		[IK_STYLE_LINK] = { 0x8DB9F5, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { 0x101216, 0xE8BE6A, 0 },
	} },
	{ "light", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { 0x5C6370, OWN, 0 },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, ITALIC },
		[IK_STYLE_THINKING] = { 0x5A5F70, OWN, ITALIC },
		[IK_STYLE_USER] = { 0x1B4FB8, OWN, BOLD },
		[IK_STYLE_ACCENT] = { 0x1B4FB8, OWN, 0 },
		[IK_STYLE_CODE] = { 0x7A5A12, OWN, 0 },
		[IK_STYLE_KEYWORD] = { 0x6B3FA0, OWN, 0 },
		[IK_STYLE_OUTPUT] = { 0x48505C, OWN, 0 },
		[IK_STYLE_GOOD] = { 0x1B6A24, OWN, 0 },
		[IK_STYLE_BAD] = { 0xB3261E, OWN, 0 },
		[IK_STYLE_WARNING] = { 0x8F4E00, OWN, 0 },
		[IK_STYLE_FRAME] = { 0x7F8693, OWN, 0 },
		[IK_STYLE_SELECTION] = { 0xFFFFFF, 0x1B4FB8, 0 },
		[IK_STYLE_LINK] = { 0x1B4FB8, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { 0xFFFFFF, 0x8A5A00, 0 },
	} },
	{ "contrast", {
		[IK_STYLE_NORMAL] = { 0xFFFFFF, 0x000000, 0 },
		[IK_STYLE_DIM] = { 0xD0D0D0, 0x000000, 0 },
		[IK_STYLE_BOLD] = { 0xFFFFFF, 0x000000, BOLD },
		[IK_STYLE_EMPHASIS] = { 0xFFFFFF, 0x000000, UNDERLINE },
		[IK_STYLE_THINKING] = { 0xD0D0D0, 0x000000, ITALIC },
		[IK_STYLE_USER] = { 0x00FFFF, 0x000000, BOLD },
		[IK_STYLE_ACCENT] = { 0x00FFFF, 0x000000, 0 },
		[IK_STYLE_CODE] = { 0xFFFF87, 0x000000, 0 },
		[IK_STYLE_KEYWORD] = { 0xFFAFFF, 0x000000, 0 },
		[IK_STYLE_OUTPUT] = { 0xFFFFFF, 0x000000, 0 },
		[IK_STYLE_GOOD] = { 0x87FF87, 0x000000, 0 },
		[IK_STYLE_BAD] = { 0xFFAFAF, 0x000000, BOLD },
		[IK_STYLE_WARNING] = { 0xFFFF00, 0x000000, BOLD },
		[IK_STYLE_FRAME] = { 0xBCBCBC, 0x000000, 0 },
		[IK_STYLE_SELECTION] = { 0x000000, 0xFFFF00, BOLD },
		[IK_STYLE_LINK] = { 0x87FFFF, 0x000000, UNDERLINE },
		[IK_STYLE_MATCH] = { 0x000000, 0x00FFFF, BOLD },
	} },
	{ "mono", {
		[IK_STYLE_NORMAL] = { OWN, OWN, 0 },
		[IK_STYLE_DIM] = { OWN, OWN, DIM },
		[IK_STYLE_BOLD] = { OWN, OWN, BOLD },
		[IK_STYLE_EMPHASIS] = { OWN, OWN, UNDERLINE },
		[IK_STYLE_THINKING] = { OWN, OWN, DIM },
		[IK_STYLE_USER] = { OWN, OWN, BOLD },
		[IK_STYLE_ACCENT] = { OWN, OWN, BOLD },
		[IK_STYLE_CODE] = { OWN, OWN, BOLD },
		[IK_STYLE_KEYWORD] = { OWN, OWN, UNDERLINE },
		[IK_STYLE_OUTPUT] = { OWN, OWN, 0 },
		[IK_STYLE_GOOD] = { OWN, OWN, 0 },
		[IK_STYLE_BAD] = { OWN, OWN, BOLD },
		[IK_STYLE_WARNING] = { OWN, OWN, BOLD | UNDERLINE },
		[IK_STYLE_FRAME] = { OWN, OWN, DIM },
		[IK_STYLE_SELECTION] = { OWN, OWN, REVERSE },
		[IK_STYLE_LINK] = { OWN, OWN, UNDERLINE },
		[IK_STYLE_MATCH] = { OWN, OWN, REVERSE | UNDERLINE },
	} },
};
/* clang-format on */

#define THEME_COUNT (sizeof(themes) / sizeof(*themes))

const struct ik_theme *ik_theme_at(size_t index)
{
	return index < THEME_COUNT ? &themes[index] : NULL;
}

const struct ik_theme *ik_theme_find(const char *name)
{
	for (size_t i = 0; i < THEME_COUNT; i++)
		if (ik_text_equal(themes[i].name, name))
			return &themes[i];
	return NULL;
}

/* ---- the palette ---- */

#define CUBE_FIRST 16
#define CUBE_SIDE 6
#define GREY_FIRST 232
#define GREYS 24

int32_t ik_colour_of_palette(int index)
{
	static const int levels[CUBE_SIDE] = { 0, 95, 135, 175, 215, 255 };

	if (index >= GREY_FIRST)
		return (8 + 10 * (index - GREY_FIRST)) * 0x010101;
	index -= CUBE_FIRST;
	return levels[index / (CUBE_SIDE * CUBE_SIDE)] << 16 |
		levels[index / CUBE_SIDE % CUBE_SIDE] << 8 | levels[index % CUBE_SIDE];
}

/* Return the squared distance between two colours. */
static int distance(int32_t one, int32_t other)
{
	int sum = 0;

	for (int shift = 0; shift < 24; shift += 8) {
		int step = (one >> shift & 0xFF) - (other >> shift & 0xFF);

		sum += step * step;
	}
	return sum;
}

int ik_colour_nearest(int32_t rgb)
{
	int best = CUBE_FIRST, least = INT_MAX;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int index = CUBE_FIRST; index < GREY_FIRST + GREYS; index++) {
		int far = distance(rgb, ik_colour_of_palette(index));

		if (far < least) {
			least = far;
			best = index;
		}
	}
	return best;
}

#define GREY_SPREAD 40 /* between the components of a colour that counts as grey */
#define BRIGHT 0xC0    /* of a bright colour's largest component */

/* Return black, light grey or white: "bright black" is invisible in several palettes. */
static int grey_of_16(int most)
{
	return most < 0x60 ? 0 : most < 0xD8 ? 7 : 15;
}

int ik_colour_of_16(int32_t rgb, bool in_block)
{
	enum { YELLOW = 3, MAGENTA = 5 };
	int least = 0xFF, most = 0, number = 0;

	if (rgb < 0)
		return IK_COLOUR_OWN;
	for (int shift = 0; shift < 24; shift += 8) {
		int part = rgb >> shift & 0xFF;

		least = part < least ? part : least;
		most = part > most ? part : most;
	}
	if (most - least < GREY_SPREAD)
		return in_block ? grey_of_16(most) : IK_COLOUR_OWN;
	/* The bits are red, green and blue: those of the components that make the hue. */
	for (int bit = 0; bit < 3; bit++)
		if (3 * ((rgb >> (16 - 8 * bit) & 0xFF) - least) > most - least)
			number |= 1 << bit;
	if (most >= BRIGHT)
		return number | 8;
	/* In most palettes, dark yellow is too light to be read on white. */
	return number == YELLOW ? MAGENTA : number;
}
