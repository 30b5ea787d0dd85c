/*
 * theme: the look of each style, one table for each theme, and the 256-colour
 * palette for 24-bit colours, 0xRRGGBB.
 *
 * Pure.  May include: util, tui/term/cells.h.
 */
#ifndef IK_TUI_TERM_THEME_H
#define IK_TUI_TERM_THEME_H

#include "tui/term/cells.h"

#define IK_COLOUR_OWN (-1) /* the terminal's default foreground or background */

/* Return the nearest colour of the palette from 16 on, since lower ones look different on every
 * terminal; IK_COLOUR_OWN stays itself. */
int ik_colour_nearest(int32_t rgb);

/* Return the colour of a palette number, at least 16. */
int32_t ik_colour_of_palette(int index);

enum ik_colour_depth {
	IK_COLOURS_NONE, /* attributes only: NO_COLOR, mono terminals */
	IK_COLOURS_8,
	IK_COLOURS_16,
	IK_COLOURS_256,
	IK_COLOURS_TRUE /* 24 bits */
};

enum {
	IK_ATTRIBUTE_BOLD = 1,
	IK_ATTRIBUTE_DIM = 2,
	IK_ATTRIBUTE_REVERSE = 4,
	IK_ATTRIBUTE_UNDERLINE = 8,
	IK_ATTRIBUTE_ITALIC = 16
};

/* A foreground and a background, each -1 for the terminal's default: as 0xRRGGBB, and as a
 * number for terminals with 16 colours, which without its highest bit is the number for 8. With 256
 * colours, ik_colour_nearest() is used. */
struct ik_look {
	int32_t foreground, background;
	int8_t foreground16, background16;
	uint8_t attributes;
	uint8_t mono_attributes; /* for terminals without colours */
};

struct ik_theme {
	const char *name;
	const struct ik_look *looks; /* one for each style */
	bool mono;                   /* draw as on a terminal without colours */
};

/* Return the theme "dark", "light", "contrast" or "mono", or NULL for another name. */
const struct ik_theme *ik_theme_find(const char *name);
const struct ik_theme *ik_theme_at(size_t index); /* NULL past the end */

#endif
