/*
 * lock_base: a lock as its kinds see it.
 *
 * lock.c decides which step comes next and tells what came of it; a kind only takes the step:
 * lock_file.c with files beside an embedded database, lock_row.c with a row of a server.
 *
 * Inside src/store only.  May include: what store.h may.
 */
#ifndef IK_STORE_LOCK_BASE_H
#define IK_STORE_LOCK_BASE_H

#include "store/lock.h"
#include "store/store_private.h"

/* Every step ends with a look at how things are. */
enum ik_lock_step {
	IK_LOCK_STEP_FOLLOW, /* only look */
	IK_LOCK_STEP_TAKE,   /* take it, if it is to be had, or keep it */
	IK_LOCK_STEP_ASK,    /* the same, or ask its holder */
	IK_LOCK_STEP_WITHDRAW,
	IK_LOCK_STEP_REFUSE,
	IK_LOCK_STEP_RELEASE
};

/* How things are. */
struct ik_lock_found {
	enum ik_lock_state state;
	struct ik_holder holder, asker; /* pid 0: nobody */
	bool refused;                   /* the holder keeps it from us */
	bool news;                      /* there may be events that are not known here */
};

struct ik_lock_kind {
	/* Begin: lock->kept is its own. */
	void (*open)(struct ik_lock *lock);
	/* Take a step; lock->found() is told what came of it, inside the call or later. */
	void (*step)(struct ik_lock *lock, enum ik_lock_step step);
	/* The process is about to stop: let it go, to be taken again; NULL: it is kept. */
	void (*pause)(struct ik_lock *lock);
	/* Let it go, and everything else. */
	void (*close)(struct ik_lock *lock);
	int64_t renew_ms; /* one that is ours is looked at at least so often; 0: that is not needed */
};

struct ik_lock {
	struct ik_lock *next;
	struct ik_store *store;
	char session[IK_UUID_TEXT];
	const struct ik_lock_kind *kind;
	void *kept;
	/* For the kind to call: what came of a step (NULL: it could not be taken), and that something may
	 * have changed. */
	void (*found)(struct ik_lock *lock, const struct ik_lock_found *found);
	void (*look)(struct ik_lock *lock);
	struct ik_timer *timer;              /* the next look */
	int64_t delay_ms;                    /* before that */
	const struct ik_lock_events *events; /* NULL: closed */
	void *arg;

	bool wanted;   /* as soon as it is nobody's */
	bool quietly;  /* without asking its holder */
	bool leaving;  /* let go as soon as all is stored */
	bool released; /* it is to be let go now */
	bool refusing; /* whoever asks is to be told */

	bool opened; /* it was tried to take it once */
	bool first;  /* the step is the first one that tries */
	bool paused; /* it is ours again when the process goes on */
	bool asking; /* the last step was to ask */
	bool busy;   /* a step is on its way */
	bool again;  /* something happened meanwhile */

	enum ik_lock_state state;
	struct ik_holder holder; /* of one that is others' */
	struct ik_holder asker;  /* of one that is ours; pid 0: nobody asks */

	bool changed, asked, refused, news; /* is to be told */
	bool telling;
};

extern const struct ik_lock_kind ik_lock_file;
extern const struct ik_lock_kind ik_lock_row;

#endif
