/*
 * store_private: what the files of the store share.
 *
 * store.c opens, closes and decides what is done next; store_queue.c keeps the
 * events that wait, those of earlier processes too; store_index.c says when the index of
 * words is gone on with; store_rescue.c puts into a file what is left at the end; store_read.c
 * keeps the reads and what they gave.
 * begun.c keeps what has arrived of a reply that is not an event yet.
 * store_held.c has reads wait while somebody else is at the database.
 * May include: what backend.h may.
 */
#ifndef IK_STORE_STORE_PRIVATE_H
#define IK_STORE_STORE_PRIVATE_H

#include "store/backend.h"
#include "store/blob.h"
#include "store/rescue.h"

/* Somebody else who writes is told of when it has taken so long: most take some milliseconds. */
#define IK_STORE_TELL_BUSY_MS 1000

/* What the backend is at. */
enum ik_store_work {
	IK_WORK_NONE,
	IK_WORK_OPEN,
	IK_WORK_EVENTS,
	IK_WORK_PART,
	IK_WORK_READ,
	IK_WORK_INDEX
};

/* A search is told so soon at first. */
#define IK_SEARCH_MS 60

struct ik_store {
	struct ik_loop *loop;
	struct ik_backend *backend; /* NULL: keeps nothing */
	char *uri;
	char *path; /* of the file; of a server the uri without its password */
	enum ik_store_work work;
	bool turning;           /* advances in the next turn of the loop */
	bool closing;           /* a failure is final */
	bool failed;            /* while closing */
	struct ik_timer *timer; /* runs: writing waits for another try */
	int64_t delay_ms;
	int64_t in_use_since; /* by somebody else; 0: it is not */
	bool quiet;           /* but for a moment only: it is not told */
	bool given_up;        /* this database will not be used */
	char reason[sizeof(((struct ik_error *)0)->text)];

	struct ik_store_session *sessions;
	struct ik_record *first, **end;
	size_t waiting;
	struct ik_spool *spool; /* NULL: events are stored at once, or wait in memory */
	bool spool_told;        /* that it cannot be used */
	bool keeping;           /* all that waits, since an embedded database does not take it: */
	struct ik_spool *kept;  /* NULL: nowhere yet */
	int kept_place;         /* of rescue.h */
	bool kept_moved;        /* the other places were tried */
	struct ik_rescue rescue;
	struct ik_taken_file *files;
	bool files_taken; /* of earlier processes: they were looked for */
	struct ik_blob_queue blobs;

	struct ik_lock *locks;
	struct ik_timer *index_timer; /* runs: the index is gone on with after that */
	bool index_due;               /* there may be events that it has not */
	bool index_now;               /* their time has come */
	int64_t search_ms;            /* a search may take until it says what it has found */
	int64_t indexed, events;

	struct ik_store_read *reads, **reads_end; /* those that are answered first */
	bool held;                   /* they wait for held_timer, since somebody else is at it */
	bool held_told;              /* that they do */
	int64_t held_since, held_ms; /* 0: they did not wait; until the next try */
	struct ik_timer *held_timer;

	void (*on_state)(void *arg, size_t waiting, const char *message);
	void *state_arg;
	void (*on_notice)(void *arg, const char *sentence);
	void *notice_arg;
	void (*on_fork)(void *arg, const char *from, const char *to);
	void *fork_arg;
	bool forked;           /* there is a session to tell of */
	struct ik_buf notices; /* NUL-terminated sentences, one after the other */
	size_t told_waiting;
	bool reason_is_new; /* and not told yet */
	bool telling;
};

/* ---- store.c ---- */

/* Go on in the next turn of the loop. */
void ik_store_turn_later(struct ik_store *store);
void ik_store_add_notice(struct ik_store *store, const char *sentence);
/* Tell, later, that a session is stored under another id now. */
void ik_store_tell_fork(struct ik_store *store, struct ik_store_session *session);

/* The number of waiting events may be another one, or the reason. */
void ik_store_tell_waiting(struct ik_store *store);

/* ---- store_held.c ---- */

