#include "tui/edit/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/cluster.h"
#include "util/limits.h"
#include "util/text.h"

#define HINT_GAP 2 /* columns between two hints */
#define MOST_HINTS 16
#define KEYS_BYTES 4096 /* limit of the keys of one action, as text */

/*
 * All key bindings: help, manual and lookup read these strings. Alt with a digit replaces a
 * function key that the terminal lacks.
 */
static const struct ik_binding bindings[] = {
	{ IK_ACTION_SEND, "send", "Enter", IK_IN_TEXT, IK_GROUP_WRITE, true, N_("Send") },
	{ IK_ACTION_NEW_LINE, "new-line", "Alt-Enter, Ctrl-J, Shift-Enter, Ctrl-Enter", IK_IN_TEXT,
		IK_GROUP_WRITE, true, N_("Start a new line") },
	{ IK_ACTION_COMPLETE, "complete", "Tab", IK_IN_TEXT, IK_GROUP_WRITE, true,
		N_("Complete; on a folded paste: unfold it") },
	{ IK_ACTION_COMPLETE_PREVIOUS, "complete-previous", "Shift-Tab", IK_IN_EDITOR, IK_GROUP_WRITE,
		false, N_("Complete in reverse order; on an empty line: next mode") },
	{ IK_ACTION_UP, "up", "Up, Ctrl-P, k", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Up; from the first line: older history") },
	{ IK_ACTION_DOWN, "down", "Down, Ctrl-N, j", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Down; from the last line: newer history") },
	{ IK_ACTION_HISTORY_SEARCH, "history-search", "Ctrl-R", IK_IN_EDITOR, IK_GROUP_WRITE, false,
		N_("Search the history") },
	{ IK_ACTION_HISTORY_OLDER, "history-older", "Alt-P", IK_IN_EDITOR, IK_GROUP_WRITE, false,
		N_("Older history that begins like this") },
	{ IK_ACTION_HISTORY_NEWER, "history-newer", "Alt-N", IK_IN_EDITOR, IK_GROUP_WRITE, false,
		N_("Newer history that begins like this") },
	{ IK_ACTION_EXTERNAL_EDITOR, "external-editor", "Ctrl-X Ctrl-E", IK_IN_EDITOR, IK_GROUP_WRITE,
		false, N_("Write in your editor ($VISUAL, $EDITOR)") },
	{ IK_ACTION_PASTE_IMAGE, "paste-image", "Ctrl-V, Alt-V", IK_IN_EDITOR, IK_GROUP_WRITE, false,
		N_("Paste a picture from the clipboard") },
	{ IK_ACTION_LEFT, "left", "Left, Ctrl-B", IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Left") },
	{ IK_ACTION_RIGHT, "right", "Right, Ctrl-F", IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Right") },
	{ IK_ACTION_WORD_LEFT, "word-left", "Alt-B, Ctrl-Left, Alt-Left", IK_IN_TEXT, IK_GROUP_WRITE,
		false, N_("Left by a word") },
	{ IK_ACTION_WORD_RIGHT, "word-right", "Alt-F, Ctrl-Right, Alt-Right", IK_IN_TEXT,
		IK_GROUP_WRITE, false, N_("Right by a word") },
	{ IK_ACTION_LINE_START, "line-start", "Home, Ctrl-A", IK_IN_ANY, IK_GROUP_WRITE, false,
		N_("To the start of the line") },
	{ IK_ACTION_LINE_END, "line-end", "End, Ctrl-E", IK_IN_ANY, IK_GROUP_WRITE, false,
		N_("To the end of the line") },
	{ IK_ACTION_DELETE_LEFT, "delete-left", "Backspace, Shift-Backspace, Ctrl-H", IK_IN_TEXT,
		IK_GROUP_WRITE, false, N_("Delete to the left") },
	{ IK_ACTION_DELETE_RIGHT, "delete-right", "Delete", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Delete to the right") },
	{ IK_ACTION_DELETE_WORD_LEFT, "delete-word-left", "Ctrl-W, Alt-Backspace, Ctrl-Backspace",
		IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Delete the word to the left") },
	{ IK_ACTION_DELETE_WORD_RIGHT, "delete-word-right", "Alt-D, Ctrl-Delete", IK_IN_TEXT,
		IK_GROUP_WRITE, false, N_("Delete the word to the right") },
	{ IK_ACTION_KILL_TO_END, "kill-to-end", "Ctrl-K", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Cut to the end of the line") },
	{ IK_ACTION_KILL_TO_START, "kill-to-start", "Ctrl-U", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Cut to the start of the line") },
	{ IK_ACTION_YANK, "yank", "Ctrl-Y", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Paste what was cut last") },
	{ IK_ACTION_YANK_OLDER, "yank-older", "Alt-Y", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Replace it with what was cut before") },
	{ IK_ACTION_UNDO, "undo", "Ctrl-_, Ctrl-/", IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Undo") },
	{ IK_ACTION_REDO, "redo", "Alt-_, Alt-/", IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Redo") },
	{ IK_ACTION_SELECT_LEFT, "select-left", "Shift-Left", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select to the left") },
	{ IK_ACTION_SELECT_RIGHT, "select-right", "Shift-Right", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select to the right") },
	{ IK_ACTION_SELECT_UP, "select-up", "Shift-Up", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select upwards") },
	{ IK_ACTION_SELECT_DOWN, "select-down", "Shift-Down", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select downwards") },
	{ IK_ACTION_SELECT_WORD_LEFT, "select-word-left", "Ctrl-Shift-Left, Alt-Shift-Left", IK_IN_TEXT,
		IK_GROUP_WRITE, false, N_("Select a word to the left") },
	{ IK_ACTION_SELECT_WORD_RIGHT, "select-word-right", "Ctrl-Shift-Right, Alt-Shift-Right",
		IK_IN_TEXT, IK_GROUP_WRITE, false, N_("Select a word to the right") },
	{ IK_ACTION_SELECT_LINE_START, "select-line-start", "Shift-Home", IK_IN_TEXT, IK_GROUP_WRITE,
		false, N_("Select to the start of the line") },
	{ IK_ACTION_SELECT_LINE_END, "select-line-end", "Shift-End", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select to the end of the line") },
	{ IK_ACTION_SELECT_ALL, "select-all", "Alt-A", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Select all") },
	{ IK_ACTION_COPY_SELECTION, "copy-selection", "Alt-W", IK_IN_TEXT, IK_GROUP_WRITE, false,
		N_("Copy the selection") },

	{ IK_ACTION_PAGE_UP, "scroll-page-up", "PgUp", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Scroll up a page") },
	{ IK_ACTION_PAGE_DOWN, "scroll-page-down", "PgDn", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Scroll down a page") },
	{ IK_ACTION_HALF_UP, "scroll-half-up", "Ctrl-U", IK_IN_PANES, IK_GROUP_READ, false,
		N_("Scroll up half a page") },
	{ IK_ACTION_HALF_DOWN, "scroll-half-down", "Ctrl-D", IK_IN_PANES, IK_GROUP_READ, false,
		N_("Scroll down half a page") },
	{ IK_ACTION_TOP, "scroll-top", "Ctrl-Home", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Scroll to the beginning") },
	{ IK_ACTION_BOTTOM, "scroll-bottom", "Ctrl-End", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Scroll to the end") },
	{ IK_ACTION_SEARCH, "search", "Ctrl-S, /", IK_IN_TEXT | IK_IN_SCROLLBACK | IK_IN_HELP,
		IK_GROUP_READ, false, N_("Search the conversation, or this help") },
	{ IK_ACTION_FIND_NEXT, "find-next", "n", IK_IN_SCROLLBACK | IK_IN_HELP, IK_GROUP_READ, false,
		N_("Next match") },
	{ IK_ACTION_FIND_PREVIOUS, "find-previous", "N", IK_IN_SCROLLBACK | IK_IN_HELP, IK_GROUP_READ,
		false, N_("Previous match") },
	{ IK_ACTION_PREVIOUS_QUESTION, "previous-question", "Alt-Up, [",
		IK_IN_EDITOR | IK_IN_SCROLLBACK, IK_GROUP_READ, false, N_("Previous question") },
	{ IK_ACTION_NEXT_QUESTION, "next-question", "Alt-Down, ]", IK_IN_EDITOR | IK_IN_SCROLLBACK,
		IK_GROUP_READ, false, N_("Next question") },
	{ IK_ACTION_OPEN, "open", "Enter", IK_IN_SCROLLBACK, IK_GROUP_READ, false,
		N_("Unfold or fold") },
	{ IK_ACTION_COPY, "copy", "y", IK_IN_SCROLLBACK | IK_IN_INSPECTOR | IK_IN_SESSIONS,
		IK_GROUP_READ, false, N_("Copy the source text; of a session: its ID") },
	{ IK_ACTION_RAW, "raw", "Alt-M", IK_IN_ANY, IK_GROUP_READ, false,
		N_("Show replies as Markdown or as source text") },
	{ IK_ACTION_REWIND, "rewind", "r", IK_IN_SCROLLBACK, IK_GROUP_READ, false,
		N_("Rewind to before your message, in a copy of the session") },

	{ IK_ACTION_FIRST, "first", "g", IK_IN_PANES, IK_GROUP_CHOOSE, false,
		N_("To the beginning, or the first item of a list") },
	{ IK_ACTION_LAST, "last", "G", IK_IN_PANES, IK_GROUP_CHOOSE, false,
		N_("To the end, or the last item of a list") },
	{ IK_ACTION_FILTER, "filter", "/", IK_IN_BROWSER | IK_IN_SESSIONS, IK_GROUP_CHOOSE, false,
		N_("Filter the list") },

	{ IK_ACTION_MODE, "mode", "F7, Alt-7", IK_IN_ANY, IK_GROUP_TOOLS, true,
		N_("Next mode: auto, ask, read-only") },
	{ IK_ACTION_BROWSER, "browser", "F2, Alt-2", IK_IN_ANY, IK_GROUP_TOOLS, true,
		N_("Show or close the tools") },
	{ IK_ACTION_REFRESH, "refresh", "F5, Alt-5, r", IK_IN_TEXT | IK_IN_BROWSER, IK_GROUP_TOOLS,
		false, N_("Rescan the tools") },
	{ IK_ACTION_DETAILS, "details", "Enter, Tab", IK_IN_BROWSER, IK_GROUP_TOOLS, false,
		N_("Move between the list and the tool's details") },
	{ IK_ACTION_RUN, "run", "x", IK_IN_BROWSER, IK_GROUP_TOOLS, false,
		N_("Call the tool, with a form for its arguments") },
	{ IK_ACTION_SWITCH, "switch", "e", IK_IN_BROWSER, IK_GROUP_TOOLS, false,
		N_("Switch the tool on or off") },
	{ IK_ACTION_SORT, "sort", "s", IK_IN_BROWSER, IK_GROUP_TOOLS, false,
		N_("Sort by name, or by use") },

	{ IK_ACTION_INSPECTOR, "inspector", "F3, Alt-3, Ctrl-O", IK_IN_ANY, IK_GROUP_CALLS, true,
		N_("Show or close the calls of tools") },
	{ IK_ACTION_TEXT, "text", "Tab", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Move between the list and the call's text") },
	{ IK_ACTION_UNFOLD, "unfold", "Enter", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Fold or unfold the call, or the part under the cursor") },
	{ IK_ACTION_INWARD, "inward", "Right", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Unfold, or go inside") },
	{ IK_ACTION_OUTWARD, "outward", "Left", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Fold, or go to the parent") },
	{ IK_ACTION_UNFOLD_ALL, "unfold-all", "*", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Unfold the whole call") },
	{ IK_ACTION_FOLD_ALL, "fold-all", "-", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Fold the whole call") },
	{ IK_ACTION_RERUN, "rerun", "r", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Repeat the call") },
	{ IK_ACTION_UNDO_CALL, "undo-call", "u", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Undo what the call did to files") },
	{ IK_ACTION_PAGER, "pager", "o", IK_IN_INSPECTOR, IK_GROUP_CALLS, false,
		N_("Read the call in $PAGER") },

	{ IK_ACTION_SESSIONS, "sessions", "F4, Alt-4", IK_IN_ANY, IK_GROUP_SESSIONS, true,
		N_("Show or close the sessions") },
	{ IK_ACTION_RESUME, "resume", "Enter", IK_IN_SESSIONS, IK_GROUP_SESSIONS, false,
		N_("Resume the session") },
	{ IK_ACTION_WHERE, "where", "a", IK_IN_SESSIONS, IK_GROUP_SESSIONS, false,
		N_("Your sessions, on a server everybody's, or those of this directory") },
	{ IK_ACTION_SEARCH_SESSIONS, "search-sessions", "s", IK_IN_SESSIONS, IK_GROUP_SESSIONS, false,
		N_("Search all sessions") },
	{ IK_ACTION_DELETE, "delete", "d", IK_IN_SESSIONS, IK_GROUP_SESSIONS, false,
		N_("Delete the session") },
	{ IK_ACTION_TAKE_OVER, "take-over", "F9, Alt-9", IK_IN_ANY, IK_GROUP_SESSIONS, false,
		N_("Take over a session that is open elsewhere") },
	{ IK_ACTION_NEXT_AGENT, "next-agent", "F10, Alt-0, Ctrl-PgDn", IK_IN_ANY, IK_GROUP_SESSIONS,
		false, N_("Show the next agent (/fork PROMPT starts one)") },
	{ IK_ACTION_PREVIOUS_AGENT, "previous-agent", "Ctrl-X 0, Ctrl-PgUp", IK_IN_ANY,
		IK_GROUP_SESSIONS, false, N_("Show the previous agent") },
	{ IK_ACTION_AGENT, "agent",
		"Ctrl-X 1, Ctrl-X 2, Ctrl-X 3, Ctrl-X 4, Ctrl-X 5, Ctrl-X 6, Ctrl-X 7, Ctrl-X 8, Ctrl-X 9",
		IK_IN_ANY, IK_GROUP_SESSIONS, false, N_("Show the agent of that number") },

	{ IK_ACTION_HELP, "help", "F1, Alt-1, ?", IK_IN_ANY, IK_GROUP_SCREEN, false,
		N_("Show or close this help") },
	{ IK_ACTION_NEXT_PANE, "next-pane", "F6, Alt-6", IK_IN_ANY, IK_GROUP_SCREEN, true,
		N_("Go to the next pane") },
	{ IK_ACTION_CANCEL, "cancel", "Esc", IK_IN_ANY, IK_GROUP_SCREEN, true,
		N_("Cancel what is running, or close a pane; twice: rewind to a message") },
	{ IK_ACTION_CLOSE, "close", "q", IK_IN_PANES, IK_GROUP_SCREEN, false,
		N_("Close the pane, or return to the prompt") },
	{ IK_ACTION_INTERRUPT, "interrupt", "Ctrl-C", IK_IN_ANY, IK_GROUP_SCREEN, false,
		N_("Cancel the turn, else clear the line; twice: quit") },
	{ IK_ACTION_END_OF_INPUT, "end-of-input", "Ctrl-D", IK_IN_TEXT, IK_GROUP_SCREEN, true,
		N_("On an empty line: quit; else delete to the right") },
	{ IK_ACTION_SUSPEND, "suspend", "Ctrl-Z", IK_IN_ANY, IK_GROUP_SCREEN, false,
		N_("Suspend to the shell") },
	{ IK_ACTION_MOUSE, "mouse", "F8, Alt-8", IK_IN_ANY, IK_GROUP_SCREEN, false,
		N_("Switch the mouse between ikigai and the terminal's selection") },
	{ IK_ACTION_REDRAW, "redraw", "Ctrl-L", IK_IN_ANY, IK_GROUP_SCREEN, false,
		N_("Redraw the screen") },
};

#define BINDING_COUNT (sizeof(bindings) / sizeof(*bindings))

const char *ik_group_heading(enum ik_group group)
{
	static const char *const headings[IK_GROUP_COUNT] = {
		[IK_GROUP_WRITE] = N_("Write"),
		[IK_GROUP_READ] = N_("Read and search"),
		[IK_GROUP_CHOOSE] = N_("Choose from a list"),
		[IK_GROUP_MODEL] = N_("The model and its context"),
		[IK_GROUP_TOOLS] = N_("Tools, and what they may do"),
		[IK_GROUP_CALLS] = N_("Calls of tools"),
		[IK_GROUP_SESSIONS] = N_("Sessions and agents"),
		[IK_GROUP_SCREEN] = N_("The screen"),
		[IK_GROUP_CUSTOM] = N_("Custom commands"),
	};

	return _(headings[group]);
}

/* A key or a two-key sequence, and its row. */
struct ik_stroke {
	struct ik_key first, second; /* second: IK_KEY_NONE for a single key */
	size_t row;
};

struct ik_keymap {
	char *own[BINDING_COUNT];  /* custom keys of each row; NULL: the default */
	struct ik_stroke *strokes; /* of all rows, in row order */
	size_t count;
	bool pending;
	struct ik_key prefix; /* pending: the first key of the sequence */
	struct ik_buf shown;  /* the same as text */
};

/* Parse the next stroke of a list such as "Ctrl-A, Ctrl-X Ctrl-E". Return false if it is
 * invalid; *ret_text is its text in either case. */
static bool next_stroke(const char **keys, struct ik_stroke *ret_stroke, const char **ret_text,
	size_t *ret_length)
{
	const char *text = *keys, *comma = strchr(text, ',');

	/* A comma can be a key itself: "Ctrl-,", or "," alone. */
	if (comma && (comma == text || comma[-1] == '-') && (comma[1] == '\0' || comma[1] == ','))
		comma = comma[1] ? comma + 1 : NULL;
	size_t taken = comma ? (size_t)(comma - text) : strlen(text);
	*keys += taken + (comma ? 1 : 0);
	for (; taken > 0 && text[0] == ' '; taken--)
		text++;
	for (; taken > 0 && text[taken - 1] == ' '; taken--)
		;
	*ret_text = text;
	*ret_length = taken;
	*ret_stroke = (struct ik_stroke){ .first = { .code = IK_KEY_NONE } };
	const char *blank = memchr(text, ' ', taken);
	size_t first = blank ? (size_t)(blank - text) : taken;
	size_t second = first;

	for (; second < taken && text[second] == ' '; second++)
		;
	return ik_key_parse(text, first, &ret_stroke->first) &&
		(second == taken || ik_key_parse(text + second, taken - second, &ret_stroke->second));
}

static void put_stroke(struct ik_buf *out, const struct ik_stroke *stroke)
{
	ik_key_put(out, &stroke->first);
	if (stroke->second.code == IK_KEY_NONE)
		return;
	ik_buf_putc(out, ' ');
	ik_key_put(out, &stroke->second);
}

static void add_strokes(struct ik_keymap *keymap, size_t row)
{
	const char *keys = keymap->own[row] ? keymap->own[row] : bindings[row].keys, *text;
	size_t length;

	while (*keys) {
		struct ik_stroke stroke;

		if (!next_stroke(&keys, &stroke, &text, &length))
			continue;
		stroke.row = row;
		keymap->strokes = ik_alloc_more(keymap->strokes, keymap->count, sizeof(*keymap->strokes));
		keymap->strokes[keymap->count++] = stroke;
	}
}

/* Return the contexts where a stroke applies: a plain character only in panes, not in text. */
static unsigned contexts_of(const struct ik_stroke *stroke)
{
	unsigned contexts = bindings[stroke->row].contexts;

	return ik_key_is_text(&stroke->first) ? contexts & IK_IN_PANES : contexts;
}

/* Are two strokes of different actions the same in a context, or one a prefix of the other? */
static bool is_clash(const struct ik_stroke *a, const struct ik_stroke *b)
{
	return a->row != b->row && (contexts_of(a) & contexts_of(b)) &&
		ik_key_equal(&a->first, &b->first) &&
		(a->second.code == IK_KEY_NONE || b->second.code == IK_KEY_NONE ||
			ik_key_equal(&a->second, &b->second));
}

/* Does a default stroke conflict with a custom one? */
static bool gives_way(const struct ik_keymap *keymap, const struct ik_stroke *stroke)
{
	for (size_t i = 0; !keymap->own[stroke->row] && i < keymap->count; i++)
		if (keymap->own[keymap->strokes[i].row] && is_clash(stroke, &keymap->strokes[i]))
			return true;
	return false;
}

/* Rebuild the strokes from the keys of all rows.  Custom keys win over default ones: a new
 * version may bind a key by default that the user has long bound to something else. */
static void compile(struct ik_keymap *keymap)
{
	size_t all, kept = 0;

	keymap->count = 0;
	for (size_t row = 0; row < BINDING_COUNT; row++)
		add_strokes(keymap, row);
	all = keymap->count;
	for (size_t i = 0; i < all; i++)
		if (!gives_way(keymap, &keymap->strokes[i]))
			keymap->strokes[kept++] = keymap->strokes[i];
	keymap->count = kept;
}

struct ik_keymap *ik_keymap_free(struct ik_keymap *keymap)
{
	if (!keymap)
		return NULL;
	for (size_t i = 0; i < BINDING_COUNT; i++)
		free(keymap->own[i]);
	ik_buf_done(&keymap->shown);
	free(keymap->strokes);
	free(keymap);
	return NULL;
}

/* Return the stroke that a key is, begins, or completes after the pending prefix, or NULL. */
static const struct ik_stroke *find(const struct ik_keymap *keymap, unsigned context,
	const struct ik_key *key)
{
	/* In a text field a plain character is text, unless it follows a prefix. */
	const struct ik_key *first = keymap->pending ? &keymap->prefix : key;

	for (int round = 0; round < 2; round++) {
		unsigned where = round == 0 ? context : (unsigned)IK_IN_EDITOR;

		if ((where & IK_IN_TEXT) && ik_key_is_text(first))
			continue;
		for (size_t i = 0; i < keymap->count; i++) {
			const struct ik_stroke *stroke = &keymap->strokes[i];

			if ((bindings[stroke->row].contexts & where) && ik_key_equal(&stroke->first, first) &&
				(!keymap->pending || ik_key_equal(&stroke->second, key)))
				return stroke;
		}
	}
	return NULL;
}

enum ik_action ik_keymap_action(struct ik_keymap *keymap, unsigned context,
	const struct ik_key *key)
{
	struct ik_key plain = ik_key_plain(key);
	bool second = keymap->pending;

	if (key->code == IK_KEY_NONE || key->code >= IK_KEY_PASTE) {
		keymap->pending = false;
		return IK_ACTION_NONE;
	}
	const struct ik_stroke *stroke = find(keymap, context, &plain);
	keymap->pending = false;
	if (!stroke)
		return second ? IK_ACTION_PREFIX : IK_ACTION_NONE;
	if (second || stroke->second.code == IK_KEY_NONE)
		return bindings[stroke->row].action;
	keymap->pending = true;
	keymap->prefix = plain;
	ik_buf_clear(&keymap->shown);
	ik_key_put(&keymap->shown, &plain);
	return IK_ACTION_PREFIX;
}

const char *ik_keymap_pending(const struct ik_keymap *keymap)
{
	return keymap->pending ? keymap->shown.data : NULL;
}

const struct ik_binding *ik_keymap_at(size_t index)
{
	return index < BINDING_COUNT ? &bindings[index] : NULL;
}

void ik_keymap_put_keys(const struct ik_keymap *keymap, size_t index, struct ik_buf *out)
{
	const char *separator = "";

	for (size_t i = 0; i < keymap->count; i++) {
		if (keymap->strokes[i].row != index)
			continue;
		ik_buf_puts(out, separator);
		put_stroke(out, &keymap->strokes[i]);
		separator = ", ";
	}
}

bool ik_keymap_put_key(const struct ik_keymap *keymap, unsigned context, enum ik_action action,
	struct ik_buf *out)
{
	const struct ik_stroke *best = NULL;

	for (size_t i = 0; i < keymap->count; i++) {
		const struct ik_stroke *stroke = &keymap->strokes[i];
		const struct ik_binding *row = &bindings[stroke->row];
		bool text = ik_key_is_text(&stroke->first);
		/* Arrows explain themselves better than letters do. */
		bool arrow = best && best->first.modifiers == 0 &&
			(best->first.code == IK_KEY_UP || best->first.code == IK_KEY_DOWN);

		if (row->action != action || (text && !(row->contexts & context & IK_IN_PANES)))
			continue;
		if (!best || (text && !ik_key_is_text(&best->first) && !arrow))
			best = stroke;
	}
	if (!best)
		return false;
	put_stroke(out, best);
	return true;
}

char *ik_keymap_key_name(const struct ik_keymap *keymap, unsigned context, enum ik_action action)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(1));
	if (!ik_keymap_put_key(keymap, context, action, &out))
		ik_buf_putc(&out, '-');
	return ik_buf_take(&out, NULL);
}

int ik_key_digit(const struct ik_key *key)
{
	bool digit = key->code == IK_KEY_CHARACTER && key->codepoint >= '1' && key->codepoint <= '9';

	return digit ? (int)(key->codepoint - '0') : 0;
}

char *ik_keymap_digit_key(const struct ik_keymap *keymap, enum ik_action action, int digit)
{
	for (size_t i = 0; i < keymap->count; i++) {
		const struct ik_stroke *stroke = &keymap->strokes[i];
		const struct ik_key *last = stroke->second.code == IK_KEY_NONE ? &stroke->first
																	   : &stroke->second;
		struct ik_buf out;

		if (bindings[stroke->row].action != action || ik_key_digit(last) != digit)
			continue;
		ik_buf_init(&out, IK_KIB(1));
		put_stroke(&out, stroke);
		return ik_buf_take(&out, NULL);
	}
	return NULL;
}

/* Return the row of an action's name, or BINDING_COUNT if it is unknown. */
static size_t find_row(const char *name, size_t length)
{
	size_t row = 0;

	while (row < BINDING_COUNT &&
		(strlen(bindings[row].name) != length || memcmp(bindings[row].name, name, length) != 0))
		row++;
	return row;
}

char *ik_keymap_sentence(const struct ik_keymap *keymap, const char *text)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(64));
	while (*text) {
		size_t length = text[0] == '{' ? strcspn(text + 1, "{}") : 0;
		size_t index = length > 0 && text[1 + length] == '}' ? find_row(text + 1, length)
															 : BINDING_COUNT;

		if (index == BINDING_COUNT) {
			ik_buf_putc(&out, *text++);
			continue;
		}
		const struct ik_binding *row = &bindings[index];
		unsigned context = row->contexts & IK_IN_EDITOR ? (unsigned)IK_IN_EDITOR : row->contexts;

		if (!ik_keymap_put_key(keymap, context, row->action, &out))
			ik_buf_printf(&out, "\"%s\"", row->name);
		text += length + 2;
	}
	return ik_buf_take(&out, NULL);
}

/* How much of a hint is shown. */
enum extent { LEFT_OUT, KEYS_ALONE, WITH_LABEL };

/* Append hints, each to its extent. Skip hints whose action has no key. Return the columns. */
static int put_hints(const struct ik_keymap *keymap, unsigned context,
	const struct ik_key_hint *hints, const enum extent *extents, size_t count, struct ik_buf *out)
{
	size_t start = out->length;

	for (size_t i = 0; i < count; i++) {
		const struct ik_key_hint *hint = &hints[i];
		size_t before = out->length;

		if (extents[i] == LEFT_OUT)
			continue;
		if (before > start)
			ik_buf_printf(out, "%*s", HINT_GAP, "");
		if (!ik_keymap_put_key(keymap, context, hint->action, out)) {
			ik_buf_truncate(out, before);
			continue;
		}
		if (hint->second != IK_ACTION_NONE) {
			ik_buf_putc(out, '/');
			if (!ik_keymap_put_key(keymap, context, hint->second, out))
				ik_buf_truncate(out, out->length - 1);
		}
		if (extents[i] == WITH_LABEL)
			ik_buf_printf(out, " %s", _(hint->label));
	}
	return (int)ik_utf8_width(out->data + start, out->length - start);
}

/* Return the hint to shorten or omit next, or count if none is left. A hint without its label
 * ranks one better. */
static size_t least_needed(const struct ik_key_hint *hints, const enum extent *extents,
	size_t count)
{
	size_t found = count;
	int worst = 0;

	for (size_t i = 0; i < count; i++) {
		int rank = hints[i].rank - (extents[i] == KEYS_ALONE);

		if (extents[i] == LEFT_OUT || (found < count && rank <= worst))
			continue;
		found = i;
		worst = rank;
	}
	return found;
}

void ik_keymap_put_hints(const struct ik_keymap *keymap, unsigned context,
	const struct ik_key_hint *hints, int columns, struct ik_buf *out)
{
	enum extent extents[MOST_HINTS];
	size_t start = out->length, count = 0;

	while (count < MOST_HINTS && hints[count].action != IK_ACTION_NONE)
		extents[count++] = WITH_LABEL;
	while (put_hints(keymap, context, hints, extents, count, out) > columns) {
		size_t worst = least_needed(hints, extents, count);

		ik_buf_truncate(out, start);
		if (worst == count)
			return;
		/* Two keys such as "Up/Down" are clear without a label. */
		extents[worst] = extents[worst] == WITH_LABEL && hints[worst].second != IK_ACTION_NONE
			? KEYS_ALONE
			: LEFT_OUT;
	}
}

/* ---- keys from the configuration ---- */

/* Fail because an action does not exist; suggest the nearest name. */
static enum ik_status refuse_action(const char *name, struct ik_error *error)
{
	const char *names[BINDING_COUNT];

	for (size_t i = 0; i < BINDING_COUNT; i++)
		names[i] = bindings[i].name;
	const char *nearest = ik_text_nearest(name, names, BINDING_COUNT);

	if (nearest)
		return ik_error_set(error, IK_INVALID,
			_("there is no action \"%s\"; did you mean "
			  "\"%s\"?"),
			name, nearest);
	return ik_error_set(error, IK_INVALID,
		_("there is no action \"%s\"; the manual, "
		  "ikigai(1), lists them under KEYS"),
		name);
}

static enum ik_status check_keys(const struct ik_binding *row, const char *keys,
	struct ik_error *error)
{
	const char *all = keys + strspn(keys, " "), *text;
	size_t length;

	if (strlen(keys) >= KEYS_BYTES)
		return ik_error_set(error, IK_TOO_LARGE, _("\"%s\": too many keys"), row->name);
	for (keys = all; *keys;) {
		struct ik_stroke stroke;

		if (!next_stroke(&keys, &stroke, &text, &length))
			return ik_error_set(error, IK_INVALID,
				_("\"%s\": \"%.*s\" is no key; keys are written "
				  "like Ctrl-A, Alt-Enter, F5, PgUp or Ctrl-X Ctrl-E, several with commas "
				  "between"),
				row->name, (int)length, text);
		if (ik_key_is_text(&stroke.first) && !(row->contexts & IK_IN_PANES))
			return ik_error_set(error, IK_INVALID,
				_("\"%s\": \"%.*s\" would be typed as text there; "
				  "take it with Ctrl- or Alt-, or a function key"),
				row->name, (int)length, text);
	}
	return IK_OK;
}

static enum ik_status bind_member(struct ik_keymap *keymap, struct ik_json_span key,
	struct ik_json_span value, struct ik_error *error)
{
	char *name = ik_json_string_new(key, NULL), *keys = ik_json_string_new(value, NULL);
	size_t row = find_row(name, strlen(name));
	enum ik_status status;

	if (row == BINDING_COUNT)
		status = refuse_action(name, error);
	else if (!keys)
		status = ik_error_set(error, IK_INVALID,
			_("\"%s\": must be a string of keys, such as \"%s\""), name, bindings[row].keys);
	else
		status = check_keys(&bindings[row], keys, error);
	if (status == IK_OK) {
		free(keymap->own[row]);
		keymap->own[row] = keys;
		keys = NULL;
	}
	free(keys);
	free(name);
	return status;
}

/* Fail if two actions share a key in a context; *ret_row is a row with custom keys. */
static enum ik_status check_clashes(const struct ik_keymap *keymap, size_t *ret_row,
	struct ik_error *error)
{
	for (size_t i = 0; i < keymap->count; i++) {
		for (size_t k = i + 1; k < keymap->count; k++) {
			const struct ik_stroke *a = &keymap->strokes[i], *b = &keymap->strokes[k];

			if (!is_clash(a, b))
				continue;
			struct ik_buf key;
			ik_buf_init(&key, IK_KIB(1));
			put_stroke(&key, a->second.code == IK_KEY_NONE ? a : b);
			*ret_row = keymap->own[b->row] ? b->row : a->row;
			ik_error_set(error, IK_INVALID,
				_("%s is bound to \"%s\" and to \"%s\"; give one of "
				  "them another key, or none: \"\""),
				key.data, bindings[a->row].name, bindings[b->row].name);
			ik_buf_done(&key);
			return IK_INVALID;
		}
	}
	return IK_OK;
}

enum ik_status ik_keymap_read(struct ik_keymap *keymap, struct ik_json_span object,
	const char **ret_place, struct ik_error *error)
{
	struct ik_json_span value;
	size_t row;

	for (struct ik_json_walk walk = ik_json_walk(object); ik_json_next(&walk);) {
		*ret_place = walk.key.text;
		enum ik_status status = bind_member(keymap, walk.key, walk.value, error);

		if (status != IK_OK)
			return status;
	}
	compile(keymap);
	if (check_clashes(keymap, &row, error) == IK_OK)
		return IK_OK;
	value = ik_json_member(object, bindings[row].name);
	*ret_place = value.text ? value.text : object.text;
	return IK_INVALID;
}

enum ik_status ik_keymap_check(struct ik_json_span object, const char **ret_place,
	struct ik_error *error)
{
	struct ik_keymap *keymap = ik_keymap_new(NULL);
	enum ik_status status = ik_keymap_read(keymap, object, ret_place, error);

	ik_keymap_free(keymap);
	return status;
}

struct ik_keymap *ik_keymap_new(const char *keys)
{
	struct ik_keymap *keymap = ik_alloc(sizeof(*keymap));
	struct ik_json_span object;
	const char *place;

	ik_buf_init(&keymap->shown, IK_KIB(1));
	compile(keymap);
	if (keys && ik_json_check(keys, strlen(keys), &object, NULL) == IK_OK)
		(void)!ik_keymap_read(keymap, object, &place, NULL);
	return keymap;
}
