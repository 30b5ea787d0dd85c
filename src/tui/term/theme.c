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
 * Columns: foreground and background in 24 bits, then of 16 colours;
 * attributes; attributes for terminals without colours.
 *
 * With 16 and 8 colours, dim text has the terminal's default foreground,
 * because "bright black" is invisible in several palettes.  The contrast of
 * text is at least 4.5 to 1 on the theme's backgrounds (7 to 1 in "contrast"),
 * that of frames 3 to 1.
 */
static const struct ik_look dark[IK_STYLE_COUNT] = {
	[IK_STYLE_NORMAL] = { OWN, OWN, -1, -1, 0, 0 },
	[IK_STYLE_DIM] = { 0xA2A5AE, OWN, -1, -1, 0, DIM },
	[IK_STYLE_BOLD] = { OWN, OWN, -1, -1, BOLD, BOLD },
	[IK_STYLE_USER] = { 0x7DCFFF, OWN, 14, -1, BOLD, BOLD },
	[IK_STYLE_ASSISTANT] = { OWN, OWN, -1, -1, 0, 0 },
	[IK_STYLE_THINKING] = { 0xB2ACBC, OWN, -1, -1, ITALIC, DIM },
	[IK_STYLE_TOOL] = { 0xE5B877, OWN, 11, -1, 0, BOLD },
	[IK_STYLE_TOOL_OUTPUT] = { 0xC3C7CF, OWN, -1, -1, 0, 0 },
	[IK_STYLE_ERROR] = { 0xFF8F8F, OWN, 9, -1, BOLD, BOLD | UNDERLINE },
	[IK_STYLE_NOTICE] = { 0xA9D8A9, OWN, 10, -1, 0, DIM },
	[IK_STYLE_STATUS] = { 0xD3D7DF, 0x2F3342, 15, 4, 0, REVERSE },
	[IK_STYLE_STATUS_STRONG] = { 0xFFFFFF, 0x2F3342, 15, 4, BOLD, REVERSE | BOLD },
	[IK_STYLE_STATUS_WARNING] = { 0xFFD479, 0x2F3342, 11, 4, BOLD, REVERSE | BOLD | UNDERLINE },
	[IK_STYLE_FRAME] = { 0x7E839A, OWN, -1, -1, 0, DIM },
	[IK_STYLE_FRAME_FOCUS] = { 0x7DCFFF, OWN, 14, -1, 0, BOLD },
	[IK_STYLE_SELECTION] = { 0xFFFFFF, 0x264F78, 15, 4, 0, REVERSE },
	[IK_STYLE_PROMPT] = { 0x7DCFFF, OWN, 14, -1, BOLD, BOLD },
	[IK_STYLE_CODE] = { 0xD9D98B, OWN, 11, -1, 0, 0 },
	[IK_STYLE_CODE_KEYWORD] = { 0xC8A8FF, OWN, 13, -1, 0, BOLD },
	[IK_STYLE_CODE_LITERAL] = { 0x8FD98F, OWN, 10, -1, 0, 0 },
	[IK_STYLE_CODE_COMMENT] = { 0x9AA0A8, OWN, -1, -1, 0, DIM },
	[IK_STYLE_INLINE_CODE] = { 0xD9D98B, OWN, 11, -1, 0, BOLD },
	[IK_STYLE_HEADING] = { 0xA9D1FF, OWN, 14, -1, BOLD, BOLD | UNDERLINE },
	[IK_STYLE_EMPHASIS] = { OWN, OWN, -1, -1, ITALIC, UNDERLINE },
	[IK_STYLE_LINK] = { 0x86B7FF, OWN, 14, -1, UNDERLINE, UNDERLINE },
	[IK_STYLE_MATCH] = { 0x101010, 0xFFD75F, 0, 11, 0, REVERSE },
	[IK_STYLE_MATCH_CURRENT] = { 0x101010, 0xFF9E3D, 0, 10, BOLD, BOLD | REVERSE | UNDERLINE },
	[IK_STYLE_ADDED] = { 0x8FD98F, OWN, 10, -1, 0, BOLD },
	[IK_STYLE_REMOVED] = { 0xFF9A9A, OWN, 9, -1, 0, DIM },
	[IK_STYLE_DONE] = { 0x87D787, OWN, 2, -1, 0, 0 },
	[IK_STYLE_RUNNING] = { 0xFFD75F, OWN, 3, -1, 0, BOLD },
	[IK_STYLE_DENIED] = { 0xD7AFFF, OWN, 5, -1, 0, BOLD },
};

