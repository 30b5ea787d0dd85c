/* What a key means in a side pane, and what the app is asked for then. */
#include "tui/screen/screen_private.h"

/* Show the calls, the newest of them selected, since one is about to be made. */
static void show_calls(struct ik_screen *screen)
{
	screen->side = IK_SIDE_INSPECTOR;
	ik_inspector_follow(screen->inspector);
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
}

bool ik_screen_pane_key(struct ik_screen *screen, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	static const enum ik_reaction_kind reactions[] = {
		[IK_WISH_NONE] = IK_REACT_NONE,
		[IK_WISH_RUN] = IK_REACT_SUBMIT,
		[IK_WISH_RERUN] = IK_REACT_RERUN,
		[IK_WISH_SWITCH] = IK_REACT_SWITCH_TOOL,
		[IK_WISH_COPY] = IK_REACT_COPY,
		[IK_WISH_RESUME] = IK_REACT_RESUME,
		[IK_WISH_DELETE] = IK_REACT_DELETE_SESSION,
		[IK_WISH_UNDO] = IK_REACT_UNDO_CALL,
		[IK_WISH_PAGER] = IK_REACT_PAGER,
	};
	struct ik_pane_wish wish;
	bool taken;
	*ret_reaction = (struct ik_reaction){.kind = IK_REACT_NONE};
	if (screen->help_open || ik_screen_focus(screen) != IK_FOCUS_PANE)
		return false;
	/* What is written here has nothing to do with the line that Ctrl-C would clear. */
	if (action == IK_ACTION_INTERRUPT && !ik_screen_busy(screen)
		&& ik_screen_context(screen) == IK_IN_PROMPT)
		action = IK_ACTION_CANCEL;
	if (screen->side == IK_SIDE_PICKER)
		return ik_screen_picker_key(screen, key, action, ret_reaction);
	if (screen->side == IK_SIDE_BROWSER)
		taken = ik_browser_key(screen->browser, key, action, &wish);
	else if (screen->side == IK_SIDE_SESSIONS)
		taken = ik_sessions_key(screen->sessions, key, action, &wish);
	else
		taken = ik_inspector_key(screen->inspector, action, &wish);
	if (!taken)
		return false;
	screen->dirty = true;
	if (wish.kind == IK_WISH_RESUME)
		ik_screen_place_want(screen, wish.text);
	*ret_reaction = (struct ik_reaction){
		.kind = reactions[wish.kind], .text = wish.text, .length = wish.length,
		.cut = wish.cut,
	};
	if (wish.kind == IK_WISH_RUN || wish.kind == IK_WISH_RERUN)
		show_calls(screen);
	return true;
}
