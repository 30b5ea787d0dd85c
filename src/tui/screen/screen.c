#include "tui/screen/screen.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conversation/title.h"
#include "tui/pane/pane_inspector.h"
#include "tui/screen/chat_log.h"
#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define PROMPT "> "
#define AGAIN_MS 2000 /* time to press a key again */
#define NEVER INT64_C(-1)
#define WHEEL_ROWS 3
#define TWICE_MS 400     /* time between the clicks of a double click */
#define ACTIVITY_PART 2  /* what is at work and waits takes at most this part of the screen, */
#define LEAST_BODY 3     /* and leaves these rows of the conversation */
#define GENEROUS_ROWS 16 /* from this height on, a blank row ends the conversation */
#define EDITOR_ROWS 10   /* the editor grows to this height, then scrolls */
#define DIALOG_ROWS 12   /* rows that a question may always have */

enum { PANES = 5 };

/* What has focus, apart from help and questions, which take precedence. */
enum ik_focus { IK_FOCUS_EDITOR, IK_FOCUS_SCROLLBACK, IK_FOCUS_PANE };

/* What the left mouse button was pressed on, and what happened since. */
struct ik_press {
	struct ik_scrollback *text; /* the text being selected in, or last selected in, or NULL */
	bool held;
	bool moved;  /* since the press: this is a selection, not a click */
	bool editor; /* on the editor, where the selection extends from anchor */
	size_t anchor;
	int row, column;
	int64_t ms; /* time of the press; a second one soon after selects the word */
	bool twice;
};

/* A place in a session, to be shown once it has been read. */
struct ik_wanted_place {
	char session[IK_UUID_TEXT];
	int64_t sequence; /* 0 for no place */
	char *words;      /* to be highlighted there */
	bool typed;       /* the editor keeps focus */
};

struct ik_screen {
	int rows, columns;
	bool dirty;
	int64_t now_ms; /* time of the last tick */

	struct ik_status_bar bar;   /* owns provider, model and keys */
	struct ik_status_bar drawn; /* as last drawn */
	const char *title;          /* the session's, from its messages; NULL for none yet */
	bool title_named;           /* the user set it */
	char running[IK_UUID_TEXT]; /* the session's ID; "" if not known yet */
	bool older;                 /* older messages of a restored session are still being read */
	bool told_any;              /* a message has arrived since the session began */

	struct ik_keymap *keymap;
	struct ik_calls *calls;
	struct ik_chat_log *log;
	struct ik_scrollback *scrollback; /* owned by the log */
	const struct ik_welcome *welcome; /* shown until there is a conversation; or NULL */
	struct ik_rectangle welcome_area; /* as drawn last, or no cells */
	struct ik_inspector *inspector;
	struct ik_browser *browser;
	struct ik_sessions *sessions;
	struct ik_picker *picker;
	struct ik_help *help;
	struct ik_vi *vi;             /* NULL: other keys */
	struct ik_pane *panes[PANES]; /* all of them */
	struct ik_dialog *dialog;
	int wanted_question; /* ID of the last question opened with a key, or 0 */
	struct ik_prompt *prompt;
	struct ik_activity *activity;
	bool taking_back;           /* the last key took a queued message back */
	struct ik_invocation asked; /* the action that the current key requests from the program */
	struct ik_buf copied;       /* the text of the last IK_ACTION_COPY */
	struct ik_buf submitted;    /* the text of the last IK_ACTION_SEND */

	struct ik_find *find;      /* searches the conversation */
	struct ik_find *help_find; /* searches the help while it is open */
	const char *flash;         /* shown until the next key; NULL for nothing */
	struct ik_wanted_place place;
	struct ik_press press; /* of the left mouse button */

	struct ik_pane *side;        /* the visible pane, or NULL */
	struct ik_pane *side_before; /* pane to return to after the picker, or NULL */
	bool inspector_due;          /* it opens by itself as soon as there is room */
	bool side_by_itself;         /* it opened by itself and has not had focus since */
	bool help_open;
	enum ik_focus focus; /* as requested; focus_of() says what can have it */

	int64_t agents_due_ms;  /* when the displayed time of another conversation changes */
	enum ik_action again;   /* waits for its key to be pressed again, */
	int64_t again_until_ms; /* until this time; or IK_ACTION_NONE */
	char *again_hint;
};

/* Request an action from the program, without an argument, or with a number or a text. */
static void ask_number(struct ik_screen *screen, enum ik_action action, int number)
{
	screen->asked = (struct ik_invocation){ .action = action, .number = number };
}

static void ask(struct ik_screen *screen, enum ik_action action)
{
	ask_number(screen, action, 0);
}

static void ask_with(struct ik_screen *screen, enum ik_action action, const struct ik_buf *text)
{
	screen->asked = (struct ik_invocation){
		.action = action, .text = text->data, .length = text->length
	};
}

/* Replace a string with a copy of another; value may be NULL. */
static void set_text(const char **text, const char *value)
{
	char *copy = value ? ik_strdup(value) : NULL;

	free((char *)*text);
	*text = copy;
}

/* Show a sentence of the screen's own in the conversation. It is not stored. */
static void say(struct ik_screen *screen, const char *sentence)
{
	ik_chat_log_say(screen->log, sentence);
	screen->dirty = true;
}

void ik_screen_flash(struct ik_screen *screen, const char *sentence)
{
	set_text(&screen->flash, sentence);
	screen->dirty = true;
}

/* Show a sentence over the editor, with key names filled in (ik_keymap_sentence()). */
static void flash_keys(struct ik_screen *screen, const char *text)
{
	char *sentence = ik_keymap_sentence(screen->keymap, text);

	ik_screen_flash(screen, sentence);
	free(sentence);
}

/* Return the pane at the start of an inspector, a browser, ... (tui/pane/pane.h). */
static struct ik_pane *pane_of(void *pane)
{
	return pane;
}

static bool is_busy(const struct ik_screen *screen)
{
	return ik_activity_is_busy(screen->activity);
}

static bool is_draft_empty(const struct ik_screen *screen)
{
	return ik_editor_is_empty(screen->prompt->editor);
}

/* ---- focus ---- */

static bool is_covered(const struct ik_screen *screen)
{
	return screen->side && screen->columns < IK_WIDE_COLUMNS;
}

/* Return what has focus, apart from help and questions, which take precedence. */
static enum ik_focus focus_of(const struct ik_screen *screen)
{
	if (screen->focus == IK_FOCUS_PANE && !screen->side)
		return IK_FOCUS_EDITOR;
	if (screen->focus == IK_FOCUS_SCROLLBACK && is_covered(screen))
		return IK_FOCUS_PANE; /* the pane has replaced the scrollback */
	return screen->focus;
}

static void set_focus(struct ik_screen *screen, enum ik_focus focus)
{
	screen->side_by_itself = screen->side_by_itself && focus != IK_FOCUS_PANE;
	if (screen->focus == focus)
		return;
	screen->focus = focus;
	/* Right now, because the next key may come before the next frame. */
	ik_scrollback_select(screen->scrollback, focus_of(screen) == IK_FOCUS_SCROLLBACK);
	screen->dirty = true;
}

void ik_screen_go_to_editor(struct ik_screen *screen)
{
	set_focus(screen, IK_FOCUS_EDITOR);
}

/* Move focus from the editor to the scrollback, the side pane, and back; skip what is hidden. */
static void next_focus(struct ik_screen *screen)
{
	switch (focus_of(screen)) {
	case IK_FOCUS_EDITOR:
		set_focus(screen, is_covered(screen) ? IK_FOCUS_PANE : IK_FOCUS_SCROLLBACK);
		break;
	case IK_FOCUS_SCROLLBACK:
		set_focus(screen, screen->side ? IK_FOCUS_PANE : IK_FOCUS_EDITOR);
		break;
	case IK_FOCUS_PANE:
		set_focus(screen, IK_FOCUS_EDITOR);
		break;
	}
}

/* Return the search of the help if that is open, else of the conversation. */
static struct ik_find *find_of(const struct ik_screen *screen)
{
	return screen->help_open ? screen->help_find : screen->find;
}

/* Return the context of a key press (of enum ik_context). */
static unsigned context_of(const struct ik_screen *screen)
{
	if (screen->help_open)
		return screen->help_find->writing ? IK_IN_PROMPT : IK_IN_HELP;
	if (ik_dialog_is_open(screen->dialog))
		return IK_IN_DIALOG;
	if (screen->find->writing)
		return IK_IN_PROMPT;
	switch (focus_of(screen)) {
	case IK_FOCUS_SCROLLBACK:
		return IK_IN_SCROLLBACK;
	case IK_FOCUS_PANE:
		return ik_pane_context(screen->side);
	case IK_FOCUS_EDITOR:
		break;
	}
	return IK_IN_EDITOR;
}

/* Return vi's state for the text that is being edited, or NULL. */
static const struct ik_vi *vi_of(const struct ik_screen *screen)
{
	unsigned context = context_of(screen);

	return context == IK_IN_EDITOR ? screen->vi
		: context == IK_IN_PROMPT && focus_of(screen) == IK_FOCUS_PANE && !find_of(screen)->writing
		? screen->side->vi
		: NULL;
}

