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

bool ik_theme_command(const struct ik_themes *themes, struct ik_config *config, const char *rest,
	struct ik_buf *out)
{
	const struct ik_theme *theme;
	struct ik_error error;

	if (rest[0] == '\0') {
		for (size_t i = 0; i == 0 || (theme = ik_theme_at(themes, i - 1)); i++) {
			const char *name = i == 0 ? "auto" : theme->name;

			ik_buf_printf(out, "%s %s\n", ik_text_equal(name, config->ui_theme) ? "*" : " ", name);
		}
		ik_buf_puts(out, _("/theme NAME takes another; auto goes by the terminal's background."));
		return false;
	}
	if ((!ik_text_equal(rest, "auto") && !ik_theme_find(themes, rest)) ||
		ik_config_set(config, "ui.theme", rest, IK_ORIGIN_OPTION, "/theme", &error) != IK_OK) {
		ik_buf_printf(out, _("There is no theme \"%s\": /theme lists them."), rest);
		return false;
	}
	ik_buf_printf(out,
		_("The theme is %s now. To keep it, write {\"ui\": {\"theme\": \"%s\"}} into "
		  "~/.ikigai/config.json."),
		rest, rest);
	return true;
}
