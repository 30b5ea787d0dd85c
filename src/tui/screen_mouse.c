/* What is pointed at: wheel and clicks. */
#include "tui/screen_private.h"

#define WHEEL_ROWS 3

static const struct ik_reaction nothing = {.kind = IK_REACT_NONE};

void ik_screen_set_mouse(struct ik_screen *screen, bool on, bool possible)
{
	screen->bar.mouse_off = possible && !on;
	screen->dirty = true;
}

/* Is a cell in an area? */
static bool is_in(struct ik_rectangle area, const struct ik_key *key)
{
	return key->row >= area.row && key->row < area.row + area.rows
		&& key->column >= area.column && key->column < area.column + area.columns;
}

/* The wheel turns what the pointer is over. */
static void wheel(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	int rows = key->button == IK_MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	if (screen->help_open)
		ik_help_scroll(screen->help, rows);
	else if (is_in(layout->dialog, key))
		ik_dialog_scroll(screen->dialog, rows);
	else if (is_in(layout->pane, key) && screen->side == IK_SIDE_BROWSER)
		ik_browser_scroll(screen->browser, rows);
	else if (is_in(layout->pane, key) && screen->side == IK_SIDE_SESSIONS)
		ik_sessions_scroll(screen->sessions, rows);
	else if (is_in(layout->pane, key))
		ik_inspector_scroll(screen->inspector, rows);
	else
		ik_scrollback_scroll(screen->scrollback, rows);
}

/* A click on the question: takes it up again, or answers. */
static struct ik_reaction click_dialog(struct ik_screen *screen,
	const struct ik_layout *layout, const struct ik_key *key)
{
	struct ik_reaction reaction = {.kind = IK_REACT_ANSWER};
	if (!ik_dialog_is_open(screen->dialog)) {
		ik_screen_dialog_show(screen, true);
		return nothing;
	}
	if (!ik_dialog_click(screen->dialog, layout->dialog, key->row, key->column,
		    &reaction.answer))
		return nothing;
	return reaction;
}

/* A click on a side pane: it gets the keys, and a row of its list is selected. */
static void click_pane(struct ik_screen *screen, int row)
{
	if (ik_dialog_is_open(screen->dialog))
		ik_screen_dialog_show(screen, false);
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
	if (screen->side == IK_SIDE_BROWSER)
		ik_browser_click(screen->browser, row);
	else if (screen->side == IK_SIDE_SESSIONS)
		ik_sessions_click(screen->sessions, row);
	else
		ik_inspector_click(screen->inspector, row);
}

/* A click on what is shown: what it is on gets the keys. */
static struct ik_reaction click(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	if (screen->help_open || ik_screen_complete_click(screen, key->row, key->column))
		return nothing;
	if (is_in(layout->dialog, key))
		return click_dialog(screen, layout, key);
	if (is_in(layout->pane, key)) {
		click_pane(screen, key->row);
	} else if (is_in(layout->rule, key)) {
		ik_scrollback_bottom(screen->scrollback);
	} else if (is_in(layout->scrollback, key)) {
		if (!ik_dialog_is_open(screen->dialog))
			ik_screen_set_focus(screen, IK_FOCUS_SCROLLBACK);
		ik_scrollback_click(screen->scrollback, key->row - layout->scrollback.row);
	} else if (is_in(layout->editor, key)) {
		if (ik_dialog_is_open(screen->dialog))
			ik_screen_dialog_show(screen, false);
		ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
		ik_editor_click(ik_screen_front_editor(screen), key->row, key->column);
		ik_screen_complete_update(screen);
	}
	return nothing;
}

struct ik_reaction ik_screen_mouse(struct ik_screen *screen, const struct ik_key *key)
{
	bool turned = key->button == IK_MOUSE_WHEEL_UP || key->button == IK_MOUSE_WHEEL_DOWN;
	struct ik_layout layout = ik_screen_layout(screen);
	if (layout.too_small || (!turned && key->button != IK_MOUSE_LEFT))
		return nothing;
	screen->dirty = true;
	if (!turned)
		return click(screen, &layout, key);
	wheel(screen, &layout, key);
	return nothing;
}