/* ---- help, search, questions ---- */

/* After the line of a search closes, give focus to the conversation if it shows matches. */
static void note_found(struct ik_screen *screen)
{
	if (ik_find_shows(screen->find) && !screen->help_open)
		screen->focus = IK_FOCUS_SCROLLBACK;
}

/* Handle a key while the pattern is typed; return false if it is not for the search. */
static bool search_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	struct ik_find *find = find_of(screen);

	if (!find->writing)
		return false;
	bool taken = ik_find_key(find, key, action);

	if (!find->writing)
		note_found(screen);
	return taken;
}

/* Open or close the help, and end the search in it. */
static void show_help(struct ik_screen *screen, bool open)
{
	if (open)
		ik_help_open(screen->help, context_of(screen));
	ik_find_end(screen->help_find);
	screen->help_open = open;
}

/* Close the help, and the search line under it, because a pane opens. */
static void make_way(struct ik_screen *screen)
{
	show_help(screen, false);
	if (!screen->find->writing)
		return;
	ik_find_keep(screen->find);
	note_found(screen);
}

bool ik_screen_is_aside(const struct ik_screen *screen)
{
	return ik_dialog_count(screen->dialog) > 0 && !ik_dialog_is_open(screen->dialog);
}

/* Would an open question get keys meant for something else? */
static bool is_at_work(const struct ik_screen *screen)
{
	return !is_draft_empty(screen) || focus_of(screen) != IK_FOCUS_EDITOR ||
		screen->find->writing || screen->prompt->found;
}

/* After the answer to a question opened with a key, don't let the next question open by itself. */
static void note_answer(struct ik_screen *screen)
{
	if (screen->asked.action == IK_ACTION_ANSWER &&
		screen->asked.number == screen->wanted_question && is_at_work(screen))
		ik_dialog_set_open(screen->dialog, false);
}

