/* The side panes: which one is shown, and what comes of its keys. */
#include "tui/screen/screen_private.h"

#include "util/text.h"

void ik_screen_make_panes(struct ik_screen *screen, const struct ik_screen_options *options)
{
	const struct ik_keymap *keymap = screen->keymap;
	bool utf8 = screen->utf8;

	screen->inspector = ik_inspector_new(screen->calls, keymap, utf8);
	ik_inspector_on_read(screen->inspector, options->read_blob, options->read_arg);
	screen->browser = ik_browser_new(screen->calls, keymap, utf8);
	ik_browser_set_forms(screen->browser, options->tool_forms, options->tool_forms_arg);
	screen->sessions = ik_sessions_new(keymap, utf8, options->sessions, options->sessions_arg);
	screen->picker = ik_picker_new(keymap, utf8, ik_prompt_editor(screen->prompt));
	screen->help = ik_help_new(options->commands, keymap, utf8);
	screen->find = ik_find_new(screen->scrollback, false, keymap);
	screen->help_find = ik_find_new(ik_help_pane(screen->help)->text, true, keymap);
	size_t count = 0;
	screen->panes[count++] = ik_inspector_pane(screen->inspector);
	screen->panes[count++] = ik_browser_pane(screen->browser);
	screen->panes[count++] = ik_sessions_pane(screen->sessions);
	screen->panes[count++] = ik_picker_pane(screen->picker);
	screen->panes[count++] = ik_help_pane(screen->help);
}

void ik_screen_free_panes(struct ik_screen *screen)
{
	for (size_t i = 0; i < IK_PANES; i++)
		screen->panes[i]->ops->release(screen->panes[i]);
}

struct ik_pane *ik_screen_pane_of(const struct ik_screen *screen, enum ik_action action)
{
	for (size_t i = 0; action != IK_ACTION_NONE && i < IK_PANES; i++)
		if (screen->panes[i]->ops->toggle == action)
			return screen->panes[i];
	return NULL;
}

void ik_screen_open_pane(struct ik_screen *screen, struct ik_pane *pane)
{
	ik_screen_make_way(screen);
	if (pane->ops->toggle != IK_ACTION_NONE) /* what is shown there was chosen */
		screen->inspector_wish = IK_INSPECTOR_CLOSED;
	screen->side = pane;
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
	screen->dirty = true;
}

void ik_screen_toggle_pane(struct ik_screen *screen, struct ik_pane *pane)
{
	bool shown = screen->side == pane;

	ik_screen_open_pane(screen, pane);
	if (shown)
		ik_screen_close_side(screen);
	else if (pane->ops->open)
		pane->ops->open(pane);
}

void ik_screen_close_side(struct ik_screen *screen)
{
	screen->side = NULL;
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	screen->dirty = true;
}

void ik_screen_uncover(struct ik_screen *screen)
{
	if (screen->columns < IK_WIDE_COLUMNS)
		ik_screen_close_side(screen);
}

void ik_screen_pick(struct ik_screen *screen, const struct ik_pick_list *list)
{
	if (!ik_screen_picks(screen))
		screen->side_before = screen->side;
	ik_screen_open_pane(screen, ik_picker_pane(screen->picker));
	ik_picker_open(screen->picker, list);
}

bool ik_screen_picks(const struct ik_screen *screen)
{
	return screen->side == ik_picker_pane(screen->picker);
}

void ik_screen_pick_again(struct ik_screen *screen, const struct ik_pick_list *list)
{
	if (!ik_screen_picks(screen))
		return;
	ik_picker_again(screen->picker, list);
	screen->dirty = true;
}

void ik_screen_offer_inspector(struct ik_screen *screen, enum ik_inspector_wish wish, int columns)
{
	if (screen->inspector_wish != wish || screen->columns < columns)
		return;
	screen->inspector_wish = IK_INSPECTOR_CLOSED;
	if (!screen->side) {
		screen->side = ik_inspector_pane(screen->inspector);
		screen->side_by_itself = true;
	}
	screen->dirty = true;
}

void ik_screen_withdraw_inspector(struct ik_screen *screen)
{
	if (!screen->side || !screen->side_by_itself || screen->columns >= IK_WIDE_COLUMNS)
		return;
	screen->side = NULL;
	screen->inspector_wish = IK_INSPECTOR_OPEN;
}

/* A pane is done with: what was shown before it is there again, where it does not cover the
 * conversation. */
static void go_back(struct ik_screen *screen)
{
	struct ik_pane *before = screen->columns >= IK_WIDE_COLUMNS ? screen->side_before : NULL;

	ik_screen_close_side(screen);
	screen->side = before;
}

bool ik_screen_pane_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation)
{
	*ret_invocation = (struct ik_invocation){ .action = IK_ACTION_NONE };
	if (screen->help_open || ik_screen_focus(screen) != IK_FOCUS_PANE)
		return false;
	/* What is written here has nothing to do with the line that Ctrl-C would clear. */
	if (action == IK_ACTION_INTERRUPT && !ik_screen_busy(screen) &&
		ik_screen_context(screen) == IK_IN_PROMPT)
		action = IK_ACTION_CANCEL;
	enum ik_pane_result result = screen->side->ops->key(screen->side, key, action, ret_invocation);
	screen->dirty |= result != IK_PANE_PASSED;
	if (ret_invocation->action == IK_ACTION_RESUME)
		ik_screen_place_want(screen, ret_invocation->text);
	if (result == IK_PANE_CALLED) {
		ik_screen_open_pane(screen, ik_inspector_pane(screen->inspector));
		ik_inspector_follow(screen->inspector);
	} else if (result == IK_PANE_CLOSED || result == IK_PANE_YIELDED) {
		go_back(screen);
	} else if (result == IK_PANE_BLOCKED) {
		ik_screen_flash(screen, _("Send or clear what stands in the editor first."));
	}
	return result != IK_PANE_PASSED && result != IK_PANE_YIELDED;
}
