/* What is typed: the part of the screen that takes keys. */
#include "tui/screen/screen_private.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"
#include "util/utf8.h"

static const struct ik_invocation nothing = { .action = IK_ACTION_NONE };

/* Return an action without an argument. */
static struct ik_invocation invoke(enum ik_action action)
{
	return (struct ik_invocation){ .action = action };
}

/* The pane that the keys scroll, since it is in front or has the focus; NULL: the conversation. */
static struct ik_pane *scroll_target(const struct ik_screen *screen)
{
	bool covers = screen->columns < IK_WIDE_COLUMNS;

	if (screen->help_open)
		return ik_help_pane(screen->help);
	return ik_screen_focus(screen) == IK_FOCUS_PANE || covers ? screen->side : NULL;
}

/* Page up and down, top, bottom. */
static void scroll(struct ik_screen *screen, enum ik_action action)
{
	struct ik_pane *pane = scroll_target(screen);

	screen->dirty = true;
	if (pane) {
		(void)pane->ops->act(pane, action);
		return;
	}
	switch (action) {
	case IK_ACTION_PAGE_UP:
		ik_scrollback_page(screen->scrollback, -1);
		break;
	case IK_ACTION_PAGE_DOWN:
		ik_scrollback_page(screen->scrollback, 1);
		break;
	case IK_ACTION_HALF_UP:
		ik_scrollback_half(screen->scrollback, -1);
		break;
	case IK_ACTION_HALF_DOWN:
		ik_scrollback_half(screen->scrollback, 1);
		break;
	case IK_ACTION_TOP:
	case IK_ACTION_LINE_START:
		ik_scrollback_top(screen->scrollback);
		break;
	default:
		ik_scrollback_bottom(screen->scrollback);
		break;
	}
}

/* Show all replies in the other of the two ways. */
static void toggle_raw(struct ik_screen *screen)
{
	screen->markdown = !screen->markdown;
	for (size_t i = 0; i < ik_scrollback_count(screen->scrollback); i++)
		ik_screen_dress(screen, ik_scrollback_at(screen->scrollback, i));
	ik_find_restart(screen->find);
	char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_RAW);
	char *sentence = ik_format(screen->markdown
			? _("Replies as Markdown; %s: as they were written")
			: _("Replies as they were written; %s: as Markdown"),
		key);
	ik_screen_flash(screen, sentence);
	free(sentence);
	free(key);
}

/* Back to the prompt; a side pane that has the keys, or that nothing is before, closes. */
static void leave(struct ik_screen *screen)
{
	if (ik_screen_focus(screen) != IK_FOCUS_SCROLLBACK)
		screen->side = NULL;
	screen->focus = IK_FOCUS_EDITOR;
}

/* Esc: what is in front, or has the keys, closes first, as its last line says; then the turn
 * ends, then the pane closes. */
static struct ik_invocation cancel(struct ik_screen *screen)
{
	screen->dirty = true;
	if (screen->help_open) {
		if (ik_find_shows(screen->help_find))
			ik_find_end(screen->help_find);
		else
			ik_screen_show_help(screen, false);
		return nothing;
	}
	if (ik_find_shows(screen->find) && ik_screen_focus(screen) == IK_FOCUS_SCROLLBACK) {
		ik_find_end(screen->find);
		return nothing;
	}
	if (ik_screen_busy(screen) && ik_screen_focus(screen) == IK_FOCUS_EDITOR)
		return invoke(IK_ACTION_CANCEL);
	leave(screen);
	return nothing;
}

/* A letter that closes what is in front, and never cancels anything. */
static void close_front(struct ik_screen *screen)
{
	screen->dirty = true;
	if (screen->help_open)
		ik_screen_show_help(screen, false);
	else
		leave(screen);
}

/* Ctrl-C: ends the turn, else empties the line, else, twice, the program. */
static struct ik_invocation interrupt(struct ik_screen *screen)
{
	screen->dirty = true;
	if (ik_screen_busy(screen))
		return invoke(IK_ACTION_CANCEL);
	if (!ik_editor_is_empty(ik_prompt_editor(screen->prompt))) {
		ik_editor_clear(ik_prompt_editor(screen->prompt), true);
		return nothing;
	}
	if (ik_screen_quit_pending(screen))
		return invoke(IK_ACTION_QUIT);
	screen->quit_asked = true;
	return nothing;
}

/* Enter: hand the text over. Blanks alone are no message. */
static struct ik_invocation submit(struct ik_screen *screen)
{
	size_t length;
	const char *text = ik_editor_text(ik_prompt_editor(screen->prompt), &length);

