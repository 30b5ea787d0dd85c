#include "tui/keymap.h"

#include <string.h>
#include <strings.h>

#include "util/text.h"
#include "util/utf8.h"

#define SEPARATOR ", "

/*
 * The one home of every key: help, manual and look-up read these strings.
 * A digit with Alt stands in for a function key where there is none.
 */
static const struct ik_binding bindings[] = {
	{ IK_ACTION_HELP, "help", "F1, Alt-1", N_("Show or close this help") },
	{ IK_ACTION_BROWSER, "browser", "F2, Alt-2", N_("Show or close the tools") },
	{ IK_ACTION_INSPECTOR, "inspector", "F3, Alt-3", N_("Show or close the calls of tools") },
	{ IK_ACTION_REFRESH, "refresh", "F5, Alt-5", N_("Look for tools again") },
	{ IK_ACTION_NEXT_PANE, "next-pane", "F6, Alt-6", N_("Go to the next pane") },
	{ IK_ACTION_MODE, "mode", "F7, Alt-7", N_("Next mode: auto, ask, read-only") },
	{ IK_ACTION_CANCEL, "cancel", "Esc", N_("Cancel what runs, or close a pane") },
	{ IK_ACTION_INTERRUPT, "interrupt", "Ctrl-C",
		N_("Cancel the turn, else clear the line; twice: end") },
	{ IK_ACTION_END_OF_INPUT, "end-of-input", "Ctrl-D",
		N_("End, on an empty line; else delete to the right") },
	{ IK_ACTION_SUSPEND, "suspend", "Ctrl-Z", N_("Back to the shell for a while") },
	{ IK_ACTION_REDRAW, "redraw", "Ctrl-L", N_("Draw the screen anew") },

	{ IK_ACTION_PAGE_UP, "scroll-page-up", "PgUp", N_("Scroll up a page") },
	{ IK_ACTION_PAGE_DOWN, "scroll-page-down", "PgDn", N_("Scroll down a page") },
	{ IK_ACTION_TOP, "scroll-top", "Ctrl-Home", N_("Scroll to the beginning") },
	{ IK_ACTION_BOTTOM, "scroll-bottom", "Ctrl-End", N_("Scroll to the end") },
	{ IK_ACTION_RAW, "raw", "Alt-M", N_("Show replies as Markdown, or as they were written") },

	{ IK_ACTION_SEND, "send", "Enter", N_("Send") },
	{ IK_ACTION_NEW_LINE, "new-line", "Alt-Enter, Ctrl-J, Shift-Enter, Ctrl-Enter",
		N_("Begin a new line") },
	{ IK_ACTION_LEFT, "left", "Left, Ctrl-B", N_("Left") },
	{ IK_ACTION_RIGHT, "right", "Right, Ctrl-F", N_("Right") },
	{ IK_ACTION_UP, "up", "Up, Ctrl-P", N_("Up; from the first line: what was sent before") },
	{ IK_ACTION_DOWN, "down", "Down, Ctrl-N", N_("Down; from the last line: what was sent after") },
	{ IK_ACTION_LINE_START, "line-start", "Home, Ctrl-A", N_("To the start of the line") },
	{ IK_ACTION_LINE_END, "line-end", "End, Ctrl-E", N_("To the end of the line") },
	{ IK_ACTION_WORD_LEFT, "word-left", "Alt-B, Ctrl-Left, Alt-Left", N_("A word to the left") },
	{ IK_ACTION_WORD_RIGHT, "word-right", "Alt-F, Ctrl-Right, Alt-Right",
		N_("A word to the right") },
	{ IK_ACTION_DELETE_LEFT, "delete-left", "Backspace, Shift-Backspace, Ctrl-H",
		N_("Delete to the left") },
	{ IK_ACTION_DELETE_RIGHT, "delete-right", "Delete", N_("Delete to the right") },
	{ IK_ACTION_DELETE_WORD_LEFT, "delete-word-left", "Ctrl-W, Alt-Backspace, Ctrl-Backspace",
		N_("Delete the word to the left") },
	{ IK_ACTION_DELETE_WORD_RIGHT, "delete-word-right", "Alt-D, Ctrl-Delete",
		N_("Delete the word to the right") },
	{ IK_ACTION_KILL_TO_END, "kill-to-end", "Ctrl-K", N_("Cut to the end of the line") },
	{ IK_ACTION_KILL_TO_START, "kill-to-start", "Ctrl-U", N_("Cut to the start of the line") },
	{ IK_ACTION_YANK, "yank", "Ctrl-Y", N_("Put in what was cut last") },
	{ IK_ACTION_YANK_OLDER, "yank-older", "Alt-Y", N_("Put in what was cut before that instead") },
	{ IK_ACTION_UNDO, "undo", "Ctrl-_, Ctrl-/", N_("Undo") },
	{ IK_ACTION_COMPLETE, "complete", "Tab", N_("Complete; on a folded paste: unfold it") },
};

