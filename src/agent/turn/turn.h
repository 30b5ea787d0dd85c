/*
 * turn: the state machine of a conversation: it decides, and does nothing itself.
 *
 * Inputs go in (what the user typed, what the model streamed, what tools answered), effects come
 * out.  No I/O and no randomness, and the time stamp of a new message is never
 * read here.
 *
 *                 user            tools ready            stream ends, no calls
 *      IDLE ------------> WAITING -----------> STREAMING ---------------------> IDLE
 *                                                 ^ |
 *                                                 | | calls
 *                                                 | v
 *                                                RUNNING --cancel--> CANCELLING -> IDLE
 *
 * RUNNING, each call by itself, once its turn has come:
 *      judged --- allow --> waits for a place --> runs --> has its result
 *         |  +--- deny  --> has its result
 *         +------ ask   --> waits for the user, who allows or denies it
 * The calls of a reply take effect in the order in which the model wrote them. A call's
 * turn comes when all calls before it have their results; read-only neighbours take their
 * turn together. The same call for the fifth time in a row stops the round before any of its
 * calls is judged: the turn ends, or (ask_repeated) the user says whether it continues; a denial
 * of that call ends it.
 *
 * What it promises, after any inputs in any order:
 * - a message is appended before the effect that it announces: the user's
 *   before the request, a call before its run, its result before the next
 *   request;
 * - each tool_call is followed by exactly one tool_result when the turn ends.  Results are
 *   appended as they come, so that a crash loses none; requests are built in the order of the
 *   calls, by their ids;
 * - call ids are unique in the conversation, and every provider accepts the names;
 * - each turn begins with one TURN_STARTED and ends with one TURN_DONE;
 * - after a turn that failed or was cancelled, no queued message is sent before RELEASE: they
 *   were written for a turn that succeeds.
 *
 * Owns what has arrived of the reply, its calls, and the queue of messages.
 * May include: util, json, conversation, provider/wire/delta.h, tool/envelope.h.
 */
#ifndef IK_AGENT_TURN_TURN_H
#define IK_AGENT_TURN_TURN_H

#include "conversation/event.h"
#include "provider/wire/delta.h"

struct ik_turn;

/* What the turn wants done: its owner carries it out at once. */
enum ik_effect_kind {
	IK_EFFECT_APPEND,      /* store event's message, add it to the conversation, then tell event */
	IK_EFFECT_EMIT,        /* tell event */
	IK_EFFECT_REQUEST,     /* ask the model, again and again if it fails; forbid_calls: it may not
	                          call */
	IK_EFFECT_ABORT,       /* end that request, silently */
	IK_EFFECT_RUN,         /* tell event (IK_EVENT_TOOL_STARTED), then run that tool: call */
	IK_EFFECT_CANCEL_RUNS, /* end the runs; each still reports IK_INPUT_TOOL_DONE */
	IK_EFFECT_CLOSE_RUNS   /* drop the runs; none reports */
};

/* All is borrowed while it is carried out. */
struct ik_effect {
	enum ik_effect_kind kind;
	struct ik_event event; /* its round is that of every effect */
	int request;           /* number to give back with its inputs */
	bool forbid_calls;
	int call; /* number to give back with the envelope */
};

/* What the rules say about a call. */
enum ik_turn_verdict { IK_TURN_ALLOW, IK_TURN_ASK, IK_TURN_DENY };

struct ik_turn_options {
	int concurrency; /* read-only calls at once; at least 1 */
	/* Does the tool of that name change nothing? */
	bool (*is_read_only)(const void *arg, const char *name);
	/* May that tool be called with these arguments, as the model wrote them? is_asking: the user is
	 * being asked about this call. *ret_text may be set to new memory: of ASK, why; of DENY, the
	 * envelope's sentence. */
	enum ik_turn_verdict (*judge)(const void *arg, const char *name, struct ik_json_span arguments,
		bool is_asking, char **ret_text);
	/* Carry out what the turn has decided: it may ask the turn, but not step it. */
	void (*perform)(void *arg, const struct ik_effect *effect);
	void *arg;          /* of all three */
	int max_tool_turns; /* rounds with calls in a turn */
	bool ask_repeated;  /* ask the user whether a loop may continue, instead of ending it */
};