	if (strspn(text, " \t\n") == length) {
		if (ik_screen_dialog_aside(screen))
			ik_screen_dialog_show(screen, true);
		else if (ik_queue_is_held(screen->queue))
			return invoke(IK_ACTION_SEND_QUEUED);
		return nothing;
	}
	ik_buf_clear(&screen->submitted);
	ik_buf_append(&screen->submitted, text, length);
	if (ik_buf_status(&screen->submitted) != IK_OK)
		return nothing; /* it stays in the editor */
	ik_editor_clear(ik_prompt_editor(screen->prompt), true);
	ik_screen_place_forget(screen);
	ik_scrollback_bottom(screen->scrollback);
	/* A pane in place of the conversation would hide what comes of the message. */
	if (screen->columns < IK_WIDE_COLUMNS)
		screen->side = NULL;
	screen->focus = IK_FOCUS_EDITOR;
	screen->dirty = true;
	return (struct ik_invocation){
		.action = IK_ACTION_SEND,
		.text = screen->submitted.data,
		.length = screen->submitted.length,
	};
}

void ik_screen_edited(struct ik_screen *screen)
{
	screen->focus = IK_FOCUS_EDITOR;
	screen->dirty = true;
}

/* An action of the editor's; it has the keys again, as when something is typed. */
static void edit(struct ik_screen *screen, enum ik_action action)
{
	if (ik_editor_act(ik_prompt_editor(screen->prompt), action))
		ik_screen_edited(screen);
}

/* Arrows: the list that has the focus, the help, or the editor. */
static void move(struct ik_screen *screen, enum ik_action action)
{
	if (!screen->help_open && ik_screen_focus(screen) == IK_FOCUS_EDITOR) {
		edit(screen, action);
		return;
	}
	struct ik_pane *pane = scroll_target(screen);

	if (pane)
		(void)pane->ops->act(pane, action);
	else
		ik_scrollback_step(screen->scrollback, action == IK_ACTION_UP ? -1 : 1);
	screen->dirty = true;
}

/* A key that means nothing where no text is written: say how to get to where it does. */
static void refuse(struct ik_screen *screen)
{
	char *key = ik_keymap_key_name(screen->keymap, ik_screen_context(screen), IK_ACTION_CANCEL);
	/* Translators: a key: "Esc" */
	char *sentence = ik_format(_("%s: back to the prompt"), key);

	ik_screen_flash(screen, sentence);
	free(sentence);
	free(key);
}

/* A character that is typed. */
static struct ik_invocation type(struct ik_screen *screen, const struct ik_key *key)
{
	char bytes[4];
	int length = ik_utf8_encode(key->codepoint, bytes);

	if (length == 0 || (key->modifiers & (IK_ALT | IK_CONTROL)))
		return nothing;
	if (ik_screen_context(screen) & IK_IN_PANES) {
		refuse(screen);
		return nothing;
	}
	screen->place.typed = true;
	ik_screen_edited(screen);
	if (!ik_editor_insert(ik_prompt_editor(screen->prompt), bytes, (size_t)length))
		ik_screen_say(screen, _("The message is full: nothing more was put in."));
	return nothing;
}

/* A text that is pasted: into the editor, never sent by itself. */
static void paste(struct ik_screen *screen, const struct ik_key *key)
{
	screen->dirty = true;
	screen->focus = IK_FOCUS_EDITOR;
	if (key->text_cut ||
		!ik_editor_paste(ik_prompt_editor(screen->prompt), key->text, key->text_length))
		ik_screen_say(screen, _("The paste is too large for a message: nothing was put in."));
}

/* To the question before, or the next; behind the last one is the end. */
static void question(struct ik_screen *screen, int direction)
{
	if (!ik_scrollback_question(screen->scrollback, direction) && direction > 0)
		ik_scrollback_bottom(screen->scrollback);
	screen->dirty = true;
}

/* Ask to go back to before the message with the mark. */
static struct ik_invocation rewind_to(struct ik_screen *screen)
{
	const struct ik_block *marked = ik_scrollback_selected(screen->scrollback);
	size_t count = ik_scrollback_count(screen->scrollback), number = 0;
	const struct ik_block *block = NULL;

	screen->dirty = true;
	while (count > 0 && block != marked) {
		block = ik_scrollback_at(screen->scrollback, --count);
		number += block->kind == IK_BLOCK_USER;
	}
	if (!marked || marked->kind != IK_BLOCK_USER) {
		ik_screen_flash(screen, _("Go to a message of yours first."));
		return nothing;
	}
	if (!ik_editor_is_empty(ik_prompt_editor(screen->prompt))) {
		ik_screen_flash(screen, _("Send or clear what stands in the editor first."));
		return nothing;
	}
	return (struct ik_invocation){ .action = IK_ACTION_REWIND, .number = (int)number };
}

/* The block with the mark, as it was written, for the clipboard. */
static struct ik_invocation copy(struct ik_screen *screen)
{
	struct ik_block *block = ik_scrollback_selected(screen->scrollback);

