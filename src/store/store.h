/*
 * store: sessions and their events, kept for good.
 *
 * One interface; a backend is a table of operations (struct ik_backend_ops).
 * Appending keeps the order of the calls: what a backend cannot take now
 * (full disk, server away) waits in the store's queue and is tried again.
 * Every read has exactly one answer, never inside its call.
 *
 * Owns the database handle and the queue.  May include: util, json, config,
 * conversation, loop.
 */
#ifndef IK_STORE_STORE_H
#define IK_STORE_STORE_H

#include "conversation/conversation.h"
#include "conversation/event.h"
#include "conversation/message.h"
#include "loop/loop.h"
#include "util/bytes.h"

struct ik_store;
struct ik_lock_row;

/* A program that writes to a session, or would like to. */
struct ik_holder {
	char host[65], user[33]; /* "": not known */
	int64_t pid;             /* 0: there is none */
	int64_t since_ms;        /* wall clock, where it is known by the database's */
	char place[112];         /* where its number means this process: a boot of a machine,
	                            namespaces; "": not known */
	int64_t started;         /* when the process was, to know it by */
};

struct ik_session_info {
	char id[IK_UUID_TEXT];
	char *title;     /* first words of the first message; never NULL */
	char *directory; /* "" where it is not known; never NULL */
	int64_t created_ms;
	int64_t updated_ms;
	int64_t event_count;       /* with those that it has from its parent */
	char parent[IK_UUID_TEXT]; /* the session that it is a fork of; "": of none */
	int64_t forked_at;         /* so many events are the parent's */
	struct ik_holder holder;   /* who has it open for writing (store/lock.h); pid 0: nobody */
};

/*
 * A store at uri: a path, "sqlite:PATH", or what PostgreSQL's library takes: a URI
 * ("postgresql://HOST/DATABASE") or keywords with values ("host=... dbname=..."). Only looks
 * at the uri (IK_INVALID otherwise): the database is opened, made and migrated when it is first used,
 * so that start-up does not pay for it, and what goes wrong then is told by
 * the functions below while events wait. NULL: a store that keeps nothing.
 *
 * A damaged database file is put aside as PATH.damaged-TIME and a new one is
 * begun; events that an earlier process could only rescue (ik_store_close) are
 * taken in. A notice tells of both.
 */
struct ik_store *ik_store_open(struct ik_loop *loop, const char *uri, struct ik_error *error);

/* Is this PostgreSQL's: a URI, or keywords with values? */
bool ik_postgres_is_uri(const char *uri);

/*
 * Where events for a server are kept until it has them (a directory, made when it is needed):
 * they survive the death of this process, and the next one with the same database takes them
 * in. Without it they wait in memory. Nothing for an embedded database.
 */
void ik_store_set_spool(struct ik_store *store, const char *directory);

/*
 * A further directory, made when it is needed, for events that the database does not take and that
 * cannot be kept beside it either; at most two, the first is tried first. It must be one that no
 * tool can write to in any mode of the sandbox: what is found there is stored.
 */
void ik_store_add_rescue(struct ik_store *store, const char *directory);

/* No tool can write to the directory of an embedded database in any mode of the sandbox: a system
 * prompt that an earlier process kept there for a session is one. Without this it becomes a notice,
 * unless the session begins with it. */
void ik_store_trust_directory(struct ik_store *store);

/* So long a server may take over one statement (20 seconds, unless it is said); what takes
 * longer is given up and tried again later. Nothing for an embedded database. */
void ik_store_set_timeout(struct ik_store *store, int64_t seconds);

/*
 * The executable that an embedded database has do what the loop should not wait for, as
 * PROGRAM --checkpoint DATABASE (store/sqlite/checkpoint.h): usually this program itself. Without it
 * the store does that, too. Nothing for a server.
 */
void ik_store_set_helper(struct ik_store *store, const char *program);

/* A search is answered with what it has found after so long (60 ms, unless it is said). */
void ik_store_set_search_time(struct ik_store *store, int64_t milliseconds);

/*
 * Try once more to write what waits; what cannot be written goes as JSON Lines
 * to a file of mode 0600 beside the database, or in a directory of
 * ik_store_add_rescue(), that the next process that opens the database takes in; in TMPDIR,
 * where neither is possible, it waits for the user. Reads that wait are forgotten.
 * Returns NULL. *ret_lost (may be NULL): events that could not be kept
 * anywhere. notice (may be NULL): IK_OK
 * when all is stored ("", or a notice that was not told yet), else a sentence
 * that says where they are, or why they are lost.
 */
struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice);

/*
 * Memory is gone: the process ends as soon as it can, in the middle of whatever it does, and
 * nothing of the store is used any more but these two. The first keeps an event (not copied)
 * that was not handed over, or was just being handed over, of a session that was begun here, or
 * is now; the second puts all that waits where the next process takes it in, as
 * ik_store_close() does, with a notice like its; false: events are lost. Neither touches the
 * database. NULL is a store with nothing in it.
 */
void ik_store_rescue_event(struct ik_store *store, const char *session, const char *directory,
	struct ik_message *message);
bool ik_store_rescue(struct ik_store *store, struct ik_error *notice);

/* Told whenever the number of waiting events changes, or the reason; message says why they
 * wait ("" when none do). */
void ik_store_on_state(struct ik_store *store,
	void (*fn)(void *arg, size_t waiting, const char *message), void *arg);

/* Events that wait to be stored. */
size_t ik_store_waiting(const struct ik_store *store);

/* Is all that was handed over stored, or where it outlives this process? */
bool ik_store_is_kept(const struct ik_store *store);

/* As it was told last. */
enum ik_store_trouble ik_store_trouble(const struct ik_store *store);

/* Told, between turns of the loop, what a person should know once. */
void ik_store_on_notice(struct ik_store *store, void (*fn)(void *arg, const char *sentence),
	void *arg);

/*
 * Told, between turns of the loop, that a session is stored under another id from here on: as
 * a fork, since another process had gone on with it (a notice has told so). The store takes
 * either id for it.
 */
void ik_store_on_fork(struct ik_store *store,
	void (*fn)(void *arg, const char *from, const char *to), void *arg);

/* A short name for the status bar: "sqlite", "postgresql", "memory". */
const char *ik_store_name(const struct ik_store *store);

/* ---- writing ---- */

/* Begin a session with this id in this directory, unless it was begun. */
void ik_store_begin(struct ik_store *store, const char *session, const char *directory);

/*
 * Go on with a stored session whose newest event that is known here has this number. Where
 * another process has gone on with it by the time an event is written, that event and those
 * after it become a fork (ik_store_on_fork); of a session neither begun nor continued the
 * events are put behind whatever is there.
 */
void ik_store_continue(struct ik_store *store, const char *session, const char *directory,
	int64_t sequence);

/*
 * What was said behind the newest stored event of a session that is continued here, and waits to be
 * stored: what earlier processes could not store, and what this one has not yet, where the session
 * was left meanwhile. References to the messages that are not among shown, oldest first, in new
 * memory; NULL without any. Whoever goes on with the session goes on behind them: they are no other
 * process's, and nothing becomes a fork. shown is what has been read of the session, its newest
 * event too, and what was handed out before (NULL: nothing): of a process that died before it knew,
 * some of what waits may be stored.
 */
struct ik_message **ik_store_left_behind(struct ik_store *store, const char *session,
	const struct ik_conversation *shown, size_t *ret_count);

/* Begin a session that has the events of another one, parent, up to the number sequence, by
 * reference: what comes is put behind these, whatever is said in parent. */
void ik_store_begin_fork(struct ik_store *store, const char *session, const char *directory,
	const char *parent, int64_t sequence);

/* Hand over an event: queued, and written at once where the backend can (an
 * embedded database: when this returns and nothing waits, it is stored and has its number,
 * message->sequence). Takes a reference of its own. An event whose id is stored already is left. */
void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message);
/* The same, for many in a row: they are written together, in a later turn of the loop. */
void ik_store_append_later(struct ik_store *store, const char *session, struct ik_message *message);

/*
 * Keep a large text under an id of its own (a UUID), beside the events: written a part in
 * each turn of the loop when no event waits, so that neither the loop nor an event waits
 * for it. Takes a reference until it is stored. A part that is stored already is left. Of
 * one that was being written when the process was killed the first parts are there; where
 * there is a spool it is kept there too, a part in each turn, and stored by a later process.
 */
void ik_store_put_blob(struct ik_store *store, const char *id, struct ik_bytes *bytes);

/* ---- reading ---- */

/*
 * What a read gives; all of it is the store's and valid during the answer only (take
 * references of the messages that are to stay).
 */
struct ik_store_answer {
	enum ik_status status; /* IK_OK, or as error says */
	struct ik_error error; /* a sentence, unless the function below says otherwise */
	const struct ik_session_info *sessions;
	struct ik_message **messages;
	size_t count; /* of either */
	const char *bytes;
	size_t length;
	const struct ik_lock_row *row; /* the store's own */

