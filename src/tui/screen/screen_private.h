/*
 * screen_private: the screen's own state, shared by the files that join its parts:
 * screen.c (lifetime, time, drawing), screen_events.c (session events),
 * screen_keys.c, screen_mouse.c and screen_focus.c (input), screen_panes.c,
 * screen_sessions.c, screen_help.c and screen_dialog.c (what is open),
 * screen_place.c, screen_search.c and screen_rule.c (the conversation).
 *
 * What can stand alone is an object of its own: prompt.h, find.h, dialog.h, the panes.
 */
#ifndef IK_TUI_SCREEN_SCREEN_PRIVATE_H
#define IK_TUI_SCREEN_SCREEN_PRIVATE_H

#include "tui/pane/pane_browser.h"
#include "tui/pane/pane_help.h"
#include "tui/pane/pane_inspector.h"
#include "tui/pane/pane_picker.h"
#include "tui/pane/pane_sessions.h"
#include "tui/pane/status_bar.h"
#include "tui/screen/find.h"
#include "tui/screen/prompt.h"
#include "tui/screen/queue.h"
#include "tui/screen/screen.h"
#include "tui/screen/turn_status.h"
#include "tui/scrollback/calls.h"
#include "tui/text/layout.h"

#define IK_QUIT_WINDOW_MS 2000 /* the second Ctrl-C must come within */
#define IK_NEVER INT64_C(-1)
#define IK_INSPECTOR_COLUMNS 160 /* from here on it opens by itself */
#define IK_PANES 5

enum ik_focus { IK_FOCUS_EDITOR, IK_FOCUS_SCROLLBACK, IK_FOCUS_PANE };

/* What the left mouse button was pressed on, and then. */
struct ik_press {
	struct ik_scrollback *text; /* a text of which a part is being marked, or was; or NULL */
	bool held;
	bool moved;  /* since it was pressed: it marks, and is no click */
	bool editor; /* on the editor, whose text before anchor or behind it is selected */
	size_t anchor;
	int row, column;
	int64_t ms; /* when; a second one soon after is for the word there */
	bool twice;
};

struct ik_screen {
	bool utf8;
	bool markdown; /* how replies are shown now */
	bool hide_thinking;
	size_t tool_lines; /* of a folded call */
	int rows, columns;
	bool dirty;
	int64_t now_ms; /* of the last tick */

	char *provider, *model, *store;
	struct ik_status_bar bar;   /* what it holds of strings is owned here */
	char *title;                /* of the session, as its messages have it; NULL: none yet */
	bool title_named;           /* the person gave it that */
	char running[IK_UUID_TEXT]; /* the session's id; "": not known yet */

	struct ik_keymap *keymap;
	struct ik_calls *calls;
	struct ik_scrollback *scrollback;
	struct ik_inspector *inspector; /* by name, those that are told something */
	struct ik_browser *browser;
	struct ik_sessions *sessions;
	struct ik_picker *picker;
	struct ik_help *help;
	struct ik_pane *panes[IK_PANES]; /* all of them */
	struct ik_dialog *dialog;
	int wanted_question; /* that a key asked for, the last one; 0: none yet */
	struct ik_prompt *prompt;
	char *bar_keys, *quit_hint; /* as the keymap has them */
	struct ik_buf copied;       /* the text of the last IK_ACTION_COPY */
	struct ik_buf submitted;    /* the text of the last IK_ACTION_SEND */

	struct ik_find *find;      /* in the conversation */
	struct ik_find *help_find; /* in the help, as long as that is open */
	enum ik_focus focus_before_find;
	bool older;    /* of a restored session, messages are still to be read */
	bool told_any; /* a message was told, since the session began */
	char *flash;   /* said once, until the next key; NULL: nothing */

	struct {
		char session[IK_UUID_TEXT];
		int64_t sequence;    /* 0: none */
		struct ik_buf words; /* to be marked there */
		bool typed;          /* the editor keeps the keys */
	} place;                 /* in a session, to be shown once it is there */

	struct ik_press press; /* of the left mouse button */

	struct ik_pane *side;                  /* the pane that is shown; NULL: none */
	struct ik_pane *side_before;           /* it was there before the picker; or NULL */
	enum ik_inspector_wish inspector_wish; /* CLOSED, too, once the person or it has opened one */
	bool side_by_itself;                   /* it opened unasked, and has not had the keys since */
	bool help_open;
	enum ik_focus focus; /* what has the keys, as far as it is there: ik_screen_focus() */

	unsigned clears;          /* how often the scrollback was emptied */
	struct ik_block *welcome; /* the first block while there is nothing else */
	struct ik_block **live;   /* texts and thoughts of this round, in order, until
	                               their messages come; blocks of the scrollback */
	size_t live_count, live_capacity;
	bool continues;              /* what comes next is the rest of the last reply */
	bool live_open;              /* the last of them may go on */
	struct ik_block *last_reply; /* what a stop reason is remarked on */

	struct ik_turn_status *turn;
	bool turn_seen;
	struct ik_queue *queue;
	int64_t shown_second;  /* of the status bar */
	int64_t agents_due_ms; /* when a second of the other conversations changes */
	bool quit_asked;       /* Ctrl-C was pressed; the next tick gives it its time */
	int64_t quit_until_ms; /* IK_NEVER, or until when another one ends */
};

/* The editor's text or cursor is another: it has the keys. */
void ik_screen_edited(struct ik_screen *screen);

/* Which parts stand where. */
struct ik_layout ik_screen_layout(const struct ik_screen *screen);

