/*
 * keymap: maps keys to actions, from one table that help, the panes' hint
 * lines, the manual page and the configuration share.
 *
 * A key's meaning depends on the context: what has focus.  Keys that a pane
 * does not bind mean what they mean in the editor.  A plain character ("x",
 * "/") is bound only when no text field has focus, that is, in panes.  A key
 * may be a sequence of two, "Ctrl-X Ctrl-E".
 *
 * Owns the current key bindings.  May include: util, json, tui/term.
 */
#ifndef IK_TUI_EDIT_KEYMAP_H
#define IK_TUI_EDIT_KEYMAP_H

#include "json/scan.h"
#include "tui/term/key_name.h"

/* The context of a key press; a row of the table may have several. */
enum ik_context {
	IK_IN_EDITOR = 1,
	IK_IN_DIALOG = 2, /* a question and the text field for its answer */
	IK_IN_PROMPT = 4, /* a one-line text field: a search, a filter, a form */
	IK_IN_SCROLLBACK = 8,
	IK_IN_BROWSER = 16,
	IK_IN_INSPECTOR = 32,
	IK_IN_SESSIONS = 64,
	IK_IN_HELP = 128
};
#define IK_IN_TEXT (IK_IN_EDITOR | IK_IN_DIALOG | IK_IN_PROMPT) /* text fields */
#define IK_IN_LISTS (IK_IN_BROWSER | IK_IN_INSPECTOR | IK_IN_SESSIONS)
#define IK_IN_PANES (IK_IN_SCROLLBACK | IK_IN_LISTS | IK_IN_HELP)
#define IK_IN_ANY (IK_IN_TEXT | IK_IN_PANES)

