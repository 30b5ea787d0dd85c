#include "store/lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/lock_private.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- who ---- */

void ik_holder_self(struct ik_holder *ret_self)
{
	const char *user = getenv("USER");

	*ret_self = (struct ik_holder){ .pid = getpid(), .since_ms = ik_clock_wall_ms() };
	if (gethostname(ret_self->host, sizeof(ret_self->host) - 1) != 0)
		ret_self->host[0] = '\0';
	if (user)
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%s", user);
	else
		(void)snprintf(ret_self->user, sizeof(ret_self->user), "%lu", (unsigned long)geteuid());
}

bool ik_holder_is_self(const struct ik_holder *holder)
{
	return holder->pid == getpid() && ik_holder_is_here(holder);
}

void ik_holder_put(struct ik_buf *out, const struct ik_holder *holder)
{
	time_t since = (time_t)(holder->since_ms / 1000);
	char time[16] = "";
	struct tm parts;

	if (holder->pid <= 0 || !localtime_r(&since, &parts) ||
		strftime(time, sizeof(time), "%H:%M", &parts) == 0)
		ik_buf_puts(out, _("another program"));
	else
		/* Translators: user and computer, number of a process, time of day. */
		ik_buf_printf(out, _("%s@%s, pid %lld, since %s"), holder->user, holder->host,
			(long long)holder->pid, time);
}

void ik_holder_put_sentence(struct ik_buf *out, const struct ik_holder *holder)
{
	struct ik_buf who;

	ik_buf_init(&who, IK_KIB(4));
	ik_holder_put(&who, holder);
	ik_buf_printf(out, _("The session is open in another ikigai (%s)."), who.data);
	ik_buf_done(&who);
}

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

static void tell_later(struct ik_lock *lock)
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
	tell_later(lock);
}

void ik_lock_set_asker(struct ik_lock *lock, const struct ik_holder *asker)
{
	if (same_holder(&lock->asker, asker))
		return;
	lock->asker = *asker;
	lock->asked = true;
	tell_later(lock);
}

void ik_lock_tell_refused(struct ik_lock *lock)
{
	lock->refused = true;
	tell_later(lock);
}

void ik_lock_tell_news(struct ik_lock *lock)
{
	lock->news = true;
	tell_later(lock);
}

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
	.open = nothing_open, .update = nothing, .release = nothing, .pause = nothing,
	.close = nothing,
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
	ik_loop_cancel_deferred(lock->store->loop, tell, lock);
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
	.heard = ik_lock_rows_heard,
	.lost = ik_lock_rows_lost,
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
		tell_later(lock);
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
