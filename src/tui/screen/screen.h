/*
 * screen: all that a user sees: scrollback, inspector, browser, editor,
 * status bar, help, questions; which of them are shown where, and which has the
 * keys.
 *
 * Told of events and keys, it changes its state and says what must happen; it
 * draws only when asked to, into cells.  It knows no loop, no store, no
 * provider, no agent: the app joins them.
 *
 * May include: util, json, config, conversation, tool/registry.h,
 * tool/envelope.h, tui.
 */
#ifndef IK_TUI_SCREEN_SCREEN_H
#define IK_TUI_SCREEN_SCREEN_H

#include "conversation/event.h"
#include "tool/registry.h"
#include "tui/pane/pane_browser.h"
#include "tui/pane/pane_picker.h"
#include "tui/pane/pane_sessions.h"
#include "tui/pane/status_bar.h"
#include "tui/screen/dialog.h"
#include "tui/screen/find.h"
#include "tui/screen/prompt.h"
#include "tui/term/cells.h"
#include "tui/term/input.h"

struct ik_screen;

#define IK_LEAST_ROWS 10
#define IK_LEAST_COLUMNS 40
#define IK_WIDE_COLUMNS 100 /* from here on a pane is beside the scrollback */

/* Which part is where. What has no room has no cells. */
struct ik_layout {
	bool too_small;                 /* one sentence instead of all this */
	struct ik_rectangle scrollback; /* no cells while a pane takes its place */
	struct ik_rectangle divider;    /* the column between scrollback and pane */
	struct ik_rectangle pane;       /* no cells without a pane */
	struct ik_rectangle dialog;     /* no cells without a question */
	struct ik_rectangle queue;      /* no cells unless messages wait */
	struct ik_rectangle rule;       /* the row over the editor */
	struct ik_rectangle editor;
	struct ik_rectangle status;
};

/* Is the inspector there without being asked for? Never in place of the conversation. */
enum ik_inspector_wish {
	IK_INSPECTOR_AUTO, /* with the first call, on a screen of 160 columns */
	IK_INSPECTOR_OPEN, /* from the start, on one of 100 */
	IK_INSPECTOR_CLOSED
};

struct ik_screen_options {
	const char *history_path; /* NULL: none */
	size_t history_bytes;     /* at most */
	const char *provider, *model;
	enum ik_inspector_wish inspector;
	bool markdown;      /* show replies as Markdown */
	bool hide_thinking; /* what a model thinks is not shown at all */
	bool preselect;     /* Enter accepts the first of the candidates that come by themselves */
	size_t tool_lines;  /* of the outcome of a folded call that are shown */
	ik_blob_reader *read_blob; /* the stored outputs of calls; NULL: there are none */
	void *read_arg;
	const struct ik_tool_forms *tool_forms; /* how providers are told of tools; or NULL */
	void *tool_forms_arg;
	const struct ik_sessions_source *sessions; /* the stored sessions; or NULL */
	void *sessions_arg;
	const char *commands; /* for the help: one command a line, made for people; NULL: none */
	const char *keys;     /* JSON for ik_keymap_read(); NULL: as delivered */
};

struct ik_screen *ik_screen_new(const struct ik_screen_options *options);
struct ik_screen *ik_screen_free(struct ik_screen *screen);

/* How words are completed (tui/screen/prompt.h). */
void ik_screen_on_complete(struct ik_screen *screen, ik_completer *completer, void *arg);
/* It would say something else now: it is asked again. */
void ik_screen_candidates_changed(struct ik_screen *screen);

/* A key; the screen was told the time just before. */
struct ik_invocation ik_screen_key(struct ik_screen *screen, const struct ik_key *key);

/* Something happened in the session. */
void ik_screen_apply(struct ik_screen *screen, const struct ik_event *event);

/* The scan: state, how far. Registry: a reference is taken. */
void ik_screen_set_scan(struct ik_screen *screen, enum ik_scan_state state, size_t done,
	size_t total);
void ik_screen_set_registry(struct ik_screen *screen, struct ik_registry *registry);
/* "memory": nothing is stored, so that large outputs stay here. */
void ik_screen_set_store(struct ik_screen *screen, const char *name);

