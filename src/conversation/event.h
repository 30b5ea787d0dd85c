/*
 * event: what a session reports to its front end, as one closed list.
 *
 * The agent emits events; the chat passes them to the screen, `exec` to its printer. Pointers are
 * only valid during the call. Texts arrive as received (not sanitised), with their lengths.
 *
 * Nothing is reported twice. During a turn, NOTICE or ERROR reports a stored notice and USAGE
 * stored usage, with message set. MESSAGE reports every other kind once it is complete: a reply
 * after its TEXT pieces, a tool_call before TOOL_STARTED, a tool_result before TOOL_DONE; id joins
 * the pairs. Every call gets one TOOL_DONE, even if it was never run and so had no TOOL_STARTED.
 * Everything stored earlier arrives by MESSAGE and OLDER, whatever its kind.
 *
 * May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_EVENT_H
#define IK_CONVERSATION_EVENT_H

#include "conversation/usage.h"
#include "util/bytes.h"

/* Why a turn ended. */
enum ik_turn_stop {
	IK_TURN_STOP_END, /* the model has finished */
	IK_TURN_STOP_LENGTH,
	IK_TURN_STOP_REFUSED,
	IK_TURN_STOP_LIMIT,    /* too many rounds with calls */
	IK_TURN_STOP_REPEATED, /* the model repeats the same call */
	IK_TURN_STOP_CANCELLED,
	IK_TURN_STOP_ERROR
};

/* Why a request failed or is delayed, or a turn could not start. */
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

/* Why events cannot be stored or reads answered. */
enum ik_store_trouble {
	IK_STORE_FINE,
	IK_STORE_AWAY,   /* the server is unreachable or too slow */
	IK_STORE_IN_USE, /* another program is using an embedded database */
	IK_STORE_REFUSES /* not writable (disk, permissions, a standby) or not usable at all */
};

/* How the right to write to the session has changed (store/lock.h). */
enum ik_lock_change {
	IK_LOCK_CHANGE_OURS,
	IK_LOCK_CHANGE_OTHERS,
	IK_LOCK_CHANGE_FREE,
	IK_LOCK_CHANGE_ASKED,   /* another process wants to take over the session */
	IK_LOCK_CHANGE_UNASKED, /* it no longer does */
	IK_LOCK_CHANGE_REFUSED  /* the other process refused to hand over the session */
};

enum ik_event_kind {
	IK_EVENT_SESSION, /* text: session id; name: provider; detail: model */
	IK_EVENT_MESSAGE, /* message: complete and stored (user, command, notice, assistant,
	                     thinking, tool_call, tool_result, usage) */
	IK_EVENT_OLDER,   /* older, count: messages before all those reported so far, in order (while
	                     a session is restored) */
	IK_EVENT_TURN_STARTED,
	IK_EVENT_WAITING, /* text: what the session waits for, such as the tool scan; "": the wait is
	                     over */
	IK_EVENT_ROUND_STARTED,
	IK_EVENT_TEXT,     /* text: a piece of the reply */
	IK_EVENT_THINKING, /* text: a piece */
	IK_EVENT_SEARCH,   /* the provider searches the web; detail: for what; text: the same as a
	                           sentence; both "": not known yet */
	IK_EVENT_SOURCE,   /* the reply cites a page; text: its address; detail: its title. The end of
	                           the reply lists all of them */
	IK_EVENT_CALL_PROGRESS, /* id, name; text: all arguments so far */
	IK_EVENT_ASKING,        /* the call waits for the user: id, name; text: arguments; detail:
	                           why, in words; ends_turn: the question is whether the turn may
	                           continue at all */
	IK_EVENT_QUESTION,      /* the running call wants to know something from the user: id, name;
	                           text: what, as in struct ik_call_spec (tool/source.h) */
	IK_EVENT_ASKED,         /* id, name: the call no longer waits for the user */
	IK_EVENT_TOOL_STARTED,  /* id, name; text: arguments; detail: what it does, in words; NULL for
	                           the user's own call. These three events have the parent of a call
	                           that a process of another one makes */
	IK_EVENT_TOOL_OUTPUT,   /* id; is_stderr; text: a piece */
	IK_EVENT_TOOL_DONE,     /* id, name; text: envelope; duration_ms; whole: everything the tool
	                           printed if the envelope was cut, and its stderr in any case;
	                           message: the stored command of the user's own call */
	IK_EVENT_USAGE,         /* usage */
	IK_EVENT_CONTEXT,       /* percent: used part of the model's context window; -1: unknown */
	IK_EVENT_NOTICE,        /* text: a sentence */
	IK_EVENT_ERROR,         /* code; text: a sentence */
	IK_EVENT_RETRY,         /* delay_ms: until the next attempt; attempt: its number, of
	                           attempts at most; code, text: why */
	IK_EVENT_QUEUED,        /* count: messages queued until the turn ends; text: their
	                           beginnings, one a line, oldest first; held: they are only sent
	                           when the user says so */
	IK_EVENT_STORE,         /* count: events not yet stored; trouble; text: why, or "" if there
	                           is no problem */
	IK_EVENT_LOCK,          /* lock: what has changed; text: who has the session or wants to take
	                           it over */
	IK_EVENT_TURN_DONE      /* stop; text: what the turn yields (agent/output.h); NULL: nothing */
};

struct ik_event {
	enum ik_event_kind kind;
	int round; /* from 1; 0: outside a round */
	const char *id;
	const char *parent; /* id of the call whose process made this one; NULL: none did */
	const char *name;
	const char *detail;
	const char *text;
	size_t text_length;
	struct ik_bytes *whole[2]; /* stdout and stderr, or NULL; take a reference to keep them */
	size_t count;
	int percent;
	int64_t duration_ms, delay_ms;
	int attempt, attempts;
	bool is_stderr, ends_turn, held;
	enum ik_turn_stop stop;
	enum ik_error_code code;
	enum ik_store_trouble trouble;
	enum ik_lock_change lock;
	struct ik_usage usage;
	struct ik_message *message;      /* take a reference to keep it */
	struct ik_message *const *older; /* an array of count messages; take references to keep them */
};

/* Return the word that exec's JSON output and data_json use for a value. */
const char *ik_turn_stop_word(enum ik_turn_stop stop);
const char *ik_error_code_word(enum ik_error_code code);

typedef void ik_event_sink(void *arg, const struct ik_event *event);

#endif