static const struct ik_look light[IK_STYLE_COUNT] = {
	[IK_STYLE_NORMAL] = { OWN, OWN, -1, -1, 0, 0 },
	[IK_STYLE_DIM] = { 0x5D6167, OWN, -1, -1, 0, DIM },
	[IK_STYLE_BOLD] = { OWN, OWN, -1, -1, BOLD, BOLD },
	[IK_STYLE_USER] = { 0x005FAF, OWN, 4, -1, BOLD, BOLD },
	[IK_STYLE_ASSISTANT] = { OWN, OWN, -1, -1, 0, 0 },
	[IK_STYLE_THINKING] = { 0x5C5866, OWN, -1, -1, ITALIC, DIM },
	[IK_STYLE_TOOL] = { 0x85470A, OWN, 5, -1, 0, BOLD },
	[IK_STYLE_TOOL_OUTPUT] = { 0x40454C, OWN, -1, -1, 0, 0 },
	[IK_STYLE_ERROR] = { 0xB00020, OWN, 1, -1, BOLD, BOLD | UNDERLINE },
	[IK_STYLE_NOTICE] = { 0x1B6B2F, OWN, 2, -1, 0, DIM },
	[IK_STYLE_STATUS] = { 0x2E3138, 0xDFE3EA, 0, 7, 0, REVERSE },
	[IK_STYLE_STATUS_STRONG] = { 0x000000, 0xDFE3EA, 0, 7, BOLD, REVERSE | BOLD },
	[IK_STYLE_STATUS_WARNING] = { 0xA00018, 0xDFE3EA, 1, 7, BOLD, REVERSE | BOLD | UNDERLINE },
	[IK_STYLE_FRAME] = { 0x828892, OWN, -1, -1, 0, DIM },
	[IK_STYLE_FRAME_FOCUS] = { 0x005FAF, OWN, 4, -1, 0, BOLD },
	[IK_STYLE_SELECTION] = { 0x000000, 0xA8D1FF, 0, 14, 0, REVERSE },
	[IK_STYLE_PROMPT] = { 0x005FAF, OWN, 4, -1, BOLD, BOLD },
	[IK_STYLE_CODE] = { 0x7B1FA2, OWN, 5, -1, 0, 0 },
	[IK_STYLE_CODE_KEYWORD] = { 0x0B3D91, OWN, 4, -1, 0, BOLD },
	[IK_STYLE_CODE_LITERAL] = { 0x17642B, OWN, 2, -1, 0, 0 },
	[IK_STYLE_CODE_COMMENT] = { 0x5D6167, OWN, -1, -1, 0, DIM },
	[IK_STYLE_INLINE_CODE] = { 0x7B1FA2, OWN, 5, -1, 0, BOLD },
	[IK_STYLE_HEADING] = { 0x0B3D91, OWN, 4, -1, BOLD, BOLD | UNDERLINE },
	[IK_STYLE_EMPHASIS] = { OWN, OWN, -1, -1, ITALIC, UNDERLINE },
	[IK_STYLE_LINK] = { 0x0B57D0, OWN, 4, -1, UNDERLINE, UNDERLINE },
	[IK_STYLE_MATCH] = { 0x000000, 0xFFD75F, 0, 11, 0, REVERSE },
	[IK_STYLE_MATCH_CURRENT] = { 0x000000, 0xFF9E3D, 0, 10, BOLD, BOLD | REVERSE | UNDERLINE },
	[IK_STYLE_ADDED] = { 0x17642B, OWN, 2, -1, 0, BOLD },
	[IK_STYLE_REMOVED] = { 0xB00020, OWN, 1, -1, 0, DIM },
	[IK_STYLE_DONE] = { 0x17642B, OWN, 2, -1, 0, 0 },
	[IK_STYLE_RUNNING] = { 0x85470A, OWN, 3, -1, 0, BOLD },
	[IK_STYLE_DENIED] = { 0x7B1FA2, OWN, 5, -1, 0, BOLD },
};

