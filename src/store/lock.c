#include "store/lock.h"

#include <stdlib.h>
#include <string.h>

#include "store/lock_base.h"
#include "util/alloc.h"
#include "util/text.h"

/* The next look: while somebody else may write, or after something was done here. */
#define LOOK_MS 1000

/* ---- telling ---- */

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

/* Note that something is to be told. */
static void note(struct ik_lock *lock, bool *what)
{
	*what = true;
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

static void set_asker(struct ik_lock *lock, const struct ik_holder *asker)
{
	if (same_holder(&lock->asker, asker))
		return;
	lock->asker = *asker;
	note(lock, &lock->asked);
}

/* Only one that is others' has a holder to be told of, and only ours an asker. */
static void set_state(struct ik_lock *lock, const struct ik_lock_found *found)
{
	static const struct ik_holder nobody = { .pid = 0 };
	const struct ik_holder *holder = found->state == IK_LOCK_OTHERS ? &found->holder : &nobody;

	set_asker(lock, found->state == IK_LOCK_OURS ? &found->asker : &nobody);
	if (lock->state == found->state && same_holder(&lock->holder, holder))
		return;
	lock->state = found->state;
	lock->holder = *holder;
	note(lock, &lock->changed);
}

/* ---- steps ---- */

static enum ik_lock_step next_step(const struct ik_lock *lock)
{
	if (lock->released)
		return IK_LOCK_STEP_RELEASE;
	if (lock->refusing)
		return IK_LOCK_STEP_REFUSE;
	if (lock->state == IK_LOCK_OURS || lock->state == IK_LOCK_NONE || !lock->opened)
		return IK_LOCK_STEP_TAKE;
	if (lock->wanted)
		return lock->quietly ? IK_LOCK_STEP_TAKE : IK_LOCK_STEP_ASK;
	return lock->asking ? IK_LOCK_STEP_WITHDRAW : IK_LOCK_STEP_FOLLOW;
}

/* See how things are, and do what is wanted. */
static void look(struct ik_lock *lock)
{
	enum ik_lock_step step = next_step(lock);

	lock->again = lock->busy;
	if (lock->busy)
		return;
	lock->first = !lock->opened;
	lock->asking = step == IK_LOCK_STEP_ASK;
	lock->opened = lock->busy = true;
	lock->released = lock->refusing = false;
	lock->kind->step(lock, step);
}

/* Something was done here: an answer to it may come soon. */
static void update(struct ik_lock *lock)
{
	lock->delay_ms = 0;
	look(lock);
}

static void use(struct ik_lock *lock, const struct ik_lock_found *found)
{
	if (found->refused) {
		lock->wanted = lock->asking = false;
		note(lock, &lock->refused);
	}
	/* It may have been written just before it was let go, or while this process was stopped. */
	if (lock->paused ||
		(found->state != IK_LOCK_OURS && (found->news || lock->state != found->state)))
		note(lock, &lock->news);
	lock->paused = false;
	/* Let go for somebody who takes it in a moment. */
	if (lock->state != IK_LOCK_UNKNOWN || found->state != IK_LOCK_FREE || found->asker.pid == 0)
		set_state(lock, found);
}

/* Look again in time. One that is ours is looked at more and more seldom. */
static void look_later(struct ik_lock *lock)
{
	bool calm = lock->state == IK_LOCK_OURS || lock->state == IK_LOCK_NONE;

	lock->delay_ms *= 2;
	if (lock->delay_ms > lock->kind->renew_ms)
		lock->delay_ms = lock->kind->renew_ms;
	if (lock->delay_ms == 0 || !calm)
		lock->delay_ms = LOOK_MS;
	if (calm && lock->kind->renew_ms == 0)
		ik_timer_stop(lock->timer);
	else
		ik_timer_start(lock->timer, lock->delay_ms);
}

/* What came of a step. */
static void take_found(struct ik_lock *lock, const struct ik_lock_found *found)
{
	static const struct ik_lock_found nothing = { .state = IK_LOCK_NONE };

	lock->busy = false;
	/* What was so before it was let go is not so any more. */
	if (!lock->released && (found || lock->state == IK_LOCK_UNKNOWN))
		use(lock, found ? found : &nothing);
	if (lock->again)
		look(lock);
	else
		look_later(lock);
}

static void on_timer(void *arg)
{
	look(arg);
}

/* ---- where there is nothing to be shared ---- */

static void do_nothing(struct ik_lock *lock)
{
}

static void find_nothing(struct ik_lock *lock, enum ik_lock_step step)
{
	lock->found(lock, NULL);
}

static const struct ik_lock_kind no_lock = {
	.open = do_nothing,
	.step = find_nothing,
	.close = do_nothing,
};

/* ---- letting go ---- */

/* Is all that was appended stored? */
static bool is_stored(const struct ik_store *store)
{
	return store->appended == store->stored;
}

/* Gone for good. */
static void finish(struct ik_lock *lock)
{
	struct ik_lock **link = &lock->store->locks;

	while (*link != lock)
		link = &(*link)->next;
	*link = lock->next;
	lock->kind->close(lock);
	lock->timer = ik_timer_close(lock->timer);
	ik_loop_cancel_deferred(lock->store->loop, tell, lock);
	ik_loop_defer(lock->store->loop, free, lock); /* it may be telling just now */
}

static void release(struct ik_lock *lock)
{
	static const struct ik_lock_found unknown = { .state = IK_LOCK_UNKNOWN };

	lock->leaving = lock->wanted = false;
	if (lock->state != IK_LOCK_OURS && lock->state != IK_LOCK_UNKNOWN)
		return;
	/* From here on it is not ours, whatever comes of it. */
	set_state(lock, &unknown);
	lock->released = true;
	update(lock);
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
			release(lock);
		} else if (lock->kind->renew_ms > 0 && lock->delay_ms > LOOK_MS && !lock->busy) {
			/* Others may have something to say to it. */
			lock->delay_ms = 0;
			ik_timer_start(lock->timer, LOOK_MS);
		}
		lock = next;
	}
}

