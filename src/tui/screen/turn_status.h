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

struct ik_turn_status;

struct ik_turn_status *ik_turn_status_new(const struct ik_calls *calls);
struct ik_turn_status *ik_turn_status_free(struct ik_turn_status *status);

/* A turn starts; the model answers; the turn ends. */
void ik_turn_status_start(struct ik_turn_status *status);
void ik_turn_status_answer(struct ik_turn_status *status);
void ik_turn_status_end(struct ik_turn_status *status);
/* Something waits (what: in words, taken over; NULL: for the tools), or no longer does. */
void ik_turn_status_wait(struct ik_turn_status *status, bool waiting, char *what);
void ik_turn_status_stop_waiting(struct ik_turn_status *status);
/* A retry is due in that time; reason is taken over. */
void ik_turn_status_retry(struct ik_turn_status *status, int64_t milliseconds, char *reason);

/* Is there anything that a cancel ends: a turn, a wait, a call of the user's own? */
bool ik_turn_status_busy(const struct ik_turn_status *status);
const char *ik_turn_status_waiting_for(const struct ik_turn_status *status);
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
