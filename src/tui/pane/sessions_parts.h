/*
 * sessions_parts: the state of the sessions' pane, shared by the files that are it:
 * pane_sessions.c (state and keys) and sessions_draw.c (how it looks).
 */
#ifndef IK_TUI_PANE_SESSIONS_PARTS_H
#define IK_TUI_PANE_SESSIONS_PARTS_H

#include "tui/pane/list_pane.h"
#include "tui/pane/pane_sessions.h"

struct ik_sessions {
	struct ik_list_pane list;
	const struct ik_sessions_source *source;
	void *source_arg;

	struct ik_session_row *rows; /* their texts are owned here; list.pane.count of them */
	size_t capacity;
	bool all;       /* there are no more */
	bool reading;   /* a page is on its way, */
	bool anew;      /* in place of all rows */
	char *problem;  /* why there is no page; NULL */
	int64_t now_ms; /* when the last one came */

	bool said;   /* places where the words were said, not sessions */
	int percent; /* of all that was said, looked through for them */

	bool picking; /* while the filter is written, Enter takes one and Esc leaves */

	bool here; /* only those of this directory */
	char running[IK_UUID_TEXT];

	char ended[IK_UUID_TEXT]; /* whose end was asked for, or is shown, */
	int64_t ended_at;         /* up to which event */
};

/* Is one chosen while the filter is written? */
bool ik_sessions_picks(const struct ik_sessions *sessions);
/* Ask for what is to be seen and is not there yet. */
void ik_sessions_want(struct ik_sessions *sessions);

bool ik_sessions_draw(struct ik_pane *pane, struct ik_cells *cells, struct ik_rectangle area,
	bool focus, const struct ik_status_bar *bar, int *ret_cursor_row, int *ret_cursor_column);

#endif
