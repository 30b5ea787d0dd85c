/*
 * event: what a session tells whoever shows it, one closed list.
 *
 * The agent emits, the app hands on to the screen or to the printer of `exec`.
 * Pointers are valid during the call only; texts are as they came from the
 * outside (not sanitised), with their lengths.
 *
 * May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_EVENT_H
#define IK_CONVERSATION_EVENT_H

#include "conversation/message.h"

enum ik_event_kind {
	IK_EVENT_SESSION,      /* text: session id; name: provider; detail: model */
	IK_EVENT_MESSAGE,      /* message: one that is complete and stored (user, command,
	                          notice, assistant, thinking, tool_call, tool_result, usage) */
	IK_EVENT_TURN_STARTED,
	IK_EVENT_WAITING,      /* for the tool scan; text says so */
	IK_EVENT_ROUND_STARTED,
	IK_EVENT_TEXT,         /* text: a piece of the reply */
	IK_EVENT_THINKING,     /* text: a piece */
	IK_EVENT_CALL_PROGRESS,/* id, name; text: all arguments so far */
	IK_EVENT_TOOL_STARTED, /* id, name; text: arguments */
	IK_EVENT_TOOL_OUTPUT,  /* id; number: 0 stdout, 1 stderr; text: a piece */
	IK_EVENT_TOOL_DONE,    /* id, name; text: envelope; number: duration ms;
	                          full: the tool's whole stdout where the envelope was cut */
	IK_EVENT_USAGE,        /* usage */
	IK_EVENT_NOTICE,       /* text: a sentence */
	IK_EVENT_ERROR,        /* name: code (AUTH, CONNECT, ...); text: a sentence */
	IK_EVENT_RETRY,        /* number: ms until the next try; text: why */
	IK_EVENT_QUEUED,       /* number: messages that wait for the end of the turn; text: the newest */
	IK_EVENT_STORE,        /* number: events not yet stored; text: why, or "" when all is well */
	IK_EVENT_TURN_DONE     /* name: stop reason: end, length, refused, limit, repeated,
	                          cancelled, error */
};

struct ik_usage {
	int64_t input_tokens;
	int64_t output_tokens;
	int64_t cached_tokens;
	int64_t reasoning_tokens;
};

struct ik_event {
	enum ik_event_kind kind;
	int round;                  /* 1, 2, ...; 0: of no round */
	const char *id;
	const char *name;
	const char *detail;
	const char *text;
	size_t text_length;
	const char *full;
	size_t full_length;
	int64_t number;
	struct ik_usage usage;
	struct ik_message *message; /* take a reference to keep it */
};

typedef void ik_event_sink(void *arg, const struct ik_event *event);

#endif
