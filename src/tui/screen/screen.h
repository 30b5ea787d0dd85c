/*
 * screen: everything that the user sees: scrollback, inspector, browser,
 * editor, status bar, help, questions; what is shown where, and what has focus.
 *
 * It gets events and keys, changes its state, and returns the actions that the
 * program has to run.  It draws into cells, only when asked to.  It doesn't
 * know the loop, the stores, the providers or the agent: the app connects them.
 *
 * May include: util, json, config, conversation, tool/registry.h,
 * tool/envelope.h, tui.
 */
#ifndef IK_TUI_SCREEN_SCREEN_H
#define IK_TUI_SCREEN_SCREEN_H

#include "conversation/event.h"
#include "tool/registry.h"
#include "tui/pane/pane_browser.h"
#include "tui/pane/pane_help.h"
#include "tui/pane/pane_picker.h"
#include "tui/pane/pane_sessions.h"
#include "tui/pane/status_bar.h"
#include "tui/pane/welcome.h"
#include "tui/screen/activity.h"
#include "tui/screen/dialog.h"
#include "tui/screen/find.h"
#include "tui/screen/prompt.h"
#include "tui/term/cells.h"
#include "tui/term/input.h"

struct ik_screen;

#define IK_LEAST_ROWS 10
#define IK_LEAST_COLUMNS 40
#define IK_WIDE_COLUMNS 100 /* from this width on, a pane is beside the scrollback */

/* The area of each part. A part without room has no cells. */
struct ik_layout {
	bool too_small;                 /* show one sentence instead */
	struct ik_rectangle scrollback; /* no cells while a pane replaces it */
	struct ik_rectangle divider;    /* the column between scrollback and pane */
	struct ik_rectangle pane;       /* no cells without a pane */
	struct ik_rectangle dialog;     /* no cells without a question */
	struct ik_rectangle activity;   /* no cells unless something is at work or waits */
	struct ik_rectangle rule;       /* the row over the editor */
	struct ik_rectangle editor;
	struct ik_rectangle status;
};

struct ik_screen_options {
	const char *history_path; /* NULL for no history file */
	size_t history_bytes;     /* limit */
	const char *provider, *model;
	const struct ik_welcome *welcome; /* borrowed; NULL for none */
	bool visual;        /* it is looked at, not read out: the empty prompt says what it is for, and
				  * suggestions come with the first one selected */
	bool inspector;     /* open it from the start, beside the conversation */
	bool markdown;      /* show replies as Markdown */
	bool vi;            /* the prompt has vi's keys */
	bool hide_thinking; /* never show a model's thinking */
	int prose_width;    /* columns that prose may take; 0: all */
	size_t tool_lines;  /* limit of the result lines shown for a folded call */
	const struct ik_drawer *drawer; /* draws pictures; borrowed; NULL if they are not shown */
	ik_blob_reader *read_blob;      /* reads stored outputs of calls; NULL if there are none */
	void *read_arg;
	ik_tool_form *put_form; /* how providers describe tools, or NULL */
	void *form_arg;
	const struct ik_sessions_source *sessions; /* the stored sessions, or NULL */
	void *sessions_arg;
	ik_help_commands *commands; /* for the help; NULL: none */
	void *commands_arg;
	const char *keys; /* JSON for ik_keymap_read(); NULL for the default keys */
};

struct ik_screen *ik_screen_new(const struct ik_screen_options *options);
struct ik_screen *ik_screen_free(struct ik_screen *screen);

/* Set the word completer (tui/edit/completion.h). */
void ik_screen_on_complete(struct ik_screen *screen, ik_completer *completer, void *arg);
/* Query the completer again, because its answers have changed. */
void ik_screen_candidates_changed(struct ik_screen *screen);

/* Handle a key. Call ik_screen_tick() just before. */
struct ik_invocation ik_screen_key(struct ik_screen *screen, const struct ik_key *key);

/* Return the cursor's shape, which says vi's mode; IK_CURSOR_USUAL without vi's keys. */
enum ik_cursor ik_screen_cursor(const struct ik_screen *screen);

/* Handle an event of the session. */
void ik_screen_apply(struct ik_screen *screen, const struct ik_event *event);

/* Set the state and progress of the scan. The screen takes a reference to the registry. */
void ik_screen_set_scan(struct ik_screen *screen, enum ik_scan_state state, size_t done,
	size_t total);
void ik_screen_set_registry(struct ik_screen *screen, struct ik_registry *registry);
/* Set the store's name. "memory": nothing is stored, so the screen keeps large outputs. */
void ik_screen_set_store(struct ik_screen *screen, const char *name);

