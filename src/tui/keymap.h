/*
 * keymap: keys to actions, one table from which help, man page and
 * configuration come.
 *
 * Pure.  May include: util, tui/input.h.
 */
#ifndef IK_TUI_KEYMAP_H
#define IK_TUI_KEYMAP_H

#include "tui/input.h"

enum ik_action {
	IK_ACTION_NONE,
	/* whole screen */
	IK_ACTION_HELP, IK_ACTION_BROWSER, IK_ACTION_INSPECTOR, IK_ACTION_REFRESH,
	IK_ACTION_NEXT_PANE, IK_ACTION_MODE, IK_ACTION_CANCEL, IK_ACTION_INTERRUPT, IK_ACTION_END_OF_INPUT,
	IK_ACTION_SUSPEND, IK_ACTION_REDRAW,
	/* scrollback and panes */
	IK_ACTION_PAGE_UP, IK_ACTION_PAGE_DOWN, IK_ACTION_TOP, IK_ACTION_BOTTOM, IK_ACTION_RAW,
	/* editor */
	IK_ACTION_SEND, IK_ACTION_NEW_LINE, IK_ACTION_LEFT, IK_ACTION_RIGHT, IK_ACTION_UP,
	IK_ACTION_DOWN, IK_ACTION_LINE_START, IK_ACTION_LINE_END, IK_ACTION_WORD_LEFT,
	IK_ACTION_WORD_RIGHT, IK_ACTION_DELETE_LEFT, IK_ACTION_DELETE_RIGHT,
	IK_ACTION_DELETE_WORD_LEFT, IK_ACTION_DELETE_WORD_RIGHT, IK_ACTION_KILL_TO_END,
	IK_ACTION_KILL_TO_START, IK_ACTION_YANK,
	IK_ACTION_YANK_OLDER, IK_ACTION_UNDO, IK_ACTION_COMPLETE,
	IK_ACTION_COUNT
};

struct ik_binding {
	enum ik_action action;
	const char *name;        /* in the configuration: "scroll-page-up" */
	const char *keys;        /* as shown: "PgUp", "Alt-Enter, Ctrl-J" */
	const char *description; /* N_() text */
};

/*
 * Read one key as it is shown, "Ctrl-A", "Alt-Enter", "PgUp", "F5", "é": the
 * modifiers Ctrl-, Alt- and Shift- in any order, then a name or a character.
 * Upper and lower case are one, but for a character without modifiers.
 */
bool ik_keymap_parse(const char *text, size_t length, struct ik_key *ret_key);

/* The action that a key means; IK_ACTION_NONE for text and unbound keys. */
enum ik_action ik_keymap_action(const struct ik_key *key);

/* The table in order of help; NULL at the end. */
const struct ik_binding *ik_keymap_at(size_t index);

#endif
