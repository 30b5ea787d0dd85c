/* A part of the text that is selected: it is what the next change replaces. */
#include "tui/edit/editor_private.h"

#include "util/utf8.h"

bool ik_editor_selection(const struct ik_editor *editor, size_t *ret_start, size_t *ret_end)
{
	bool forward = editor->anchor < editor->cursor;

	if (!editor->selecting || editor->anchor == editor->cursor)
		return false;
	*ret_start = forward ? editor->anchor : editor->cursor;
	*ret_end = forward ? editor->cursor : editor->anchor;
	return true;
}

void ik_editor_select(struct ik_editor *editor, size_t anchor, size_t cursor)
{
	const struct ik_buf *text = &editor->text;

	editor->cursor = ik_utf8_cut(text->data, text->length, cursor);
	editor->anchor = ik_utf8_cut(text->data, text->length, anchor);
	editor->selecting = editor->anchor != editor->cursor;
	editor->chain = CHAIN_NONE;
}

/* The motion by which an action selects; IK_ACTION_NONE for another. */
static enum ik_action motion_of(enum ik_action action)
{
	switch (action) {
	case IK_ACTION_SELECT_LEFT:
		return IK_ACTION_LEFT;
	case IK_ACTION_SELECT_RIGHT:
		return IK_ACTION_RIGHT;
	case IK_ACTION_SELECT_WORD_LEFT:
		return IK_ACTION_WORD_LEFT;
	case IK_ACTION_SELECT_WORD_RIGHT:
		return IK_ACTION_WORD_RIGHT;
	case IK_ACTION_SELECT_LINE_START:
		return IK_ACTION_LINE_START;
	case IK_ACTION_SELECT_LINE_END:
		return IK_ACTION_LINE_END;
	default:
		return IK_ACTION_NONE;
	}
}

/* A row up or down; from the first and the last one to the text's start and end. */
static void move_row(struct ik_editor *editor, int direction)
{
	bool moved = ik_editor_vertical(editor, direction, editor->chain == CHAIN_VERTICAL);

	if (!moved)
		editor->cursor = direction < 0 ? 0 : editor->text.length;
	editor->chain = moved ? CHAIN_VERTICAL : CHAIN_NONE;
}

/* Select by a motion; false when the action is another. */
static bool extend(struct ik_editor *editor, enum ik_action action)
{
	size_t anchor = editor->selecting ? editor->anchor : editor->cursor;
	enum ik_action motion = motion_of(action);

	if (action == IK_ACTION_SELECT_UP || action == IK_ACTION_SELECT_DOWN) {
		move_row(editor, action == IK_ACTION_SELECT_UP ? -1 : 1);
	} else if (action == IK_ACTION_SELECT_ALL) {
		anchor = 0;
		editor->cursor = editor->text.length;
		editor->chain = CHAIN_NONE;
	} else if (motion != IK_ACTION_NONE) {
		ik_editor_move(editor, motion);
	} else {
		return false;
	}
	editor->anchor = anchor;
	editor->selecting = anchor != editor->cursor;
	return true;
}

bool ik_selection_act(struct ik_editor *editor, enum ik_action action)
{
	size_t start, end;

	if (extend(editor, action))
		return true;
	if (!ik_editor_selection(editor, &start, &end))
		return false;
	switch (action) {
	case IK_ACTION_DELETE_LEFT:
	case IK_ACTION_DELETE_RIGHT:
	case IK_ACTION_END_OF_INPUT:
		ik_text_replace(editor, start, end - start, "", 0, CHAIN_NONE);
		return true;
	case IK_ACTION_DELETE_WORD_LEFT:
	case IK_ACTION_KILL_TO_END:
	case IK_ACTION_KILL_TO_START:
	case IK_ACTION_DELETE_WORD_RIGHT:
		ik_editor_kill(editor, start, end, false);
		return true;
	case IK_ACTION_COPY_SELECTION:
		ik_editor_kill(editor, start, end, true);
		editor->selecting = false;
		return true;
	case IK_ACTION_YANK:
		ik_text_replace(editor, start, end - start, "", 0, CHAIN_NONE);
		return false;
	case IK_ACTION_LEFT: /* to its ends, as everywhere */
	case IK_ACTION_RIGHT:
		editor->cursor = action == IK_ACTION_LEFT ? start : end;
		editor->selecting = false;
		return true;
	default:
		return false;
	}
}
