#include "store/lock_base.h"

#include "util/text.h"

/* Deferred: tell what is new; whoever is told may close the lock. */
static void tell(void *arg)
{
	struct ik_lock *lock = arg;
	const struct ik_lock_events *events = lock->events;

	lock->telling = false;
	if (lock->events && lock->refused) {
		lock->refused = false;
		if (events->refused)
			events->refused(lock->arg);
	}
	if (lock->events && lock->changed) {
		lock->changed = false;
		events->changed(lock->arg, lock->state, &lock->holder);
	}
	if (lock->events && lock->asked) {
		lock->asked = false;
		if (events->asked)
			events->asked(lock->arg, lock->asker.pid != 0 ? &lock->asker : NULL);
	}
	if (lock->events && lock->news) {
		lock->news = false;
		if (events->news)
			events->news(lock->arg);
	}
}

void ik_lock_tell(struct ik_lock *lock)
{
	if (lock->telling || !lock->events)
		return;
	lock->telling = true;
	ik_loop_defer(lock->store->loop, tell, lock);
}

static bool same_holder(const struct ik_holder *one, const struct ik_holder *other)
{
	return one->pid == other->pid && one->since_ms == other->since_ms &&
		ik_text_equal(one->host, other->host);
}

void ik_lock_set(struct ik_lock *lock, enum ik_lock_state state, const struct ik_holder *holder)
{
	struct ik_holder nobody = { .pid = 0 };

	if (state != IK_LOCK_OTHERS)
		holder = &nobody;
	if (state != IK_LOCK_OURS)
		ik_lock_set_asker(lock, &nobody);
	if (lock->state == state && same_holder(&lock->holder, holder))
		return;
	lock->state = state;
	lock->holder = *holder;
	lock->changed = true;
	ik_lock_tell(lock);
}

void ik_lock_set_asker(struct ik_lock *lock, const struct ik_holder *asker)
{
	if (same_holder(&lock->asker, asker))
		return;
	lock->asker = *asker;
	lock->asked = true;
	ik_lock_tell(lock);
}

void ik_lock_tell_refused(struct ik_lock *lock)
{
	lock->refused = true;
	ik_lock_tell(lock);
}

void ik_lock_tell_news(struct ik_lock *lock)
{
	lock->news = true;
	ik_lock_tell(lock);
}

void ik_lock_silence(struct ik_lock *lock)
{
	lock->timer = ik_timer_close(lock->timer);
	ik_loop_cancel_deferred(lock->store->loop, tell, lock);
}
