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
	/* The database file, or its address without the password; NULL: memory only. */
	char *path;
	bool server; /* PostgreSQL */
	struct ik_store_place place;
	struct ik_requests *requests;
	struct ik_session_writer *writers; /* in order of creation */
	struct ik_timer *retry;

	/* Numbers of events: handed over, of those in the journals when the program was asked last to
	 * store them, in the database, and left in journals by earlier processes, as far as known. */
	size_t appended, asked, stored, left;
	size_t takes; /* unanswered requests to store the journals */
	bool changed; /* the journals may have records that no request covers */

	enum ik_store_trouble trouble;
	char reason[sizeof(((struct ik_error *)NULL)->text)];
	size_t told_waiting;
	bool state_is_new, telling, flushing;
	bool ending;           /* memory has run out: send no more requests to the store program */
	struct ik_buf notices; /* each ends with NUL */

	const struct ik_store_events *events;
	void *events_arg;

	struct ik_lock *locks;
};

/* Release the locks that are due, if everything appended is stored. */
void ik_locks_settle(struct ik_store *store);
/* Release all locks: the store is closing. */
void ik_locks_end(struct ik_store *store);

#endif
