/* A list to choose from, as the rest of the screen has it. */
#include "tui/screen/screen_private.h"

#include "util/text.h"

void ik_screen_pick(struct ik_screen *screen, const struct ik_pick_list *list)
{
	if (screen->side != IK_SIDE_PICKER)
		screen->side_before = screen->side;
	ik_screen_make_way(screen);
	screen->side = IK_SIDE_PICKER;
	ik_picker_open(screen->picker, list);
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
	screen->dirty = true;
}

bool ik_screen_picks(const struct ik_screen *screen)
{
	return screen->side == IK_SIDE_PICKER;
}

void ik_screen_pick_again(struct ik_screen *screen, const struct ik_pick_list *list)
{
	if (!ik_screen_picks(screen))
		return;
	ik_picker_again(screen->picker, list);
	screen->dirty = true;
}

/* What stood there before is there again, where it does not cover the conversation. */
static void close_picker(struct ik_screen *screen)
{
	screen->side = screen->columns >= IK_WIDE_COLUMNS ? screen->side_before : IK_SIDE_NONE;
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	screen->dirty = true;
}

bool ik_screen_picker_key(struct ik_screen *screen, const struct ik_key *key,
	enum ik_action action, struct ik_reaction *ret_reaction)
{
	struct ik_pane_wish wish;
	/* Nothing that is listed begins so: it is a command that is typed. */
	if (ik_key_is_text(key) && key->codepoint == '/' && ik_picker_is_unfiltered(screen->picker)
		&& ik_editor_is_empty(screen->editor)) {
		close_picker(screen);
		return false;
	}
	if (!ik_picker_key(screen->picker, key, action, &wish))
		return false;
	screen->dirty = true;
	if (wish.kind == IK_WISH_LINE && ik_picker_fills_editor(screen->picker)
		&& !ik_editor_is_empty(screen->editor)) {
		ik_screen_flash(screen, _("Send or clear what stands in the editor first."));
		return true;
	}
	if (wish.kind != IK_WISH_NONE)
		close_picker(screen);
	if (wish.kind == IK_WISH_LINE)
		*ret_reaction = (struct ik_reaction){
			.kind = IK_REACT_SUBMIT, .text = wish.text, .length = wish.length,
		};
	return true;
}
