/*
 * record: what was said in a session, in memory and in the store, and who is told of it.
 *
 * A session is stored with its first message that is not a notice: notices from before are stored
 * then, too.  While another process writes the session, nothing is stored; while it is not known
 * yet which session this is, storing waits.
 *
 * Owns the conversation and the session's own part of the system prompt; borrows the store.
 * Members may be read; flags that say so are set by their owner.
 * May include: util, json, conversation, loop, store.
 */
#ifndef IK_AGENT_SESSION_RECORD_H
#define IK_AGENT_SESSION_RECORD_H

#include "conversation/event.h"
#include "store/store.h"
#include "util/uuid.h"

struct ik_session_record {
	struct ik_loop *loop;
	struct ik_store *store;
	ik_event_sink *sink;
	void *sink_arg;
	void (*on_stored)(void *arg); /* the session is stored from now on; or NULL */
	void *arg;

	char id[IK_UUID_TEXT];
	char *directory;
	char *prompt;         /* the session's own part of the system prompt */
	bool prompt_unstored; /* it is stored before what is said next; set by stored.c, too */
	struct ik_conversation *conversation;
	bool stored;
	bool closing;   /* nobody is told of anything any more; set by the session */
	bool read_only; /* another process writes the session; set by stored.c, as */
	bool undecided; /* it is not known yet which session this is, and */
	bool loading;   /* older messages are still to be read */
	bool to_store;  /* something was said while undecided */
};

/* Strings are copied; the id is new. */
struct ik_session_record *ik_session_record_new(const struct ik_session_record *members);
struct ik_session_record *ik_session_record_free(struct ik_session_record *record);

/* Replace the session's own part of the system prompt. Copied. */
void ik_session_record_set_prompt(struct ik_session_record *record, const char *prompt);
void ik_session_record_set_id(struct ik_session_record *record, const char *id);

/* Tell the sink, unless closing. */
void ik_session_record_emit(struct ik_session_record *record, const struct ik_event *event);
/* Tell an event of that kind, which has only a text. */
void ik_session_record_emit_text(struct ik_session_record *record, enum ik_event_kind kind,
	const char *text);

/* Store a message and add it to the conversation. */
void ik_session_record_add(struct ik_session_record *record, struct ik_message *message);
/* Store what a call printed, as the message of its result names it. */
void ik_session_record_add_blobs(struct ik_session_record *record, const struct ik_message *message,
	struct ik_bytes *const whole[2]);
/* Add a message and tell it. */
void ik_session_record_add_message(struct ik_session_record *record, struct ik_message *message);
void ik_session_record_add_command(struct ik_session_record *record, const char *line,
	const char *output);
void ik_session_record_add_notice(struct ik_session_record *record, const char *sentence);

/* Store what was said so far, and everything from now on. */
void ik_session_record_start_storing(struct ik_session_record *record);
/* It is known which session this is: store what waited for that. */
void ik_session_record_decide(struct ik_session_record *record);

#endif