int ik_screen_ask(struct ik_screen *screen, const struct ik_question *question)
{
	bool open = ik_dialog_is_open(screen->dialog);
	int id = ik_dialog_ask(screen->dialog, question);

	/* Don't interrupt typing; and a "y" meant to copy in a pane must not allow a call. */
	if (question->wanted) {
		screen->wanted_question = id;
	} else if (!open && !question->first && is_at_work(screen)) {
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

/* ---- side panes ---- */

/* Return the pane that an action toggles, or NULL for other actions. */
static struct ik_pane *toggled_pane(const struct ik_screen *screen, enum ik_action action)
{
	for (size_t i = 0; action != IK_ACTION_NONE && i < PANES; i++)
		if (screen->panes[i]->ops->toggle == action)
			return screen->panes[i];
	return NULL;
}

static void open_pane(struct ik_screen *screen, struct ik_pane *pane)
{
	make_way(screen);
	if (pane->ops->toggle != IK_ACTION_NONE) /* the user has chosen a pane */
		screen->inspector_due = false;
	screen->side = pane;
	set_focus(screen, IK_FOCUS_PANE);
	screen->dirty = true;
}

void ik_screen_close_side(struct ik_screen *screen)
{
	screen->side = NULL;
	set_focus(screen, IK_FOCUS_EDITOR);
	screen->dirty = true;
}

static void toggle_pane(struct ik_screen *screen, struct ik_pane *pane)
{
	bool shown = screen->side == pane;

	open_pane(screen, pane);
	if (shown)
		ik_screen_close_side(screen);
	else if (pane->ops->open)
		pane->ops->open(pane);
}

void ik_screen_uncover(struct ik_screen *screen)
{
	if (screen->columns < IK_WIDE_COLUMNS)
		ik_screen_close_side(screen);
}

bool ik_screen_picks(const struct ik_screen *screen)
{
	return screen->side == pane_of(screen->picker);
}

const char *ik_screen_picked(const struct ik_screen *screen)
{
	return ik_screen_picks(screen) ? ik_picker_selected(screen->picker) : NULL;
}

void ik_screen_pick(struct ik_screen *screen, const struct ik_pick_list *list, bool again)
{
	bool picks = ik_screen_picks(screen);

	if (again) {
		ik_picker_again(screen->picker, list);
		screen->dirty = true;
		return;
	}
	if (!picks)
		screen->side_before = screen->side;
	open_pane(screen, pane_of(screen->picker));
	ik_picker_open(screen->picker, list);
}

/* Open the inspector beside the conversation, if configured and if there is room. */
static void offer_inspector(struct ik_screen *screen)
{
	if (!screen->inspector_due || screen->columns < IK_WIDE_COLUMNS)
		return;
	screen->inspector_due = false;
	if (!screen->side) {
		screen->side = pane_of(screen->inspector);
		screen->side_by_itself = true;
	}
	screen->dirty = true;
}

/* Hide an inspector that opened by itself while it would cover the conversation. */
static void withdraw_inspector(struct ik_screen *screen)
{
	if (!screen->side || !screen->side_by_itself || screen->columns >= IK_WIDE_COLUMNS)
		return;
	screen->side = NULL;
	screen->inspector_due = true;
}

/* ---- sessions, and places in them ---- */

/* Show the session's title in the status bar once it has a message. Until a restored session has
 * been read to its first message, only a title that the user set is certain. */
static void show_title(struct ik_screen *screen)
{
	bool certain = screen->title && (screen->title_named || !screen->older);

	screen->bar.session = screen->told_any && certain ? screen->title : NULL;
}

/* Update the session's title from a message. older: the message is older than all before. */
static void take_title(struct ik_screen *screen, const struct ik_message *message, bool older)
{
	bool named;
	char *title = ik_session_title_of(message, &named);
	bool better = older ? !screen->title_named : named || !screen->title;

	if (title[0] && better) {
		set_text(&screen->title, title);
		screen->title_named = named;
	}
	free(title);
	show_title(screen);
}

static void forget_place(struct ik_screen *screen)
{
	free(screen->place.words);
	screen->place = (struct ik_wanted_place){ .sequence = 0 };
}

int64_t ik_screen_wanted_place(const struct ik_screen *screen)
{
	return screen->place.sequence;
}

/* Convert to lower case if all ASCII, so that the search ignores case. */
static void make_small(char *words)
{
	for (const char *at = words; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return;
	for (; *words; words++)
		if (*words >= 'A' && *words <= 'Z')
			*words += 'a' - 'A';
}

/* Remember the place selected in the pane, which is shown once its session is resumed. */
static void want_place(struct ik_screen *screen, const char *session)
{
	struct ik_wanted_place *place = &screen->place;

	forget_place(screen);
	place->sequence = ik_sessions_place(screen->sessions, &place->words);
	make_small(place->words);
	memcpy(place->session, session, strnlen(session, IK_UUID_TEXT - 1) + 1);
}

void ik_screen_move_place(struct ik_screen *screen, struct ik_screen *from)
{
	forget_place(screen);
	screen->place = from->place;
	from->place = (struct ik_wanted_place){ .sequence = 0 };
}

static bool shows(const struct ik_block *block, const struct ik_message *message, const char *call)
{
	if (call)
		return block->call && ik_text_equal(block->call->id, call);
	return block->message == message ||
		(block->call && block->call->own && ik_text_equal(block->call->command, message->id));
}

/* Return the index of the block that shows a message, or of the last one before it. */
static size_t index_of(const struct ik_screen *screen, const struct ik_message *message)
{
	const char *call = message->call_id;
	size_t count = ik_scrollback_count(screen->scrollback), before = count, i;

	for (i = 0; i < count; i++) {
		const struct ik_block *block = ik_scrollback_at(screen->scrollback, i);

		if (shows(block, message, call))
			break;
		if (block->message && block->message->sequence > 0 &&
			block->message->sequence < message->sequence)
			before = i;
	}
	return i < count ? i : before;
}

void ik_screen_show_place(struct ik_screen *screen, const struct ik_message *message)
{
	size_t index = index_of(screen, message);

	screen->dirty = true;
	if (index == ik_scrollback_count(screen->scrollback)) {
		ik_screen_flash(screen, _("The place is not on the screen any more."));
	} else {
		ik_screen_flash(screen, NULL);
		ik_find_in(screen->find, index, screen->place.words);
		if (!screen->place.typed)
			screen->focus = IK_FOCUS_SCROLLBACK;
	}
	forget_place(screen);
}

/* Show the wanted place if it is in these messages, which have just arrived. */
static void look_for_place(struct ik_screen *screen, struct ik_message *const *messages,
	size_t count)
{
	int64_t wanted = screen->place.sequence;

	if (wanted == 0 || !ik_text_equal(screen->place.session, screen->running))
		return;
	for (size_t i = 0; i < count; i++) {
		if (messages[i]->sequence != wanted)
			continue;
		ik_screen_show_place(screen, messages[i]);
		return;
	}
	if (!screen->older && count > 0 && messages[count - 1]->sequence > wanted) {
		ik_screen_flash(screen, _("The place is not in the session any more."));
		forget_place(screen);
	}
}

struct ik_sessions *ik_screen_sessions(struct ik_screen *screen)
{
	screen->dirty = true;
	return screen->sessions;
}

struct ik_sessions *ik_screen_open_sessions(struct ik_screen *screen)
{
	open_pane(screen, pane_of(screen->sessions));
	return screen->sessions;
}

void ik_screen_session_runs(struct ik_screen *screen, const char *id)
{
	ik_sessions_set_running(screen->sessions, id);
	if (screen->place.sequence > 0 && ik_text_equal(screen->place.session, id))
		ik_screen_flash(screen, _("The place is looked for: older messages are being read…"));
	memcpy(screen->running, id, strnlen(id, sizeof(screen->running) - 1) + 1);
	show_title(screen);
}

/* ---- layout ---- */

static int rows_of_editor(const struct ik_screen *screen)
{
	int columns = screen->columns - (int)strlen(PROMPT);
	int most = screen->rows / 3 < EDITOR_ROWS ? screen->rows / 3 : EDITOR_ROWS;
	int rows = ik_editor_height(ik_prompt_front(screen->prompt), columns);

	return rows < most ? rows : most;
}

static int rows_of_activity(const struct ik_screen *screen)
{
	int most = screen->rows / ACTIVITY_PART;
	int room = screen->rows - rows_of_editor(screen) - 2 - LEAST_BODY;

	return ik_activity_rows(screen->activity, screen->columns, room < most ? room : most);
}

/* Return the most rows that a question may have; some of the conversation stays visible. */
static int most_of_dialog(int rows)
{
	int least = rows < DIALOG_ROWS ? rows : DIALOG_ROWS;

	return rows * 3 / 4 > least ? rows * 3 / 4 : least;
}

static struct ik_layout share_out(const struct ik_screen *screen, int activity_rows,
	int dialog_rows)
{
	int columns = screen->columns, editor_rows = rows_of_editor(screen);
	int rule = screen->rows - editor_rows - 2, activity = rule - activity_rows;
	int body = activity - dialog_rows, width = columns * 2 / 5;
	int blank = screen->rows >= GENEROUS_ROWS && dialog_rows == 0;
	struct ik_rectangle whole = { 0, 0, body, columns };
	struct ik_layout layout = {
		.rule = { rule, 0, 1, columns },
		.editor = { rule + 1, 0, editor_rows, columns },
		.status = { screen->rows - 1, 0, 1, columns },
		.activity = { activity, 0, activity_rows, columns },
		.dialog = { body, 0, dialog_rows, columns },
	};

	if (!screen->side || screen->help_open) {
		layout.scrollback = whole;
		layout.scrollback.rows -= screen->help_open ? 0 : blank;
	} else if (is_covered(screen)) {
		layout.pane = whole;
	} else {
		layout.scrollback = (struct ik_rectangle){ 0, 0, body - blank, columns - width - 2 };
		layout.divider = (struct ik_rectangle){ 0, columns - width - 1, body, 1 };
		layout.pane = (struct ik_rectangle){ 0, columns - width, body, width };
	}
	return layout;
}

static struct ik_layout layout_of(const struct ik_screen *screen)
{
	bool asking = ik_dialog_count(screen->dialog) > 0 && !screen->help_open;
	/* On a small screen the question says enough. */
	int activity_rows = asking && screen->rows < GENEROUS_ROWS ? 0 : rows_of_activity(screen);

	if (screen->rows < IK_LEAST_ROWS || screen->columns < IK_LEAST_COLUMNS)
		return (struct ik_layout){ .too_small = true };
	struct ik_layout layout = share_out(screen, activity_rows, 0);

	if (!asking)
		return layout;
	int most = most_of_dialog(layout.activity.row);
	/* A question whose text has no row could only be denied, so all else makes room. */
	if (most < ik_dialog_least_rows(screen->dialog, screen->columns)) {
		most = most_of_dialog(layout.rule.row);
		activity_rows = 0;
	}
	return share_out(screen, activity_rows, ik_dialog_rows(screen->dialog, screen->columns, most));
}

/* ---- keys ---- */

/* Return the pane that keys scroll, as it is in front or has focus; NULL: the conversation. */
static struct ik_pane *scroll_target(const struct ik_screen *screen)
{
	bool covers = screen->columns < IK_WIDE_COLUMNS;

	if (screen->help_open)
		return pane_of(screen->help);
	return focus_of(screen) == IK_FOCUS_PANE || covers ? screen->side : NULL;
}

static void scroll(struct ik_screen *screen, enum ik_action action)
{
	struct ik_pane *pane = scroll_target(screen);

	if (pane)
		(void)pane->ops->act(pane, action);
	else
		(void)ik_pane_scroll_by(screen->scrollback, action);
}

static void toggle_raw(struct ik_screen *screen)
{
	bool markdown = ik_chat_log_toggle_markdown(screen->log);

	ik_search_restart(screen->find->search);
	/* Translators: what stands in braces is replaced with a key: leave it as it is. */
	flash_keys(screen,
		markdown ? _("Replies as Markdown; {raw}: as they were written")
				 : _("Replies as they were written; {raw}: as Markdown"));
}

/* Request an action if this key is the second one for it; else say that it needs another. */
static void ask_twice(struct ik_screen *screen, enum ik_action action, const char *hint)
{
	if (screen->again == action) {
		ask(screen, action);
		return;
	}
	free(screen->again_hint);
	screen->again_hint = ik_keymap_sentence(screen->keymap, hint);
	screen->again = action;
	screen->again_until_ms = screen->now_ms + AGAIN_MS;
}

/* Close the help, or else the side pane unless the scrollback has focus; unlike Esc, never cancel
 * anything. */
static void close_front(struct ik_screen *screen)
{
	if (screen->help_open) {
		show_help(screen, false);
		return;
	}
	if (focus_of(screen) != IK_FOCUS_SCROLLBACK)
		screen->side = NULL;
	screen->focus = IK_FOCUS_EDITOR;
}

/* Does Esc stop what is at work, since nothing else is to be closed? */
static bool esc_stops(const struct ik_screen *screen)
{
	return !screen->help_open && focus_of(screen) == IK_FOCUS_EDITOR;
}

/* Handle Esc: close what is in front or has focus, as its last line says; else cancel the turn;
 * else close the pane; pressed twice at an empty prompt, rewind. */
static void cancel(struct ik_screen *screen)
{
	enum ik_focus focus = focus_of(screen);

	if (ik_find_shows(find_of(screen)) && (screen->help_open || focus == IK_FOCUS_SCROLLBACK))
		ik_find_end(find_of(screen));
	else if (is_busy(screen) && esc_stops(screen))
		ask(screen, IK_ACTION_CANCEL);
	else if (context_of(screen) == IK_IN_EDITOR && !screen->side && is_draft_empty(screen) &&
		screen->told_any)
		ask_twice(screen, IK_ACTION_REWIND, _("{cancel} again: back to an earlier message"));
	else
		close_front(screen);
}

/* Handle Ctrl-C: cancel the turn, else clear the draft in the prompt, else, twice, quit. */
static void interrupt(struct ik_screen *screen)
{
	if (is_busy(screen))
		ask(screen, IK_ACTION_CANCEL);
	else if (!is_draft_empty(screen) && context_of(screen) == IK_IN_EDITOR)
		ik_editor_clear(screen->prompt->editor, false);
	else
		ask_twice(screen, IK_ACTION_QUIT, _("Press {interrupt} again to quit"));
}

/* Handle Enter: submit the text, unless it is blank. */
static void submit(struct ik_screen *screen)
{
	size_t length;
	const char *text = ik_editor_text(screen->prompt->editor, &length);

	if (strspn(text, " \t\n") == length) {
		if (ik_screen_is_aside(screen))
			ik_dialog_set_open(screen->dialog, true);
		else if (!is_busy(screen) && (screen->activity->held || screen->activity->failed))
			ask(screen, IK_ACTION_GO_ON);
		return;
	}
	ik_buf_clear(&screen->submitted);
	ik_buf_append(&screen->submitted, text, length);
	if (ik_buf_status(&screen->submitted) != IK_OK)
		return; /* the text stays in the editor */
	ik_editor_clear(screen->prompt->editor, true);
	if (screen->vi)
		ik_vi_reset(screen->vi);
	forget_place(screen);
	ik_scrollback_bottom(screen->scrollback);
	/* A pane in place of the conversation would hide the reply. */
	if (screen->columns < IK_WIDE_COLUMNS)
		screen->side = NULL;
	screen->focus = IK_FOCUS_EDITOR;
	ask_with(screen, IK_ACTION_SEND, &screen->submitted);
}

/* Does the prompt take a key? In a pane it doesn't: one can't see what would be edited, or sent. */
static bool is_for_prompt(struct ik_screen *screen)
{
	if (context_of(screen) & IK_IN_PANES)
		flash_keys(screen, _("{cancel}: back to the prompt"));
	return context_of(screen) == IK_IN_EDITOR;
}

static void edit(struct ik_screen *screen, enum ik_action action)
{
	if (is_for_prompt(screen))
		(void)ik_editor_act(screen->prompt->editor, action);
}

/* Handle an arrow key in the focused list, the help or the editor. */
static void move(struct ik_screen *screen, enum ik_action action)
{
	if (!screen->help_open && focus_of(screen) == IK_FOCUS_EDITOR)
		edit(screen, action);
	else if (scroll_target(screen))
		scroll(screen, action);
	else
		ik_scrollback_step(screen->scrollback, action == IK_ACTION_UP ? -1 : 1);
}

static void type(struct ik_screen *screen, const struct ik_key *key)
{
	if ((key->modifiers & (IK_ALT | IK_CONTROL)) || !is_for_prompt(screen))
		return;
	screen->place.typed = true;
	if (!ik_editor_type(screen->prompt->editor, key))
		say(screen, _("The message is full: nothing more was put in."));
}

static void paste(struct ik_screen *screen, const struct ik_key *key)
{
	screen->focus = IK_FOCUS_EDITOR;
	if (key->text_cut || !ik_editor_paste(screen->prompt->editor, key->text, key->text_length))
		say(screen, _("The paste is too large for a message: nothing was put in."));
}

/* Ask to rewind to before the selected message. */
static void rewind_to(struct ik_screen *screen)
{
	const struct ik_block *marked = ik_scrollback_selected(screen->scrollback);
	size_t count = ik_scrollback_count(screen->scrollback), number = 0;
	const struct ik_block *block = NULL;

	while (count > 0 && block != marked) {
		block = ik_scrollback_at(screen->scrollback, --count);
		number += block->kind == IK_BLOCK_USER;
	}
	if (!marked || marked->kind != IK_BLOCK_USER) {
		ik_screen_flash(screen, _("Go to a message of yours first."));
		return;
	}
	ask_number(screen, IK_ACTION_REWIND, (int)number);
}

static struct ik_buf *begin_copy(struct ik_screen *screen)
{
	ik_buf_done(&screen->copied);
	ik_buf_init(&screen->copied, IK_LIMIT_ENVELOPE);
	return &screen->copied;
}

/* Copy the selected block, as it was written, to the clipboard. */
static void copy(struct ik_screen *screen)
{
	struct ik_block *block = ik_scrollback_selected(screen->scrollback);

	if (!block)
		return;
	ik_block_copy(block, begin_copy(screen));
	ask_with(screen, IK_ACTION_COPY, &screen->copied);
	screen->asked.cut = block->call && ik_call_is_large(block->call);
}

/* What an editor action cuts or copies of a selection also goes to the terminal's clipboard. */
static void edit_selected(struct ik_screen *screen, enum ik_action action)
{
	size_t start = 0, end = 0, length;
	const char *text = ik_editor_text(screen->prompt->editor, &length);
	bool selected = ik_editor_selection(screen->prompt->editor, &start, &end);

	ik_buf_append(begin_copy(screen), text + start, end - start);
	edit(screen, action);
	if (selected)
		ask_with(screen, IK_ACTION_COPY, &screen->copied);
}

/* Does Up take back a queued message? It does so again and again, until another key comes. */
static bool takes_back(const struct ik_screen *screen)
{
	return context_of(screen) == IK_IN_EDITOR && screen->activity->queued_count > 0 &&
		(is_draft_empty(screen) || screen->taking_back);
}

static void act(struct ik_screen *screen, enum ik_action action, const struct ik_key *key)
{
	bool edge = (key->code == IK_KEY_HOME || key->code == IK_KEY_END || ik_key_is_text(key)) &&
		(context_of(screen) != IK_IN_EDITOR || is_draft_empty(screen));
	struct ik_pane *pane = toggled_pane(screen, action);
	bool found;

	if (pane) {
		toggle_pane(screen, pane);
		return;
	}
	switch (action) {
	case IK_ACTION_HELP:
		show_help(screen, !screen->help_open);
		break;
	case IK_ACTION_NEXT_PANE:
		if (ik_screen_is_aside(screen))
			ik_dialog_set_open(screen->dialog, true);
		else
			next_focus(screen);
		break;
	case IK_ACTION_CANCEL:
		cancel(screen);
		break;
	case IK_ACTION_CLOSE:
		close_front(screen);
		break;
	case IK_ACTION_INTERRUPT:
		interrupt(screen);
		break;
	case IK_ACTION_END_OF_INPUT:
		if (context_of(screen) == IK_IN_PROMPT)
			break; /* a filter, a search or a form has no end of input */
		if (is_draft_empty(screen))
			ask(screen, IK_ACTION_QUIT);
		else
			edit(screen, IK_ACTION_DELETE_RIGHT);
		break;
	case IK_ACTION_REDRAW:
	case IK_ACTION_REFRESH:
	case IK_ACTION_MODE:
	case IK_ACTION_TAKE_OVER:
	case IK_ACTION_EXTERNAL_EDITOR:
	case IK_ACTION_PASTE_IMAGE:
	case IK_ACTION_SUSPEND:
	case IK_ACTION_MOUSE:
		ask(screen, action);
		break;
	case IK_ACTION_PAGE_UP:
	case IK_ACTION_PAGE_DOWN:
	case IK_ACTION_HALF_UP:
	case IK_ACTION_HALF_DOWN:
	case IK_ACTION_TOP:
	case IK_ACTION_BOTTOM:
		if (action == IK_ACTION_HALF_DOWN && !scroll_target(screen) &&
			ik_scrollback_at_end(screen->scrollback)) /* perhaps Ctrl-D was meant to quit */
			flash_keys(screen,
				_("This is the end. To leave the chat: {cancel}, then {end-of-input}."));
		scroll(screen, action);
		break;
	case IK_ACTION_RAW:
		toggle_raw(screen);
		break;
	case IK_ACTION_SEARCH:
		if (screen->columns < IK_WIDE_COLUMNS && !screen->help_open)
			screen->side = NULL; /* the searched text must be visible */
		ik_find_open(find_of(screen));
		break;
	case IK_ACTION_FIND_NEXT:
	case IK_ACTION_FIND_PREVIOUS:
		ik_find_step(find_of(screen), action == IK_ACTION_FIND_NEXT ? 1 : -1);
		break;
	case IK_ACTION_PREVIOUS_QUESTION:
	case IK_ACTION_NEXT_QUESTION:
		found = ik_scrollback_question(screen->scrollback,
			action == IK_ACTION_NEXT_QUESTION ? 1 : -1);
		if (!found && action == IK_ACTION_NEXT_QUESTION)
			ik_scrollback_bottom(screen->scrollback); /* past the last one is the end */
		break;
	case IK_ACTION_OPEN:
		ik_scrollback_open(screen->scrollback);
		break;
	case IK_ACTION_REWIND:
		rewind_to(screen);
		break;
	case IK_ACTION_COPY:
		copy(screen);
		break;
	case IK_ACTION_UP:
	case IK_ACTION_DOWN:
		if (action == IK_ACTION_UP && takes_back(screen))
			ask(screen, IK_ACTION_EDIT_QUEUED);
		else
			move(screen, action);
		break;
	case IK_ACTION_SEND:
		if (is_for_prompt(screen))
			submit(screen);
		break;
	case IK_ACTION_COMPLETE_PREVIOUS: /* with candidates it has been handled */
		if (is_for_prompt(screen) && is_draft_empty(screen))
			ask(screen, IK_ACTION_MODE);
		break;
	case IK_ACTION_LINE_START:
	case IK_ACTION_LINE_END:
		if (edge)
			scroll(screen, action);
		else
			edit(screen, action);
		break;
	case IK_ACTION_COPY_SELECTION:
	case IK_ACTION_DELETE_WORD_LEFT:
	case IK_ACTION_DELETE_WORD_RIGHT:
	case IK_ACTION_KILL_TO_END:
	case IK_ACTION_KILL_TO_START:
		edit_selected(screen, action);
		break;
	default:
		edit(screen, action);
		break;
	}
}

/* Is it a character that opens the help, because there is no text yet that it could belong to? */
static bool asks_for_help(struct ik_screen *screen, const struct ik_key *key)
{
	return context_of(screen) == IK_IN_EDITOR && !screen->prompt->found && is_draft_empty(screen) &&
		ik_key_is_text(key) && !ik_keymap_pending(screen->keymap) &&
		ik_keymap_action(screen->keymap, IK_IN_HELP, key) == IK_ACTION_HELP;
}

/* Return the action of a key; "first" and "last" become Home and End. The status bar shows the
 * first half of a key sequence. */
static enum ik_action look_up(struct ik_screen *screen, const struct ik_key *key)
{
	if (asks_for_help(screen, key))
		return IK_ACTION_HELP;
	enum ik_action action = ik_keymap_action(screen->keymap, context_of(screen), key);

	if (action == IK_ACTION_FIRST)
		return IK_ACTION_LINE_START;
	return action == IK_ACTION_LAST ? IK_ACTION_LINE_END : action;
}

/* Pass a key to the history search; return false if it is not for the search. */
static bool history_key(struct ik_screen *screen, enum ik_action action, const struct ik_key *key)
{
	bool searched = screen->prompt->found;
	bool taken = ik_prompt_history_key(screen->prompt, action, key);

	if (!searched && screen->prompt->found)
		set_focus(screen, IK_FOCUS_EDITOR);
	return taken;
}

/* Handle an action that switches to another conversation; return false for other actions. */
static bool agents_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	int back = action == IK_ACTION_PREVIOUS_AGENT ? -1 : 0;

	if (action != IK_ACTION_NEXT_AGENT && action != IK_ACTION_AGENT && !back)
		return false;
	ask_number(screen, IK_ACTION_AGENT, action == IK_ACTION_AGENT ? ik_key_digit(key) : back);
	return true;
}

/* Handle a key while a question may be open; return false if it is for something else. */
static bool dialog_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	if (!ik_dialog_is_open(screen->dialog) || screen->help_open)
		return false;
	if (toggled_pane(screen, action) || action == IK_ACTION_NEXT_PANE) { /* the pane gets focus */
		ik_dialog_set_open(screen->dialog, false);
		return action == IK_ACTION_NEXT_PANE;
	}
	if (action == IK_ACTION_INTERRUPT && is_busy(screen))
		return false;
	bool taken = action == IK_ACTION_INTERRUPT;

	if (taken)
		ik_dialog_escape(screen->dialog, &screen->asked);
	else
		taken = ik_dialog_key(screen->dialog, key, action, &screen->asked);
	note_answer(screen);
	return taken;
}

/* Handle a key while a side pane has focus; return false if it is for something else. */
static bool pane_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	if (screen->help_open || focus_of(screen) != IK_FOCUS_PANE)
		return false;
	/* In a pane's text field Ctrl-C means the field: neither the draft nor the turn. */
	if (action == IK_ACTION_INTERRUPT && context_of(screen) == IK_IN_PROMPT)
		action = IK_ACTION_CANCEL;
	ik_pane_vi_key(screen->side, &key, &action);
	enum ik_pane_result result = screen->side->ops->key(screen->side, key, action, &screen->asked);

	if (screen->asked.action == IK_ACTION_RESUME)
		want_place(screen, screen->asked.text);
	if (result == IK_PANE_CALLED) {
		open_pane(screen, pane_of(screen->inspector));
		ik_inspector_follow(screen->inspector);
	} else if (result == IK_PANE_CLOSED) {
		/* Show the one before again, unless it would cover the conversation. */
		ik_screen_close_side(screen);
		screen->side = screen->columns >= IK_WIDE_COLUMNS ? screen->side_before : NULL;
	}
	return result != IK_PANE_PASSED;
}