	if (!block)
		return nothing;
	ik_buf_done(&screen->copied);
	ik_buf_init(&screen->copied, IK_LIMIT_ENVELOPE);
	ik_block_copy(block, &screen->copied);
	return (struct ik_invocation){
		.action = IK_ACTION_COPY,
		.text = screen->copied.data,
		.length = screen->copied.length,
		.cut = block->call && ik_call_is_large(block->call),
	};
}

/* An action of the editor's on what is selected: what it cuts or copies goes to the
 * terminal's clipboard, too. */
static struct ik_invocation edit_selected(struct ik_screen *screen, enum ik_action action)
{
	size_t start = 0, end = 0, length;
	const char *text = ik_editor_text(ik_prompt_editor(screen->prompt), &length);
	bool selected = ik_editor_selection(ik_prompt_editor(screen->prompt), &start, &end);

	ik_buf_done(&screen->copied);
	ik_buf_init(&screen->copied, IK_LIMIT_USER_TEXT);
	ik_buf_append(&screen->copied, text + start, end - start);
	edit(screen, action);
	if (!selected)
		return nothing;
	return (struct ik_invocation){
		.action = IK_ACTION_COPY,
		.text = screen->copied.data,
		.length = screen->copied.length,
	};
}

/* Half a page down at the end of the conversation may have been meant to end the chat. */
static void say_how_to_end(struct ik_screen *screen)
{
	char *leave = ik_keymap_key_name(screen->keymap, IK_IN_SCROLLBACK, IK_ACTION_CANCEL);
	char *end = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR, IK_ACTION_END_OF_INPUT);
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	/* Translators: two keys, one after the other: "Esc", "Ctrl-D" */
	ik_buf_printf(&out, _("This is the end. To leave the chat: %s, then %s."), leave, end);
	ik_screen_flash(screen, out.data);
	ik_buf_done(&out);
	free(end);
	free(leave);
}

/* What an action means here. */
static struct ik_invocation act(struct ik_screen *screen, enum ik_action action,
	const struct ik_key *key)
{
	bool edge = (key->code == IK_KEY_HOME || key->code == IK_KEY_END || ik_key_is_text(key)) &&
		(ik_screen_context(screen) != IK_IN_EDITOR ||
			ik_editor_is_empty(ik_prompt_editor(screen->prompt)));
	struct ik_pane *pane = ik_screen_pane_of(screen, action);

	if (pane) {
		ik_screen_toggle_pane(screen, pane);
		return nothing;
	}
	switch (action) {
	case IK_ACTION_HELP:
		ik_screen_show_help(screen, !screen->help_open);
		return nothing;
	case IK_ACTION_NEXT_PANE:
		if (ik_screen_dialog_aside(screen)) {
			ik_screen_dialog_show(screen, true);
			return nothing;
		}
		ik_screen_next_focus(screen);
		return nothing;
	case IK_ACTION_CANCEL:
		return cancel(screen);
	case IK_ACTION_CLOSE:
		close_front(screen);
		return nothing;
	case IK_ACTION_INTERRUPT:
		return interrupt(screen);
	case IK_ACTION_END_OF_INPUT:
		if (ik_editor_is_empty(ik_prompt_editor(screen->prompt)))
			return invoke(IK_ACTION_QUIT);
		edit(screen, IK_ACTION_DELETE_RIGHT);
		return nothing;
	case IK_ACTION_REDRAW:
		screen->dirty = true;
		return invoke(action);
	case IK_ACTION_REFRESH:
	case IK_ACTION_MODE:
	case IK_ACTION_TAKE_OVER:
	case IK_ACTION_EXTERNAL_EDITOR:
	case IK_ACTION_SUSPEND:
	case IK_ACTION_MOUSE:
		return invoke(action);
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
	case IK_ACTION_HALF_UP:
	case IK_ACTION_HALF_DOWN:
	case IK_ACTION_TOP:
	case IK_ACTION_BOTTOM:
		if (action == IK_ACTION_HALF_DOWN && !scroll_target(screen) &&
			ik_scrollback_at_end(screen->scrollback))
			say_how_to_end(screen);
		scroll(screen, action);
		return nothing;
	case IK_ACTION_RAW:
		toggle_raw(screen);
		return nothing;
	case IK_ACTION_SEARCH:
		ik_screen_search_open(screen);
		return nothing;
	case IK_ACTION_FIND_NEXT:
	case IK_ACTION_FIND_PREVIOUS:
		ik_find_step(ik_screen_find(screen), action == IK_ACTION_FIND_NEXT ? 1 : -1);
		screen->dirty = true;
		return nothing;
	case IK_ACTION_PREVIOUS_QUESTION:
	case IK_ACTION_NEXT_QUESTION:
		question(screen, action == IK_ACTION_NEXT_QUESTION ? 1 : -1);
		return nothing;
	case IK_ACTION_OPEN:
		ik_scrollback_open(screen->scrollback);
		screen->dirty = true;
		return nothing;
	case IK_ACTION_REWIND:
		return rewind_to(screen);
	case IK_ACTION_COPY:
		return copy(screen);
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		if (action == IK_ACTION_UP && ik_screen_context(screen) == IK_IN_EDITOR &&
			ik_editor_is_empty(ik_prompt_editor(screen->prompt)) && screen->bar.queued > 0)
			return invoke(IK_ACTION_EDIT_QUEUED);
		move(screen, action);
		return nothing;
	case IK_ACTION_SEND:
		if (ik_screen_context(screen) & IK_IN_PANES) { /* the draft is not in front */
			refuse(screen);
			return nothing;
		}
		return submit(screen);
	case IK_ACTION_LINE_START:
	case IK_ACTION_LINE_END:
		if (edge)
			scroll(screen, action);
		else
			edit(screen, action);
		return nothing;
	case IK_ACTION_COPY_SELECTION:
	case IK_ACTION_DELETE_WORD_LEFT:
	case IK_ACTION_DELETE_WORD_RIGHT:
	case IK_ACTION_KILL_TO_END:
	case IK_ACTION_KILL_TO_START:
		return edit_selected(screen, action);
	default:
		edit(screen, action);
		return nothing;
	}
}

