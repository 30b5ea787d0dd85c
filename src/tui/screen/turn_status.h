/*
 * turn_status: what the session is doing, and since when: a turn, a wait, a
 * retry that is due, calls that run.
 *
 * Borrows the calls.  May include: util, tui/scrollback, tui/pane.
 */
#ifndef IK_TUI_SCREEN_TURN_STATUS_H
#define IK_TUI_SCREEN_TURN_STATUS_H

#include "tui/pane/status_bar.h"
#include "tui/scrollback/calls.h"

struct ik_turn_status {
	const struct ik_calls *calls;
	int64_t now_ms; /* of the last tick */
	bool running;
	bool unstarted;    /* the next tick is its start */
	bool waiting;      /* for the tools, or for a session to be read; also without a turn */
	char *waiting_for; /* in words; NULL: for the tools */
	int64_t started_ms;
	int64_t retry_ms;    /* asked for, until the next tick; else IK_NO_RETRY */
	int64_t retry_at_ms; /* IK_NO_RETRY: none is due */
	char *retry_reason;
};
#define IK_NO_RETRY INT64_C(-1)

void ik_turn_status_init(struct ik_turn_status *status, const struct ik_calls *calls);
void ik_turn_status_done(struct ik_turn_status *status);

/* A turn starts; the model answers; the turn ends. */
void ik_turn_status_start(struct ik_turn_status *status);
void ik_turn_status_answer(struct ik_turn_status *status);
void ik_turn_status_end(struct ik_turn_status *status);
/* Something waits (what: taken over), or no longer does. */
void ik_turn_status_wait(struct ik_turn_status *status, bool waiting, char *what);
/* A retry is due in that time; reason is taken over. */
void ik_turn_status_retry(struct ik_turn_status *status, int64_t milliseconds, char *reason);

/* Is there anything that a cancel ends: a turn, a wait, a call of the user's own? */
bool ik_turn_status_busy(const struct ik_turn_status *status);
/* Why a retry is due; NULL: none is. */
const char *ik_turn_status_retry_reason(const struct ik_turn_status *status);
/* The oldest of the calls that run, or NULL. */
const struct ik_shown_call *ik_turn_status_call(const struct ik_turn_status *status);

/* The time has passed; true: a retry is over. */
bool ik_turn_status_tick(struct ik_turn_status *status, int64_t now_ms);
/* What is going on, but for questions, and the second to be shown. */
enum ik_activity ik_turn_status_activity(const struct ik_turn_status *status, int64_t *ret_second);
/* Milliseconds until that second changes; -1: it does not. */
int64_t ik_turn_status_next_second(const struct ik_turn_status *status);

#endif
