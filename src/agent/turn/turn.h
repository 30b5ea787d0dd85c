/*
 * turn: the state machine of a conversation. It makes decisions; its owner carries them out.
 *
 * Inputs go in (what the user typed, what the model streamed, what tools answered), effects come
 * out. It does no I/O, uses no randomness, and never reads the time stamp of a new message.
 *
 *                 user            tools ready            stream ends, no calls
 *      IDLE ------------> WAITING -----------> STREAMING ---------------------> IDLE
 *                                                 ^ |
 *                                                 | | calls
 *                                                 | v
 *                                                RUNNING --cancel--> CANCELLING -> IDLE
 *
 * RUNNING, for each call, when its turn comes:
 *      judged --- allow --> waits for a slot --> runs --> has its result
 *        ^ |  +-- deny  --> has its result
 *        | +----- ask   --> waits for the user, who allows or denies it
 *        +------- wait  --> waits for its ruling (hooks), then is judged with that
 * The calls of a reply take effect in the order in which the model wrote them. A call's
 * turn comes when all calls before it have their results; adjacent read-only calls run together.
 * The fifth identical call in a row stops the round before any of its calls is judged: the turn
 * ends, or (ask_repeated) the user decides whether it continues; denying that call ends it.
 *
 * Guarantees, for any inputs in any order:
 * - a message is appended before the effect that it causes: the user's before the request, a call
 *   before it runs, its result before the next request;
 * - each tool_call is followed by exactly one tool_result when the turn ends. Results are appended
 *   as they arrive, so that a crash loses none; requests order them like the calls, by id;
 * - call ids are unique in the conversation, and every provider accepts the names;
 * - each turn begins with one TURN_STARTED and ends with one TURN_DONE;
 * - after a turn that failed or was cancelled, no queued message is sent before RELEASE: they
 *   were written for a turn that succeeds.
 *
 * Owns the partial reply, its calls, and the queue of messages.
 * May include: util, json, conversation, provider/wire/delta.h, tool/envelope.h.
 */
#ifndef IK_AGENT_TURN_TURN_H
#define IK_AGENT_TURN_TURN_H

#include "conversation/attachment.h"
#include "conversation/event.h"
#include "provider/wire/delta.h"

struct ik_turn;

/* An action for the turn's owner, which carries it out at once. */
enum ik_effect_kind {
	IK_EFFECT_APPEND,      /* store event's message, add it to the conversation, then emit event */
	IK_EFFECT_EMIT,        /* emit event */
	IK_EFFECT_REQUEST,     /* send a request to the model, with retries; forbid_calls: without
	                          calls */
	IK_EFFECT_ABORT,       /* abort that request; it reports nothing more */
	IK_EFFECT_RUN,         /* emit event (IK_EVENT_TOOL_STARTED), then run the tool: call */
	IK_EFFECT_CANCEL_RUNS, /* cancel the runs; each still reports IK_INPUT_TOOL_DONE */
	IK_EFFECT_CLOSE_RUNS   /* drop the runs; they report nothing more */
};

/* Everything is borrowed during perform(). */
struct ik_effect {
	enum ik_effect_kind kind;
	struct ik_event event; /* its round is valid for every effect */
	int request;           /* number to return with its inputs */
	bool forbid_calls;
	int call; /* number to return with the envelope */
};

/* The verdict on a call. WAIT: IK_INPUT_RULING follows, and it is to be judged again then. */
enum ik_turn_verdict { IK_TURN_ALLOW, IK_TURN_ASK, IK_TURN_DENY, IK_TURN_WAIT };

/* A call to judge. */
struct ik_judged_call {
	int call;
	const char *id, *name;
	struct ik_json_span arguments; /* as the model wrote them */
	bool is_asking;                /* the user is already being asked about it */
};

struct ik_turn_options {
	int concurrency; /* limit on concurrent read-only calls; at least 1 */
	/* Is the tool called name read-only? */
	bool (*is_read_only)(const void *arg, const char *name);
	/* Return what a call does, in words, in new memory; arguments as the model wrote them. */
	char *(*call_line)(const void *arg, const char *name, const char *arguments, size_t length);
	/* Judge a call. *ret_text may be set to new memory: for ASK the reason, for DENY the envelope's
	 * sentence. */
	enum ik_turn_verdict (*judge)(void *arg, const struct ik_judged_call *call, char **ret_text);
	/* May the turn end, now that the reply is complete? Return false if that has to be ruled on first:
	 * IK_INPUT_RULING with call 0. again: a ruling has already continued the turn. NULL: always. */
	bool (*may_end)(void *arg, bool again);
	/* Read the text of the reply that would end the turn, and append what the turn is to yield. Return
	 * false and an error if the reply is not good: the model then gets one more try. NULL: any reply
	 * ends it. */
	bool (*read_output)(const void *arg, const char *text, size_t length, struct ik_buf *out,
		struct ik_error *error);
	/* Carry out an effect. May query the turn, but not step it. */
	void (*perform)(void *arg, const struct ik_effect *effect);
	void *arg;          /* argument of these functions */
	int max_tool_turns; /* limit on rounds with calls in a turn */
	bool ask_repeated;  /* ask the user whether a loop may continue, instead of ending it */
};