	/* Of a search: */
	const struct ik_search_place *place; /* where this page ended */
	bool more;                           /* there may be others behind it */
	int64_t indexed, events;             /* so many of all events were looked through */
};

/* A read that has no answer yet. */
struct ik_store_read;
/* Called once, in a later turn of the loop, with what the read gave; the read is gone then.
 * Any function of the store may be called from it but ik_store_close(). */
typedef void ik_store_reader(void *arg, const struct ik_store_answer *answer);

/* No answer is wanted any more: silent at once. Takes NULL, returns NULL. */
struct ik_store_read *ik_store_read_close(struct ik_store_read *read);

/*
 * Reads are answered in the order of their calls, after what was appended before them
 * (unless that has to wait). A database that cannot be reached now fails them; an embedded one
 * that somebody else is at has them wait, some seconds at most, as ik_store_on_state() tells.
 */

/* The newest session of a directory (NULL: of all) that has events: one session, or
 * IK_NOT_FOUND. */
struct ik_store_read *ik_store_newest(struct ik_store *store, const char *directory,
	ik_store_reader *reader, void *arg);

/* The session with this id, or the only one whose id begins so: one session, or
 * IK_NOT_FOUND, or IK_INVALID for several. */
struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg);

/* Sessions with events, newest first: at most count, those after one whose answer was the
 * last so far (its updated_ms and its id; 0 and "": from the newest). None at the end. */
struct ik_store_read *ik_store_list(struct ik_store *store, int64_t updated_ms, const char *id,
	size_t count, ik_store_reader *reader, void *arg);

/* Which sessions a list has. All is borrowed during the call. */
struct ik_session_choice {
	const char *directory; /* only those of it; NULL: of all */
	const char *words;     /* only those in whose title, directory or id these stand, in this
	                          order, whatever the case of their ASCII letters; NULL or "": all */
};

/* The same of those that are chosen. */
struct ik_store_read *ik_store_select(struct ik_store *store,
	const struct ik_session_choice *choice, int64_t updated_ms, const char *id, size_t count,
	ik_store_reader *reader, void *arg);

/* Delete a session with all its events and large texts, some thousands in each turn of the
 * loop; it is in no list any more once that has begun. IK_NOT_FOUND: there is none with this
 * whole id; IK_UNAVAILABLE: the database is in use. */
struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Up to count events of a session that come before sequence (0: from the end), oldest first,
 * those of its parent below its own; fewer where they are large (IK_LIMIT_PAGE), none only
 * when there are none. */
struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg);

/* Up to count events of a session whose numbers are above sequence, oldest first: what somebody
 * else has added since. Those of a parent are not among them. */
struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg);

/*
 * Search the events of all sessions (of one directory; NULL: of all): those with what the
 * query says, newest first (SQLite: that were stored last), at most count, from behind a place
 * where an earlier page ended (NULL: from the newest). messages[i] stands in sessions[i]: what
 * forks have of one session is found there once.
 *
 * What is searched is an index, which follows the events a second after they were written, in
 * slices of some milliseconds while nothing else is to be done; a search brings it up to date
 * first. Where that takes long (the database of an older program) it is answered with what is
 * there, and indexed is smaller than events: ask again.
 *
 * Where it takes long to find so many, the answer has fewer than count, or none, and says that
 * there may be others: go on from its place, which tells how far that is.
 */
struct ik_search_query;
struct ik_search_place {
	int64_t first, second; /* the backend's */
	char session[IK_UUID_TEXT];
	int way; /* the same: how it is searched from there on */
	int64_t range;
	int64_t looked; /* so many events, about, are before it; 0: that is not known */
};
struct ik_store_read *ik_store_search(struct ik_store *store, const struct ik_search_query *query,
	const char *directory, const struct ik_search_place *behind, size_t count,
	ik_store_reader *reader, void *arg);

/*
 * Keep a part of a large text, of which nobody has the whole in memory: IK_LIMIT_PART bytes, of
 * the last one what is left; copied. Answered, as a read is, when it is stored (one that is stored
 * already is left), or with why it is not; it is not tried again.
 */
struct ik_store_read *ik_store_write_part(struct ik_store *store, const char *id, size_t part,
	const char *bytes, size_t length, ik_store_reader *reader, void *arg);

/* Part number part (from 0) of a large text: IK_LIMIT_PART bytes, of the last one what is left.
 * IK_NOT_FOUND without a sentence when there is no such part. */
struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg);

#endif