/* What the status bar shows, for the program to change: the mode and what holds tools back (texts
 * that stay), processes in the background, whether wheel and clicks are left to the terminal, the
 * conversations. A change is drawn. */
struct ik_status_bar *ik_screen_bar(struct ik_screen *screen);

/*
 * Ask the user (tui/screen/dialog.h); all is copied. Returns the question's id, which
 * comes back with IK_ACTION_ANSWER. Questions are shown one after the other. One
 * that finds the user writing, looking for something, or in a pane, stays aside, one
 * row over the editor, until F6; the draft stays as it is in any case.
 */
int ik_screen_ask(struct ik_screen *screen, const struct ik_question *question);
/* The question needs no answer any more. */
void ik_screen_withdraw(struct ik_screen *screen, int question);

/* A part of a stored output that was on its way (ik_blob_reader) is there. */
void ik_screen_blob_arrived(struct ik_screen *screen);

/* The pane of stored sessions, which is to be told something, and drawn again; the same, opened
 * in place of what is at the side. */
struct ik_sessions *ik_screen_sessions(struct ik_screen *screen);
struct ik_sessions *ik_screen_open_sessions(struct ik_screen *screen);
/* The one that runs has changed; its title comes with its messages. */
void ik_screen_session_runs(struct ik_screen *screen, const char *id);
/* The event of the session to go on with, or of the one that runs, which the user wants to
 * see; 0: none. It is shown once its message is told, or by ik_screen_show_place() at once. */
int64_t ik_screen_wanted_place(const struct ik_screen *screen);
void ik_screen_show_place(struct ik_screen *screen, const struct ik_message *message);
/* It is another screen's: that of the agent that has the session. */
void ik_screen_move_place(struct ik_screen *screen, struct ik_screen *from);
/* Let the user choose one of a list (tui/pane/pane_picker.h), whose picks are taken over: its line
 * comes back as IK_ACTION_SEND. again: the same list as it is now, where it is open. */
void ik_screen_pick(struct ik_screen *screen, const struct ik_pick_list *list, bool again);
bool ik_screen_picks(const struct ik_screen *screen);

/* The editor has focus again. */
void ik_screen_go_to_editor(struct ik_screen *screen);

/* The conversation and the editor are to be seen. */
void ik_screen_close_side(struct ik_screen *screen);
/* The same only where a side pane covers the conversation. */
void ik_screen_uncover(struct ik_screen *screen);

/* Say something in the line over the editor until the next key. Copied; NULL: say nothing more. */
void ik_screen_flash(struct ik_screen *screen, const char *sentence);

/* Empty the scrollback (what it showed is still stored). */
void ik_screen_clear(struct ik_screen *screen);

/* The same for another session: what was counted begins anew, too. */
void ik_screen_begin(struct ik_screen *screen);

/* What is in the editor, to be kept over the end of the program, and back. */
const char *ik_screen_draft(const struct ik_screen *screen, size_t *ret_length);
void ik_screen_set_draft(struct ik_screen *screen, const char *text, size_t length);

/* The time for what shows time (a running turn); milliseconds, monotonic.
 * Returns in how many milliseconds it wants to be told again, -1: never. */
int64_t ik_screen_tick(struct ik_screen *screen, int64_t now_ms);

void ik_screen_resize(struct ik_screen *screen, int rows, int columns);

/* Draw again, though nothing here has changed: what is drawn with has. */
void ik_screen_touch(struct ik_screen *screen);

/* Has anything changed since the last draw? */
bool ik_screen_dirty(const struct ik_screen *screen);

/* Draw all; cells has the size of the last resize. */
void ik_screen_draw(struct ik_screen *screen, struct ik_cells *cells);

/* What there is to tell of the screen in words; all is borrowed. */
struct ik_screen_parts {
	const struct ik_scrollback *scrollback;
	const struct ik_block *welcome; /* the only block, or NULL */
	unsigned clears;                /* how often the scrollback was emptied */
	struct ik_layout layout;
	bool help_open, side_open;
	const struct ik_status_bar *bar;
	const struct ik_keymap *keymap;
	const struct ik_find *find; /* the search in what is in front */
	const struct ik_prompt *prompt;
	bool held; /* queued messages wait for the user */
};
struct ik_screen_parts ik_screen_parts(const struct ik_screen *screen);

#endif
