/* What is pointed at: wheel, clicks, what is marked and copied by dragging. */
#include "tui/screen/screen_private.h"

#include "util/limits.h"

#define WHEEL_ROWS 3
#define TWICE_MS 400 /* between the two of a double click */

static const struct ik_invocation nothing = { .action = IK_ACTION_NONE };

void ik_screen_set_mouse(struct ik_screen *screen, bool on, bool possible)
{
	screen->bar.mouse_off = possible && !on;
	screen->dirty = true;
}

/* Is a cell in an area? */
static bool is_in(struct ik_rectangle area, const struct ik_key *key)
{
	return key->row >= area.row && key->row < area.row + area.rows && key->column >= area.column &&
		key->column < area.column + area.columns;
}

/* The pane that is in a cell; NULL: there is none. */
static struct ik_pane *pane_at(const struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	if (screen->help_open)
		return ik_help_pane(screen->help);
	return is_in(layout->pane, key) ? screen->side : NULL;
}

/* The wheel turns what the pointer is over. */
static void wheel(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	int rows = key->button == IK_MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	struct ik_pane *pane = pane_at(screen, layout, key);

	if (pane)
		pane->ops->scroll(pane, rows);
	else if (is_in(layout->dialog, key))
		ik_dialog_scroll(screen->dialog, rows);
	else
		ik_scrollback_scroll(screen->scrollback, rows);
}

/* A click on the question: takes it up again, or answers. */
static struct ik_invocation click_dialog(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	struct ik_invocation answered = { .action = IK_ACTION_ANSWER };

	if (!ik_dialog_is_open(screen->dialog)) {
		ik_screen_dialog_show(screen, true);
		return nothing;
	}
	if (!ik_dialog_click(screen->dialog, layout->dialog, key->row, key->column, &answered.answer))
		return nothing;
	ik_screen_answered(screen, &answered.answer);
	return answered;
}

/* A click on a side pane: it gets the keys, and a row of its list is selected. */
static void click_pane(struct ik_screen *screen, int row)
{
	if (ik_dialog_is_open(screen->dialog))
		ik_screen_dialog_show(screen, false);
	ik_screen_set_focus(screen, IK_FOCUS_PANE);
	screen->side->ops->click(screen->side, row);
}

/* A click on the conversation: it gets the keys; a block opens, or folds. */
static void click_scrollback(struct ik_screen *screen, const struct ik_layout *layout, int row)
{
	if (!ik_dialog_is_open(screen->dialog))
		ik_screen_set_focus(screen, IK_FOCUS_SCROLLBACK);
	if (ik_scrollback_click(screen->scrollback, row - layout->scrollback.row))
		screen->press.ms = IK_NEVER; /* what stands there now is not what was clicked */
}

/* A click on the editor: the cursor goes there; twice: the word there is selected. */
static void click_editor(struct ik_screen *screen, const struct ik_key *key, bool twice)
{
	struct ik_editor *editor = ik_prompt_front(screen->prompt);

	if (ik_dialog_is_open(screen->dialog))
		ik_screen_dialog_show(screen, false);
	ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	ik_editor_click(editor, key->row, key->column);
	screen->press.editor = true;
	screen->press.anchor = ik_editor_cursor(editor);
	if (twice) {
		ik_editor_act(editor, IK_ACTION_WORD_RIGHT);
		ik_editor_act(editor, IK_ACTION_WORD_LEFT);
		ik_editor_act(editor, IK_ACTION_SELECT_WORD_RIGHT);
	}
	ik_prompt_update(screen->prompt);
}

/* The text that is seen in a cell; NULL: there is none. */
static struct ik_scrollback *text_at(const struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	const struct ik_pane *pane = pane_at(screen, layout, key);
	struct ik_scrollback *text = pane    ? pane->text
		: is_in(layout->scrollback, key) ? screen->scrollback
										 : NULL;

	return text && ik_scrollback_is_at(text, key->row, key->column) ? text : NULL;
}