enum ik_turn_state {
	IK_TURN_IDLE,
	IK_TURN_WAITING,   /* waits for the tools */
	IK_TURN_STREAMING, /* a request is in progress */
	IK_TURN_RUNNING,   /* tools run */
	IK_TURN_ENDING,    /* waits for the ruling whether it may end */
	IK_TURN_CANCELLING /* tools were asked to stop */
};

enum ik_input_kind {
	IK_INPUT_USER,          /* message; queued unless IDLE with history and model known */
	IK_INPUT_UNQUEUE,       /* discard the newest queued message */
	IK_INPUT_RELEASE,       /* send the held messages; without any, try a failed turn again */
	IK_INPUT_TOOLS,         /* ready: the tools are known (initially they are not) */
	IK_INPUT_HISTORY,       /* ready: older messages are loaded (initially they are); then success:
	                           a summary has replaced them */
	IK_INPUT_MODEL,         /* ready: the model to use is known (initially it is); then success: it
	                           was switched as requested, else queued messages are held */
	IK_INPUT_DELTA,         /* request, delta */
	IK_INPUT_STREAM_END,    /* request: the reply is complete */
	IK_INPUT_STREAM_FAILED, /* request, code, text */
	IK_INPUT_RETRY,         /* as STREAM_FAILED, but the request is sent again in delay_ms:
	                           attempt, of attempts at most */
	IK_INPUT_FALLBACK,      /* as RETRY, but at once, by another model; text says which and why */
	IK_INPUT_ANSWER,  /* the user's answer about a waiting call: call, success: it may run, else
	                         text: the envelope's sentence */
	IK_INPUT_RULING,  /* call: judge it with what is known now; 0: the turn may end, or (text not
	                         empty) the model is to go on, for that reason */
	IK_INPUT_REFUSED, /* a message is not sent: text says why. Without a turn, this is one */
	IK_INPUT_JUDGE_AGAIN, /* the rules have changed: judge the waiting calls again */
	IK_INPUT_TOOL_DONE,   /* call, text: envelope, success, duration_ms,
	                           truncated, whole */
	IK_INPUT_CANCEL       /* end the turn, if one runs, and hold the queued messages */
};

/* Texts are borrowed. */
struct ik_input {
	enum ik_input_kind kind;
	bool ready;
	int request; /* of IK_EFFECT_REQUEST; inputs for an older one are ignored */
	int call;    /* of IK_EFFECT_RUN or ik_turn_asking(); likewise */
	const struct ik_delta *delta;
	const char *text;
	size_t text_length;
	struct ik_message *message; /* the user's; the turn adds its own reference */
	enum ik_error_code code;
	int64_t delay_ms;
	int attempt, attempts;
	bool success;
	int64_t duration_ms;
	bool truncated;                           /* the envelope was cut */
	struct ik_bytes *whole[2];                /* as in IK_EVENT_TOOL_DONE */
	const struct ik_attachments *attachments; /* files that the tool returned; may be NULL */
};

/* Return the event that tells of an IK_INPUT_RETRY; it borrows from that. */
struct ik_event ik_retry_event(const struct ik_input *input);

struct ik_turn *ik_turn_new(const struct ik_turn_options *options);
struct ik_turn *ik_turn_free(struct ik_turn *turn);

/* Process one input. Must not be called within another step. */
void ik_turn_step(struct ik_turn *turn, const struct ik_input *input);

/* Set the model's name, which is stored with the usage of a round, and the price of its tokens from
 * now on; initially unknown. */
void ik_turn_set_model(struct ik_turn *turn, const char *name, const struct ik_price *price);

/* Reserve an id that the loaded history uses: no new call gets it. Takes NULL. */
void ik_turn_know_call(struct ik_turn *turn, const char *id);

enum ik_turn_state ik_turn_state(const struct ik_turn *turn);

/* Return the number of the call with that id that waits for the user, or 0. */
int ik_turn_asking(const struct ik_turn *turn, const char *id);

/* Do messages wait for the end of the turn? Not those that are held. */
bool ik_turn_has_queued(const struct ik_turn *turn);
/* Return the text of the queued message at index (0: the oldest), or NULL past the newest. Borrowed
 * until the next step. Allocates no memory. */
const char *ik_turn_queued_at(const struct ik_turn *turn, size_t index, size_t *ret_length);

typedef void ik_turn_message_sink(void *arg, struct ik_message *message);
/* Return the message that is being appended, or NULL. */
struct ik_message *ik_turn_pending(const struct ik_turn *turn);
/* Call keep with a message for each part of text or thinking that has arrived, as it would be
 * appended if nothing more came, with its final id. The message is valid during the call. */
void ik_turn_partial_reply(const struct ik_turn *turn, ik_turn_message_sink *keep, void *arg);
/* Has any such part arrived? */
bool ik_turn_has_partial_reply(const struct ik_turn *turn);

#endif
