/*
 * restore: loads a stored session, newest page first.
 *
 * The session is found, its lock is awaited, its newest page is told message by message, then
 * what is older page by page.  The record is undecided until the newest page is there, and
 * loading until all is.
 *
 * Borrows the record, the turn and the lock.  May include: util, conversation, loop, store,
 * agent/turn/turn.h, agent/session/record.h, session_lock.h.
 */
#ifndef IK_AGENT_SESSION_RESTORE_H
#define IK_AGENT_SESSION_RESTORE_H

#include "agent/session/record.h"
#include "agent/session/session_lock.h"
#include "agent/turn/turn.h"
#include "conversation/conversation.h"

struct ik_restore;

/* Called with NULL when the newest page was told, or with the reason why it cannot be. */
typedef void ik_session_restored(void *arg, const struct ik_error *error);

struct ik_restore_events {
	/* The session has another id. */
	void (*identified)(void *arg);
	/* It has the stored prompt, if record->prompt was replaced. */
	void (*prompt)(void *arg);
	/* All messages are there. */
	void (*loaded)(void *arg);
	/* There is nothing to restore: the session stays a new one. */
	void (*failed)(void *arg);
};

struct ik_restore *ik_restore_new(struct ik_session_record *record, struct ik_turn *turn,
	struct ik_session_lock *lock, const struct ik_restore_events *events, void *arg);
/* Silent at once; what was said is stored in a session of its own where it was undecided. */
struct ik_restore *ik_restore_close(struct ik_restore *restore);

/* The prompt of the record replaces the stored one. */
void ik_restore_want_prompt(struct ik_restore *restore);

/* Load the session whose id begins with id, or (NULL) the newest of its directory. copy (taken over)
 * is all of the session of that whole id, a fork; NULL: it is read. done may be NULL. */
void ik_restore_start(struct ik_restore *restore, const char *id, struct ik_conversation *copy,
	ik_session_restored *done, void *arg);

/* Add and tell the result that a call without one gets. */
void ik_restore_repair(struct ik_restore *restore);

#endif