enum ik_action {
	IK_ACTION_NONE,
	IK_ACTION_PREFIX, /* the key belongs to a sequence: ignore it */
	/* whole screen */
	IK_ACTION_HELP,
	IK_ACTION_BROWSER,
	IK_ACTION_INSPECTOR,
	IK_ACTION_REFRESH,
	IK_ACTION_NEXT_PANE,
	IK_ACTION_MODE,
	IK_ACTION_CANCEL,
	IK_ACTION_CLOSE,
	IK_ACTION_INTERRUPT,
	IK_ACTION_END_OF_INPUT,
	IK_ACTION_SUSPEND,
	IK_ACTION_REDRAW,
	IK_ACTION_SESSIONS,  /* F4, Alt-4 */
	IK_ACTION_MOUSE,     /* F8, Alt-8 */
	IK_ACTION_TAKE_OVER, /* F9, Alt-9 */
	IK_ACTION_NEXT_AGENT,
	IK_ACTION_PREVIOUS_AGENT, /* F10, Alt-0; Ctrl-X 0 */
	IK_ACTION_AGENT,          /* Ctrl-X 1 ...: the digit is its number */
	/* scrollback and panes */
	IK_ACTION_PAGE_UP,
	IK_ACTION_PAGE_DOWN,
	IK_ACTION_TOP,
	IK_ACTION_BOTTOM,
	IK_ACTION_HALF_UP,
	IK_ACTION_HALF_DOWN, /* Ctrl-U, Ctrl-D in PANES */
	IK_ACTION_FIRST,
	IK_ACTION_LAST, /* g, G in PANES: the same as Home and End there */
	IK_ACTION_RAW,
	IK_ACTION_SEARCH,            /* Ctrl-S, / in TEXT | SCROLLBACK | HELP */
	IK_ACTION_FIND_NEXT,         /* n in SCROLLBACK | HELP */
	IK_ACTION_FIND_PREVIOUS,     /* N */
	IK_ACTION_PREVIOUS_QUESTION, /* [, Alt-Up */
	IK_ACTION_NEXT_QUESTION,     /* ], Alt-Down */
	IK_ACTION_REWIND,            /* r in SCROLLBACK */
	IK_ACTION_COPY,              /* y in PANES */
	IK_ACTION_OPEN,              /* Enter in SCROLLBACK | LISTS: fold and unfold */
	IK_ACTION_UNFOLD, /* Enter in INSPECTOR; only it uses the actions from here to PAGER */
	IK_ACTION_TEXT,   /* Tab in INSPECTOR: focus the text, or the list */
	IK_ACTION_INWARD,
	IK_ACTION_OUTWARD, /* Right, Left in INSPECTOR */
	IK_ACTION_UNFOLD_ALL,
	IK_ACTION_FOLD_ALL,  /* *, - in INSPECTOR */
	IK_ACTION_RERUN,     /* r in INSPECTOR */
	IK_ACTION_UNDO_CALL, /* u in INSPECTOR */
	IK_ACTION_PAGER,     /* o in INSPECTOR */
	IK_ACTION_DETAILS,   /* Enter, Tab in BROWSER: focus the selected item's text, or the list */
	IK_ACTION_RUN,       /* x in BROWSER */
	IK_ACTION_SWITCH,    /* e in BROWSER */
	IK_ACTION_FILTER,    /* / in LISTS */
	IK_ACTION_SORT,      /* s in LISTS */
	IK_ACTION_RESUME,    /* Enter in SESSIONS */
	IK_ACTION_DELETE,    /* d in SESSIONS */
	IK_ACTION_WHERE,     /* a in SESSIONS: of this directory, or all */
	IK_ACTION_SEARCH_SESSIONS, /* s in SESSIONS: search the text of all sessions */
	/* editor */
	IK_ACTION_SEND,
	IK_ACTION_NEW_LINE,
	IK_ACTION_LEFT, /* LEFT to WORD_RIGHT are in the order of SELECT_LEFT to SELECT_WORD_RIGHT */
	IK_ACTION_RIGHT,
	IK_ACTION_UP,
	IK_ACTION_DOWN,
	IK_ACTION_LINE_START,
	IK_ACTION_LINE_END,
	IK_ACTION_WORD_LEFT,
	IK_ACTION_WORD_RIGHT,
	IK_ACTION_DELETE_LEFT,
	IK_ACTION_DELETE_RIGHT,
	IK_ACTION_DELETE_WORD_LEFT,
	IK_ACTION_DELETE_WORD_RIGHT,
	IK_ACTION_KILL_TO_END,
	IK_ACTION_KILL_TO_START,
	IK_ACTION_YANK,
	IK_ACTION_YANK_OLDER,
	IK_ACTION_UNDO,
	IK_ACTION_COMPLETE,
	IK_ACTION_HISTORY_SEARCH,  /* Ctrl-R in EDITOR */
	IK_ACTION_EXTERNAL_EDITOR, /* Ctrl-X Ctrl-E in EDITOR */
	IK_ACTION_PASTE_IMAGE,     /* Ctrl-V in EDITOR */
	IK_ACTION_SELECT_LEFT,
	IK_ACTION_SELECT_RIGHT, /* Shift-Left ... in EDITOR */
	IK_ACTION_SELECT_UP,
	IK_ACTION_SELECT_DOWN,
	IK_ACTION_SELECT_LINE_START,
	IK_ACTION_SELECT_LINE_END,
	IK_ACTION_SELECT_WORD_LEFT,
	IK_ACTION_SELECT_WORD_RIGHT,
	IK_ACTION_SELECT_ALL,
	IK_ACTION_COPY_SELECTION,
	IK_ACTION_REDO,
	IK_ACTION_COMPLETE_PREVIOUS,
	IK_ACTION_HISTORY_OLDER,
	IK_ACTION_HISTORY_NEWER,
	/* without keys of their own */
	IK_ACTION_QUIT,
	IK_ACTION_EDIT_QUEUED, /* the newest queued message */
	IK_ACTION_GO_ON,       /* send the held messages, or try the failed turn again */
	IK_ACTION_ANSWER,      /* a question was answered */
	IK_ACTION_COUNT
};

/* An action that a key or a click requests from the program. text is its argument: a message to
 * send, an ID, a text to copy or the answer to a question. */
struct ik_invocation {
	enum ik_action action; /* IK_ACTION_NONE: nothing left to do */
	const char *line;      /* the command that requests it; NULL: a key does */
	const char *text;      /* valid until the next call */
	size_t length;
	bool cut;   /* IK_ACTION_COPY: text is only the beginning */
	bool keep;  /* of a command with choices: for good, in the configuration */
	int number; /* IK_ACTION_AGENT: its number; 0: the next, -1: the previous.
				 * IK_ACTION_REWIND: the message, counted from the last; 0: let the user choose.
				 * IK_ACTION_ANSWER: the question's ID, */
	int value;  /* and the value of the choice */
};

/* What an action is for. The help, /help and the manual list keys and commands by group, in this
 * order. */
