/*
 * keymap: keys to actions, one table from which help, the panes' last lines,
 * manual page and configuration come.
 *
 * A key means something in a context: that which has focus.  What a pane
 * does not bind means what it means in the editor.  A character alone ("x",
 * "/") is bound where nobody writes only, that is: in panes.  A key may be a
 * sequence of two, "Ctrl-X Ctrl-E".
 *
 * Owns the keys as they are bound now.  May include: util, json, tui/term.
 */
#ifndef IK_TUI_EDIT_KEYMAP_H
#define IK_TUI_EDIT_KEYMAP_H

#include "json/scan.h"
#include "tui/term/key_name.h"

/* Where a key is pressed; a row of the table has several. */
enum ik_context {
	IK_IN_EDITOR = 1,
	IK_IN_DIALOG = 2, /* a question, and what is written in answer to it */
	IK_IN_PROMPT = 4, /* one line that is written elsewhere: a search, a filter, a form */
	IK_IN_SCROLLBACK = 8,
	IK_IN_BROWSER = 16,
	IK_IN_INSPECTOR = 32,
	IK_IN_SESSIONS = 64,
	IK_IN_HELP = 128
};
#define IK_IN_TEXT (IK_IN_EDITOR | IK_IN_DIALOG | IK_IN_PROMPT) /* where one writes */
#define IK_IN_LISTS (IK_IN_BROWSER | IK_IN_INSPECTOR | IK_IN_SESSIONS)
#define IK_IN_PANES (IK_IN_SCROLLBACK | IK_IN_LISTS | IK_IN_HELP)
#define IK_IN_ANY (IK_IN_TEXT | IK_IN_PANES)

enum ik_action {
	IK_ACTION_NONE,
	IK_ACTION_PREFIX, /* the key belongs to a sequence: nothing is to be done with it */
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
	IK_ACTION_AGENT,          /* Ctrl-X 1 ...: the digit says which */
	/* scrollback and panes */
	IK_ACTION_PAGE_UP,
	IK_ACTION_PAGE_DOWN,
	IK_ACTION_TOP,
	IK_ACTION_BOTTOM,
	IK_ACTION_HALF_UP,
	IK_ACTION_HALF_DOWN, /* Ctrl-U, Ctrl-D in PANES */
	IK_ACTION_FIRST,
	IK_ACTION_LAST, /* g, G in PANES: what Home and End do there */
	IK_ACTION_RAW,
	IK_ACTION_SEARCH,            /* Ctrl-S, / in TEXT | SCROLLBACK | HELP */
	IK_ACTION_FIND_NEXT,         /* n in SCROLLBACK | HELP */
	IK_ACTION_FIND_PREVIOUS,     /* N */
	IK_ACTION_PREVIOUS_QUESTION, /* [, Alt-Up */
	IK_ACTION_NEXT_QUESTION,     /* ], Alt-Down */
	IK_ACTION_REWIND,            /* r in SCROLLBACK */
	IK_ACTION_COPY,              /* y in PANES */
	IK_ACTION_OPEN,              /* Enter in SCROLLBACK | LISTS: fold and unfold */
	IK_ACTION_UNFOLD,            /* Enter in INSPECTOR, whose own are from here to PAGER */
	IK_ACTION_TEXT,              /* Tab in INSPECTOR: into the text, and back */
	IK_ACTION_INWARD,
	IK_ACTION_OUTWARD, /* Right, Left in INSPECTOR */
	IK_ACTION_UNFOLD_ALL,
	IK_ACTION_FOLD_ALL,  /* *, - in INSPECTOR */
	IK_ACTION_RERUN,     /* r in INSPECTOR */
	IK_ACTION_UNDO_CALL, /* u in INSPECTOR */
	IK_ACTION_PAGER,     /* o in INSPECTOR */
	IK_ACTION_DETAILS,   /* Enter, Tab in BROWSER: into the text of what is selected, and back */
	IK_ACTION_RUN,       /* x in BROWSER */
	IK_ACTION_SWITCH,    /* e in BROWSER */
	IK_ACTION_FILTER,    /* / in LISTS */
	IK_ACTION_SORT,      /* s in LISTS */
	IK_ACTION_RESUME,    /* Enter in SESSIONS */
	IK_ACTION_DELETE,    /* d in SESSIONS */
	IK_ACTION_WHERE,     /* a in SESSIONS: of this directory, or all */
	IK_ACTION_SEARCH_SESSIONS, /* s in SESSIONS: what was said in all */
	/* editor */
	IK_ACTION_SEND,
	IK_ACTION_NEW_LINE,
	IK_ACTION_LEFT, /* from here to WORD_RIGHT as from SELECT_LEFT to SELECT_WORD_RIGHT */
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
	IK_ACTION_EDIT_QUEUED, /* the newest message that waits for the end of the turn */
	IK_ACTION_SEND_QUEUED, /* the messages that are held */
	IK_ACTION_ANSWER,      /* a question was answered */
	IK_ACTION_COUNT
};