/* ---- mouse ---- */

static bool is_in(struct ik_rectangle area, const struct ik_key *key)
{
	return key->row >= area.row && key->row < area.row + area.rows && key->column >= area.column &&
		key->column < area.column + area.columns;
}

static struct ik_pane *pane_at(const struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	if (screen->help_open)
		return pane_of(screen->help);
	return is_in(layout->pane, key) ? screen->side : NULL;
}

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

static void click_dialog(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	if (!ik_dialog_is_open(screen->dialog)) {
		ik_dialog_set_open(screen->dialog, true);
		return;
	}
	ik_dialog_click(screen->dialog, layout->dialog, key->row, key->column, &screen->asked);
	note_answer(screen);
}

static void click_pane(struct ik_screen *screen, int row)
{
	ik_dialog_set_open(screen->dialog, false);
	set_focus(screen, IK_FOCUS_PANE);
	(void)screen->side->ops->click(screen->side, row);
}

static void click_scrollback(struct ik_screen *screen, const struct ik_layout *layout, int row)
{
	if (!ik_dialog_is_open(screen->dialog))
		set_focus(screen, IK_FOCUS_SCROLLBACK);
	if (ik_scrollback_click(screen->scrollback, row - layout->scrollback.row))
		screen->press.ms =
			NEVER; /* the cell now shows something else, so a second click is not a double click */
}

