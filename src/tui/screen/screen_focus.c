/* Which part of the screen has the keys. */
#include "tui/screen/screen_private.h"

#include "util/text.h"

enum ik_focus ik_screen_focus(const struct ik_screen *screen)
{
	bool covered = screen->side && screen->columns < IK_WIDE_COLUMNS;

	if (screen->focus == IK_FOCUS_PANE && !screen->side)
		return IK_FOCUS_EDITOR;
	if (screen->focus == IK_FOCUS_SCROLLBACK && covered)
		return IK_FOCUS_PANE; /* it stands where the scrollback stood */
	return screen->focus;
}

void ik_screen_set_focus(struct ik_screen *screen, enum ik_focus focus)
{
	screen->side_by_itself = screen->side_by_itself && focus != IK_FOCUS_PANE;
	if (screen->focus == focus)
		return;
	screen->focus = focus;
	/* At once: the next key may come before the next picture. */
	ik_scrollback_select(screen->scrollback, ik_screen_focus(screen) == IK_FOCUS_SCROLLBACK);
	screen->dirty = true;
}

void ik_screen_go_to_editor(struct ik_screen *screen)
{
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
}

void ik_screen_next_focus(struct ik_screen *screen)
{
	bool covered = screen->side && screen->columns < IK_WIDE_COLUMNS;

	switch (ik_screen_focus(screen)) {
	case IK_FOCUS_EDITOR:
		ik_screen_set_focus(screen, covered ? IK_FOCUS_PANE : IK_FOCUS_SCROLLBACK);
		break;
	case IK_FOCUS_SCROLLBACK:
		ik_screen_set_focus(screen, screen->side ? IK_FOCUS_PANE : IK_FOCUS_EDITOR);
		break;
	case IK_FOCUS_PANE:
		ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
		break;
	}
}

unsigned ik_screen_context(const struct ik_screen *screen)
{
	if (screen->help_open)
		return ik_find_is_writing(screen->help_find) ? IK_IN_PROMPT : IK_IN_HELP;
	if (ik_dialog_is_open(screen->dialog))
		return IK_IN_DIALOG;
	if (ik_find_is_writing(screen->find))
		return IK_IN_PROMPT;
	switch (ik_screen_focus(screen)) {
	case IK_FOCUS_SCROLLBACK:
		return IK_IN_SCROLLBACK;
	case IK_FOCUS_PANE:
		return screen->side->ops->context(screen->side);
	case IK_FOCUS_EDITOR:
		break;
	}
	return IK_IN_EDITOR;
}

void ik_screen_put_hints(const struct ik_screen *screen, int columns, struct ik_buf *out)
{
	static const struct ik_key_hint history[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("take"), 2 },
		{ IK_ACTION_HISTORY_SEARCH, IK_ACTION_NONE, N_("older"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
	};
	if (ik_prompt_searches(screen->prompt)) {
		ik_keymap_put_hints(screen->keymap, IK_IN_EDITOR, history,
			sizeof(history) / sizeof(*history), columns, out);
		return;
	}
	if (ik_find_is_writing(screen->find)) {
		size_t count;
		const struct ik_key_hint *hints = ik_find_hints(&count);

		ik_keymap_put_hints(screen->keymap, IK_IN_PROMPT, hints, count, columns, out);
		return;
	}
	/* What was looked for is still marked: its keys come first, and its end. */
	bool found = ik_find_shows(ik_screen_find(screen));
	const char *cancel = found ? N_("end search") : N_("editor");
	const struct ik_block *block = ik_scrollback_selected(screen->scrollback);
	const struct ik_key_hint always[] = {
		{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 2 },
		{ IK_ACTION_PREVIOUS_QUESTION, IK_ACTION_NEXT_QUESTION, N_("questions"), 3 },
		{ IK_ACTION_RAW, IK_ACTION_NONE, N_("as written"), 4 },
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, cancel, 1 },
	};
	struct ik_key_hint hints[sizeof(always) / sizeof(*always) + 2];
	size_t count = 0;

	if (found)
		hints[count++] = (struct ik_key_hint){ IK_ACTION_FIND_NEXT, IK_ACTION_FIND_PREVIOUS,
			N_("other places"), 2 };
	if (block && ik_block_foldable(block))
		hints[count++] = (struct ik_key_hint){ IK_ACTION_OPEN, IK_ACTION_NONE,
			block->folded ? N_("open") : N_("fold"), 2 };
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		hints[count++] = always[i];
	ik_keymap_put_hints(screen->keymap, IK_IN_SCROLLBACK, hints, count, columns, out);
}
