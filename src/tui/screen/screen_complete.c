/* Completion: the part of the screen between the editor and its candidates. */
#include "tui/screen/screen_private.h"

#include <string.h>

#include "util/cluster.h"
#include "util/limits.h"

void ik_screen_on_complete(struct ik_screen *screen, ik_completer *completer, void *arg)
{
	screen->completer = completer;
	screen->completer_arg = arg;
}

/* Ask what the word at the cursor may become; asked: by the person. */
static void query(struct ik_screen *screen, bool asked)
{
	struct ik_completions completions = { .asked = asked };
	size_t length, start, end;
	const char *text = ik_editor_text(screen->editor, &length);
	bool wanted = screen->completer && !ik_editor_selection(screen->editor, &start, &end) &&
		screen->completer(screen->completer_arg, text, ik_editor_cursor(screen->editor),
			&completions);

	if (!wanted ||
		(!asked &&
			(completions.on_demand || screen->recalled ||
				(screen->refused_word && completions.start == screen->refused_start)))) {
		ik_popup_close(screen->popup);
		return;
	}
	screen->popup_asked = asked;
	screen->refused_word = false;
	/* In the midst of a word it is not known what that is to be. */
	size_t cursor = ik_editor_cursor(screen->editor);
	bool whole = cursor == length || strchr(" \t\n", text[cursor]);
	ik_popup_show(screen->popup, &completions, whole && screen->preselect);
}

/* Is the only candidate what stands there already? */
static bool is_whole(const struct ik_screen *screen)
{
	const struct ik_completions *shown = ik_popup_completions(screen->popup);
	size_t count;
	const uint32_t *matches = ik_popup_matches(screen->popup, &count);

	return count == 1 && !shown->note &&
		strcmp(shown->candidates[matches[0]].text, shown->typed) == 0;
}

void ik_screen_complete_update(struct ik_screen *screen)
{
	size_t length;
	bool was_open = ik_popup_is_open(screen->popup);

	(void)ik_editor_text(screen->editor, &length);
	if (length == 0)
		screen->refused_word = false;
	query(screen, was_open && screen->popup_asked && length > 0);
	if (ik_popup_is_open(screen->popup) &&
		(length == 0 || (!screen->popup_asked && is_whole(screen))))
		ik_popup_close(screen->popup);
	screen->dirty |= was_open || ik_popup_is_open(screen->popup);
}

void ik_screen_candidates_changed(struct ik_screen *screen)
{
	/* Also where nothing is shown yet: what was asked for may have come only now. */
	ik_screen_complete_update(screen);
}

/* Put a candidate, or its first bytes, in the place of the word. */
static void put(struct ik_screen *screen, size_t index, size_t length)
{
	const struct ik_completions *shown = ik_popup_completions(screen->popup);
	size_t cursor = ik_editor_cursor(screen->editor), end = cursor, all, caret;
	const char *text = ik_editor_text(screen->editor, &all);
	struct ik_buf out;

	if (shown->start > cursor)
		return; /* the word is gone */
	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	caret = ik_completion_put(shown, index, length, &out);
	if (out.length > 0 && out.data[out.length - 1] == ' ' && end < all && text[end] == ' ')
		end++; /* it stands there already */
	if (ik_buf_status(&out) == IK_OK &&
		ik_editor_replace(screen->editor, shown->start, end, out.data, out.length))
		ik_editor_select(screen->editor, shown->start + caret, shown->start + caret);
	ik_buf_done(&out);
}

/* Put a candidate in; what goes on (a directory) is asked for again, as it was asked for. */
static void take(struct ik_screen *screen, size_t index)
{
	const char *text = ik_popup_completions(screen->popup)->candidates[index].text;
	bool goes_on = screen->popup_asked && *text && text[strlen(text) - 1] == '/';

	put(screen, index, SIZE_MAX);
	ik_popup_close(screen->popup);
	if (goes_on)
		query(screen, true);
	else
		ik_screen_complete_update(screen);
}

/* Tab: what all have in common is put in, then one after the other is selected, from the first on
 * where the list has only just been opened. */
static void complete(struct ik_screen *screen, int direction, bool opened)
{
	size_t count, common, prefixed;
	const uint32_t *matches = ik_popup_matches(screen->popup, &count);
	const struct ik_completions *shown = ik_popup_completions(screen->popup);

	if (count == 0 || ik_popup_is_moved(screen->popup)) {
		ik_popup_move(screen->popup, direction);
		return;
	}
	common = ik_completion_common(shown, matches, count, &prefixed);
	if ((count == 1 || prefixed == 1) && !shown->note) {
		take(screen, matches[0]);
	} else if (common > strlen(shown->typed)) {
		put(screen, matches[0], common);
		ik_screen_complete_update(screen);
	} else {
		bool selected = ik_popup_selected(screen->popup) != IK_POPUP_NONE;

		ik_popup_move(screen->popup, opened && selected ? 0 : direction);
	}
}

bool ik_screen_complete_click(struct ik_screen *screen, int row, int column)
{
	if (ik_screen_context(screen) != IK_IN_EDITOR || !ik_popup_click(screen->popup, row, column))
		return false;
	take(screen, ik_popup_selected(screen->popup));
	return true;
}

/* A key while the candidates are shown. */
static bool popup_key(struct ik_screen *screen, enum ik_action action)
{
	bool selected = ik_popup_selected(screen->popup) != IK_POPUP_NONE;

	switch (action) {
	case IK_ACTION_COMPLETE:
	case IK_ACTION_COMPLETE_PREVIOUS:
		screen->popup_asked = true;
		complete(screen, action == IK_ACTION_COMPLETE ? 1 : -1, false);
		return true;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		/* Nobody asked for it: the way to the history stays open. */
		if (action == IK_ACTION_UP && !selected && !screen->popup_asked)
			return false;
		ik_popup_move(screen->popup, action == IK_ACTION_UP ? -1 : 1);
		return true;
	case IK_ACTION_SEND:
		if (!selected)
			return false;
		take(screen, ik_popup_selected(screen->popup));
		return true;
	case IK_ACTION_CANCEL:
		screen->refused_word = true;
		screen->refused_start = ik_popup_completions(screen->popup)->start;
		ik_popup_close(screen->popup);
		return true;
	default:
		return false;
	}
}

bool ik_screen_complete_key(struct ik_screen *screen, enum ik_action action)
{
	if (ik_popup_is_open(screen->popup)) {
		if (!popup_key(screen, action))
			return false;
		screen->dirty = true;
		return true;
	}
	if (action != IK_ACTION_COMPLETE)
		return false;
	if (ik_editor_act(screen->editor, action)) { /* it unfolded a paste */
		screen->dirty = true;
		return true;
	}
	query(screen, true);
	if (!ik_popup_is_open(screen->popup))
		return false;
	screen->dirty = true;
	complete(screen, 1, true);
	return true;
}

void ik_screen_complete_draw(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout, int column)
{
	size_t length;
	const char *text = ik_editor_text(screen->editor, &length);
	size_t cursor = ik_editor_cursor(screen->editor);
	struct ik_rectangle area = { 0, 0, layout->rule.row, screen->columns };

	if (!ik_popup_is_open(screen->popup) || ik_screen_context(screen) != IK_IN_EDITOR)
		return;
	size_t start = ik_popup_completions(screen->popup)->start;

	if (start < cursor)
		column -= (int)ik_utf8_width(text + start, cursor - start);
	/* One column to the left: its texts stand below each other and the word. */
	ik_popup_draw(screen->popup, cells, area, column > 1 ? column - 1 : 0);
}