/* Move the cursor to a click; a double click selects the word. */
static void click_editor(struct ik_screen *screen, const struct ik_key *key, bool twice)
{
	struct ik_editor *editor = ik_prompt_front(screen->prompt);

	ik_dialog_set_open(screen->dialog, false);
	set_focus(screen, IK_FOCUS_EDITOR);
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

static struct ik_scrollback *text_at(const struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	const struct ik_pane *pane = pane_at(screen, layout, key);
	struct ik_scrollback *text = pane    ? pane->text
		: is_in(layout->scrollback, key) ? screen->scrollback
										 : NULL;

	return text && ik_scrollback_is_at(text, key->row, key->column) ? text : NULL;
}

static void unmark(struct ik_screen *screen)
{
	screen->press.editor = false; /* its text may have changed */
	if (!screen->press.text)
		return;
	ik_scrollback_mark_end(screen->press.text);
	screen->press.text = NULL;
	screen->press.held = false;
	screen->dirty = true;
}

/* Handle the press of the left button. On a text it may start a selection. */
static void press(struct ik_screen *screen, const struct ik_layout *layout,
	const struct ik_key *key)
{
	struct ik_press *last = &screen->press;
	bool twice = last->ms != NEVER && screen->now_ms - last->ms < TWICE_MS && !last->twice &&
		last->row == key->row && last->column == key->column;
	int number;

	unmark(screen);
	*last = (struct ik_press){
		.held = true, .row = key->row, .column = key->column, .ms = screen->now_ms, .twice = twice
	};
	if (context_of(screen) == IK_IN_EDITOR &&
		ik_prompt_click(screen->prompt, key->row, key->column))
		return;
	if (is_in(layout->status, key) &&
		ik_status_bar_agent_at(&screen->bar, layout->status, key->column, &number)) {
		ask_number(screen, IK_ACTION_AGENT, number);
		return;
	}
	if (is_in(layout->dialog, key)) {
		click_dialog(screen, layout, key);
		return;
	}
	last->text = text_at(screen, layout, key);
	if (last->text && twice)
		last->moved = ik_scrollback_mark_word(last->text, key->row, key->column);
	else if (last->text)
		ik_scrollback_mark_begin(last->text, key->row, key->column);
	else if (screen->help_open)
		return;
	else if (is_in(layout->rule, key))
		ik_scrollback_bottom(screen->scrollback);
	else if (is_in(layout->editor, key))
		click_editor(screen, key, twice);
	if (is_in(layout->pane, key) && !screen->help_open)
		click_pane(screen, key->row);
}

static void drag(struct ik_screen *screen, const struct ik_key *key)
{
	struct ik_press *held = &screen->press;

	if (!held->moved && key->row == held->row && key->column == held->column)
		return;
	held->moved = true;
	held->ms = NEVER;
	if (held->text) {
		ik_scrollback_mark_to(held->text, key->row, key->column);
	} else if (held->editor) {
		struct ik_editor *editor = ik_prompt_front(screen->prompt);

		ik_editor_click(editor, key->row, key->column);
		ik_editor_select(editor, held->anchor, ik_editor_cursor(editor));
	}
}

/* Handle the release: copy the selection, or treat it as a click if there is none. */
static void release(struct ik_screen *screen, const struct ik_layout *layout)
{
	struct ik_press *held = &screen->press;

	held->held = false;
	if (!held->text)
		return;
	if (held->moved) {
		if (ik_scrollback_marked(held->text, begin_copy(screen)))
			ask_with(screen, IK_ACTION_COPY, &screen->copied);
		return;
	}
	ik_scrollback_mark_end(held->text);
	if (held->text == screen->scrollback && !screen->help_open)
		click_scrollback(screen, layout, held->row);
	held->text = NULL;
}

static void mouse(struct ik_screen *screen, const struct ik_key *key)
{
	struct ik_layout layout = layout_of(screen);

	if (layout.too_small)
		return;
	switch (key->button) {
	case IK_MOUSE_WHEEL_UP:
	case IK_MOUSE_WHEEL_DOWN:
		wheel(screen, &layout, key);
		break;
	case IK_MOUSE_LEFT:
		press(screen, &layout, key);
		break;
	case IK_MOUSE_MOVE:
	case IK_MOUSE_RELEASE:
		if (!screen->press.held)
			return;
		if (key->button == IK_MOUSE_MOVE)
			drag(screen, key);
		else
			release(screen, &layout);
		break;
	case IK_MOUSE_MIDDLE:
	case IK_MOUSE_RIGHT:
		return;
	}
	screen->dirty = true;
}

/* Pass a key to vi. Return false if it has another meaning, that of *action. */
static bool vi_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action *action)
{
	enum ik_action wanted;

	if (!screen->vi || context_of(screen) != IK_IN_EDITOR || screen->prompt->found ||
		(screen->prompt->popup.open && ik_vi_mode(screen->vi) == IK_VI_INSERT))
		return false;
	bool taken = ik_vi_key(screen->vi, screen->prompt->editor, key, &wanted);

	if (wanted != IK_ACTION_NONE)
		*action = wanted;
	/* A command isn't something to complete. */
	screen->prompt->recalled = ik_vi_mode(screen->vi) != IK_VI_INSERT;
	if (taken)
		ik_prompt_update(screen->prompt);
	return taken;
}