static const struct ik_look contrast[IK_STYLE_COUNT] = {
	[IK_STYLE_NORMAL] = { 0xFFFFFF, 0x000000, 15, 0, 0, 0 },
	[IK_STYLE_DIM] = { 0xD0D0D0, 0x000000, 7, 0, 0, 0 },
	[IK_STYLE_BOLD] = { 0xFFFFFF, 0x000000, 15, 0, BOLD, BOLD },
	[IK_STYLE_USER] = { 0x00FFFF, 0x000000, 14, 0, BOLD, BOLD },
	[IK_STYLE_ASSISTANT] = { 0xFFFFFF, 0x000000, 15, 0, 0, 0 },
	[IK_STYLE_THINKING] = { 0xD0D0D0, 0x000000, 7, 0, ITALIC, 0 },
	[IK_STYLE_TOOL] = { 0xFFFF00, 0x000000, 11, 0, BOLD, BOLD },
	[IK_STYLE_TOOL_OUTPUT] = { 0xFFFFFF, 0x000000, 15, 0, 0, 0 },
	[IK_STYLE_ERROR] = { 0x000000, 0xFFAFAF, 0, 9, BOLD, REVERSE | BOLD },
	[IK_STYLE_NOTICE] = { 0x87FF87, 0x000000, 10, 0, 0, 0 },
	[IK_STYLE_STATUS] = { 0x000000, 0xFFFFFF, 0, 15, 0, REVERSE },
	[IK_STYLE_STATUS_STRONG] = { 0x000000, 0xFFFFFF, 0, 15, BOLD, REVERSE | BOLD },
	[IK_STYLE_STATUS_WARNING] = { 0xFFFFFF, 0x870000, 15, 1, BOLD, REVERSE | BOLD | UNDERLINE },
	[IK_STYLE_FRAME] = { 0xBCBCBC, 0x000000, 7, 0, 0, 0 },
	[IK_STYLE_FRAME_FOCUS] = { 0xFFFF00, 0x000000, 11, 0, BOLD, BOLD },
	[IK_STYLE_SELECTION] = { 0x000000, 0xFFFF00, 0, 11, BOLD, REVERSE | BOLD },
	[IK_STYLE_PROMPT] = { 0x00FFFF, 0x000000, 14, 0, BOLD, BOLD },
	[IK_STYLE_CODE] = { 0xFFFFD7, 0x000000, 11, 0, 0, 0 },
	[IK_STYLE_CODE_KEYWORD] = { 0x87FFFF, 0x000000, 14, 0, BOLD, BOLD },
	[IK_STYLE_CODE_LITERAL] = { 0x87FF87, 0x000000, 10, 0, 0, 0 },
	[IK_STYLE_CODE_COMMENT] = { 0xD0D0D0, 0x000000, 7, 0, 0, 0 },
	[IK_STYLE_INLINE_CODE] = { 0xFFFFD7, 0x000000, 11, 0, 0, BOLD },
	[IK_STYLE_HEADING] = { 0xFFFFFF, 0x000000, 15, 0, BOLD | UNDERLINE, BOLD | UNDERLINE },
	[IK_STYLE_EMPHASIS] = { 0xFFFFFF, 0x000000, 15, 0, UNDERLINE, UNDERLINE },
	[IK_STYLE_LINK] = { 0x87FFFF, 0x000000, 14, 0, UNDERLINE, UNDERLINE },
	[IK_STYLE_MATCH] = { 0x000000, 0x00FFFF, 0, 14, BOLD, REVERSE | BOLD },
	[IK_STYLE_MATCH_CURRENT] = { 0x000000, 0xFF87FF, 0, 13, BOLD, REVERSE | BOLD | UNDERLINE },
	[IK_STYLE_ADDED] = { 0x87FF87, 0x000000, 10, 0, 0, BOLD },
	[IK_STYLE_REMOVED] = { 0xFFAFAF, 0x000000, 9, 0, 0, 0 },
	[IK_STYLE_DONE] = { 0x87FF87, 0x000000, 10, 0, 0, 0 },
	[IK_STYLE_RUNNING] = { 0xFFFF00, 0x000000, 11, 0, BOLD, BOLD },
	[IK_STYLE_DENIED] = { 0xFF87FF, 0x000000, 13, 0, BOLD, BOLD },
};

static const struct ik_theme themes[] = {
	{ "dark", dark, false },
	{ "light", light, false },
	{ "contrast", contrast, false },
	{ "mono", dark, true },
};

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