/* An action that a key or a click asks the program for, with its argument. What text is depends on
 * the action: a message to send, an id, a text to copy, what was written to an answer. */
struct ik_invocation {
	enum ik_action action; /* IK_ACTION_NONE: there is nothing left to do */
	const char *line;      /* the command that asks for it; NULL: a key does */
	const char *text;      /* valid until the next call */
	size_t length;
	bool cut;   /* IK_ACTION_COPY: the text is the beginning of a larger one */
	int number; /* IK_ACTION_AGENT: which one; 0: the next, -1: the one before.
				 * IK_ACTION_REWIND: the message, counted from the last.
				 * IK_ACTION_ANSWER: the question's id, */
	int value;  /* and the value of the choice */
};

/* A row of the table. Only what does something has one. */
struct ik_binding {
	enum ik_action action;
	const char *name;        /* in the configuration: "scroll-page-up" */
	const char *keys;        /* as shown: "PgUp", "Alt-Enter, Ctrl-J", "Ctrl-X Ctrl-E"; "": none */
	unsigned contexts;       /* of enum ik_context */
	const char *description; /* N_() text */
};

struct ik_keymap;

/* The table as it is delivered, with the keys of a user's own: JSON for ik_keymap_read() that was
 * checked when it was loaded, or NULL for none. */
struct ik_keymap *ik_keymap_new(const char *keys);
struct ik_keymap *ik_keymap_free(struct ik_keymap *keymap);

/*
 * Bind keys as the configuration says: {ACTION: "KEY, KEY"}, "" for none; what is not
 * named keeps its keys. On failure (an action that does not exist, a key that cannot be
 * read or pressed, two actions with one key in one place) the error says which,
 * *ret_place points to the member, and the keymap is of no use.
 */
enum ik_status ik_keymap_read(struct ik_keymap *keymap, struct ik_json_span object,
	const char **ret_place, struct ik_error *error) IK_MUST_USE;
/* Would the table as it is delivered take it? (An ik_config_checker.) */
enum ik_status ik_keymap_check(struct ik_json_span object, const char **ret_place,
	struct ik_error *error) IK_MUST_USE;

/*
 * The action that a key means in a context (one of them); IK_ACTION_NONE for
 * text, unbound keys, pastes and the mouse. The first key of a sequence is
 * remembered: it, and whatever key comes next, is IK_ACTION_PREFIX or, when it
 * completes the sequence, the action.
 */
enum ik_action ik_keymap_action(struct ik_keymap *keymap, unsigned context,
	const struct ik_key *key);

/* Return the digit of a key, from 1 to 9; 0: it is none. */
int ik_key_digit(const struct ik_key *key);

/* The first key of a sequence that waits for the second, as shown: "Ctrl-X"; else
 * NULL. Valid until the next key. */
const char *ik_keymap_pending(const struct ik_keymap *keymap);

/* The table as it is delivered, in order of help; NULL at the end. */
const struct ik_binding *ik_keymap_at(size_t index);

/* Append the keys of now of a row: those that are text in the editor ("r"), the others, or both. */
void ik_keymap_put_keys(const struct ik_keymap *keymap, size_t index, bool text, bool others,
	struct ik_buf *out);

/* Append the key that is best shown for an action in a context: an arrow, a
 * character alone where there is one, else the first. False: it has none. */
bool ik_keymap_put_key(const struct ik_keymap *keymap, unsigned context, enum ik_action action,
	struct ik_buf *out);

/* The same as a new string, "-" where there is none: for a sentence. */
char *ik_keymap_key_name(const struct ik_keymap *keymap, unsigned context, enum ik_action action);

/* Return the key of an action that ends in this digit, as a new string; NULL: it has none. */
char *ik_keymap_digit_key(const struct ik_keymap *keymap, enum ik_action action, int digit);

/* A sentence with the keys of now: for each {NAME} of an action the key that is best shown
 * where it means something (in the editor, if there), or NAME in quotes where it has none;
 * other braces stay. A new string. */
char *ik_keymap_sentence(const struct ik_keymap *keymap, const char *text);

/* A part of a pane's last line: "Up/Down select", "r refresh". */
struct ik_key_hint {
	enum ik_action action;
	enum ik_action second; /* with a second key ("Up/Down"), or NONE */
	const char *label;     /* N_() text */
	int rank;              /* what has the highest goes first when there is no room */
};
/* Append as many of them as fit into so many columns, two blanks between; those of two
 * keys lose their label first. One whose action has no key is left out. One without an action ends
 * the list. */
void ik_keymap_put_hints(const struct ik_keymap *keymap, unsigned context,
	const struct ik_key_hint *hints, int columns, struct ik_buf *out);

#endif