/* What has the keys; help and questions, which come before it, aside. */
enum ik_focus ik_screen_focus(const struct ik_screen *screen);
void ik_screen_set_focus(struct ik_screen *screen, enum ik_focus focus);
/* From the editor to the scrollback, the side pane, and back: what is on the screen. */
void ik_screen_next_focus(struct ik_screen *screen);

/* In what a key is pressed (of enum ik_context). */
unsigned ik_screen_context(const struct ik_screen *screen);

/* Append the keys of the scrollback, as many as fit into so many columns. */
void ik_screen_put_hints(const struct ik_screen *screen, int columns, struct ik_buf *out);

/* Wheel, clicks and what is marked by dragging; nothing is marked any more. */
struct ik_invocation ik_screen_mouse(struct ik_screen *screen, const struct ik_key *key);
void ik_screen_unmark(struct ik_screen *screen);

/* Is there anything that a cancel ends: a turn, a call of the person's own? */
bool ik_screen_busy(const struct ik_screen *screen);

/* Put the status bar's state in order for the present time. */
void ik_screen_update_bar(struct ik_screen *screen);

/* Was Ctrl-C pressed a moment ago? */
bool ik_screen_quit_pending(const struct ik_screen *screen);

/* screen_place.c: a place that was found in a session. Want the one that is selected in the
 * pane; it is another session now; these messages were told. */
void ik_screen_place_want(struct ik_screen *screen, const char *session);
void ik_screen_place_session(struct ik_screen *screen, const char *id);
void ik_screen_place_told(struct ik_screen *screen, struct ik_message *const *messages,
	size_t count);
void ik_screen_place_forget(struct ik_screen *screen);
/* One is answered. Behind one that a key asked for the next does not come up by itself. */
void ik_screen_answered(struct ik_screen *screen, const struct ik_question_answer *answer);
/* Is there a question, but put aside? Open it, or put it aside. */
bool ik_screen_dialog_aside(const struct ik_screen *screen);
void ik_screen_dialog_show(struct ik_screen *screen, bool open);
/* A key while a question may be open; false: it is for others. */
bool ik_screen_dialog_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation);

/* screen_search.c: the search in the help while that is open, else in the conversation. */
struct ik_find *ik_screen_find(const struct ik_screen *screen);
void ik_screen_search_open(struct ik_screen *screen);
void ik_screen_search_keep(struct ik_screen *screen, struct ik_find *find);
/* Handle a key while the pattern is written; false: it is for others. */
bool ik_screen_search_key(struct ik_screen *screen, const struct ik_key *key,
	enum ik_action action);

/* screen_help.c: open or close the help; with it ends what was looked for in it. */
void ik_screen_show_help(struct ik_screen *screen, bool open);
/* A pane opens: the help closes, and no search is being written behind it. */
void ik_screen_make_way(struct ik_screen *screen);
void ik_screen_draw_help(struct ik_screen *screen, struct ik_cells *cells,
	struct ik_rectangle area);

/* screen_rule.c. */
/* The line over the editor; the column of the cursor, if that is in it, else -1. */
int ik_screen_draw_rule(struct ik_screen *screen, struct ik_cells *cells,
	const struct ik_layout *layout);

/* screen_sessions.c: what a message makes of the session's title; older: it stands before all that
 * were told (hand over the last of a page first). begin: another session has none yet. */
void ik_screen_title_of(struct ik_screen *screen, const struct ik_message *message, bool older);
void ik_screen_title_begin(struct ik_screen *screen);

/* screen_agents.c: the time that is shown of the other conversations; in how many milliseconds
 * it is another, -1: none is shown. */
int64_t ik_screen_agents_tick(struct ik_screen *screen);
/* An action, or a click on the status bar, that changes to another; false: it is for others. */
bool ik_screen_agents_key(const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation);
bool ik_screen_agents_click(const struct ik_screen *screen, struct ik_rectangle area, int column,
	struct ik_invocation *ret_invocation);

/* screen_panes.c: make and free all panes, the help among them. */
void ik_screen_make_panes(struct ik_screen *screen, const struct ik_screen_options *options);
void ik_screen_free_panes(struct ik_screen *screen);
/* The pane that an action shows; NULL: it shows none. */
struct ik_pane *ik_screen_pane_of(const struct ik_screen *screen, enum ik_action action);
/* Show a pane, which has focus then; the same, or close it if it is shown. */
void ik_screen_open_pane(struct ik_screen *screen, struct ik_pane *pane);
void ik_screen_toggle_pane(struct ik_screen *screen, struct ik_pane *pane);
/* Open the inspector beside the conversation, if that is wished for and there is room; take one
 * that nobody asked for away where it would cover the conversation, until there is room again. */
void ik_screen_offer_inspector(struct ik_screen *screen, enum ik_inspector_wish wish, int columns);
void ik_screen_withdraw_inspector(struct ik_screen *screen);
/* A key while a side pane has the focus; false: it is for others. */
bool ik_screen_pane_key(struct ik_screen *screen, const struct ik_key *key, enum ik_action action,
	struct ik_invocation *ret_invocation);

/* A notice of the screen's own: shown, not stored. */
void ik_screen_say(struct ik_screen *screen, const char *sentence);

/* Show a block, a reply in the way that replies are shown. */
struct ik_block *ik_screen_dress(const struct ik_screen *screen, struct ik_block *block);

/* Take the welcome away. */
void ik_screen_drop_welcome(struct ik_screen *screen);

#endif
