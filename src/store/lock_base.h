/*
 * lock_base: a lock as its kinds see it, and how it tells of changes.
 *
 * lock.c lets go in time; lock_file.c keeps locks beside an embedded database, lock_row.c on a
 * server.
 *
 * Inside src/store only.  May include: what store.h may.
 */
#ifndef IK_STORE_LOCK_BASE_H
#define IK_STORE_LOCK_BASE_H

#include "store/lock.h"
#include "store/store_private.h"

/* How locks are kept. */
struct ik_lock_ops {
	/* Begin: lock->kept is its own. */
	void (*open)(struct ik_lock *lock);
	/* The timer says that it is time to look. */
	void (*look)(struct ik_lock *lock);
	/* What is wanted has changed (wanted, refusing): do it. */
	void (*update)(struct ik_lock *lock);
	/* All that was appended is stored; NULL: that changes nothing. */
	void (*stored)(struct ik_lock *lock);
	/* All is stored: let it go, and go on reading. */
	void (*release)(struct ik_lock *lock);
	/* The process is about to stop: others may have it, until update. */
	void (*pause)(struct ik_lock *lock);
	/* Let it go, and everything else. */
	void (*close)(struct ik_lock *lock);
};

struct ik_lock {
	struct ik_lock *next;
	struct ik_store *store;
	char session[IK_UUID_TEXT];
	const struct ik_lock_ops *ops;
	void *kept;
	struct ik_timer *timer;
	const struct ik_lock_events *events; /* NULL: closed */
	void *arg;

	bool wanted;   /* as soon as it is nobody's */
	bool quietly;  /* without asking its holder */
	bool leaving;  /* let go as soon as all is stored */
	bool refusing; /* whoever asks is to be told */

	enum ik_lock_state state;
	struct ik_holder holder; /* of one that is others' */
	struct ik_holder asker;  /* of one that is ours; pid 0: nobody asks */

	bool changed, asked, refused, news; /* is to be told */
	bool telling;
};

extern const struct ik_lock_ops ik_lock_file_ops;
extern const struct ik_lock_ops ik_lock_row_ops;

/* Set what is known, and tell what is new of it. */
void ik_lock_set(struct ik_lock *lock, enum ik_lock_state state, const struct ik_holder *holder);
void ik_lock_set_asker(struct ik_lock *lock, const struct ik_holder *asker);
void ik_lock_tell_refused(struct ik_lock *lock);
void ik_lock_tell_news(struct ik_lock *lock);
/* Tell later what is to be told; tell nothing any more, and stop the timer. */
void ik_lock_tell(struct ik_lock *lock);
void ik_lock_silence(struct ik_lock *lock);

#endif
