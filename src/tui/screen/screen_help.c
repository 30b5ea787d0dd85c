/* The help, as the rest of the screen has it. */
#include "tui/screen/screen_private.h"

#include "util/text.h"

void ik_screen_show_help(struct ik_screen *screen, bool open)
{
	if (open)
		ik_help_open(screen->help, ik_screen_context(screen));
	ik_find_end(screen->help_find);
	screen->help_open = open;
	screen->dirty = true;
}

void ik_screen_make_way(struct ik_screen *screen)
{
	ik_screen_show_help(screen, false);
	if (ik_find_is_writing(screen->find))
		ik_screen_search_keep(screen, screen->find);
}

void ik_screen_draw_help(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	static const struct ik_key_hint found[] = {
		{ IK_ACTION_FIND_NEXT, IK_ACTION_FIND_PREVIOUS, N_("other places"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 3 },
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 5 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 4 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("end search"), 1 },
	};
	static const struct ik_key_hint quiet[] = {
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 3 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 1 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
	};
	struct ik_help_keys keys = {
		.context = IK_IN_HELP,
		.hints = quiet,
		.count = sizeof(quiet) / sizeof(*quiet),
	};

	if (ik_find_is_writing(screen->help_find)) {
		keys.context = IK_IN_PROMPT;
		keys.hints = ik_find_hints(&keys.count);
	} else if (ik_find_shows(screen->help_find)) {
		keys.hints = found;
		keys.count = sizeof(found) / sizeof(*found);
	}
	ik_help_draw(screen->help, &keys, cells, area);
}
