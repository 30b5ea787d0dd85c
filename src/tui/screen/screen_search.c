/* Searching the conversation or the help, whichever is in front. */
#include "tui/screen/screen_private.h"

#include "util/text.h"

struct ik_find *ik_screen_find(const struct ik_screen *screen)
{
	return screen->help_open ? screen->help_find : screen->find;
}

void ik_screen_search_open(struct ik_screen *screen)
{
	if (screen->columns < IK_WIDE_COLUMNS && !screen->help_open)
		screen->side = NULL; /* what is searched must be visible */
	screen->focus_before_find = screen->focus;
	ik_find_open(ik_screen_find(screen));
	screen->dirty = true;
}

void ik_screen_search_keep(struct ik_screen *screen, struct ik_find *find)
{
	if (ik_find_keep(find) && find == screen->find)
		screen->focus = IK_FOCUS_SCROLLBACK;
	screen->dirty = true;
}

bool ik_screen_search_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	struct ik_find *find = ik_screen_find(screen);

	if (!ik_find_is_writing(find))
		return false;
	screen->dirty = true;
	enum ik_find_result result = ik_find_key(find, key, action);

	if (result == IK_FIND_LEFT)
		screen->focus = screen->focus_before_find;
	if (result == IK_FIND_KEPT || result == IK_FIND_OTHER)
		ik_screen_search_keep(screen, find);
	return result != IK_FIND_PASSED && result != IK_FIND_OTHER;
}
