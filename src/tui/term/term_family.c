#include "tui/term/term_family.h"

#include <stddef.h>
#include <string.h>

const char *ik_term_stand_in(const char *type)
{
	static const struct {
		const char *name;
		const char *stand_in;
	} families[] = {
		{ "xterm", "xterm-256color" },
		{ "tmux", "screen-256color" },
		{ "screen", "screen" },
		{ "alacritty", "xterm-256color" },
		{ "kitty", "xterm-256color" },
		{ "foot", "xterm-256color" },
		{ "wezterm", "xterm-256color" },
		{ "ghostty", "xterm-256color" },
		{ "contour", "xterm-256color" },
		{ "konsole", "xterm-256color" },
		{ "mintty", "xterm-256color" },
		{ "vte", "xterm-256color" },
		{ "gnome", "xterm-256color" },
		{ "iterm", "xterm-256color" },
		{ "iterm2", "xterm-256color" },
	};
	size_t length = strcspn(type, "-+.");

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strlen(families[i].name) == length && memcmp(families[i].name, type, length) == 0)
			return families[i].stand_in;
	return NULL;
}
