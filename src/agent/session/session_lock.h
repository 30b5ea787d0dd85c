/*
 * session_lock: who may write to the session, and following it while another process does.
 *
 * While another process has the lock (store/lock.h), the record is read-only: what the other
 * stores is read, added to the conversation and told.  IK_EVENT_LOCK tells of changes.
 *
 * Borrows the record and the turn.  May include: util, conversation, loop, store,
 * agent/turn/turn.h, agent/session/record.h.
 */
#ifndef IK_AGENT_SESSION_SESSION_LOCK_H
#define IK_AGENT_SESSION_SESSION_LOCK_H

#include "agent/session/record.h"
#include "agent/turn/turn.h"

struct ik_session_lock;

/* What becomes of a stored session that is open elsewhere; the first one at first. */
enum ik_when_locked {
	IK_LOCKED_FOLLOW, /* it is followed, live */
	IK_LOCKED_REFUSE, /* it cannot be restored: IK_UNAVAILABLE */
	IK_LOCKED_WAIT    /* it is restored once it is free */
};

struct ik_session_lock_events {
	/* Does the session write anything at present? */
	bool (*is_busy)(void *arg);
	/* Another process writes the session from now on. */
	void (*lost)(void *arg);
	/* All that the other process wrote is known: the session is ours. */
	void (*won)(void *arg);
	/* Messages of the other process were added to the conversation. */
	void (*read)(void *arg);
};

struct ik_session_lock *ik_session_lock_new(struct ik_session_record *record, struct ik_turn *turn,
	const struct ik_session_lock_events *events, void *arg);
/* Silent at once; the lock is released. */
struct ik_session_lock *ik_session_lock_close(struct ik_session_lock *lock);

void ik_session_lock_when_locked(struct ik_session_lock *lock, enum ik_when_locked when);

/* Take the lock of the session, which is stored from now on or has a new id. */
void ik_session_lock_take(struct ik_session_lock *lock);
/* The same before the session is restored; decided is called when it can be read, or cannot be
 * restored. */
void ik_session_lock_await(struct ik_session_lock *lock,
	void (*decided)(void *arg, const struct ik_error *error), void *arg);
/* Was it taken? It may be another process's. */
bool ik_session_lock_is_taken(const struct ik_session_lock *lock);
/* The session is restored up to that event: continue it, or follow it from there. */
void ik_session_lock_continue(struct ik_session_lock *lock, int64_t newest);
/* Read what the other process has written since. */
void ik_session_lock_read(struct ik_session_lock *lock);

/* Ask for a session that is followed, or no longer. */
void ik_session_lock_ask(struct ik_session_lock *lock);
void ik_session_lock_withdraw(struct ik_session_lock *lock);
bool ik_session_lock_is_asking(const struct ik_session_lock *lock);
/* Answer another process that asks: keep the session; or follow it as soon as all is stored (no turn
 * may be running). */
void ik_session_lock_refuse(struct ik_session_lock *lock);
void ik_session_lock_release(struct ik_session_lock *lock);
/* The process is about to be stopped; it is back. */
void ik_session_lock_pause(struct ik_session_lock *lock);
void ik_session_lock_resume(struct ik_session_lock *lock);

#endif
