/*
 * store: sessions and their events, kept for good.
 *
 * An event is a line in its session's journal (journal/journal.h) when ik_store_append() returns.
 * A store program (ikigai-store(7)), which may block, copies journals into the database and answers
 * what is asked about it; it is started when there is something to do.  What a journal does not
 * take (a full disk) waits in memory and is tried again.
 *
 * Every read has exactly one answer, never inside its call, and sees what was appended before it.
 *
 * Owns the journals and the program.  May include: util, json, config, conversation, loop, journal.
 */
#ifndef IK_STORE_STORE_H
#define IK_STORE_STORE_H

#include "conversation/conversation.h"
#include "conversation/event.h"
#include "conversation/message.h"
#include "loop/loop.h"
#include "store/answer.h"
#include "util/bytes.h"

struct ik_store;

struct ik_store_options {
	/* A path, "sqlite:PATH", or what PostgreSQL's library takes: a URI
	 * ("postgresql://HOST/DATABASE") or keywords with values ("host=... dbname=..."). NULL: nothing
	 * is kept. */
	const char *database;
	/* Where journals are: a directory, made when it is needed, that no tool can write to in any
	 * mode of the sandbox. Each database has its own in it. */
	const char *journals;
	/* The same on another disk, for what that one does not take; NULL: there is none. */
	const char *spare;
	const char *programs; /* directory of the store programs */
	int64_t patience_s;   /* how long a server may be silent; 0: for ever */
};

/* Only looks at the options (IK_INVALID: they are wrong), which are copied: the database is opened,
 * made and migrated when it is first used, and what goes wrong then is told to who listens.
 * Events of earlier processes that are not stored yet are stored. */
struct ik_store *ik_store_open(struct ik_loop *loop, const struct ik_store_options *options,
	struct ik_error *error);

/* Is this PostgreSQL's: a URI, or keywords with values? */
bool ik_postgres_is_uri(const char *uri);

/*
 * Have all stored, in a few seconds; what is not stays in the journals, for the next process that
 * uses the database. Reads that wait are forgotten. Returns NULL. *ret_lost (may be NULL): events
 * that no journal took. notice (may be NULL): IK_OK if all is stored ("", or a notice that was not
 * told yet), else a sentence that says where they are, or why they are lost.
 */
struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice);

/* Told between turns of the loop; each may be NULL. */
struct ik_store_events {
	/* The number of waiting events has changed, or the reason; message says why they wait ("" when
	 * they need not wait long). */
	void (*state)(void *arg, size_t waiting, const char *message);
	/* What a person should know once. */
	void (*notice)(void *arg, const char *sentence);
	/* How far work is that the store program does, or NULL: it has ended. */
	void (*progress)(void *arg, const char *work, int64_t done, int64_t of);
	/* A session is stored under another id from here on: as a fork, since another process had
	 * continued it (a notice has told so). */
	void (*forked)(void *arg, const char *from, const char *to);
};

/* Tell this one, who is borrowed, from here on; notices that nobody was told have waited. */
void ik_store_listen(struct ik_store *store, const struct ik_store_events *events, void *arg);

/* Events that are not in the database yet. */
size_t ik_store_waiting(const struct ik_store *store);

/* Is all that was handed over where it outlives this process? */
bool ik_store_is_kept(const struct ik_store *store);

/* As it was told last. */
enum ik_store_trouble ik_store_trouble(const struct ik_store *store);

/* A short name for the status bar: "sqlite", "postgresql", "memory". */
const char *ik_store_name(const struct ik_store *store);

/* ---- writing ---- */

/* Begin a session with this id in this directory, unless it was begun. */
void ik_store_begin(struct ik_store *store, const char *session, const char *directory);

/*
 * Continue a stored session whose newest event that is known here has this number. If another
 * process has continued it by the time an event is stored, that event and those after it become a
 * fork (ik_store_on_fork).
 */
void ik_store_continue(struct ik_store *store, const char *session, const char *directory,
	int64_t sequence);

/* Begin a session that shares the events of another one, parent, up to the number sequence: what
 * comes is put after these, whatever is said in parent. */
void ik_store_begin_fork(struct ik_store *store, const char *session, const char *directory,
	const char *parent, int64_t sequence);

/* Nothing is added to the session for now: it takes no descriptor any more once all is stored. */
void ik_store_leave(struct ik_store *store, const char *session);

