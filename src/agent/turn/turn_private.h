/*
 * turn_private: what the files of the state machine share.
 *
 * turn.c takes the inputs and changes the state; turn_calls.c sees to calls
 * and their results; turn_effects.c collects what is to be done; turn_rescue.c says what is
 * not stored yet when memory is gone.
 *
 * May include: what turn.h may.
 */
#ifndef IK_AGENT_TURN_TURN_PRIVATE_H
#define IK_AGENT_TURN_TURN_PRIVATE_H

#include "agent/reply.h"
#include "agent/turn/turn.h"
#include "tool/envelope.h"

/* A message that waits for the end of the turn. */
struct ik_queued {
	struct ik_queued *next;
	struct ik_buf text;
	struct ik_buf data; /* of the message; empty: none */
};

struct ik_turn {
	struct ik_turn_options options;
	struct ik_price price;
	enum ik_turn_state state;
	bool stepping;
	bool tools_ready;
	bool history_loading;
	bool model_unknown;

	struct ik_queued *queue, **queue_end;
	size_t queue_count;
	bool held;                 /* what is queued waits for the user */
	struct ik_buf queue_lines; /* of the last IK_EVENT_QUEUED */

	struct ik_call_ids ids;
	int next_call; /* numbers of calls and requests in the session */
	int request;

	/* Of the turn. */
	int round;
	int tool_rounds; /* rounds with calls so far */
	int continued;   /* requests for the rest of a reply that was cut, in a row */
	int attempts;    /* tries of this round after the first */
	bool forbidden;  /* the request that is out forbids calls */
	char *last_name; /* the call before, and how often it came running */
	struct ik_buf last_arguments;
	int repeated;
	struct ik_part *circling; /* that call: no call of its round is judged before the person
	                             has said whether to go on; NULL: none */
	bool stopped;             /* the person said no */

	struct ik_reply reply;
	size_t running;

	/* Effects of the last step, and parts that only they still use. */
	struct ik_effect *effects;
	size_t effect_count, effect_capacity;
	struct ik_part *dead;
};

/* ---- turn_effects.c ---- */

/* A new effect; the pointer holds until the next one is added, as those of
 * the two below. */
struct ik_effect *ik_turn_add_effect(struct ik_turn *turn, enum ik_effect_kind kind);
/* Tell an event of the present round. */
struct ik_event *ik_turn_emit(struct ik_turn *turn, enum ik_event_kind kind);
/* Store a message (the reference is taken over) and tell it as kind. */
struct ik_event *ik_turn_append(struct ik_turn *turn, struct ik_message *message,
	enum ik_event_kind kind);
/* Tell a static sentence. */
void ik_turn_emit_text(struct ik_turn *turn, enum ik_event_kind kind, const char *text);
/* Store and tell a notice; an error. */
void ik_turn_append_notice(struct ik_turn *turn, const char *sentence);
void ik_turn_append_error(struct ik_turn *turn, enum ik_error_code code, const char *sentence,
	size_t length);

/* ---- turn_calls.c ---- */

/* Give every call that does not run (running: every one that does) a failure as
 * its result; what says what became of the tool ("was cancelled"). */
void ik_turn_fail_calls(struct ik_turn *turn, bool running, enum ik_tool_failure failure,
	const char *what);

/* The reply is whole and has calls: have them judged. False when the turn is over instead,
 * with *ret_stop; every call has its result then. */
bool ik_turn_begin_calls(struct ik_turn *turn, enum ik_turn_stop *ret_stop);

/* A call was judged, by the rules or by the person. False when this is nothing
 * to the present turn. */
bool ik_turn_take_verdict(struct ik_turn *turn, const struct ik_input *input);

/* Have all calls judged that wait for the person or for their turn. */
void ik_turn_judge_again(struct ik_turn *turn);

/* A run has ended: note its result, start what may run now. False when this
 * is nothing to the present turn. */
bool ik_turn_end_call(struct ik_turn *turn, const struct ik_input *input);

/* Does any call of the round still wait or run? */
bool ik_turn_has_open_calls(const struct ik_turn *turn);

#endif