#define BINDING_COUNT (sizeof bindings / sizeof *bindings)

static const struct {
	const char *name;
	enum ik_key_code code;
} key_names[] = {
	{ "Enter", IK_KEY_ENTER }, { "Tab", IK_KEY_TAB }, { "Backspace", IK_KEY_BACKSPACE },
	{ "Esc", IK_KEY_ESCAPE }, { "Up", IK_KEY_UP }, { "Down", IK_KEY_DOWN },
	{ "Left", IK_KEY_LEFT }, { "Right", IK_KEY_RIGHT }, { "Home", IK_KEY_HOME },
	{ "End", IK_KEY_END }, { "PgUp", IK_KEY_PAGE_UP }, { "PgDn", IK_KEY_PAGE_DOWN },
	{ "Insert", IK_KEY_INSERT }, { "Delete", IK_KEY_DELETE }, { "F1", IK_KEY_F1 },
	{ "F2", IK_KEY_F2 }, { "F3", IK_KEY_F3 }, { "F4", IK_KEY_F4 }, { "F5", IK_KEY_F5 },
	{ "F6", IK_KEY_F6 }, { "F7", IK_KEY_F7 }, { "F8", IK_KEY_F8 }, { "F9", IK_KEY_F9 },
	{ "F10", IK_KEY_F10 }, { "F11", IK_KEY_F11 }, { "F12", IK_KEY_F12 },
};

static const struct {
	const char *prefix;
	unsigned modifier;
} modifier_names[] = {
	{ "Ctrl-", IK_CONTROL }, { "Alt-", IK_ALT }, { "Shift-", IK_SHIFT },
};

/* Take a modifier from the front of *text; 0 when there is none. */
static unsigned take_modifier(const char **text, size_t *length)
{
	for (size_t i = 0; i < sizeof modifier_names / sizeof *modifier_names; i++) {
		size_t prefix = strlen(modifier_names[i].prefix);
		if (*length > prefix && strncasecmp(*text, modifier_names[i].prefix, prefix) == 0) {
			*text += prefix;
			*length -= prefix;
			return modifier_names[i].modifier;
		}
	}
	return 0;
}

/* One form for both cases of a letter, where a modifier makes it a command. */
static uint32_t fold(uint32_t codepoint, unsigned modifiers)
{
	return modifiers && codepoint >= 'A' && codepoint <= 'Z' ? codepoint + 'a' - 'A' : codepoint;
}

bool ik_keymap_parse(const char *text, size_t length, struct ik_key *ret_key)
{
	struct ik_key key = { .code = IK_KEY_NONE };
	unsigned modifier;
	while ((modifier = take_modifier(&text, &length)))
		key.modifiers |= modifier;
	for (size_t i = 0; i < sizeof key_names / sizeof *key_names; i++)
		if ((key_names[i].name[0] | 0x20) == (*text | 0x20)
		    && strlen(key_names[i].name) == length
		    && strncasecmp(text, key_names[i].name, length) == 0)
			key.code = key_names[i].code;
	if (key.code == IK_KEY_NONE) {
		key.code = IK_KEY_CHARACTER;
		if (length == strlen("Space") && strncasecmp(text, "Space", length) == 0)
			key.codepoint = ' ';
		else if (length == 0 || ik_utf8_decode(text, length, &key.codepoint) != (int)length)
			return false;
		key.codepoint = fold(key.codepoint, key.modifiers);
	}
	*ret_key = key;
	return true;
}

/* Is key one of those in a list as it is shown? */
static bool is_listed(const struct ik_key *key, const char *keys)
{
	uint32_t codepoint = fold(key->codepoint, key->modifiers);
	while (*keys) {
		const char *end = strstr(keys, SEPARATOR);
		size_t length = end ? (size_t)(end - keys) : strlen(keys);
		struct ik_key listed;
		if (ik_keymap_parse(keys, length, &listed) && listed.code == key->code
		    && listed.modifiers == key->modifiers && listed.codepoint == codepoint)
			return true;
		keys += length + (end ? strlen(SEPARATOR) : 0);
	}
	return false;
}

enum ik_action ik_keymap_action(const struct ik_key *key)
{
	if (key->code == IK_KEY_NONE || key->code >= IK_KEY_PASTE
	    || (key->code == IK_KEY_CHARACTER && !key->modifiers))
		return IK_ACTION_NONE;
	for (size_t i = 0; i < BINDING_COUNT; i++)
		if (is_listed(key, bindings[i].keys))
			return bindings[i].action;
	return IK_ACTION_NONE;
}

const struct ik_binding *ik_keymap_at(size_t index)
{
	return index < BINDING_COUNT ? &bindings[index] : NULL;
}
