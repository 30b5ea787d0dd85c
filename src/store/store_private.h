/*
 * store_private: what the store and its locks share.
 *
 * Inside src/store only.
 */
#ifndef IK_STORE_STORE_PRIVATE_H
#define IK_STORE_STORE_PRIVATE_H

#include "store/requests.h"
#include "store/session_writer.h"
#include "store/store.h"

struct ik_lock;

struct ik_store {
	struct ik_loop *loop;
	char *path;                   /* of the file, or the address without a password; NULL: memory */
	bool server;                  /* PostgreSQL */
	struct ik_writer_place place; /* of the journals */
	struct ik_requests *requests;
	struct ik_session_writer *writers; /* in the order in which they began */
	struct ik_timer *retry;

	/* Events: handed over, those of them in the database, and those that wait of earlier processes,
	 * as far as a session here has them. */
	size_t appended, stored, left;
	size_t takes; /* requests to store what journals have that are out */
	bool changed; /* a journal has what nobody was asked to store, or may have */

	enum ik_store_trouble trouble;
	char reason[sizeof(((struct ik_error *)NULL)->text)];
	size_t told_waiting;
	bool state_is_new, telling, flushing_later;
	bool ending;           /* memory has run out: nothing is asked of the store program any more */
	struct ik_buf notices; /* each ended by NUL */

	const struct ik_store_events *events;
	void *events_arg;

	struct ik_lock *locks;
};

/* Let those locks of a store go that are to be, if all that was appended is stored. */
void ik_locks_settle(void *store);
/* The store ends. */
void ik_locks_end(struct ik_store *store);

#endif
