/* What a key means in a side pane, and what the app is asked for then. */
#include "tui/screen_private.h"

/* Show the calls, the newest of them selected, since one is about to be made. */
static void show_calls(struct ik_screen *screen)
{
	screen->side = IK_SIDE_INSPECTOR;
	ik_inspector_follow(screen->inspector);
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
}

static bool browser_key(struct ik_screen *screen, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	struct ik_browser_wish wish;
	if (!ik_browser_key(screen->browser, key, action, &wish))
		return false;
	ret_reaction->text = wish.text;
	ret_reaction->length = wish.length;
	switch (wish.kind) {
	case IK_WISH_NONE:
		break;
	case IK_WISH_RUN:
		ret_reaction->kind = IK_REACT_SUBMIT;
		show_calls(screen);
		break;
	case IK_WISH_SWITCH:
		ret_reaction->kind = IK_REACT_SWITCH_TOOL;
		break;
	}
	return true;
}

bool ik_screen_pane_key(struct ik_screen *screen, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	*ret_reaction = (struct ik_reaction){.kind = IK_REACT_NONE};
	if (screen->help_open || ik_screen_focus(screen) != IK_FOCUS_PANE
		|| screen->side != IK_SIDE_BROWSER)
		return false;
	bool taken = browser_key(screen, key, action, ret_reaction);
	screen->dirty |= taken;
	return taken;
}
