#include "commands/appearance.h"

#include <stdlib.h>

#include "util/text.h"

void ik_appearance_colours(struct ik_term_options *options)
{
	const char *none = getenv("NO_COLOR"), *colorterm = getenv("COLORTERM");
	/* GNU screen passes on the COLORTERM of the surrounding terminal, but not its 24-bit colours.
	 * tmux, which may use the same terminal type, passes them on. */
	bool screen = options->type && ik_text_starts(options->type, "screen") && !getenv("TMUX");

	options->colours = none && none[0] != '\0' ? IK_COLOURS_NONE : IK_COLOURS_TRUE;
	options->direct = colorterm && !screen &&
		(ik_text_equal(colorterm, "truecolor") || ik_text_equal(colorterm, "24bit"));
}

const struct ik_theme *ik_appearance_theme(const struct ik_themes *themes, const char *name,
	bool light)
{
	const struct ik_theme *theme = ik_theme_find(themes, name);

	return theme ? theme : ik_theme_find(NULL, light ? "light" : "dark");
}