/* Return the status bar, for the program to change: mode, tool restrictions (static texts),
 * background processes, whether the terminal has the mouse, conversations. A change is drawn. */
struct ik_status_bar *ik_screen_bar(struct ik_screen *screen);

/*
 * Ask the user (tui/screen/dialog.h); everything is copied. Return the
 * question's ID, which comes back with IK_ACTION_ANSWER. Questions are shown
 * one at a time. If the user is typing, searching or in a pane, the question
 * stays closed, as one row over the editor, until F6. The draft is never
 * changed.
 */
int ik_screen_ask(struct ik_screen *screen, const struct ik_question *question);
/* Are there questions, but put aside? */
bool ik_screen_is_aside(const struct ik_screen *screen);
/* Withdraw a question. */
void ik_screen_withdraw(struct ik_screen *screen, int question);

/* Note that a part of a stored output has been read (ik_blob_reader). */
void ik_screen_blob_arrived(struct ik_screen *screen);

/* Return the sessions pane, to be updated and redrawn; the second opens it in place of the
 * current side pane. */
struct ik_sessions *ik_screen_sessions(struct ik_screen *screen);
struct ik_sessions *ik_screen_open_sessions(struct ik_screen *screen);
/* Set the ID of the current session; its title comes with its messages. */
void ik_screen_session_runs(struct ik_screen *screen, const char *id);
/* Return the event that the user wants to see, in the session to resume or the current one; 0
 * for none. It is shown once its message arrives, or at once with ik_screen_show_place(). */
int64_t ik_screen_wanted_place(const struct ik_screen *screen);
void ik_screen_show_place(struct ik_screen *screen, const struct ik_message *message);
/* Move the wanted event here from another screen, when another agent has the session. */
void ik_screen_move_place(struct ik_screen *screen, struct ik_screen *from);
/* Let the user choose from a list (tui/pane/pane_picker.h); takes over its picks. The chosen
 * line comes back as IK_ACTION_SEND. again: update the list if it is open. */
void ik_screen_pick(struct ik_screen *screen, const struct ik_pick_list *list, bool again);
bool ik_screen_picks(const struct ik_screen *screen);
/* Return the id of the selected pick while the list is open, or NULL. */
const char *ik_screen_picked(const struct ik_screen *screen);

/* Give focus to the editor. */
void ik_screen_go_to_editor(struct ik_screen *screen);

/* Close the side pane, so that the conversation is visible, and give focus to the editor. */
void ik_screen_close_side(struct ik_screen *screen);
/* Close the side pane only if it covers the conversation. */
void ik_screen_uncover(struct ik_screen *screen);

/* Show a sentence over the editor until the next key. It is copied; NULL clears it. */
void ik_screen_flash(struct ik_screen *screen, const char *sentence);

/* Clear the scrollback. What it showed is still stored. */
void ik_screen_clear(struct ik_screen *screen);

/* Clear the screen for another session, with all counters. */
void ik_screen_begin(struct ik_screen *screen);

/* Insert a word at the cursor of the editor, after a blank. */
void ik_screen_insert(struct ik_screen *screen, const char *word);
/* Return, or set, the text of the editor, which is saved between runs. */
const char *ik_screen_draft(const struct ik_screen *screen, size_t *ret_length);
void ik_screen_set_draft(struct ik_screen *screen, const char *text, size_t length);

/* Set the time, in monotonic milliseconds, for everything that shows time. Return the number of
 * milliseconds until the next call is due, or -1 for none. */
int64_t ik_screen_tick(struct ik_screen *screen, int64_t now_ms);

void ik_screen_resize(struct ik_screen *screen, int rows, int columns);

/* Force a redraw, because something outside the screen has changed. */
void ik_screen_touch(struct ik_screen *screen);

/* Has anything changed since the last draw? */
bool ik_screen_dirty(const struct ik_screen *screen);

/* Draw everything; cells has the size of the last resize. */
void ik_screen_draw(struct ik_screen *screen, struct ik_cells *cells);

/* The parts of the screen that are read out in words; all are borrowed. */
struct ik_screen_parts {
	const struct ik_scrollback *scrollback;
	struct ik_rectangle welcome; /* as drawn last; no cells once there is a conversation */
	unsigned clears;             /* how often the scrollback was cleared */
	struct ik_layout layout;
	bool help_open;
	const struct ik_status_bar *bar;
	const struct ik_keymap *keymap;
	const struct ik_find *find; /* the search in front */
	const struct ik_prompt *prompt;
	const struct ik_activity *activity;
	const char *editing; /* vi's mode, or NULL */
	const char *flash;   /* the sentence over the editor, or NULL */
};
struct ik_screen_parts ik_screen_parts(const struct ik_screen *screen);

#endif
