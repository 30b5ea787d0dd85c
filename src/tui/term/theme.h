/*
 * theme: the look of each style, one table for each theme, in 24-bit colours,
 * 0xRRGGBB, and what terminals with fewer colours show instead.
 *
 * Pure.  May include: util, json, tui/term/cells.h.
 */
#ifndef IK_TUI_TERM_THEME_H
#define IK_TUI_TERM_THEME_H

#include "tui/term/cells.h"
#include "util/buf.h"

#define IK_COLOUR_OWN (-1) /* the terminal's default foreground or background */

/* Return the nearest colour of the palette from 16 on, since lower ones look different on every
 * terminal; IK_COLOUR_OWN stays itself. */
int ik_colour_nearest(int32_t rgb);

/* Return the colour, of the 16 that every terminal shows in its own way, of the same hue;
 * IK_COLOUR_OWN for itself, and for greys but in a block, which has its own background. Without
 * its highest bit, it is the number for 8 colours. */
int ik_colour_of_16(int32_t rgb, bool in_block);

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

/* A foreground and a background, each IK_COLOUR_OWN or 0xRRGGBB. Terminals with fewer colours
 * get the nearest ones. */
struct ik_look {
	int32_t foreground, background;
	uint8_t attributes;
};

struct ik_theme {
	const char *name;
	struct ik_look looks[IK_STYLE_COUNT];
};

/* The user's themes; begins zeroed. */
struct ik_themes {
	struct ik_theme *items;
	size_t count;
};

/*
 * Read a theme from a file's text, in which comments become blanks, and add it:
 *
 *     {"base": "dark", "user": {"foreground": "#8db9f5", "attributes": ["bold"]}, ...}
 *
 * It looks like its base ("dark" without one; any built-in theme) but for the styles that it
 * names, and these but for what it says of them. An error names the file, the line, the key and
 * what is allowed. Pointers to the themes that were added before become invalid.
 */
enum ik_status ik_themes_add(struct ik_themes *themes, const char *name, const char *path,
	char *text, size_t length, struct ik_error *error) IK_MUST_USE;
void ik_themes_done(struct ik_themes *themes);

/* Return a theme by its name: one of the user's (NULL: there are none), or built in ("dark", "light",
 * "contrast", "mono"); NULL if there is none. "mono" has attributes alone, and is what terminals
 * without colours get. */
const struct ik_theme *ik_theme_find(const struct ik_themes *themes, const char *name);
/* Return the built-in themes, then the user's; NULL past the end. */
const struct ik_theme *ik_theme_at(const struct ik_themes *themes, size_t index);

#endif