/* Deferred: what is to be let go may be so now. */
static void settle_later(void *arg)
{
	struct ik_store *store = arg;

	if (is_stored(store))
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
	update(lock);
}

void ik_lock_await(struct ik_lock *lock)
{
	lock->wanted = lock->quietly = true;
	update(lock);
}

void ik_lock_withdraw(struct ik_lock *lock)
{
	lock->wanted = false;
	update(lock);
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
	update(lock);
}

/* One of this session that is still ours because something waits to be stored; or NULL. */
static struct ik_lock *find_closing(struct ik_store *store, const char *session)
{
	struct ik_lock *lock = store->locks;

	while (lock &&
		(lock->events || lock->state != IK_LOCK_OURS || !ik_text_equal(lock->session, session)))
		lock = lock->next;
	return lock;
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
		lock->asked = lock->asker.pid != 0;
		note(lock, &lock->changed);
		update(lock);
		return lock;
	}
	lock = ik_alloc(sizeof(*lock));
	lock->store = store;
	memcpy(lock->session, session, strnlen(session, sizeof(lock->session) - 1));
	lock->events = events;
	lock->arg = arg;
	lock->kind = !store->path ? &no_lock : store->server ? &ik_lock_row : &ik_lock_file;
	store->listener = &listener;
	lock->next = store->locks;
	store->locks = lock;
	lock->timer = ik_timer_new(store->loop, on_timer, lock);
	lock->found = take_found;
	lock->look = look;
	lock->kind->open(lock);
	look(lock);
	return lock;
}

void ik_lock_pause(struct ik_lock *lock)
{
	if (lock->state != IK_LOCK_OURS || !is_stored(lock->store) || !lock->kind->pause)
		return;
	lock->kind->pause(lock);
	lock->opened = false;
	lock->paused = true;
}

void ik_lock_continue(struct ik_lock *lock)
{
	update(lock);
}

void ik_lock_let_go(struct ik_lock *lock)
{
	lock->leaving = true;
	if (is_stored(lock->store))
		ik_loop_defer(lock->store->loop, settle_later, lock->store);
}

struct ik_lock *ik_lock_close(struct ik_lock *lock)
{
	if (!lock)
		return NULL;
	lock->events = NULL;
	/* What its session has still to store is to be stored before anybody else writes. */
	if (is_stored(lock->store))
		finish(lock);
	return NULL;
}
