/*
 * store: persistent sessions and their events.
 *
 * When ik_store_append() returns, the event is a line in its session's journal (journal/journal.h).
 * A store program (ikigai-store(7)), which may block, copies journals into the database and answers
 * requests; it is started on demand.  Records that a journal refuses (full disk) wait in memory and
 * are retried.
 *
 * Every read gets exactly one answer, never inside its call, and sees everything appended before
 * it.
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
	/* A path, "sqlite:PATH", or a PostgreSQL connection string. NULL: nothing is stored. */
	const char *database;
	/* Directory of the journals, made on demand; no tool can write to it in any mode of the
	 * sandbox. Each database has its own subdirectory. */
	const char *journals;
	/* The same on another disk, used when the first one fails; NULL if there is none. */
	const char *spare;
	const char *programs; /* directory of the store programs */
	int64_t patience_s;   /* limit on a server's silence, in seconds; 0: no limit */
};

/* Check the options (IK_INVALID) and copy them. The database is opened, created and migrated when
 * it is first used; errors then go to the listener. Events that earlier processes left in journals
 * are stored. */
struct ik_store *ik_store_open(struct ik_loop *loop, const struct ik_store_options *options,
	struct ik_error *error);

/* Is this a PostgreSQL connection string: a URI ("postgresql://HOST/DATABASE"), or keywords with
 * values ("host=... dbname=...")? */
bool ik_postgres_is_uri(const char *uri);

/* Store everything, within a few seconds; what can't be stored stays in the journals for the next
 * process that uses the database. Pending reads are forgotten. Returns NULL. *ret_lost (may be
 * NULL): number of events that no journal accepted. notice (may be NULL): IK_OK if all is stored
 * (its text is then "" or a notice not reported yet), else where the events are, or why they are
 * lost. */
struct ik_store *ik_store_close(struct ik_store *store, size_t *ret_lost, struct ik_error *notice);

/* Called between turns of the loop; each may be NULL. */
struct ik_store_events {
	/* The number of waiting events, or the reason, has changed; message is the reason, or "" if
	 * they needn't wait long. */
	void (*state)(void *arg, size_t waiting, const char *message);
	/* A sentence to show to the user once. */
	void (*notice)(void *arg, const char *sentence);
	/* Progress of the store program's work; work is NULL when it has ended. */
	void (*progress)(void *arg, const char *work, int64_t done, int64_t of);
	/* The session is stored under another ID from now on, as a fork, because another process has
	 * continued it (a notice has said so). */
	void (*forked)(void *arg, const char *from, const char *to);
};

/* Report to these events from now on, starting with notices that nothing has received yet. events
 * is borrowed. */
void ik_store_listen(struct ik_store *store, const struct ik_store_events *events, void *arg);

/* Return the number of events that aren't in the database yet. */
size_t ik_store_waiting(const struct ik_store *store);

/* Return the current problem. */
enum ik_store_trouble ik_store_trouble(const struct ik_store *store);

/* Return a short name for the status bar: "sqlite", "postgresql" or "memory". */
const char *ik_store_name(const struct ik_store *store);

/* ---- writing ---- */

/* Begin a session with this ID in this directory, unless it has been begun. */
void ik_store_begin(struct ik_store *store, const char *session, const char *directory);

/* Continue a stored session whose newest known event has this number. If another process has
 * continued it by the time an event is stored, that event and later ones become a fork (forked in
 * ik_store_events). */
void ik_store_continue(struct ik_store *store, const char *session, const char *directory,
	int64_t sequence);

/* Begin a session that shares the events of parent up to number sequence: new events follow these,
 * whatever is added to parent. */
void ik_store_begin_fork(struct ik_store *store, const char *session, const char *directory,
	const char *parent, int64_t sequence);

/* Stop adding to the session for now: its descriptor is closed once all is stored. */
void ik_store_leave(struct ik_store *store, const char *session);

/* The session is no longer open: like ik_store_leave(), but a later event still continues it. */
void ik_store_rest(struct ik_store *store, const char *session);

/* Hand over an event of a session that was begun or continued, and set its number,
 * message->sequence. Takes a reference. */
void ik_store_append(struct ik_store *store, const char *session, struct ik_message *message);

/* Journal a partial reply, with the ID of the event that will complete it: it survives if this
 * process dies first. */
void ik_store_keep_reply(struct ik_store *store, const char *session,
	const struct ik_message *message);