/* Does this status say that somebody else is at an embedded database? */
bool ik_store_in_use(const struct ik_store *store, enum ik_status status);
/* A read, or opening the database for it, ended so. True: the reads wait, and are tried again. */
bool ik_store_hold_reads(struct ik_store *store, enum ik_status status,
	const struct ik_error *error);
/* A read has its answer, with this status. */
void ik_store_reads_held_no_more(struct ik_store *store, enum ik_status status);

/* ---- store_queue.c ---- */

/* The entry of a session by either of its ids, NULL without one; file: of a file of an earlier
 * process (NULL: this one's). */
struct ik_store_session *ik_store_session(struct ik_store *store, struct ik_taken_file *file,
	const char *id);
struct ik_store_session *ik_store_session_add(struct ik_store *store, struct ik_taken_file *file,
	const char *id, const char *directory, int64_t created_ms, int64_t known);
/* Put an event at the end; takes a reference. */
struct ik_record *ik_store_enqueue(struct ik_store *store, struct ik_store_session *session,
	struct ik_message *message);
/* Take the first record off the queue: it is stored, or can never be. */
void ik_store_dequeue(struct ik_store *store, bool stored);
/* Look, once, for events that an earlier process could not store, and put them before all
 * others. Their file goes when they are stored; until then they are safe in it. */
void ik_store_take_files(struct ik_store *store);
/* Forget what files of earlier processes hold: it is still there. */
void ik_store_leave_files(struct ik_store *store);
/* Somebody else went on with the session: what waits of it goes into a fork. */
void ik_store_fork(struct ik_store *store, struct ik_store_session *session);
/* Tell of forks that others made of our sessions. */
void ik_store_look_for_forks(struct ik_store *store);
/* Release everything. */
void ik_store_queue_done(struct ik_store *store);

/* ---- store_index.c ---- */

/* There may be events that the index has not: it follows, in a while. */
void ik_store_index_later(struct ik_store *store);
/* The database was opened, perhaps another one: a search that waits has the index go on first. */
void ik_store_search_index_first(struct ik_store *store);
/* Is it to be gone on with before this read (NULL: when nothing else is to be done)? */
bool ik_store_index_first(struct ik_store *store, const struct ik_store_read *read);

/* ---- store_kept.c ---- */

/* Writing has to wait: from here on what an embedded database has not taken is in a file, too. */
void ik_store_keep_waiting(struct ik_store *store);
/* An event came behind those. */
void ik_store_keep(struct ik_store *store, struct ik_record *record);
/* Its session became a fork. */
void ik_store_keep_fork(struct ik_store *store, const struct ik_store_session *session);
/* Where all that waits is kept; NULL: not all of it is. */
const char *ik_store_kept_path(const struct ik_store *store);
/* It is stored, or safe elsewhere. */
void ik_store_kept_clear(struct ik_store *store);
/* The store ends: the files are another process's affair. */
void ik_store_kept_done(struct ik_store *store);

/* ---- store_rescue.c ---- */

/* What is still in the queue goes to a file, which notice names. */
void ik_store_rescue_rest(struct ik_store *store, size_t *ret_lost, struct ik_error *notice);

/* ---- store_read.c ---- */

/* The first read that has no answer yet; NULL: none. */
struct ik_store_read *ik_store_read_first(struct ik_store *store);
/* It is asked once more: forget what it was given; a search goes on where it was. */
void ik_store_read_again(struct ik_store_read *read);
/* It has its answer now, to be given in a later turn. */
void ik_store_read_finish(struct ik_store_read *read, enum ik_status status,
	const struct ik_error *error);
/* Fail all that wait. */
void ik_store_reads_fail(struct ik_store *store, enum ik_status status,
	const struct ik_error *error);
/* Give the answers that are there. */
void ik_store_reads_deliver(struct ik_store *store);
/* Nobody is told any more; what is not begun yet is not done, either. */
void ik_store_reads_silence(struct ik_store *store);
/* Forget all, answered or not. */
void ik_store_reads_done(struct ik_store *store);

#endif
