/* Reads while somebody else is at an embedded database: they wait as events do, and not for ever. */
#include "store/store_private.h"

#include <string.h>

#include "util/clock.h"

/* Between two tries, at first and at most. */
#define FIRST_MS 5
#define LONGEST_MS 250
/* So long a read waits in all. */
#define MOST_MS 4500

bool ik_store_in_use(const struct ik_store *store, enum ik_status status)
{
	return status == IK_UNAVAILABLE && !store->backend->ops->wait;
}

/* It is time for another try. */
static void try_again(void *arg)
{
	struct ik_store *store = arg;

	store->held = false;
	ik_store_turn_later(store);
}

/* Let the person know. */
static void say_why(struct ik_store *store, const struct ik_error *error)
{
	if (store->reason[0])
		return;
	memcpy(store->reason, error->text, sizeof(store->reason));
	store->reason_is_new = store->held_told = true;
	ik_store_tell_waiting(store);
}

bool ik_store_hold_reads(struct ik_store *store, enum ik_status status,
	const struct ik_error *error)
{
	struct ik_store_read *read = ik_store_read_first(store);
	int64_t now = ik_clock_ms();

	if (!read || store->closing || !ik_store_in_use(store, status))
		return false;
	if (!store->held_since) {
		store->held_since = now;
		store->held_ms = FIRST_MS;
	}
	if (now - store->held_since >= MOST_MS)
		return false;
	if (now - store->held_since >= IK_STORE_TELL_BUSY_MS)
		say_why(store, error);
	ik_store_read_again(read);
	if (!store->held_timer)
		store->held_timer = ik_timer_new(store->loop, try_again, store);
	ik_timer_start(store->held_timer, store->held_ms);
	store->held_ms = store->held_ms * 2 < LONGEST_MS ? store->held_ms * 2 : LONGEST_MS;
	store->held = true;
	return true;
}

void ik_store_reads_held_no_more(struct ik_store *store, enum ik_status status)
{
	/* Those behind one that has waited in vain are tried once. */
	if (!ik_store_in_use(store, status) || !ik_store_read_first(store))
		store->held_since = 0;
	if (!store->held_told || store->held_since)
		return;
	store->held_told = false;
	if (ik_timer_running(store->timer))
		return; /* events wait, too */
	store->reason[0] = '\0';
	store->reason_is_new = true;
	ik_store_tell_waiting(store);
}

enum ik_store_trouble ik_store_trouble(const struct ik_store *store)
{
	if (!store->reason[0])
		return IK_STORE_FINE;
	if (store->backend->ops->wait)
		return store->backend->refuses ? IK_STORE_REFUSES : IK_STORE_AWAY;
	if (store->in_use_since || (store->held_told && !ik_timer_running(store->timer)))
		return IK_STORE_IN_USE;
	return IK_STORE_REFUSES;
}
