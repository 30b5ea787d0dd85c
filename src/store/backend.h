/*
 * backend: what a kind of database must be able to do for the store.
 *
 * The store (store.c) keeps order, waiting and trying again; a backend only
 * reads and writes, or says why it cannot.  It is asked one thing at a time and
 * reports once for each, inside the call (an embedded database) or in a later
 * turn of the loop (a server).
 *
 * May include: util, json, conversation, store/store.h.
 */
#ifndef IK_STORE_BACKEND_H
#define IK_STORE_BACKEND_H

#include "store/lock.h"
#include "store/search_query.h"
#include "store/store.h"
#include "util/buf.h"

/* A session that this process writes to. */
struct ik_store_session {
	struct ik_store_session *next;
	struct ik_taken_file *file;   /* of an earlier process, whose event it is; NULL: ours */
	char writer[IK_UUID_TEXT];    /* the process, as a holder of locks; "": not known */
	char id[IK_UUID_TEXT];        /* as it was begun */
	char stored_as[IK_UUID_TEXT]; /* as it is stored: another one once it became a fork */
	char parent[IK_UUID_TEXT];    /* that it is a fork of; "": none */
	bool chosen;                  /* the person made that fork: it is not of late events */
	int64_t forked_at;            /* the parent's last event that is this one's too */
	char *directory;              /* "" where not known */
	int64_t created_ms;
	/* The number of its last stored event that is known here; -1: whatever is there. The next
	 * one goes behind that one, or, where there are others by now, into a fork. */
	int64_t known;
	int64_t behind;     /* events of earlier processes that wait to be stored behind that one, and
	                        are known here: the next one goes behind them */
	int64_t tentative;  /* the same while a transaction is open */
	int64_t late_forks; /* made of events that came too late; as the backend saw last */
	bool forked;        /* its new id is to be told */
	int64_t told_forks; /* that were told; -1: none were counted yet */
};

/* An event on its way. */
struct ik_record {
	struct ik_record *next;
	struct ik_store_session *session;
	struct ik_message *message;
	bool stored; /* the backend's: it is there */
	bool given;  /* of an earlier process, and handed out to who goes on with its session here */
	bool kept;   /* in a file of this process, which is there while it waits */
};

/* Something to be read. */
enum ik_store_read_kind {
	IK_READ_NEWEST, /* text: the directory, or NULL */
	IK_READ_FIND,   /* text: the prefix */
	IK_READ_LIST,   /* number, text: the last one's updated_ms and id; count; directory, pattern */
	IK_READ_PAGE,   /* text: the session; number: before; count */
	IK_READ_AFTER,  /* text: the session; number: after; count */
	IK_READ_LOCK,   /* text: the session; row */
	IK_READ_PART,   /* text: the id; number: the part */
	IK_READ_WRITE_PART, /* the same; bytes: what it has, unless it is there */
	IK_READ_SEARCH,     /* query; place: behind it; count; directory */
	IK_READ_DELETE /* text: the session: delete some of its events, at last itself; again: there
	                   are more, then (number is 1) of others that are hidden already */
};

/* What is done to the lock of a session on a server, and how it stands then. */
#define IK_LOCK_LEASE "60 seconds"
enum ik_lock_step {
	IK_LOCK_STEP_FOLLOW, /* only look */
	IK_LOCK_STEP_TAKE,   /* or renew */
	IK_LOCK_STEP_ASK,    /* where it cannot be taken */
	IK_LOCK_STEP_WITHDRAW,
	IK_LOCK_STEP_REFUSE,
	IK_LOCK_STEP_RELEASE,
	IK_LOCK_STEP_CLOSE /* the same, and listen no more */
};
struct ik_lock_row {
	enum ik_lock_step step;
	char id[IK_UUID_TEXT];   /* of the lock that asks */
	char dead[IK_UUID_TEXT]; /* of one whose holder is dead: it is nobody's; "": of none */
	char held[IK_UUID_TEXT]; /* of the holder's, in the answer */
	struct ik_holder self;
	enum ik_lock_state state;
	struct ik_holder holder, asker; /* pid 0: nobody */
	int64_t left_ms;                /* of the holder's lease */
	bool refused;
	int64_t late_forks; /* of the session, that were made of events that came too late */
	bool heard;         /* what happens to it is told by ik_locks_heard(); */
	bool again;         /* or will be, if it is asked once more */
};

struct ik_store_read {
	struct ik_store_read *next;
	enum ik_store_read_kind kind;
	char *text;
	int64_t number;
	size_t count;
	char *directory; /* of a list: only of this one; NULL: of all */
	char *pattern;   /* for LIKE with the escape character \\, of title, directory and id
	                            with a line feed between; NULL: all */
	struct ik_search_query *query;
	struct ik_search_place place; /* then where the answer ends */
	bool more;
	bool continued;          /* of a list: it goes on behind what was found */
	int slices;              /* of the index that were made for it first */
	int64_t told_by_ms;      /* of a search: what was found by then is told, with how far that is */
	ik_store_reader *reader; /* NULL: closed, unless it changes something: it is done then, too */
	void *arg;

	/* Filled by the backend, but for the bytes of one that writes them. */
	struct ik_lock_row row;
	struct ik_session_info *sessions;
	struct ik_message **messages; /* references */
	size_t found;                 /* of either */
	struct ik_buf bytes;
	bool again; /* that was a part of it: ask once more */

	/* The store's: */
	bool finished; /* the answer is there */
	enum ik_status status;
	struct ik_error error;
};

/* Room for one more session or message in the answer, which is zeroed; for a
 * message the reference is taken over. */