enum ik_turn_state {
	IK_TURN_IDLE,
	IK_TURN_WAITING,   /* for the tools */
	IK_TURN_STREAMING, /* a request is out */
	IK_TURN_RUNNING,   /* tools run */
	IK_TURN_CANCELLING /* tools were told to end */
};

enum ik_input_kind {
	IK_INPUT_USER,          /* message; queued unless IDLE with history and model known */
	IK_INPUT_UNQUEUE,       /* forget the newest queued message */
	IK_INPUT_RELEASE,       /* send the messages that are held */
	IK_INPUT_TOOLS,         /* ready: the tools are known (at first they are not) */
	IK_INPUT_HISTORY,       /* ready: older messages are loaded (at first they are) */
	IK_INPUT_MODEL,         /* ready: it is known which model to ask (at first it is); then
	                           success: it was switched as asked, else what is queued is held */
	IK_INPUT_DELTA,         /* request, delta */
	IK_INPUT_STREAM_END,    /* request: the reply is whole */
	IK_INPUT_STREAM_FAILED, /* request, code, text */
	IK_INPUT_RETRY,         /* the same, but it is sent again in delay_ms */
	IK_INPUT_ANSWER,      /* the user's, about a call that waits for it: call, success: it may run,
	                         else text: the envelope's sentence */
	IK_INPUT_JUDGE_AGAIN, /* rules have changed: judge the calls that wait again */
	IK_INPUT_TOOL_DONE,   /* call, text: envelope, success, duration_ms,
	                           truncated, whole */
	IK_INPUT_CANCEL       /* end the turn, and hold what is queued, also when no turn runs */
};

/* Texts are borrowed. */
struct ik_input {
	enum ik_input_kind kind;
	bool ready;
	int request; /* of IK_EFFECT_REQUEST: what comes too late is ignored */
	int call;    /* of IK_EFFECT_RUN, or ik_turn_asking(): likewise */
	const struct ik_delta *delta;
	const char *text;
	size_t text_length;
	struct ik_message *message; /* the user's; the turn takes a reference of its own */
	enum ik_error_code code;
	int64_t delay_ms;
	bool success;
	int64_t duration_ms;
	bool truncated;            /* the envelope was cut */
	struct ik_bytes *whole[2]; /* as in IK_EVENT_TOOL_DONE */
};

struct ik_turn *ik_turn_new(const struct ik_turn_options *options);
struct ik_turn *ik_turn_free(struct ik_turn *turn);

/* Process one input, never within another one. */
void ik_turn_step(struct ik_turn *turn, const struct ik_input *input);

/* Set what the model's tokens cost from now on; unknown at first. */
void ik_turn_set_price(struct ik_turn *turn, const struct ik_price *price);

/* No new call gets this id, which the loaded history uses. Takes NULL. */
void ik_turn_know_call(struct ik_turn *turn, const char *id);

enum ik_turn_state ik_turn_state(const struct ik_turn *turn);

/* Return the number of the call of that id that waits for the user; 0: none does. */
int ik_turn_asking(const struct ik_turn *turn, const char *id);

/* Messages that wait for the end of the turn, or are held. */
size_t ik_turn_queued(const struct ik_turn *turn);
bool ik_turn_holds(const struct ik_turn *turn);
/* Return what was typed of the one at an index, the oldest at 0; NULL past the newest. Borrowed
 * until the next step. Allocates no memory. */
const char *ik_turn_queued_at(const struct ik_turn *turn, size_t index, size_t *ret_length);

typedef void ik_turn_message_sink(void *arg, struct ik_message *message);
/* Return the message that is being appended; NULL: none is. */
struct ik_message *ik_turn_pending(const struct ik_turn *turn);
/* Report what has arrived of a reply so far: keep is called with each text or thinking of it, as
 * it would be appended if nothing more came, and with the id that it will have; valid in the
 * call. */
void ik_turn_partial_reply(const struct ik_turn *turn, ik_turn_message_sink *keep, void *arg);
/* Is there any such text? */
bool ik_turn_has_partial_reply(const struct ik_turn *turn);

#endif