/* Nobody has the session open any more: the same, but an event that is handed over nevertheless
 * continues it. */
void ik_store_rest(struct ik_store *store, const char *session);

/* Hand over an event of a session that was begun or continued: it gets its number,
 * message->sequence. Takes a reference of its own. */
void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message);

/* What has arrived of a reply so far, with the id of the event that completes it: if this process
 * dies first, the session has it. */
void ik_store_keep_reply(struct ik_store *store, const char *session,
	const struct ik_message *message);
/* Replies that were kept and did not become events are forgotten. */
void ik_store_drop_replies(struct ik_store *store, const char *session);

/* Keep a large text that an event of the session names, under an id of its own (a UUID): a part in
 * each turn of the loop. Takes a reference until it is journaled. */
void ik_store_put_blob(struct ik_store *store, const char *session, const char *id,
	struct ik_bytes *bytes);

/* Keep a part of a large text, of which nobody has the whole in memory: IK_LIMIT_PART bytes, of the
 * last one what is left. It is in the journal when this returns IK_OK. */
enum ik_status ik_store_put_part(struct ik_store *store, const char *session, const char *id,
	size_t part, const char *bytes, size_t length, struct ik_error *error) IK_MUST_USE;

/* Memory has run out: have all that was handed over in the journals. What is handed over from here
 * on is journaled only, in as little memory as that takes. */
void ik_store_end_now(struct ik_store *store);

/* ---- reading ---- */

/* Reads are answered in the order of their calls. A database that cannot be reached now fails
 * them. */

/* All that was appended to the session so far is stored; the last line has "sequence", the number
 * of its newest event. NULL: nothing was appended, and no answer comes. */
struct ik_store_read *ik_store_settle(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Have all that was appended to the session so far on disk, whether the database can be reached or
 * not. NULL: nothing was appended, and no answer comes. */
struct ik_store_read *ik_store_sync(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* The newest session of a directory (NULL: of all) that has events, and on a server is not somebody
 * else's: one session, or IK_NOT_FOUND. */
struct ik_store_read *ik_store_newest(struct ik_store *store, const char *directory,
	ik_store_reader *reader, void *arg);

/* The session with this id, or the only one whose id begins so: one session, or
 * IK_NOT_FOUND, or IK_INVALID for several. */
struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg);

/* Which sessions a list has. All is borrowed during the call. */
struct ik_session_choice {
	const char *directory; /* only those of it; NULL: of all */
	const char *words;     /* only those in whose title, directory or id these stand, in this
	                          order, whatever the case of their ASCII letters; NULL or "": all */
	bool everybody;        /* on a server, also those of others */
};

/* Sessions with events that are chosen (NULL: all), newest first: at most count, those after one
 * whose answer was the last so far (its updated_ms and its id; 0 and "": from the newest). None at
 * the end. */
struct ik_store_read *ik_store_list(struct ik_store *store, const struct ik_session_choice *choice,
	int64_t updated_ms, const char *id, size_t count, ik_store_reader *reader, void *arg);

/* Delete a session with all its events and large texts. IK_NOT_FOUND: there is none with this whole
 * id. */
struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Up to count events of a session that come before sequence (0: from the end), oldest first,
 * those of its parent below its own; fewer where they are large (IK_LIMIT_PAGE), none only
 * when there are none. What is only in journals so far is among them, of this process and of
 * earlier ones: whoever continues the session continues after that. */
struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg);

/* Up to count events of a session whose numbers are above sequence, oldest first: what somebody
 * else has added since. Those of a parent are not among them. */
struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg);

/* Search the events of the sessions that are chosen, whatever their titles: those with the words,
 * newest first, at most count, after a place where an earlier page ended (NULL: from the newest).
 * messages[i] belongs to sessions[i]: what forks share with a session is found there once. */
struct ik_store_read *ik_store_search(struct ik_store *store,
	const struct ik_session_choice *choice, const char *row, size_t count, ik_store_reader *reader,
	void *arg);

/* Part number part (from 0) of a large text: IK_LIMIT_PART bytes, of the last one what is left.
 * IK_NOT_FOUND when there is no such part. */
struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg);

/* Ask the program anything: the last line of its answer, as ikigai-store(7) says. file is what the
 * request names, or NULL. */
struct ik_store_read *ik_store_ask(struct ik_store *store, const char *verb, const char *file,
	ik_store_reader *reader, void *arg);

#endif