struct ik_session_info *ik_store_read_add_session(struct ik_store_read *read);
void ik_store_read_add_message(struct ik_store_read *read, struct ik_message *message);
/* The same of a search: info (with texts that are taken over) and a reference. */
void ik_store_read_add_hit(struct ik_store_read *read, const struct ik_session_info *info,
	struct ik_message *message);
void ik_session_info_done(struct ik_session_info *info);

/* Messages that came newest first, the other way round. */
void ik_store_read_turn_round(struct ik_store_read *read);

/* The sentence (IK_NOT_FOUND) for a read that found no session. */
enum ik_status ik_store_read_not_found(const struct ik_store_read *read, struct ik_error *error);
/* Of the first two sessions whose ids begin with what is looked for, in order, the one that
 * is meant; IK_NOT_FOUND, IK_INVALID. */
enum ik_status ik_store_read_choose(struct ik_store_read *read, struct ik_error *error);

struct ik_backend;
struct ik_lock_ops;

/* What can wait, and should, while a backend is behind with its own work: nothing; the index of
 * words; large texts, too. */
enum ik_backlog { IK_BACKLOG_NONE, IK_BACKLOG_INDEX, IK_BACKLOG_ALL };

/*
 * Failures by status, which decides what the store does:
 *   IK_UNAVAILABLE  somebody else is at it: try again soon
 *   IK_TOO_LARGE    (write) the first record can never be stored: drop it
 *   IK_DENIED       this database will not be used: do not try again
 *   any other       try again, less and less often
 */
struct ik_backend_ops {
	const char *name;
	size_t batch; /* events that are written in one go before the loop turns */

	/* Open, make, migrate. Every other operation is called on an open backend only;
	 * one that finds its database gone bad closes it. Report: ik_store_opened(). */
	void (*open)(struct ik_backend *backend);
	bool (*is_open)(const struct ik_backend *backend);

	/*
	 * Write records in order, at most count (a backend may take fewer in one go). Each
	 * message gets the next sequence of its session; an event whose id is there already
	 * counts as written; one whose session is not where it is known to be (session->known)
	 * is not written: a conflict. Report: ik_store_written().
	 */
	void (*write)(struct ik_backend *backend, struct ik_record *first, size_t count);

	/* Write a part of a large text, unless it is there. Report:
	 * ik_store_part_written(). */
	void (*write_part)(struct ik_backend *backend, const char *id, size_t part, const char *bytes,
		size_t length);

	/* Fill the answer of read. Report: ik_store_answered(). */
	void (*read)(struct ik_backend *backend, struct ik_store_read *read);

	/* Take some events that are not in the index of words yet into it, for some milliseconds.
	 * Report: ik_store_indexed(). */
	void (*index)(struct ik_backend *backend);

	/* The executable that does what the loop should not wait for (store/sqlite/checkpoint.h). NULL:
	 * there is nothing of the kind. */
	void (*set_helper)(struct ik_backend *backend, const char *program);
	/* What should wait for that? It is told by ik_store_relieved() when it need not any more.
	 * NULL: nothing ever. */
	enum ik_backlog (*backlog)(const struct ik_backend *backend);

	/* The program ends: what comes from here on may block for a while. NULL: it does not
	 * matter. */
	void (*end)(struct ik_backend *backend);
	/* As the program ends: wait so long for something to happen; false: nothing has. NULL
	 * where every report comes inside the call. */
	bool (*wait)(struct ik_backend *backend, int64_t milliseconds);

	/* How it keeps the locks of sessions (store/lock_private.h). */
	const struct ik_lock_ops *locks;

	/* No report is to come any more. */
	struct ik_backend *(*free)(struct ik_backend *backend);
};

/* First member of every backend's own struct. */
struct ik_backend {
	const struct ik_backend_ops *ops;
	struct ik_store *store;     /* that is reported to */
	char process[IK_UUID_TEXT]; /* this one, as a holder of locks; "": there are none */
	int64_t timeout_ms;         /* a server may take over a statement; set by it first */
	bool refuses;               /* a server that was reached, and failed then: what it was asked */
};

struct ik_backend *ik_sqlite_new(struct ik_loop *loop, const char *path);
struct ik_backend *ik_postgres_new(struct ik_loop *loop, const char *uri);

/* What tells this database from every other, however it is addressed, without secrets: with what
 * the environment and service files say where the address does not. Where that cannot be found
 * out (there is no library) the address as it stands, with the variables that fill it. New
 * memory. */
char *ik_postgres_name(const char *uri);
/* The latter in any case. */
char *ik_postgres_name_unresolved(const char *uri);

/* ---- the reports ---- */

/* notice: what a person should know, or "". */
void ik_store_opened(struct ik_store *store, const char *notice, enum ik_status status,
	const struct ik_error *error);
/* So many records are written. conflict (or NULL): somebody else has gone on with the session
 * of the one behind them. */
void ik_store_written(struct ik_store *store, size_t count, struct ik_store_session *conflict,
	enum ik_status status, const struct ik_error *error);
void ik_store_part_written(struct ik_store *store, enum ik_status status,
	const struct ik_error *error);
void ik_store_answered(struct ik_store *store, enum ik_status status, const struct ik_error *error);
/* What can wait may go on. */
void ik_store_relieved(struct ik_store *store);
/* So many of all events are in the index now: all of them, when there is nothing left to do. */
void ik_store_indexed(struct ik_store *store, int64_t indexed, int64_t events,
	enum ik_status status, const struct ik_error *error);

#endif
