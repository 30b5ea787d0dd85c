#include "store/begun.h"

#include <stdlib.h>
#include <string.h>

#include "store/spool.h"
#include "store/store_private.h"
#include "util/alloc.h"
#include "util/log.h"
#include "util/text.h"

struct ik_begun {
	struct ik_store *store;
	struct ik_spool *spool; /* NULL: nothing is kept */
	char id[IK_UUID_TEXT];  /* of the event that may grow */
	size_t length;          /* so much of it is kept */
	bool failed;            /* no more of it can be */
};

struct ik_begun *ik_begun_new(struct ik_store *store)
{
	struct ik_begun *begun;

	/* A server's without a spool are nowhere before they are there. */
	if (!store || !store->backend || (store->backend->ops->wait && !store->spool))
		return NULL;
	begun = ik_alloc(sizeof(*begun));
	begun->store = store;
	return begun;
}

/* A file for it; an embedded database's is in a place of rescue.h. */
static struct ik_spool *new_spool(const struct ik_begun *begun, int place)
{
	struct ik_spool *embedded, *spool;

	if (begun->store->spool)
		return ik_spool_begun(begun->store->spool);
	embedded = ik_spool_embedded(&begun->store->rescue, place);
	spool = ik_spool_begun(embedded);
	(void)ik_spool_free(embedded);
	return spool;
}

/* How the session will stand when all is stored that was handed over before this. */
static struct ik_store_session standing(const struct ik_store *store,
	const struct ik_store_session *session)
{
	struct ik_store_session then = *session;
	const struct ik_record *record;

	for (record = store->first; record && then.known >= 0; record = record->next)
		then.behind += record->session == session;
	return then;
}

/* Keep a first piece of an event. */
static enum ik_status keep_first(struct ik_begun *begun, const struct ik_store_session *session,
	const struct ik_message *message, struct ik_error *error)
{
	struct ik_store_session then = standing(begun->store, session);
	struct ik_record record = { .session = &then, .message = (struct ik_message *)message };
	int places = begun->spool || begun->store->spool ? 1 : IK_RESCUE_TEMPORARY, place;
	enum ik_status status = IK_IO;

	/* Not in TMPDIR, where the next process would not use it. */
	for (place = IK_RESCUE_BESIDE; status != IK_OK && place < places; place++) {
		if (place > IK_RESCUE_BESIDE) {
			ik_spool_clear(begun->spool);
			begun->spool = ik_spool_free(begun->spool);
		}
		if (!begun->spool)
			begun->spool = new_spool(begun, place);
		status = ik_spool_add(begun->spool, &record, error);
	}
	return status;
}

void ik_begun_keep(struct ik_begun *begun, const char *session, const struct ik_message *message)
{
	struct ik_store_session *entry = ik_store_session(begun->store, NULL, session);
	enum ik_status status = IK_OK;
	struct ik_error error;

	if (!entry || begun->failed)
		return;
	if (!begun->spool || strcmp(message->id, begun->id) > 0)
		status = keep_first(begun, entry, message, &error);
	else if (ik_text_equal(message->id, begun->id) && message->content_length > begun->length)
		status = ik_spool_add_more(begun->spool, message->id, message->content + begun->length,
			message->content_length - begun->length, &error);
	else
		return;
	memcpy(begun->id, message->id, sizeof(begun->id));
	begun->length = message->content_length;
	begun->failed = status != IK_OK;
	if (begun->failed)
		ik_log(IK_LOG_ERROR, "store: a reply on its way is not kept: %s", error.text);
}

bool ik_begun_is_stored(const struct ik_begun *begun)
{
	return ik_store_is_kept(begun->store);
}

bool ik_begun_is_empty(const struct ik_begun *begun)
{
	return !begun->spool;
}

void ik_begun_clear(struct ik_begun *begun)
{
	if (begun->spool)
		ik_spool_clear(begun->spool);
	begun->spool = ik_spool_free(begun->spool);
	begun->length = 0;
	begun->id[0] = '\0';
	begun->failed = false;
}

struct ik_begun *ik_begun_free(struct ik_begun *begun)
{
	if (begun)
		ik_begun_clear(begun);
	free(begun);
	return NULL;
}
