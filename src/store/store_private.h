/*
 * store_private: what the files of the store and of its locks share.
 *
 * Inside src/store only.
 */
#ifndef IK_STORE_STORE_PRIVATE_H
#define IK_STORE_STORE_PRIVATE_H

#include "store/requests.h"
#include "store/session_writer.h"
#include "store/store.h"

struct ik_lock;

/* What locks are told. */
struct ik_store_listener {
	void (*settled)(struct ik_store *store); /* all that was appended is stored */
	void (*heard)(struct ik_store *store, const char *session); /* something happened to it */
	void (*lost)(struct ik_store *store);                       /* nothing is heard any more */
	void (*done)(struct ik_store *store);                       /* the store is about to end */
};

struct ik_store {
	struct ik_loop *loop;
	char *path;                   /* of the file, or the address without a password; NULL: memory */
	bool server;                  /* PostgreSQL */
	char *spare;                  /* the same on another disk; NULL: none */
	char *journals;               /* directory */
	char process[IK_UUID_TEXT];   /* this process, as a writer of journals and a holder of leases */
	struct ik_requests *requests; /* NULL: memory */
	struct ik_session_writer *writers;
	struct ik_store_blob *blobs, **blobs_end; /* to be journaled */
	struct ik_timer *retry;
	size_t left; /* events of earlier processes that a session here has, and that wait */
	bool searched, searching; /* journals of earlier processes are stored; are being stored */
	bool stranded;            /* some on the spare disk could not be brought back */

	enum ik_store_trouble trouble;
	char reason[sizeof(((struct ik_error *)NULL)->text)];
	size_t told_waiting;
	bool state_is_new, telling, blobs_later;
	bool ending;           /* memory has run out: nothing is asked of the store program any more */
	struct ik_buf notices; /* each ended by NUL */

	void (*on_state)(void *arg, size_t waiting, const char *message);
	void *state_arg;
	void (*on_notice)(void *arg, const char *sentence);
	void *notice_arg;
	void (*on_fork)(void *arg, const char *from, const char *to);
	void *fork_arg;

	struct ik_lock *locks;
	const struct ik_store_listener *listener; /* NULL: there were no locks yet */
};

#endif
