#include "store/lock.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_base.h"
#include "util/alloc.h"
#include "util/text.h"

/* ---- where there is nothing to be shared ---- */

static void nothing_open(struct ik_lock *lock)
{
	ik_lock_set(lock, IK_LOCK_NONE, NULL);
}

static void nothing(struct ik_lock *lock)
{
}

/* clang-format off */
static const struct ik_lock_ops nothing_ops = {
	.open = nothing_open, .look = nothing, .update = nothing, .release = nothing,
	.pause = nothing, .close = nothing,
};
/* clang-format on */

/* ---- from outside ---- */

enum ik_lock_state ik_lock_state(const struct ik_lock *lock)
{
	return lock->state;
}

const struct ik_holder *ik_lock_holder(const struct ik_lock *lock)
{
	return &lock->holder;
}

void ik_lock_ask(struct ik_lock *lock)
{
	lock->wanted = true;
	lock->quietly = lock->leaving = false;
	lock->ops->update(lock);
}

void ik_lock_await(struct ik_lock *lock)
{
	lock->wanted = lock->quietly = true;
	lock->ops->update(lock);
}

void ik_lock_withdraw(struct ik_lock *lock)
{
	lock->wanted = false;
	lock->ops->update(lock);
}

bool ik_lock_is_asking(const struct ik_lock *lock)
{
	return lock->wanted && lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_NONE;
}

void ik_lock_refuse(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || lock->asker.pid == 0)
		return;
	lock->refusing = true;
	lock->ops->update(lock);
}

/* Gone for good. */
static void finish(struct ik_lock *lock)
{
	struct ik_lock **link = &lock->store->locks;

	while (*link != lock)
		link = &(*link)->next;
	*link = lock->next;
	lock->ops->close(lock);
	ik_lock_silence(lock);
	ik_loop_defer(lock->store->loop, free, lock); /* it may be telling just now */
}

/* Nothing waits to be stored any more: let go what is to be. */
static void settle(struct ik_store *store)
{
	struct ik_lock *lock = store->locks;

	while (lock) {
		struct ik_lock *next = lock->next;

		if (!lock->events) {
			finish(lock);
		} else if (lock->leaving) {
			lock->leaving = false;
			lock->wanted = false;
			lock->ops->release(lock);
		} else if (lock->ops->stored) {
			lock->ops->stored(lock);
		}
		lock = next;
	}
}

/* Deferred: what is to be let go may be so now. */
static void settle_later(void *arg)
{
	struct ik_store *store = arg;

	if (ik_store_waiting(store) == 0)
		settle(store);
}

/* The store ends. */
static void end_all(struct ik_store *store)
{
	while (store->locks)
		finish(store->locks);
	ik_loop_cancel_deferred(store->loop, settle_later, store);
}

static const struct ik_store_listener listener = {
	.settled = settle,
	.done = end_all,
};

/* One of this session that is still ours because something waits to be stored; or NULL. */
static struct ik_lock *find_closing(struct ik_store *store, const char *session)
{
	struct ik_lock *lock = store->locks;

	while (lock &&
		(lock->events || lock->state != IK_LOCK_OURS || !ik_text_equal(lock->session, session)))
		lock = lock->next;
	return lock;
}

static void on_timer(void *arg)
{
	struct ik_lock *lock = arg;

	lock->ops->look(lock);
}

struct ik_lock *ik_lock_new(struct ik_store *store, const char *session,
	const struct ik_lock_events *events, void *arg)
{
	struct ik_lock *lock = find_closing(store, session);

	if (lock) {
		lock->events = events;
		lock->arg = arg;
		lock->wanted = lock->quietly = lock->leaving = lock->refusing = false;
		lock->refused = lock->news = false;
		lock->changed = true;
		lock->asked = lock->asker.pid != 0;
		ik_lock_tell(lock);
		lock->ops->update(lock);
		return lock;
	}
	lock = ik_alloc(sizeof(*lock));
	lock->store = store;
	memcpy(lock->session, session, strnlen(session, sizeof(lock->session) - 1));
	lock->events = events;
	lock->arg = arg;
	lock->ops = !store->path ? &nothing_ops : store->server ? &ik_lock_row_ops : &ik_lock_file_ops;
	store->listener = &listener;
	lock->next = store->locks;
	store->locks = lock;
	lock->timer = ik_timer_new(store->loop, on_timer, lock);
	lock->ops->open(lock);
	return lock;
}

void ik_lock_pause(struct ik_lock *lock)
{
	if (lock->state == IK_LOCK_OURS && ik_store_waiting(lock->store) == 0)
		lock->ops->pause(lock);
}

void ik_lock_continue(struct ik_lock *lock)
{
	lock->ops->update(lock);
}

void ik_lock_let_go(struct ik_lock *lock)
{
	lock->leaving = true;
	if (ik_store_waiting(lock->store) == 0)
		ik_loop_defer(lock->store->loop, settle_later, lock->store);
}

struct ik_lock *ik_lock_close(struct ik_lock *lock)
{
	if (!lock)
		return NULL;
	lock->events = NULL;
	/* What its session has still to store is to be stored before anybody else writes. */
	if (ik_store_waiting(lock->store) == 0)
		finish(lock);
	return NULL;
}
