#include "tui/term/term_info.h"

#include <string.h>

#define NCURSES_NOMACROS
#include <curses.h>

#include "util/text.h"

#define PALETTE 256 /* the numbers of the largest palette */

const char *ik_term_stand_in(const char *type)
{
	static const struct {
		const char *name;
		const char *stand_in;
	} families[] = { { "screen", "screen" }, { "tmux", "screen-256color" },
		{ "xterm", "xterm-256color" }, { "alacritty", "xterm-256color" },
		{ "kitty", "xterm-256color" }, { "foot", "xterm-256color" },
		{ "wezterm", "xterm-256color" }, { "ghostty", "xterm-256color" },
		{ "contour", "xterm-256color" }, { "konsole", "xterm-256color" },
		{ "mintty", "xterm-256color" }, { "vte", "xterm-256color" }, { "gnome", "xterm-256color" },
		{ "iterm", "xterm-256color" }, { "iterm2", "xterm-256color" } };
	size_t length = strcspn(type, "-+.");

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strlen(families[i].name) == length && memcmp(families[i].name, type, length) == 0)
			return families[i].stand_in;
	return NULL;
}

const char *ik_term_capability(const char *name)
{
	const char *value = tigetstr(name);

	return value == (const char *)-1 ? NULL : value;
}

void ik_term_put_capability(struct ik_buf *out, const char *name)
{
	const char *at = ik_term_capability(name), *padding, *end;

	if (!at)
		return;
	while ((padding = strstr(at, "$<")) && (end = strchr(padding, '>'))) {
		ik_buf_append(out, at, (size_t)(padding - at));
		at = end + 1;
	}
	ik_buf_puts(out, at);
}

bool ik_term_is_ansi(void)
{
	const char *move = ik_term_capability("cup");

	return move && ik_text_starts(move, "\033[");
}

/* Does terminfo, or the type's name, say that the terminal has 24-bit colours? */
static bool is_direct(const char *type)
{
	return tigetflag("RGB") > 0 || tigetnum("RGB") > 0 || ik_term_capability("RGB") ||
		tigetflag("Tc") > 0 || (ik_term_stand_in(type) && ik_text_ends(type, "-direct"));
}

enum ik_colour_depth ik_term_read_colours(const char *type, bool stands_in, bool direct)
{
	const char *set = ik_term_capability("setaf");
	int colours = set && tigetnum("pairs") > 0 ? tigetnum("colors") : 0;

	/* All that is known of a type that is not installed is its name. Of a palette of 88 only
	 * the first 16 are the same as in one of 256. */
	if (stands_in && (ik_text_ends(type, "-16color") || ik_text_ends(type, "-88color")))
		colours = 16;
	/* The other numbers of a direct type are colours, not a palette. */
	if (colours > PALETTE)
		colours = 8;
	if (colours == PALETTE) {
		direct = direct || is_direct(type);
		return direct && strstr(set, "38;5;") ? IK_COLOURS_TRUE : IK_COLOURS_256;
	}
	return colours >= 16 ? IK_COLOURS_16 : colours >= 8 ? IK_COLOURS_8 : IK_COLOURS_NONE;
}
