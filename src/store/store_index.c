/* When the index of words is gone on with: a while after events were written, in slices with
 * pauses for other programs, and at once when somebody searches. */
#include "store/store_private.h"

#include "util/clock.h"
#include "util/log.h"

/* From an event to its place in the index, and between two slices. */
#define FOLLOW_MS 1000
#define PAUSE_MS 15
/* After a failure: the disk is full, the database read-only. */
#define FAILED_MS 30000
/* Slices that a search waits for: what was said since, but not a database of years. */
#define SLICES_FOR_SEARCH 24

/* Deferred: it is time. */
static void go_on(void *arg)
{
	struct ik_store *store = arg;

	store->index_now = true;
	ik_store_turn_later(store);
}

/* Go on after so long. */
static void go_on_after(struct ik_store *store, int64_t milliseconds)
{
	if (store->closing)
		return;
	if (!store->index_timer)
		store->index_timer = ik_timer_new(store->loop, go_on, store);
	if (!ik_timer_running(store->index_timer))
		ik_timer_start(store->index_timer, milliseconds);
}

void ik_store_index_later(struct ik_store *store)
{
	store->index_due = true;
	if (!store->index_now)
		go_on_after(store, FOLLOW_MS);
}

bool ik_store_index_first(struct ik_store *store, const struct ik_store_read *read)
{
	if (!store->index_due || store->closing || !store->backend)
		return false;
	if (!read)
		return store->index_now;
	/* Of its time half is left to look into what there is. */
	return read->kind == IK_READ_SEARCH && read->reader && read->slices < SLICES_FOR_SEARCH &&
		(read->slices == 0 || ik_clock_ms() < read->told_by_ms - store->search_ms / 2);
}

void ik_store_search_index_first(struct ik_store *store)
{
	struct ik_store_read *read = ik_store_read_first(store);

	if (read && read->kind == IK_READ_SEARCH)
		read->slices = 0;
}

void ik_store_set_search_time(struct ik_store *store, int64_t milliseconds)
{
	store->search_ms = milliseconds;
}

void ik_store_indexed(struct ik_store *store, int64_t indexed, int64_t events,
	enum ik_status status, const struct ik_error *error)
{
	struct ik_store_read *read = ik_store_read_first(store);

	store->work = IK_WORK_NONE;
	store->index_now = false;
	if (status == IK_OK) {
		store->index_due = indexed < events;
		store->indexed = indexed;
		store->events = events;
	} else if (status != IK_UNAVAILABLE) {
		ik_log(IK_LOG_ERROR, "store: index: %s", error->text);
		/* A search is not to wait for events that cannot be indexed. */
		store->indexed = store->events;
	}
	if (read && read->kind == IK_READ_SEARCH)
		read->slices += status == IK_OK ? 1 : SLICES_FOR_SEARCH;
	if (store->index_due)
		go_on_after(store, status == IK_OK || status == IK_UNAVAILABLE ? PAUSE_MS : FAILED_MS);
	ik_store_turn_later(store);
}
