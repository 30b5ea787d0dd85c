/*
 * event: what a session tells whoever shows it, one closed list.
 *
 * The agent emits, the app hands on to the screen or to the printer of `exec`.
 * Pointers are valid during the call only; texts are as they came from the
 * outside (not sanitised), with their lengths.
 *
 * Nothing is told twice.  Live, a stored notice is told by NOTICE or ERROR and
 * stored usage by USAGE, with message set; the other kinds by MESSAGE when they
 * are complete (a reply's after its TEXT pieces, a tool_call's before
 * TOOL_STARTED, a tool_result's before TOOL_DONE; id joins the pairs).  Every
 * call gets one TOOL_DONE, also one that was never run and so has no
 * TOOL_STARTED.  What was stored earlier comes by MESSAGE and OLDER, all kinds.
 *
 * May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_EVENT_H
#define IK_CONVERSATION_EVENT_H

#include "conversation/usage.h"
#include "util/bytes.h"

/* Why a turn has ended. */
enum ik_turn_stop {
	IK_TURN_STOP_END, /* the model has finished */
	IK_TURN_STOP_LENGTH,
	IK_TURN_STOP_REFUSED,
	IK_TURN_STOP_LIMIT,    /* of rounds with calls */
	IK_TURN_STOP_REPEATED, /* the same call again and again */
	IK_TURN_STOP_CANCELLED,
	IK_TURN_STOP_ERROR
};

/* What kind of error ended or delayed a request, or kept a turn from starting. */
enum ik_error_code {
	IK_CODE_NONE,
	IK_CODE_AUTH,
	IK_CODE_RATE_LIMIT,
	IK_CODE_CONTEXT, /* the conversation is too long for the model */
	IK_CODE_PROVIDER,
	IK_CODE_BAD_RESPONSE,
	IK_CODE_CONNECT,
	IK_CODE_TLS,
	IK_CODE_TIMEOUT,
	IK_CODE_CONFIG,
	IK_CODE_STORE
};

/* What keeps events from being stored, or reads from being answered. */
enum ik_store_trouble {
	IK_STORE_FINE,
	IK_STORE_AWAY,   /* a server that cannot be reached, or is too slow */
	IK_STORE_IN_USE, /* another program uses an embedded database */
	IK_STORE_REFUSES /* it cannot be written (disk, permissions, a standby), or used at all */
};

/* What has changed about who may write to the session (store/lock.h). */
enum ik_lock_change {
	IK_LOCK_CHANGE_OURS,
	IK_LOCK_CHANGE_OTHERS,
	IK_LOCK_CHANGE_FREE,
	IK_LOCK_CHANGE_ASKED,   /* another process asks for the session; */
	IK_LOCK_CHANGE_UNASKED, /* it no longer does */
	IK_LOCK_CHANGE_REFUSED  /* the other process keeps the session that was asked for */
};

enum ik_event_kind {
	IK_EVENT_SESSION, /* text: session id; name: provider; detail: model */
	IK_EVENT_MESSAGE, /* message: one that is complete and stored (user, command,
	                          notice, assistant, thinking, tool_call, tool_result, usage) */
	IK_EVENT_OLDER,   /* older: number messages that come before all told so far, in
	                          their order (restoring a session) */
	IK_EVENT_TURN_STARTED,
	IK_EVENT_WAITING, /* for the tool scan and the like; text says so. "": no longer */
	IK_EVENT_ROUND_STARTED,
	IK_EVENT_TEXT,          /* text: a piece of the reply */
	IK_EVENT_THINKING,      /* text: a piece */
	IK_EVENT_CALL_PROGRESS, /* id, name; text: all arguments so far */
	IK_EVENT_ASKING,        /* the call waits for the person: id, name; text: arguments;
	                          detail: why, in words; number: 1 when the question is whether
	                          the turn is to go on at all, which a denial ends */
	IK_EVENT_ASKED,         /* id, name: it does not any more */
	IK_EVENT_TOOL_STARTED,  /* id, name; text: arguments */
	IK_EVENT_TOOL_OUTPUT,   /* id; number: 0 stdout, 1 stderr; text: a piece */
	IK_EVENT_TOOL_DONE,     /* id, name; text: envelope; number: duration ms;
	                          whole: what the tool printed where the envelope was cut, and
	                          its stderr in any case; message: the command that is stored of
	                          an own call */
	IK_EVENT_USAGE,         /* usage */
	IK_EVENT_CONTEXT,       /* number: how much of the model's context window is in use, in
	                          percent; -1: not known */
	IK_EVENT_NOTICE,        /* text: a sentence */
	IK_EVENT_ERROR,         /* code; text: a sentence */
	IK_EVENT_RETRY,         /* number: ms until the next try; code, text: why */
	IK_EVENT_QUEUED,        /* number: messages that wait for the end of the turn; text: the
	                          beginning of each, one a line, the oldest first; held: they
	                          do not go out before the user says so */
	IK_EVENT_STORE,         /* number: events not yet stored; trouble, and text: why, or "" when all
	                          is well */
	IK_EVENT_LOCK,          /* lock: what has changed; text: who has the session, or asks for it */
	IK_EVENT_TURN_DONE      /* stop */
};

struct ik_event {
	enum ik_event_kind kind;
	int round; /* 1, 2, ...; 0: of no round */
	const char *id;
	const char *name;
	const char *detail;
	const char *text;
	size_t text_length;
	struct ik_bytes *whole[2]; /* stdout, stderr; NULL: nothing. As message */
	int64_t number;
	enum ik_turn_stop stop;
	enum ik_error_code code;
	enum ik_store_trouble trouble;
	enum ik_lock_change lock;
	bool held;
	struct ik_usage usage;
	struct ik_message *message;      /* take a reference to keep it */
	struct ik_message *const *older; /* number of them; references as above */
};

/* The words for them outside of the program: in exec's JSON and in data_json. */
const char *ik_turn_stop_word(enum ik_turn_stop stop);
const char *ik_error_code_word(enum ik_error_code code);

typedef void ik_event_sink(void *arg, const struct ik_event *event);

#endif
