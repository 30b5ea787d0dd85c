/*
 * lock: who may write to a session.
 *
 * A session that is open for writing has one holder; others read along, and may ask for it.
 * Where the database is a file, a lock of the kernel's on a file beside it says so: it goes
 * with its process, however that ends, and nothing has to be renewed.  On a server it is a row
 * with a lease, by the server's clock, which is renewed while the session is open.  Whoever
 * writes without knowing of the other (a holder that slept beyond its lease) does not get in
 * between: its late events become a fork (struct ik_store_events).
 *
 * All is told between turns of the loop, never inside a call.
 *
 * May include: what store.h may.
 */
#ifndef IK_STORE_LOCK_H
#define IK_STORE_LOCK_H

#include "store/store.h"

struct ik_lock;

enum ik_lock_state {
	IK_LOCK_UNKNOWN, /* the answer is on its way */
	IK_LOCK_OURS,
	IK_LOCK_OTHERS,
	IK_LOCK_FREE, /* whoever had it let it go, or died */
	IK_LOCK_NONE  /* there is no lock to be had here: everybody writes, and forks where it
	                    has to be */
};

/* All but changed may be NULL. */
struct ik_lock_events {
	/* It is another state, or another holder (pid 0 where it is nobody's, or not known). */
	void (*changed)(void *arg, enum ik_lock_state state, const struct ik_holder *holder);
	/* It is ours, and somebody asks for it; NULL: nobody does any more. */
	void (*asked)(void *arg, const struct ik_holder *asker);
	/* The holder keeps it; nothing is asked any more. */
	void (*refused)(void *arg);
	/* It is not ours: there may be events that are not known here. */
	void (*news)(void *arg);
};

/* Take the lock of a session, if nobody has it; what came of it is told. Close it before the
 * store. events is borrowed. */
struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg);

enum ik_lock_state ik_lock_state(const struct ik_lock *lock);
/* Of one that is others'; pid 0: not known. */
const struct ik_holder *ik_lock_holder(const struct ik_lock *lock);

/* Take it as soon as it is nobody's, and until then ask the holder for it; or no longer. */
void ik_lock_ask(struct ik_lock *lock);
/* The same without a word to the holder. */
void ik_lock_await(struct ik_lock *lock);
void ik_lock_withdraw(struct ik_lock *lock);
bool ik_lock_is_asking(const struct ik_lock *lock);

/* Keep it: whoever asks is told so. */
void ik_lock_refuse(struct ik_lock *lock);

/* Let it go as soon as all that was appended is stored, and read along from then on. */
void ik_lock_let_go(struct ik_lock *lock);

/*
 * The process is about to stop for a while (Ctrl-Z): others may have it meanwhile, where that
 * can be done at once; a lease ends by itself. Back again: take it, if it is still to be had.
 */
void ik_lock_pause(struct ik_lock *lock);
void ik_lock_continue(struct ik_lock *lock);

/* Let it go for good, as soon as all that was appended is stored. Silent at once. Takes NULL,
 * returns NULL. */
struct ik_lock *ik_lock_close(struct ik_lock *lock);

#endif
