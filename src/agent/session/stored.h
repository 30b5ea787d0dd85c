/*
 * stored: a session in the store: restoring it, following it, and its lock.
 *
 * To restore a session, find it, wait for its lock (store/lock.h), emit its newest page message by
 * message, then the older pages. The record is undecided until the newest page has been read, and
 * loading until all pages have. While another process holds the lock, the record is read-only: what
 * the other process stores is read, added to the conversation and emitted. IK_EVENT_LOCK reports
 * changes.
 *
 * Borrows the record and the turn.  May include: util, conversation, loop, store,
 * agent/turn/turn.h, agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_STORED_H
#define IK_AGENT_SESSION_STORED_H

#include "agent/session/record.h"
#include "agent/turn/turn.h"
#include "conversation/conversation.h"

struct ik_stored;

struct ik_stored_events {
	/* Is the session writing anything at present? */
	bool (*is_busy)(void *arg);
	/* Called when the session's id has changed. */
	void (*identified)(void *arg);
	/* Called when the stored prompt replaced record->prompt. */
	void (*prompt)(void *arg);
	/* Called when messages were added to the conversation and none is missing any more. */
	void (*read)(void *arg);
	/* Called when a turn may begin, or may not since another process writes the session. */
	void (*turns)(void *arg, bool may_begin);
};

struct ik_stored *ik_stored_new(struct ik_session_record *record, struct ik_turn *turn,
	const struct ik_stored_events *events, void *arg);
/* Stop restoring; an undecided session becomes a new one and is stored. */
void ik_stored_stop(struct ik_stored *stored);
/* Release the lock, without events. Takes NULL. Returns NULL. */
struct ik_stored *ik_stored_close(struct ik_stored *stored);

/* ---- restoring ---- */

/* What happens when a session to be restored is open elsewhere. */
enum ik_when_locked {
	IK_LOCKED_FOLLOW, /* follow it, live */
	IK_LOCKED_REFUSE, /* fail with IK_UNAVAILABLE */
	IK_LOCKED_WAIT    /* restore it once it is free */
};

/* Called with NULL when the newest page was emitted, or with the reason why it cannot be. */
typedef void ik_session_restored(void *arg, const struct ik_error *error);

struct ik_restoring {
	const char *id; /* how the session's id begins; NULL: the newest of the directory */
	struct ik_conversation *copy; /* the complete conversation of a fork whose full id is id (taken
	                                 over): nothing is read; or NULL */
	enum ik_when_locked when_locked;
	bool new_prompt;           /* the record's prompt replaces the stored one */
	ik_session_restored *done; /* or NULL */
	void *arg;
};
void ik_stored_restore(struct ik_stored *stored, const struct ik_restoring *restoring);

/* ---- the lock ---- */

/* Lock the record's new id, if the old one was locked. */
void ik_stored_forked(struct ik_stored *stored);

/* Ask to take over the followed session, or withdraw that. */
void ik_stored_ask(struct ik_stored *stored);
void ik_stored_withdraw(struct ik_stored *stored);
bool ik_stored_is_asking(const struct ik_stored *stored);
/* Answer another process that wants to take over: keep the session, or hand it over and follow it
 * once everything is stored (no turn may be running). */
void ik_stored_refuse(struct ik_stored *stored);
void ik_stored_release(struct ik_stored *stored);
/* Release the lock while the process is stopped, and take it again afterwards. */
void ik_stored_pause(struct ik_stored *stored);
void ik_stored_resume(struct ik_stored *stored);

#endif
