/*
 * activity: what the session is doing, in the rows above the prompt: what is at work and for how
 * long, why a request is sent again, and the messages that wait.
 *
 * It gets the session's events and the time, and says when its rows change next: four times a
 * second while something is at work, else never. Other modules only read its members.
 *
 * May include: util, conversation/event.h, tui/edit/keymap.h, tui/scrollback/calls.h, tui/term,
 * tui/text.
 */
#ifndef IK_TUI_SCREEN_ACTIVITY_H
#define IK_TUI_SCREEN_ACTIVITY_H

#include "conversation/event.h"
#include "tui/edit/keymap.h"
#include "tui/scrollback/calls.h"
#include "tui/term/cells.h"

enum ik_phase {
	IK_PHASE_IDLE,
	IK_PHASE_LOADING,  /* waits for tools, a stored session or a summary */
	IK_PHASE_REQUEST,  /* waits for the model's first words */
	IK_PHASE_THINKING, /* the model */
	IK_PHASE_WRITING,  /* the model: a reply or a call */
	IK_PHASE_RUNNING,  /* calls */
	IK_PHASE_RETRY,    /* counts down */
	IK_PHASE_ASKING    /* waits for the user's answer */
};

struct ik_activity {
	const struct ik_calls *calls; /* borrowed */
	const struct ik_keymap *keymap;
	enum ik_phase phase; /* as of the last tick */
	int64_t since_ms;    /* when that began */
	int64_t now_ms;      /* the last tick */
	int64_t drawn_step;  /* of the mark */

	bool turn;         /* a turn runs */
	bool failed;       /* the last one failed and can be tried again */
	bool loading;      /* also without a turn */
	char *loading_for; /* in words; NULL means the tools */
	enum ik_phase model;
	char *search; /* what the provider searches the web for; "": not known yet; NULL: it does not */
	int64_t input_tokens, output_tokens; /* of this turn */

	int64_t retry_ms;    /* delay of a new retry, until the next tick; else -1 */
	int64_t retry_at_ms; /* time of the retry, or -1 */
	int attempt, attempts;
	char *reason;

	char *queued; /* the queued messages, one a line; NULL for none */
	size_t queued_count;
	bool held; /* they wait until the user sends them */
};

struct ik_activity *ik_activity_new(const struct ik_calls *calls, const struct ik_keymap *keymap);
struct ik_activity *ik_activity_free(struct ik_activity *activity);

/* Forget all, for another session. */
void ik_activity_clear(struct ik_activity *activity);

void ik_activity_apply(struct ik_activity *activity, const struct ik_event *event);

/* Is there anything to stop: a turn, a wait, or the user's own call? */
bool ik_activity_is_busy(const struct ik_activity *activity);

/* Set the time, in monotonic milliseconds; asking: a question waits. Return whether the rows look
 * different now. */
bool ik_activity_tick(struct ik_activity *activity, int64_t now_ms, bool asking);
/* Return the number of milliseconds until the rows change, or -1 for never. */
int64_t ik_activity_next(const struct ik_activity *activity);

/* What else decides what the rows say. */
struct ik_activity_view {
	const char *model;   /* its name */
	enum ik_action stop; /* the action that stops the work from where the focus is */
	bool prompt;         /* the prompt has focus and is empty: keys act on what waits */
};

/* Return the number of rows, at most `most`; draw them. */
int ik_activity_rows(const struct ik_activity *activity, int columns, int most);
void ik_activity_draw(struct ik_activity *activity, const struct ik_activity_view *view,
	struct ik_cells *cells, struct ik_rectangle area);

#endif
