#include "store/store_private.h"

#include <stdlib.h>

#include "store/rescue.h"
#include "store/spool.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

void ik_store_rescue_rest(struct ik_store *store, size_t *ret_lost, struct ik_error *notice)
{
	struct ik_error error = { .status = IK_OK };
	size_t count = store->waiting;
	const char *spooled = store->spool ? ik_spool_path(store->spool) : NULL;
	int place = IK_RESCUE_BESIDE;
	char *path;

	if (spooled)
		path = ik_strdup(spooled);
	else if (ik_rescue_write(&store->rescue, store->first, &path, &place, &error) == IK_OK)
		ik_store_kept_clear(store); /* all is in one file now, and on the disk */
	else if (ik_store_kept_path(store)) {
		path = ik_strdup(ik_store_kept_path(store));
		place = store->kept_place;
	} else {
		*ret_lost = count;
		ik_error_set(notice, IK_IO,
			ngettext("%zu event is lost. %s %s", "%zu events are lost. %s %s", count), count,
			store->reason, error.text);
		return;
	}
	if (place == IK_RESCUE_TEMPORARY)
		ik_error_set(notice, IK_UNAVAILABLE,
			ngettext("%zu event could not be stored and is in %s: store it later with \"ikigai "
					 "session import\". %s",
				"%zu events could not be stored and are in %s: store them later with "
				"\"ikigai session import\". %s",
				count),
			count, path, store->reason);
	else
		ik_error_set(notice, IK_UNAVAILABLE,
			ngettext("%zu event could not be stored and is kept in %s until the database can be "
					 "used. %s",
				"%zu events could not be stored and are kept in %s until the database can be used. "
				"%s",
				count),
			count, path, store->reason);
	free(path);
}

/* Does it wait already? */
static bool waits(const struct ik_store *store, const struct ik_message *message)
{
	const struct ik_record *record;

	for (record = store->first; record; record = record->next) {
		if (record->message == message)
			return true;
	}
	return false;
}

void ik_store_rescue_event(struct ik_store *store, const char *session, const char *directory,
	struct ik_message *message)
{
	struct ik_store_session *found = ik_store_session(store, NULL, session);
	struct ik_record *record;
	struct ik_error error;

	if (!store->backend || message->sequence > 0 || waits(store, message))
		return;
	if (!found)
		found = ik_store_session_add(store, NULL, session, directory, ik_clock_wall_ms(), 0);
	record = ik_store_enqueue(store, found, message);
	/* Without the spool it goes where all goes then. */
	if (store->spool)
		store->spool_told = ik_spool_add(store->spool, record, &error) != IK_OK;
}

bool ik_store_rescue(struct ik_store *store, struct ik_error *notice)
{
	size_t lost = 0;

	*notice = (struct ik_error){ .status = IK_OK };
	if (!store || !store->backend)
		return true;
	ik_store_leave_files(store);
	if (store->first)
		ik_store_rescue_rest(store, &lost, notice);
	return lost == 0;
}
