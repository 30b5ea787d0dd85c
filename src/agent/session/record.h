/*
 * record: the conversation of a session, in memory and in the store, and the sink of its events.
 *
 * A session is first stored with its first message that is not a notice, together with earlier
 * notices. Nothing is stored while another process writes the session; storing waits while it is
 * not yet known which session this is.
 *
 * Owns the conversation and the session's own part of the system prompt; borrows the store. Members
 * may be read; some flags, as marked, are set by other modules.
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
	void (*on_stored)(void *arg); /* called when the session is first stored; may be NULL */
	void *arg;

	char id[IK_UUID_TEXT];
	char *directory;
	char *prompt;         /* the session's own part of the system prompt; set by stored.c, too */
	bool prompt_unstored; /* store it before the next message; set by stored.c, too */
	struct ik_conversation *conversation;
	bool stored;
	bool closing;   /* emit no more events; set by the session */
	bool read_only; /* another process writes the session; set by stored.c */
	bool undecided; /* it is not yet known which session this is; set by stored.c */
	bool loading;   /* older messages have not all been read; set by stored.c */
	bool to_store;  /* messages were added while undecided */
};

/* Return a new record with a new id. Strings are copied. */
struct ik_session_record *ik_session_record_new(const struct ik_session_record *members);
struct ik_session_record *ik_session_record_free(struct ik_session_record *record);

void ik_session_record_set_id(struct ik_session_record *record, const char *id);

/* Pass event to the sink, unless closing. */
void ik_session_record_emit(struct ik_session_record *record, const struct ik_event *event);
/* Emit an event of this kind that has only a text. */
void ik_session_record_emit_text(struct ik_session_record *record, enum ik_event_kind kind,
	const char *text);

/* Store a message and add it to the conversation. */
void ik_session_record_add(struct ik_session_record *record, struct ik_message *message);
/* Store the output of a call, as the message of its result names it. */
void ik_session_record_add_blobs(struct ik_session_record *record, const struct ik_message *message,
	struct ik_bytes *const whole[2]);
/* Add a message and emit it. */
void ik_session_record_add_message(struct ik_session_record *record, struct ik_message *message);
void ik_session_record_add_command(struct ik_session_record *record, const char *line,
	const char *output);
void ik_session_record_add_notice(struct ik_session_record *record, const char *sentence);
/* Add a notice that something does not work. */
void ik_session_record_add_problem(struct ik_session_record *record, const char *sentence);

/* Store all messages so far, and all from now on. */
void ik_session_record_start_storing(struct ik_session_record *record);
/* Store what waited until it was known which session this is. */
void ik_session_record_decide(struct ik_session_record *record);

#endif