/* Forget partial replies that didn't become events. */
void ik_store_drop_replies(struct ik_store *store, const char *session);

/* Journal a large text that an event of the session names, under an ID of its own (a UUID), one
 * part in each turn of the loop. Takes a reference until it is journaled. */
void ik_store_put_blob(struct ik_store *store, const char *session, const char *id,
	struct ik_bytes *bytes);

/* Journal one part of a large text that is nowhere in memory as a whole: IK_LIMIT_PART bytes, fewer
 * in the last part. It is in the journal when this returns IK_OK. */
enum ik_status ik_store_put_part(struct ik_store *store, const char *session, const char *id,
	size_t part, const char *bytes, size_t length, struct ik_error *error) IK_MUST_USE;

/* Memory has run out: journal everything handed over. From now on records are only journaled, with
 * as little memory as possible. */
void ik_store_end_now(struct ik_store *store);

/* ---- reading ---- */

/* Reads are answered in the order of their calls. They fail if the database can't be reached. */

/* Report which of these IDs, with commas between them, are those of stored sessions or events: the
 * answer's last line has them as "known". */
struct ik_store_read *ik_store_known(struct ik_store *store, const char *ids,
	ik_store_reader *reader, void *arg);

/* Store everything appended so far; the answer's last line has "sequence", the number of the newest
 * event of this session, unless it was left. */
struct ik_store_read *ik_store_settle(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Flush everything appended to the session so far to disk, even if the database can't be reached.
 * NULL: nothing was appended, and no answer comes. */
struct ik_store_read *ik_store_sync(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Find the session with this ID or unique prefix: one session, IK_NOT_FOUND, or IK_INVALID if
 * several match. */
struct ik_store_read *ik_store_find(struct ik_store *store, const char *id_prefix,
	ik_store_reader *reader, void *arg);

/* The filter of a list of sessions. Everything is borrowed during the call. */
struct ik_session_choice {
	const char *directory; /* only sessions of this directory; NULL: all */
	const char *words;     /* only sessions whose title, directory or ID has these words, in this
						    * order, ignoring ASCII case; NULL or "": all */
	bool everybody;        /* on a server, also other users' sessions */
};

/* List sessions with events that match choice (NULL: all), newest first, at most count: those after
 * the session with this updated_ms and id, the last of the previous page (0 and "": from the
 * newest). Empty at the end. */
struct ik_store_read *ik_store_list(struct ik_store *store, const struct ik_session_choice *choice,
	int64_t updated_ms, const char *id, size_t count, ik_store_reader *reader, void *arg);

/* Delete a session with all its events and large texts. IK_NOT_FOUND if no session has this full
 * ID. */
struct ik_store_read *ik_store_delete(struct ik_store *store, const char *session,
	ik_store_reader *reader, void *arg);

/* Return up to count events of a session before sequence (0: from the end), oldest first, including
 * its parent's; fewer if they are large (IK_LIMIT_PAGE), none only at the start. Events that are
 * only in journals are included, of this process and of earlier ones, so a session continues after
 * all of them. */
struct ik_store_read *ik_store_page(struct ik_store *store, const char *session, int64_t before,
	size_t count, ik_store_reader *reader, void *arg);

/* Return up to count events of a session after sequence, oldest first: those that another process
 * has added. Events of a parent are not included. */
struct ik_store_read *ik_store_after(struct ik_store *store, const char *session, int64_t sequence,
	size_t count, ik_store_reader *reader, void *arg);

/* Search the events of the chosen sessions, whatever their titles, for the words: newest first, at
 * most count, from the position where an earlier page ended (NULL: from the newest). messages[i]
 * belongs to sessions[i]; events that forks share are found once, in the session they come from. */
struct ik_store_read *ik_store_search(struct ik_store *store,
	const struct ik_session_choice *choice, const char *row, size_t count, ik_store_reader *reader,
	void *arg);

/* Return part number part (from 0) of a large text: IK_LIMIT_PART bytes, fewer in the last part.
 * IK_NOT_FOUND if there is no such part. */
struct ik_store_read *ik_store_read_part(struct ik_store *store, const char *id, size_t part,
	ik_store_reader *reader, void *arg);

/* Send any request to the program: the answer is its last line, as in ikigai-store(7). file is the
 * request's "file", or NULL. */
struct ik_store_read *ik_store_ask(struct ik_store *store, const char *verb, const char *file,
	ik_store_reader *reader, void *arg);

#endif