enum ik_group {
	IK_GROUP_WRITE,
	IK_GROUP_READ,
	IK_GROUP_CHOOSE,
	IK_GROUP_MODEL,
	IK_GROUP_TOOLS,
	IK_GROUP_CALLS,
	IK_GROUP_SESSIONS,
	IK_GROUP_SCREEN,
	IK_GROUP_CUSTOM, /* custom commands */
	IK_GROUP_COUNT
};

/* Return the translated heading of a group. */
const char *ik_group_heading(enum ik_group group);

/* A row of the table. An action that nothing implements has no row. */
struct ik_binding {
	enum ik_action action;
	const char *name;  /* in the configuration: "scroll-page-up" */
	const char *keys;  /* as shown: "PgUp", "Alt-Enter, Ctrl-J", "Ctrl-X Ctrl-E"; "": none */
	unsigned contexts; /* of enum ik_context */
	enum ik_group group;
	bool essential;          /* one of the few that the help shows first */
	const char *description; /* N_() text */
};

struct ik_keymap;

/* Return the default keymap with custom keys applied. keys is JSON for ik_keymap_read(), checked
 * when it was loaded, or NULL for none. */
struct ik_keymap *ik_keymap_new(const char *keys);
struct ik_keymap *ik_keymap_free(struct ik_keymap *keymap);

/*
 * Bind keys as configured: {ACTION: "KEY, KEY"}, "" to unbind; other actions keep their keys.
 * Fail if an action does not exist, if a key is invalid or would be typed as text, or if two
 * actions share a key in a context. The error then names it, *ret_place points to the member,
 * and the keymap is unusable.
 */
enum ik_status ik_keymap_read(struct ik_keymap *keymap, struct ik_json_span object,
	const char **ret_place, struct ik_error *error) IK_MUST_USE;
/* Check whether the default keymap accepts the object. (An ik_config_checker.) */
enum ik_status ik_keymap_check(struct ik_json_span object, const char **ret_place,
	struct ik_error *error) IK_MUST_USE;

/*
 * Return the action of a key in one context; IK_ACTION_NONE for text, unbound keys, pastes and
 * the mouse. The first key of a sequence is remembered and returns IK_ACTION_PREFIX. The next
 * key returns the action if it completes the sequence, or else IK_ACTION_PREFIX.
 */
enum ik_action ik_keymap_action(struct ik_keymap *keymap, unsigned context,
	const struct ik_key *key);

/* Return the digit of a key, from 1 to 9, or 0 if it is not one. */
int ik_key_digit(const struct ik_key *key);

/* Return the first key of an unfinished sequence as shown, "Ctrl-X", or NULL. Valid until the
 * next key. */
const char *ik_keymap_pending(const struct ik_keymap *keymap);

/* Return a row of the default table, in the order of the help; NULL after the last. */
const struct ik_binding *ik_keymap_at(size_t index);

/* Append the current keys of a row. */
void ik_keymap_put_keys(const struct ik_keymap *keymap, size_t index, struct ik_buf *out);

/* Append the best key to show for an action in a context: an arrow, a plain character if it
 * applies there, or else the first one. Return false if the action has no key. */
bool ik_keymap_put_key(const struct ik_keymap *keymap, unsigned context, enum ik_action action,
	struct ik_buf *out);

/* Return the same key as a new string, or "-" if there is none. */
char *ik_keymap_key_name(const struct ik_keymap *keymap, unsigned context, enum ik_action action);

/* Return the action's key that ends in this digit, as a new string, or NULL if there is none. */
char *ik_keymap_digit_key(const struct ik_keymap *keymap, enum ik_action action, int digit);

/* Replace each {NAME} of an action in text with its current key, the editor's if it has one, or
 * with the name in quotes if it has none; leave other braces. Return a new string. */
char *ik_keymap_sentence(const struct ik_keymap *keymap, const char *text);

/* A hint in a pane's last line: "Up/Down select", "r refresh". */
struct ik_key_hint {
	enum ik_action action;
	enum ik_action second; /* a second key to show ("Up/Down"), or IK_ACTION_NONE */
	const char *label;     /* N_() text */
	int rank;              /* if there is no room, the highest rank is dropped first */
};
/* Append the hints that fit into the columns, separated by two blanks. Hints of two keys lose
 * their labels before they are dropped. Hints whose action has no key are skipped. A hint
 * without an action ends the list. */
void ik_keymap_put_hints(const struct ik_keymap *keymap, unsigned context,
	const struct ik_key_hint *hints, int columns, struct ik_buf *out);

#endif