/* Offer a key to each part in turn. */
static void handle_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action)
{
	if (vi_key(screen, key, &action))
		return;
	if (agents_key(screen, key, action) || dialog_key(screen, key, action) ||
		search_key(screen, key, action) || history_key(screen, action, key) ||
		pane_key(screen, key, action))
		return;
	if (context_of(screen) == IK_IN_EDITOR && ik_prompt_candidate_key(screen->prompt, action))
		return;
	/* A text from the history is sent unchanged. */
	screen->prompt->recalled = action == IK_ACTION_UP || action == IK_ACTION_DOWN ||
		action == IK_ACTION_HISTORY_OLDER || action == IK_ACTION_HISTORY_NEWER ||
		(screen->vi && ik_vi_mode(screen->vi) != IK_VI_INSERT);
	if (action != IK_ACTION_NONE)
		act(screen, action, key);
	else if (key->code == IK_KEY_PASTE)
		paste(screen, key);
	else if (key->code == IK_KEY_CHARACTER)
		type(screen, key);
	ik_prompt_update(screen->prompt);
}

struct ik_invocation ik_screen_key(struct ik_screen *screen, const struct ik_key *key)
{
	ask(screen, IK_ACTION_NONE);
	if (key->code == IK_KEY_MOUSE) {
		mouse(screen, key);
		return screen->asked;
	}
	if (key->code == IK_KEY_NONE || key->code > IK_KEY_MOUSE)
		return screen->asked; /* focus, or a report */
	enum ik_action action = look_up(screen, key);

	screen->dirty |= action != IK_ACTION_NONE || key->code == IK_KEY_CHARACTER ||
		key->code == IK_KEY_PASTE;
	if (action == IK_ACTION_PREFIX)
		return screen->asked;
	enum ik_action again = screen->again;

	if (screen->flash)
		ik_screen_flash(screen, NULL);
	unmark(screen);
	handle_key(screen, key, action);
	if (screen->again == again) /* it was pressed again, or another key came */
		screen->again = IK_ACTION_NONE;
	screen->taking_back = screen->asked.action == IK_ACTION_EDIT_QUEUED;
	return screen->asked;
}

/* ---- events of the session ---- */

static void set_model(struct ik_screen *screen, const char *provider, const char *model)
{
	set_text(&screen->bar.provider, provider);
	set_text(&screen->bar.model, model);
	ik_browser_measure(screen->browser);
	screen->dirty = true;
}

/* Update title and usage from messages. older: they are older than all before. */
static void note_messages(struct ik_screen *screen, struct ik_message *const *messages,
	size_t count, bool older)
{
	if (older || !screen->told_any)
		screen->older = count > 0 && messages[0]->sequence > 1;
	screen->told_any |= !older;
	/* Newest first, because each older title replaces the newer one. */
	for (size_t i = count; i-- > 0;) {
		struct ik_usage usage;

		take_title(screen, messages[i], older);
		if (ik_usage_read(messages[i], &usage))
			ik_usage_add(&screen->bar.usage, &usage);
	}
	look_for_place(screen, messages, count);
}

void ik_screen_apply(struct ik_screen *screen, const struct ik_event *event)
{
	screen->dirty = true;
	ik_activity_apply(screen->activity, event);
	ik_chat_log_apply(screen->log, event);
	switch (event->kind) {
	case IK_EVENT_SESSION:
		set_model(screen, event->name, event->detail);
		break;
	case IK_EVENT_MESSAGE:
		note_messages(screen, &event->message, 1, false);
		if (event->message->kind == IK_KIND_COMMAND)
			ik_screen_flash(screen, NULL); /* it may have announced this answer */
		break;
	case IK_EVENT_OLDER:
		note_messages(screen, event->older, event->count, true);
		break;
	case IK_EVENT_TURN_STARTED:
		screen->older = false;
		break;
	case IK_EVENT_USAGE:
		ik_usage_add(&screen->bar.usage, &event->usage);
		break;
	case IK_EVENT_CONTEXT:
		screen->bar.context = event->percent;
		break;
	case IK_EVENT_STORE:
		screen->bar.store_waiting = (int64_t)event->count;
		screen->bar.store_trouble = event->trouble;
		break;
	default: /* the chat log shows it, or the program acts on it */
		break;
	}
}

/* ---- calls from the program ---- */

void ik_screen_set_scan(struct ik_screen *screen, enum ik_scan_state state, size_t done,
	size_t total)
{
	screen->bar.scan = state;
	screen->bar.scan_done = done;
	screen->bar.scan_total = total;
}

void ik_screen_set_registry(struct ik_screen *screen, struct ik_registry *registry)
{
	ik_calls_set_registry(screen->calls, registry);
	ik_browser_set_registry(screen->browser, registry);
	screen->bar.tools = ik_registry_ok_count(registry);
	screen->bar.tools_failed = ik_registry_failed_count(registry);
	screen->dirty = true;
}

void ik_screen_set_store(struct ik_screen *screen, const char *name)
{
	ik_calls_set_stored(screen->calls, strcmp(name, "memory") != 0);
}

struct ik_status_bar *ik_screen_bar(struct ik_screen *screen)
{
	return &screen->bar;
}

void ik_screen_blob_arrived(struct ik_screen *screen)
{
	ik_inspector_part_arrived(screen->inspector);
	screen->dirty = true;
}

void ik_screen_clear(struct ik_screen *screen)
{
	ik_find_end(screen->find);
	ik_chat_log_clear(screen->log);
	screen->dirty = true;
}

void ik_screen_begin(struct ik_screen *screen)
{
	ik_screen_clear(screen);
	ik_inspector_forget(screen->inspector);
	ik_calls_clear(screen->calls);
	ik_activity_clear(screen->activity);
	screen->bar.usage = (struct ik_usage){ .cost = -1 };
	screen->bar.context = -1;
	screen->older = screen->told_any = false;
	set_text(&screen->title, NULL);
	screen->title_named = false;
	show_title(screen);
}

void ik_screen_on_complete(struct ik_screen *screen, ik_completer *completer, void *arg)
{
	screen->prompt->completer = completer;
	screen->prompt->completer_arg = arg;
	ik_browser_on_complete(screen->browser, completer, arg);
}

void ik_screen_candidates_changed(struct ik_screen *screen)
{
	/* Even with no popup open, since the completions that were asked for may only be available
	 * now. */
	ik_prompt_update(screen->prompt);
	screen->dirty = true;
}

const char *ik_screen_draft(const struct ik_screen *screen, size_t *ret_length)
{
	return ik_editor_text(screen->prompt->editor, ret_length);
}

void ik_screen_insert(struct ik_screen *screen, const char *word)
{
	struct ik_editor *editor = screen->prompt->editor;
	size_t length, cursor = ik_editor_cursor(editor);
	const char *text = ik_editor_text(editor, &length);

	if (cursor > 0 && !strchr(" \t\n", text[cursor - 1]))
		(void)ik_editor_insert(editor, " ", 1);
	if (!ik_editor_insert(editor, word, strlen(word)))
		say(screen, _("The message is full: nothing more was put in."));
	screen->dirty = true;
}

void ik_screen_set_draft(struct ik_screen *screen, const char *text, size_t length)
{
	ik_prompt_set(screen->prompt, text, length);
	screen->dirty = true;
}

/* ---- time ---- */

static int64_t sooner(int64_t one, int64_t other)
{
	return one < 0 || (other >= 0 && other < one) ? other : one;
}

static void show_hint(struct ik_screen *screen)
{
	screen->bar.hint = screen->again ? screen->again_hint : ik_keymap_pending(screen->keymap);
}

/* Redraw when the displayed seconds of other conversations change; return the time until then. */
static int64_t tick_agents(struct ik_screen *screen)
{
	int64_t next = ik_status_bar_next(&screen->bar, screen->now_ms);

	if (next >= 0 && screen->now_ms >= screen->agents_due_ms) {
		screen->agents_due_ms = screen->now_ms + next;
		screen->dirty = true;
	}
	return next;
}

/* Stop waiting for a key to be pressed again if its time is over; return the time left. */
static int64_t tick_again(struct ik_screen *screen)
{
	if (!screen->again)
		return -1;
	if (screen->now_ms < screen->again_until_ms)
		return screen->again_until_ms - screen->now_ms;
	screen->again = IK_ACTION_NONE;
	screen->dirty = true;
	return -1;
}

int64_t ik_screen_tick(struct ik_screen *screen, int64_t now_ms)
{
	char *problem = ik_history_take_problem(screen->prompt->history);
	bool changed = false;

	screen->now_ms = now_ms;
	if (problem)
		say(screen, problem);
	free(problem);
	ik_calls_tick(screen->calls, now_ms);
	changed |= ik_chat_log_tick(screen->log, now_ms);
	changed |= ik_activity_tick(screen->activity, now_ms, ik_dialog_count(screen->dialog) > 0);
	int64_t again = tick_again(screen);

	show_hint(screen);
	bool more = ik_find_work(screen->find, &changed);

	more |= ik_find_work(screen->help_find, &changed);
	int64_t asked = ik_dialog_tick(screen->dialog, now_ms, !screen->help_open, &changed);
	int64_t next = more ? 0 : ik_activity_next(screen->activity);

	screen->dirty |= changed;
	return sooner(sooner(next, asked), sooner(tick_agents(screen), again));
}

