/*
 * lock_private: what the files of the locks share.
 *
 * lock.c tells of changes and lets go in time; lock_file.c keeps locks beside an embedded
 * database, lock_row.c on a server; holder.c knows who is dead.  May include: what backend.h may.
 */
#ifndef IK_STORE_LOCK_PRIVATE_H
#define IK_STORE_LOCK_PRIVATE_H

#include "store/lock.h"
#include "store/store_private.h"

/* How locks are kept. */
struct ik_lock_ops {
	/* Begin: lock->kept is its own. */
	void (*open)(struct ik_lock *lock);
	/* What is wanted has changed (wanted, refusing): do it. */
	void (*update)(struct ik_lock *lock);
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

/* ---- lock.c ---- */

/* Set what is known, and tell what is new of it. */
void ik_lock_set(struct ik_lock *lock, enum ik_lock_state state, const struct ik_holder *holder);
void ik_lock_set_asker(struct ik_lock *lock, const struct ik_holder *asker);
void ik_lock_tell_refused(struct ik_lock *lock);
void ik_lock_tell_news(struct ik_lock *lock);

/* ---- holder.c ---- */

/* Fill in where this process is, and when it was started. */
void ik_holder_locate(struct ik_holder *holder);
/* Is its machine called as this one is? */
bool ik_holder_is_here(const struct ik_holder *holder);
/* Does its number mean a process of this machine? */
bool ik_holder_is_near(const struct ik_holder *holder);
/* Is a process of this number, on a machine of this name, no more? It may live in another namespace
 * of process numbers. */
bool ik_holder_seems_dead(const struct ik_holder *holder);

/* ---- lock_row.c ---- */

/* The server says that something happened to a session, or does not say so any more. */
void ik_lock_rows_heard(struct ik_store *store, const char *session);
void ik_lock_rows_lost(struct ik_store *store);

/* ---- lock_file.c ---- */

/* Who holds the session of the database file at path; pid 0: nobody. Takes no lock. */
void ik_lock_file_holder(const char *path, const char *session, struct ik_holder *ret_holder);

#endif
