/*
 * status_bar: the last line of the screen.
 *
 * Pure: state goes in, cells come out.  On a narrow screen the least important
 * parts are dropped first.  May include: util, conversation/event.h,
 * conversation/usage.h, tool/registry.h, tui/pane, tui/term, tui/text.
 */
#ifndef IK_TUI_PANE_STATUS_BAR_H
#define IK_TUI_PANE_STATUS_BAR_H

#include "conversation/event.h"
#include "conversation/usage.h"
#include "tool/registry.h"
#include "tui/term/cells.h"
#include "tui/text/progress.h"
#include "util/buf.h"

/*
 * The program's conversations are shown as a short text, "[1] 2◐12s 3?", with the current one
 * in brackets. The sign after a number is its state: working, and for how long; "?" waits for
 * the user; "!" failed; "*" has unread output.  If there is less room, only counts are shown:
 * "[1/3] ◐1 ?1".
 */
#define IK_AGENTS_MOST 32 /* limit of conversations in one program */

enum ik_agent_state {
	IK_AGENT_IDLE,
	IK_AGENT_WORKING,
	IK_AGENT_ASKING, /* a call waits for the user */
	IK_AGENT_FAILED, /* its last turn */
	IK_AGENT_UNREAD, /* ended while another was shown */
	IK_AGENT_STATE_COUNT
};

struct ik_agent_mark {
	int number; /* from 1 */
	enum ik_agent_state state;
	bool shown;
	int64_t started_ms; /* start of the running turn, monotonic; 0: none */
};

struct ik_status_bar {
	enum ik_scan_state scan;
	size_t scan_done, scan_total;
	size_t tools, tools_failed;
	const char *provider, *model;
	struct ik_usage usage; /* of the session; cost -1: unknown */
	int context;           /* percent of the model's window in use; -1: unknown */
	const char *session;   /* its title; NULL: not known */
	const char
		*own; /* the user's line in place of model, context, cost, tokens and session; NULL: none */
	bool own_failed;
	int64_t store_waiting;               /* events not yet written */
	enum ik_store_trouble store_trouble; /* why they are not */
	struct ik_progress work;             /* of the store */
	const char *mode;                    /* of the policy; NULL: not shown */
	bool mode_strong;
	const char *sandbox; /* what confines tools; NULL: not shown */
	bool sandbox_trouble;
	bool mouse_off;                              /* the terminal handles wheel and clicks */
	int background;                              /* processes */
	struct ik_agent_mark agents[IK_AGENTS_MOST]; /* all conversations of the program */
	size_t agent_count;                          /* 0: only one */
	int64_t now_ms;                              /* current time for their durations, monotonic */
	const char *keys; /* at the right: "F1 help  F3 calls", the most useful first; NULL: none */
	const char *hint; /* shown instead of the keys: "Press Ctrl-C again to quit" */
};

void ik_status_bar_draw(const struct ik_status_bar *bar, struct ik_cells *cells,
	struct ik_rectangle area);

/* Is there a conversation to switch to at a column? *ret_number is its number, or 0 for the
 * next. */
bool ik_status_bar_agent_at(const struct ik_status_bar *bar, struct ik_rectangle area, int column,
	int *ret_number);

/* Return the milliseconds until a displayed time changes, or -1 if none is displayed. */
int64_t ik_status_bar_next(const struct ik_status_bar *bar, int64_t now_ms);

/* Append the state of the scan: "● 12 tools, 1 failed". */
void ik_scan_put(struct ik_buf *out, const struct ik_status_bar *bar);

#endif
