/* Questions to the person: the part of the screen that asks. */
#include "tui/screen/screen_private.h"

/* Would a question take keys that are meant for something else? */
static bool is_at_work(const struct ik_screen *screen)
{
	return !ik_editor_is_empty(ik_prompt_editor(screen->prompt)) ||
		ik_screen_focus(screen) != IK_FOCUS_EDITOR || ik_find_is_writing(screen->find) ||
		ik_prompt_searches(screen->prompt);
}

void ik_screen_answered(struct ik_screen *screen, const struct ik_question_answer *answer)
{
	if (answer->question == screen->wanted_question && is_at_work(screen))
		ik_dialog_set_open(screen->dialog, false);
}

int ik_screen_ask(struct ik_screen *screen, const struct ik_question *question)
{
	bool alone = ik_dialog_count(screen->dialog) == 0;
	int id = ik_dialog_ask(screen->dialog, question);

	/* Who is writing goes on writing; and a "y" that copies in a pane allows nothing. */
	if (question->wanted) {
		screen->wanted_question = id;
	} else if (alone && !question->first && is_at_work(screen)) {
		ik_dialog_set_open(screen->dialog, false);
	}
	screen->dirty = true;
	return id;
}

void ik_screen_withdraw(struct ik_screen *screen, int question)
{
	ik_dialog_withdraw(screen->dialog, question);
	screen->dirty = true;
}

bool ik_screen_dialog_aside(const struct ik_screen *screen)
{
	return ik_dialog_count(screen->dialog) > 0 && !ik_dialog_is_open(screen->dialog);
}

void ik_screen_dialog_show(struct ik_screen *screen, bool open)
{
	ik_dialog_set_open(screen->dialog, open);
	screen->dirty = true;
}

bool ik_screen_dialog_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation)
{
	*ret_invocation = (struct ik_invocation){ .action = IK_ACTION_NONE };
	if (!ik_dialog_is_open(screen->dialog) || screen->help_open)
		return false;
	if (ik_screen_pane_of(screen, action)) { /* it gets the keys */
		ik_screen_dialog_show(screen, false);
		return false;
	}
	switch (action) {
	case IK_ACTION_NEXT_PANE:
		ik_screen_dialog_show(screen, false);
		return true;
	case IK_ACTION_INTERRUPT:
		if (ik_screen_busy(screen))
			return false;
		ik_dialog_escape(screen->dialog, &ret_invocation->answer);
		ik_screen_answered(screen, &ret_invocation->answer);
		screen->dirty = true;
		ret_invocation->action = IK_ACTION_ANSWER;
		return true;
	default:
		break;
	}
	switch (ik_dialog_key(screen->dialog, key, action, &ret_invocation->answer)) {
	case IK_DIALOG_PASSED:
		return false;
	case IK_DIALOG_TAKEN:
		break;
	case IK_DIALOG_ANSWERED:
		ik_screen_answered(screen, &ret_invocation->answer);
		ret_invocation->action = IK_ACTION_ANSWER;
		break;
	}
	screen->dirty = true;
	return true;
}