/* What is marked, for the clipboard. */
static struct ik_invocation copy_marked(struct ik_screen *screen)
{
	ik_buf_done(&screen->copied);
	ik_buf_init(&screen->copied, IK_LIMIT_ENVELOPE);
	if (!ik_scrollback_marked(screen->press.text, &screen->copied))
		return nothing;
	return (struct ik_invocation){
		.action = IK_ACTION_COPY,
		.text = screen->copied.data,
		.length = screen->copied.length,
	};
}

void ik_screen_unmark(struct ik_screen *screen)
{
	screen->press.editor = false; /* its text may be another now */
	if (!screen->press.text)
		return;
	ik_scrollback_mark_end(screen->press.text);
	screen->press.text = NULL;
	screen->press.held = false;
	screen->dirty = true;
}

/* The left button goes down: what it is on acts at once, but for a text, which may be about
 * to be marked. */
static struct ik_invocation press(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	struct ik_press *last = &screen->press;
	bool twice = last->ms != IK_NEVER && screen->now_ms - last->ms < TWICE_MS && !last->twice &&
		last->row == key->row && last->column == key->column;

	ik_screen_unmark(screen);
	*last = (struct ik_press){
		.held = true, .row = key->row, .column = key->column, .ms = screen->now_ms, .twice = twice
	};
	if (ik_screen_context(screen) == IK_IN_EDITOR &&
		ik_prompt_click(screen->prompt, key->row, key->column))
		return nothing;
	struct ik_invocation clicked;

	if (is_in(layout->status, key) &&
		ik_screen_agents_click(screen, layout->status, key->column, &clicked))
		return clicked;
	if (is_in(layout->dialog, key))
		return click_dialog(screen, layout, key);
	last->text = text_at(screen, layout, key);
	if (last->text && twice)
		last->moved = ik_scrollback_mark_word(last->text, key->row, key->column);
	else if (last->text)
		ik_scrollback_mark_begin(last->text, key->row, key->column);
	else if (screen->help_open)
		return nothing;
	else if (is_in(layout->rule, key))
		ik_scrollback_bottom(screen->scrollback);
	else if (is_in(layout->editor, key))
		click_editor(screen, key, twice);
	if (is_in(layout->pane, key) && !screen->help_open)
		click_pane(screen, key->row);
	return nothing;
}

/* The pointer moves with the button down. */
static void drag(struct ik_screen *screen, const struct ik_key *key)
{
	struct ik_press *held = &screen->press;

	if (!held->moved && key->row == held->row && key->column == held->column)
		return;
	held->moved = true;
	held->ms = IK_NEVER;
	if (held->text) {
		ik_scrollback_mark_to(held->text, key->row, key->column);
	} else if (held->editor) {
		struct ik_editor *editor = ik_prompt_front(screen->prompt);

		ik_editor_click(editor, key->row, key->column);
		ik_editor_select(editor, held->anchor, ik_editor_cursor(editor));
	}
}

/* The button goes up: what was marked is copied; without that it was a click. */
static struct ik_invocation release(struct ik_screen *screen, const struct ik_layout *layout)
{
	struct ik_press *held = &screen->press;
	bool was_held = held->held;

	held->held = false;
	if (!was_held || !held->text)
		return nothing;
	if (held->moved)
		return copy_marked(screen);
	ik_scrollback_mark_end(held->text);
	if (held->text == screen->scrollback && !screen->help_open)
		click_scrollback(screen, layout, held->row);
	held->text = NULL;
	return nothing;
}

struct ik_invocation ik_screen_mouse(struct ik_screen *screen, const struct ik_key *key)
{
	struct ik_layout layout = ik_screen_layout(screen);

	if (layout.too_small)
		return nothing;
	switch (key->button) {
	case IK_MOUSE_WHEEL_UP:
	case IK_MOUSE_WHEEL_DOWN:
		wheel(screen, &layout, key);
		break;
	case IK_MOUSE_LEFT:
		screen->dirty = true;
		return press(screen, &layout, key);
	case IK_MOUSE_MOVE:
		if (!screen->press.held)
			return nothing;
		drag(screen, key);
		break;
	case IK_MOUSE_RELEASE:
		screen->dirty |= screen->press.held;
		return release(screen, &layout);
	case IK_MOUSE_MIDDLE:
	case IK_MOUSE_RIGHT:
		return nothing;
	}
	screen->dirty = true;
	return nothing;
}
