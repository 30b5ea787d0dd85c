/*
 * stored: a session in the store: it is restored, may be followed, and has a lock.
 *
 * A restored session is found, its lock (store/lock.h) is awaited, its newest page is told message
 * by message, then what is older page by page.  The record is undecided until the newest page is
 * there, and loading until all is.  While another process has the lock, the record is read-only:
 * what the other stores is read, added to the conversation and told.  IK_EVENT_LOCK tells of
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
	/* Does the session write anything at present? */
	bool (*is_busy)(void *arg);
	/* The session has another id. */
	void (*identified)(void *arg);
	/* It has the stored prompt, if record->prompt was replaced. */
	void (*prompt)(void *arg);
	/* Messages were added to the conversation, of which none is missing now. */
	void (*read)(void *arg);
	/* A turn may begin from now on, or (another process writes the session) may not. */
	void (*turns)(void *arg, bool may_begin);
};

struct ik_stored *ik_stored_new(struct ik_session_record *record, struct ik_turn *turn,
	const struct ik_stored_events *events, void *arg);
/* Restore no further; what was said is stored in a session of its own where it was undecided. */
void ik_stored_stop(struct ik_stored *stored);
/* Silent at once; the lock is released. */
struct ik_stored *ik_stored_close(struct ik_stored *stored);

/* ---- restoring ---- */

/* The prompt of the record replaces the stored one. */
void ik_stored_want_prompt(struct ik_stored *stored);

/* What becomes of a session that is open elsewhere when it is restored; the first one at first. */
enum ik_when_locked {
	IK_LOCKED_FOLLOW, /* it is followed, live */
	IK_LOCKED_REFUSE, /* it cannot be restored: IK_UNAVAILABLE */
	IK_LOCKED_WAIT    /* it is restored once it is free */
};
void ik_stored_when_locked(struct ik_stored *stored, enum ik_when_locked when);

/* Called with NULL when the newest page was told, or with the reason why it cannot be. */
typedef void ik_session_restored(void *arg, const struct ik_error *error);

/* Restore the session whose id begins with id, or (NULL) the newest of its directory. copy (taken
 * over) is all of the session of that whole id, a fork; NULL: it is read. done may be NULL. */
void ik_stored_restore(struct ik_stored *stored, const char *id, struct ik_conversation *copy,
	ik_session_restored *done, void *arg);

/* ---- the lock ---- */

/* The record has a new id: take its lock, if that of the old one was taken. */
void ik_stored_forked(struct ik_stored *stored);

/* Ask for a session that is followed, or no longer. */
void ik_stored_ask(struct ik_stored *stored);
void ik_stored_withdraw(struct ik_stored *stored);
bool ik_stored_is_asking(const struct ik_stored *stored);
/* Answer another process that asks: keep the session; or follow it as soon as all is stored (no turn
 * may be running). */
void ik_stored_refuse(struct ik_stored *stored);
void ik_stored_release(struct ik_stored *stored);
/* The process is about to be stopped; it is back. */
void ik_stored_pause(struct ik_stored *stored);
void ik_stored_resume(struct ik_stored *stored);

#endif