/* The action of a key, first and last as Home and End; the status bar shows the half of a
 * sequence. */
static enum ik_action look_up(struct ik_screen *screen, const struct ik_key *key)
{
	bool was_pending = ik_keymap_pending(screen->keymap);
	enum ik_action action = ik_keymap_action(screen->keymap, ik_screen_context(screen), key);

	if (was_pending || ik_keymap_pending(screen->keymap))
		screen->dirty = true;
	if (action == IK_ACTION_FIRST)
		return IK_ACTION_LINE_START;
	return action == IK_ACTION_LAST ? IK_ACTION_LINE_END : action;
}

/* Does it bring a text of the history back, which is to be sent as it was? */
static bool recalls(enum ik_action action)
{
	return action == IK_ACTION_UP || action == IK_ACTION_DOWN ||
		action == IK_ACTION_HISTORY_OLDER || action == IK_ACTION_HISTORY_NEWER;
}

/* Give a key to the search in the history; false: it is for others. */
static bool history_key(struct ik_screen *screen, enum ik_action action, const struct ik_key *key)
{
	bool searched = ik_prompt_searches(screen->prompt);
	bool taken = ik_prompt_history_key(screen->prompt, action, key);

	if (!searched && ik_prompt_searches(screen->prompt))
		ik_screen_set_focus(screen, IK_FOCUS_EDITOR);
	screen->dirty |= searched || taken;
	return taken;
}

struct ik_invocation ik_screen_key(struct ik_screen *screen, const struct ik_key *key)
{
	enum ik_action action = IK_ACTION_NONE;

	switch (key->code) {
	case IK_KEY_NONE:
	case IK_KEY_FOCUS_IN:
	case IK_KEY_FOCUS_OUT:
	case IK_KEY_REPORT:
		return nothing;
	case IK_KEY_MOUSE:
		return ik_screen_mouse(screen, key);
	default:
		action = look_up(screen, key);
		break;
	}
	if (action == IK_ACTION_PREFIX)
		return nothing;
	if (action != IK_ACTION_INTERRUPT && ik_screen_quit_pending(screen)) {
		screen->quit_until_ms = IK_NEVER;
		screen->quit_asked = false;
		screen->dirty = true;
	}
	if (screen->flash)
		ik_screen_flash(screen, NULL);
	ik_screen_unmark(screen);
	struct ik_invocation answered;

	if (ik_screen_agents_key(key, action, &answered))
		return answered;
	if (ik_screen_dialog_key(screen, key, action, &answered))
		return answered;
	if (ik_screen_search_key(screen, key, action))
		return nothing;
	if (history_key(screen, action, key))
		return nothing;
	if (ik_screen_pane_key(screen, key, action, &answered))
		return answered;
	if (ik_screen_context(screen) == IK_IN_EDITOR &&
		ik_prompt_candidate_key(screen->prompt, action)) {
		screen->dirty = true;
		return nothing;
	}
	struct ik_invocation done = nothing;
	ik_prompt_set_recalled(screen->prompt, recalls(action));
	if (action != IK_ACTION_NONE)
		done = act(screen, action, key);
	else if (key->code == IK_KEY_PASTE)
		paste(screen, key);
	else if (key->code == IK_KEY_CHARACTER)
		done = type(screen, key);
	screen->dirty |= ik_prompt_update(screen->prompt);
	return done;
}
