/*
 * What an embedded database does not take now, since somebody else has it, or the disk is full, is
 * kept in a file until it does, in a place of rescue.h.  So it survives the program's sudden
 * end, too.  A server's events are all in its spool before they are sent.
 */
#include "store/store_private.h"

#include "store/spool.h"

/* Is it in no file of an earlier process? */
static bool is_ours(const struct ik_record *record)
{
	return !record->session->file;
}

/* Keep all of it in another place, in one file, so that it stays in order; false: there is no room
 * either, and some of it is where it was. */
static bool move_to(struct ik_store *store, int place)
{
	struct ik_spool *spool = ik_spool_embedded(&store->rescue, place);
	struct ik_record *record = store->first;
	struct ik_error error;

	while (record && (!is_ours(record) || ik_spool_add(spool, record, &error) == IK_OK))
		record = record->next;
	if (record) {
		ik_spool_clear(spool);
		(void)ik_spool_free(spool);
		return false;
	}
	ik_spool_clear(store->kept);
	(void)ik_spool_free(store->kept);
	store->kept = spool;
	store->kept_place = place;
	for (record = store->first; record; record = record->next)
		record->kept = is_ours(record);
	return true;
}

/* Its place is full: try the others, once. */
static void move(struct ik_store *store)
{
	int place = IK_RESCUE_BESIDE + 1;

	store->kept_moved = true;
	while (place < IK_RESCUE_PLACES && !move_to(store, place))
		place++;
}

/* Keep an event behind those that are kept; false: there is no room for it. */
static bool keep(struct ik_store *store, struct ik_record *record)
{
	struct ik_error error;

	if (record->kept || !is_ours(record))
		return true;
	if (!store->kept) {
		store->kept_place = IK_RESCUE_BESIDE;
		store->kept = ik_spool_embedded(&store->rescue, store->kept_place);
	}
	record->kept = ik_spool_add(store->kept, record, &error) == IK_OK;
	if (!record->kept && !store->kept_moved)
		move(store);
	return record->kept;
}

void ik_store_keep_waiting(struct ik_store *store)
{
	struct ik_record *record = store->first;

	if (store->backend->ops->wait)
		return;
	while (record && keep(store, record))
		record = record->next;
	/* What comes behind one that is missing waits with it: it would be out of order. */
	store->keeping = !record;
}

void ik_store_keep(struct ik_store *store, struct ik_record *record)
{
	store->keeping = store->keeping && keep(store, record);
}

void ik_store_keep_fork(struct ik_store *store, const struct ik_store_session *session)
{
	if (store->kept && ik_spool_path(store->kept))
		ik_spool_add_fork(store->kept, session);
}

const char *ik_store_kept_path(const struct ik_store *store)
{
	const struct ik_record *record = store->first;

	while (record && (record->kept || !is_ours(record)))
		record = record->next;
	return record || !store->kept ? NULL : ik_spool_path(store->kept);
}

void ik_store_kept_clear(struct ik_store *store)
{
	store->keeping = store->kept_moved = false;
	if (store->kept)
		ik_spool_clear(store->kept);
	ik_store_kept_done(store);
}

void ik_store_kept_done(struct ik_store *store)
{
	store->kept = ik_spool_free(store->kept);
}
