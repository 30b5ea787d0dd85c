/*
 * lock: which process may write to a session.
 *
 * A session that is open for writing has one holder; other processes follow it, and may ask for it.
 * The lock is a kernel lock on a file: it ends with its process, however that ends, and needs no
 * renewal. On a server it is also a row for other machines, with a lease by the server's clock,
 * renewed while the session is open. A process that writes without knowing of the current holder
 * (it slept past its lease) can't mix its events with the holder's: its late events become a fork
 * (struct ik_store_events).
 *
 * Events are reported between turns of the loop, never inside a call.
 *
 * May include: what store.h may.
 */
#ifndef IK_STORE_LOCK_H
#define IK_STORE_LOCK_H

#include "store/store.h"

struct ik_lock;

enum ik_lock_state {
	IK_LOCK_UNKNOWN, /* not known yet */
	IK_LOCK_OURS, /* or locks are unavailable: every process may write, and forks on a conflict */
	IK_LOCK_OTHERS,
	IK_LOCK_FREE /* its holder released it, or died */
};

/* What a process wants of a lock. */
enum ik_lock_wish {
	IK_WISH_FOLLOW, /* not to have it: release it once everything appended is stored */
	IK_WISH_OPEN,   /* take it if it is free, and keep it; else follow */
	IK_WISH_AWAIT,  /* take it once it is free */
	IK_WISH_ASK     /* the same, and ask its holder for it */
};

/* All except changed may be NULL. */
struct ik_lock_events {
	/* The state or the holder has changed (pid 0: no holder, or unknown). */
	void (*changed)(void *arg, enum ik_lock_state state, const struct ik_holder *holder);
	/* The lock is ours, and asker wants it; NULL: the request was withdrawn. */
	void (*asked)(void *arg, const struct ik_holder *asker);
	/* The holder refused; the request has ended. */
	void (*refused)(void *arg, const struct ik_holder *holder);
	/* The lock isn't ours, and there may be new events. */
	void (*news)(void *arg);
};

/* Take the lock of a session if it is free; the result is reported as an event. Close the lock
 * before the store. events is borrowed. */
struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg);

/* Change the wish. A lock that is taken is kept; who is refused follows. */
void ik_lock_wish(struct ik_lock *lock, enum ik_lock_wish wish);
/* Is it awaited or asked for? */
bool ik_lock_is_asking(const struct ik_lock *lock);

/* Keep the lock, and refuse the process that asks for it. */
void ik_lock_refuse(struct ik_lock *lock);

/* Before the process stops (Ctrl-Z), release the lock if that can be done at once, so that others
 * may take it; a lease just expires. Wish IK_WISH_OPEN when it continues. */
void ik_lock_pause(struct ik_lock *lock);

/* Release the lock once everything appended is stored, and free it. Reports nothing any more.
 * Accepts NULL, returns NULL. */
struct ik_lock *ik_lock_close(struct ik_lock *lock);

#endif