void ik_screen_resize(struct ik_screen *screen, int rows, int columns)
{
	ik_search_hold(screen->find->search);
	ik_search_hold(screen->help_find->search);
	screen->rows = rows > 0 ? rows : 1;
	screen->columns = columns > 0 ? columns : 1;
	withdraw_inspector(screen);
	offer_inspector(screen);
	screen->dirty = true;
}

void ik_screen_touch(struct ik_screen *screen)
{
	screen->dirty = true;
}

bool ik_screen_dirty(const struct ik_screen *screen)
{
	return screen->dirty || memcmp(&screen->bar, &screen->drawn, sizeof(screen->bar)) != 0;
}

/* ---- drawing ---- */

static void put_hints(const struct ik_screen *screen, int columns, struct ik_buf *out)
{
	static const struct ik_key_hint history[] = {
		{ IK_ACTION_SEND, IK_ACTION_NONE, N_("take"), 2 },
		{ IK_ACTION_HISTORY_SEARCH, IK_ACTION_NONE, N_("older"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("back"), 1 },
		{ 0 },
	};
	if (screen->prompt->found) {
		ik_keymap_put_hints(screen->keymap, IK_IN_EDITOR, history, columns, out);
		return;
	}
	if (screen->find->writing) {
		ik_keymap_put_hints(screen->keymap, IK_IN_PROMPT, ik_find_hints, columns, out);
		return;
	}
	/* Matches are still highlighted: show the keys of the search, and the one that ends it. */
	bool found = ik_find_shows(find_of(screen));
	const char *cancel = found ? N_("end search") : N_("editor");
	const struct ik_block *block = ik_scrollback_selected(screen->scrollback);
	const struct ik_key_hint always[] = {
		{ IK_ACTION_COPY, IK_ACTION_NONE, N_("copy"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 2 },
		{ IK_ACTION_PREVIOUS_QUESTION, IK_ACTION_NEXT_QUESTION, N_("questions"), 3 },
		{ IK_ACTION_RAW, IK_ACTION_NONE, N_("as written"), 4 },
		{ IK_ACTION_NEXT_PANE, IK_ACTION_NONE, N_("next pane"), 3 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, cancel, 1 },
		{ 0 },
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
	ik_keymap_put_hints(screen->keymap, IK_IN_SCROLLBACK, hints, columns, out);
}

/* Draw the number of new rows at the right of the line. Return the columns left. */
static int draw_news(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	struct ik_buf out;
	bool more;
	size_t new_rows = ik_scrollback_new_rows(screen->scrollback, &more);

	ik_buf_init(&out, IK_KIB(1));
	ik_buf_putc(&out, ' ');
	if (new_rows > 0)
		/* Translators: with a plus there are more than that. */
		ik_buf_printf(&out,
			more ? ngettext("%zu+ new line ", "%zu+ new lines ", new_rows)
				 : ngettext("%zu new line ", "%zu new lines ", new_rows),
			new_rows);
	/* While there is a draft, End is the editor's. */
	bool draft = context_of(screen) == IK_IN_EDITOR && !is_draft_empty(screen);
	char *key = ik_keymap_key_name(screen->keymap, IK_IN_EDITOR,
		draft ? IK_ACTION_BOTTOM : IK_ACTION_LINE_END);
	/* Translators: an arrow, and the key that goes there: "↓ (End)" */
	ik_buf_printf(&out, _("%s (%s) "), "↓", key);
	free(key);
	int columns = (int)ik_utf8_width(out.data, out.length);
	int column = area.columns - columns - 1;
	ik_cells_label(cells, area, area.row, column > 0 ? column : 0,
		new_rows > 0 ? IK_STYLE_ACCENT : IK_STYLE_DIM, out.data);
	ik_buf_done(&out);
	return area.columns - columns - 2;
}

enum ik_cursor ik_screen_cursor(const struct ik_screen *screen)
{
	const struct ik_vi *vi = vi_of(screen);

	return !screen->vi                         ? IK_CURSOR_USUAL
		: vi && ik_vi_mode(vi) != IK_VI_INSERT ? IK_CURSOR_BLOCK
											   : IK_CURSOR_BAR;
}

/* Draw the line over the editor: at the left the search and the keys of the scrollback, at the
 * right the news. */
static void draw_rule(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout)
{
	struct ik_buf out;
	struct ik_rectangle area = layout->rule;
	unsigned context = context_of(screen);
	bool writing = find_of(screen)->writing;
	bool focus = context == IK_IN_EDITOR || (writing && !screen->help_open);

	ik_buf_init(&out, IK_KIB(16));
	ik_cells_fill_with(cells, area, focus ? IK_STYLE_ACCENT : IK_STYLE_FRAME, "─");
	if (layout->scrollback.rows > 0 && !screen->help_open &&
		!ik_scrollback_at_end(screen->scrollback))
		area.columns = draw_news(screen, cells, area);
	int column = area.column + 1;
	bool searching = ik_prompt_label(screen->prompt, &out);

	if (!searching && !writing && screen->flash)
		ik_buf_printf(&out, " %s ", screen->flash);
	else if (!searching && (writing || ik_find_shows(find_of(screen))))
		column = ik_find_draw(find_of(screen), screen->older && !screen->help_open, cells, area);
	else if (!searching && focus && screen->vi)
		ik_buf_printf(&out, " %s ", ik_vi_mode_name(screen->vi));
	if (out.length > 0)
		column = ik_cells_label(cells, area, area.row, column, IK_STYLE_ACCENT, out.data);
	if (context == IK_IN_SCROLLBACK || searching || (writing && !screen->help_open)) {
		ik_buf_clear(&out);
		put_hints(screen, area.columns - column - 3, &out);
		ik_buf_putc(&out, ' ');
		column = ik_cells_label(cells, area, area.row, column, IK_STYLE_ACCENT, " ");
		if (out.length > 1)
			ik_cells_hints(cells, area, area.row, column, IK_STYLE_USER, IK_STYLE_ACCENT, out.data);
	}
	ik_buf_done(&out);
}

static void draw_help(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	static const struct ik_key_hint found[] = {
		{ IK_ACTION_FIND_NEXT, IK_ACTION_FIND_PREVIOUS, N_("other places"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 3 },
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 5 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 4 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("end search"), 1 },
		{ 0 },
	};
	static const struct ik_key_hint quiet[] = {
		{ IK_ACTION_UP, IK_ACTION_DOWN, N_("scroll"), 3 },
		{ IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, N_("page"), 2 },
		{ IK_ACTION_SEARCH, IK_ACTION_NONE, N_("search"), 1 },
		{ IK_ACTION_CANCEL, IK_ACTION_NONE, N_("close"), 1 },
		{ 0 },
	};
	bool writing = screen->help_find->writing;

	if (ik_help_draw(screen->help,
			writing                                ? ik_find_hints
				: ik_find_shows(screen->help_find) ? found
												   : quiet,
			writing, cells, area))
		ik_search_restart(screen->help_find->search);
}

static void draw_pane(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout)
{
	bool focus = focus_of(screen) == IK_FOCUS_PANE;
	enum ik_style frame = focus ? IK_STYLE_ACCENT : IK_STYLE_FRAME;
	int cursor_row = cells->cursor_row, cursor_column = cells->cursor_column;

	for (int row = 0; row < layout->divider.rows; row++)
		ik_cells_label(cells, layout->divider, row, layout->divider.column, frame, "│");
	if (screen->side)
		screen->side->ops->draw(screen->side, cells, layout->pane, focus, &screen->bar);
	if (!focus)
		ik_cells_set_cursor(cells, cursor_row, cursor_column);
}

static void draw_too_small(const struct ik_screen *screen, struct ik_cells *cells)
{
	char *text = ik_format(_("The terminal is too small: %dx%d; ikigai needs at least %dx%d"),
		screen->columns, screen->rows, IK_LEAST_COLUMNS, IK_LEAST_ROWS);

	ik_pane_sentence(cells, (struct ik_rectangle){ 0, 0, screen->rows, screen->columns }, text);
	free(text);
}

static void draw_activity(struct ik_screen *screen, struct ik_cells *cells,
	struct ik_rectangle area)
{
	const struct ik_activity_view view = {
		.model = screen->bar.model,
		.stop = context_of(screen) == IK_IN_EDITOR && esc_stops(screen) ? IK_ACTION_CANCEL
																		: IK_ACTION_INTERRUPT,
		.prompt = context_of(screen) == IK_IN_EDITOR && is_draft_empty(screen),
	};

	ik_activity_draw(screen->activity, &view, cells, area);
}

/* Draw the welcome below the notices in an area, unless there is more than notices. */
static void draw_welcome(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	const struct ik_scrollback *scrollback = screen->scrollback;
	size_t count = ik_scrollback_count(scrollback);
	struct ik_scroll_row row = { 0 };

	for (size_t i = 0; i < count; i++) {
		enum ik_block_kind kind = ik_scrollback_at(scrollback, i)->kind;

		if (kind != IK_BLOCK_NOTICE && kind != IK_BLOCK_ERROR)
			return;
	}
	int taken = count > 0 ? (int)ik_scrollback_down(scrollback, &row, (size_t)area.rows) + 2 : 0;

	if (!screen->welcome || taken >= area.rows)
		return;
	area.row += taken;
	area.rows -= taken;
	ik_welcome_draw(screen->welcome, &screen->bar, screen->keymap, cells, area);
	screen->welcome_area = area;
}

/* Draw everything above the rule except questions and completions. */
static void draw_upper(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout)
{
	if (layout->scrollback.rows > 0)
		ik_scrollback_resize(screen->scrollback, layout->scrollback.rows,
			layout->scrollback.columns);
	ik_scrollback_select(screen->scrollback, context_of(screen) == IK_IN_SCROLLBACK);
	if (screen->help_open) {
		draw_help(screen, cells, layout->scrollback);
		ik_search_paint(screen->help_find->search, cells);
	} else if (layout->scrollback.rows > 0) {
		ik_scrollback_draw(screen->scrollback, cells, layout->scrollback);
		draw_welcome(screen, cells, layout->scrollback);
		ik_search_paint(screen->find->search, cells);
	}
	draw_pane(screen, cells, layout);
}

/* Draw the editor. If it is empty and has focus, a placeholder says what to type. */
static void draw_prompt(struct ik_screen *screen, struct ik_cells *cells, struct ik_rectangle area)
{
	ik_editor_draw(ik_prompt_front(screen->prompt), cells, area, PROMPT);
	if (screen->prompt->visual && is_draft_empty(screen) && !screen->prompt->found &&
		context_of(screen) == IK_IN_EDITOR)
		ik_cells_label(cells, area, area.row, area.column + (int)strlen(PROMPT), IK_STYLE_DIM,
			_("Ask, or / @ !"));
}

void ik_screen_draw(struct ik_screen *screen, struct ik_cells *cells)
{
	(void)ik_activity_tick(screen->activity, screen->now_ms, ik_dialog_count(screen->dialog) > 0);
	struct ik_layout layout = layout_of(screen);

	show_hint(screen);
	screen->bar.now_ms = screen->now_ms;
	screen->drawn = screen->bar;
	screen->dirty = false;
	ik_cells_fill(cells, (struct ik_rectangle){ 0, 0, screen->rows, screen->columns },
		IK_STYLE_NORMAL);
	ik_cells_set_cursor(cells, -1, 0);
	cells->drawing_count = 0;
	screen->welcome_area.rows = 0;
	if (layout.too_small) {
		draw_too_small(screen, cells);
		return;
	}
	/* What has focus sets the cursor. */
	draw_prompt(screen, cells, layout.editor);
	if (context_of(screen) != IK_IN_EDITOR) {
		ik_cells_set_cursor(cells, -1, 0);
		ik_cells_restyle(cells,
			(struct ik_rectangle){ layout.editor.row, 0, 1, (int)strlen(PROMPT) }, IK_STYLE_DIM);
	}
	draw_upper(screen, cells, &layout);
	draw_activity(screen, cells, layout.activity);
	draw_rule(screen, cells, &layout);
	if (context_of(screen) == IK_IN_DIALOG)
		ik_cells_set_cursor(cells, -1, 0);
	if (layout.dialog.rows > 0)
		ik_dialog_draw(screen->dialog, cells, layout.dialog);
	if (context_of(screen) == IK_IN_EDITOR)
		ik_prompt_draw_candidates(screen->prompt, cells,
			(struct ik_rectangle){ 0, 0, layout.rule.row, screen->columns });
	ik_status_bar_draw(&screen->bar, cells, layout.status);
}

struct ik_screen_parts ik_screen_parts(const struct ik_screen *screen)
{
	return (struct ik_screen_parts){
		.scrollback = screen->scrollback,
		.welcome = screen->welcome_area,
		.clears = screen->log->clears,
		.layout = layout_of(screen),
		.editing = vi_of(screen) ? ik_vi_mode_name(vi_of(screen)) : NULL,
		.help_open = screen->help_open,
		.bar = &screen->bar,
		.keymap = screen->keymap,
		.find = find_of(screen),
		.prompt = screen->prompt,
		.activity = screen->activity,
		.flash = screen->flash,
	};
}

/* ---- creation ---- */

static void name_keys(struct ik_screen *screen)
{
	static const struct ik_key_hint hints[] = {
		{ IK_ACTION_HELP, IK_ACTION_NONE, N_("help"), 1 },
		{ IK_ACTION_INSPECTOR, IK_ACTION_NONE, N_("inspector"), 1 },
		{ IK_ACTION_SESSIONS, IK_ACTION_NONE, N_("sessions"), 1 },
		{ IK_ACTION_BROWSER, IK_ACTION_NONE, N_("tools"), 1 },
		{ 0 },
	};
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	ik_keymap_put_hints(screen->keymap, IK_IN_EDITOR, hints, INT_MAX, &out);
	screen->bar.keys = ik_buf_take(&out, NULL);
	if (ik_keymap_put_key(screen->keymap, IK_IN_EDITOR, IK_ACTION_INSPECTOR, &out))
		ik_calls_set_open_key(screen->calls, out.data);
	ik_buf_done(&out);
}

/* Create all panes, including the help. A new one needs a row here. */
static void make_panes(struct ik_screen *screen, const struct ik_screen_options *options)
{
	const struct ik_keymap *keymap = screen->keymap;

	screen->inspector = ik_inspector_new(screen->calls, keymap, options->drawer);
	ik_inspector_on_read(screen->inspector, options->read_blob, options->read_arg);
	screen->browser = ik_browser_new(screen->calls, keymap, options->put_form, options->form_arg);
	screen->sessions = ik_sessions_new(keymap, options->sessions, options->sessions_arg);
	screen->picker = ik_picker_new(keymap);
	screen->help = ik_help_new(options->commands, options->commands_arg, keymap);
	screen->find = ik_find_new(screen->scrollback, false, keymap);
	screen->help_find = ik_find_new(pane_of(screen->help)->text, true, keymap);
	size_t count = 0;
	screen->panes[count++] = pane_of(screen->inspector);
	screen->panes[count++] = pane_of(screen->browser);
	screen->panes[count++] = pane_of(screen->sessions);
	screen->panes[count++] = pane_of(screen->picker);
	screen->panes[count++] = pane_of(screen->help);
	for (size_t i = 0; i < count; i++)
		screen->panes[i]->vi_keys = options->vi;
}

struct ik_screen *ik_screen_new(const struct ik_screen_options *options)
{
	struct ik_screen *screen = ik_alloc(sizeof(*screen));

	screen->inspector_due = options->inspector;
	screen->bar.usage.cost = -1;
	screen->bar.context = -1;
	screen->rows = 24;
	screen->columns = 80;
	screen->press.ms = NEVER;
	ik_buf_init(&screen->submitted, IK_LIMIT_USER_TEXT);
	screen->keymap = ik_keymap_new(options->keys);
	screen->calls = ik_calls_new();
	screen->log = ik_chat_log_new(screen->calls);
	screen->log->markdown = options->markdown;
	screen->log->hide_thinking = options->hide_thinking;
	screen->log->tool_lines = options->tool_lines;
	screen->log->prose_width = options->prose_width;
	screen->log->drawer = options->drawer;
	screen->scrollback = screen->log->scrollback;
	screen->welcome = options->welcome;
	screen->vi = options->vi ? ik_vi_new() : NULL;
	screen->activity = ik_activity_new(screen->calls, screen->keymap);
	name_keys(screen);
	screen->dialog = ik_dialog_new(screen->keymap);
	screen->prompt = ik_prompt_new(screen->keymap, options->history_path, options->history_bytes,
		options->visual);
	make_panes(screen, options);
	set_model(screen, options->provider, options->model);
	return screen;
}

struct ik_screen *ik_screen_free(struct ik_screen *screen)
{
	if (!screen)
		return NULL;
	ik_find_free(screen->find);
	ik_vi_free(screen->vi);
	ik_find_free(screen->help_find);
	ik_prompt_free(screen->prompt);
	ik_dialog_free(screen->dialog);
	for (size_t i = 0; i < PANES; i++)
		ik_pane_free(screen->panes[i]);
	ik_activity_free(screen->activity);
	ik_chat_log_free(screen->log);
	ik_calls_free(screen->calls);
	ik_keymap_free(screen->keymap);
	ik_buf_done(&screen->submitted);
	ik_buf_done(&screen->copied);
	forget_place(screen);
	free(screen->again_hint);
	set_text(&screen->flash, NULL);
	set_text(&screen->title, NULL);
	set_text(&screen->bar.provider, NULL);
	set_text(&screen->bar.model, NULL);
	set_text(&screen->bar.keys, NULL);
	free(screen);
	return NULL;
}
