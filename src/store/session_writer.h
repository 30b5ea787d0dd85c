/*
 * session_writer: what this process adds to one session, by way of a journal.
 *
 * The journal is begun with the first record, and begun anew when the file has become large.
 * Events that it does not take wait in memory, in their order.  Each has its number at once: that
 * after the newest one that is known.
 *
 * Inside src/store only.  Owns the journal and what waits.  May include: util, conversation,
 * journal.
 */
#ifndef IK_STORE_SESSION_WRITER_H
#define IK_STORE_SESSION_WRITER_H

#include "conversation/message.h"
#include "journal/journal.h"

/* Replies that arrive at the same time: thoughts and texts of one answer. */
#define IK_WRITER_REPLIES 16

struct ik_writer_queued {
	struct ik_writer_queued *next;
	struct ik_message *message;
};

struct ik_writer_take {
	struct ik_writer_take *next;
	size_t events; /* handed over when it was asked for */
};

/* Members may be read. */
struct ik_session_writer {
	struct ik_session_writer *next; /* the owner's */
	char id[IK_UUID_TEXT];
	char parent[IK_UUID_TEXT]; /* "": it is no fork */
	char *directory;
	int64_t created_ms, forked_at;
	int64_t last;               /* number of the newest event */
	int64_t journaled;          /* of the newest that the journal has */
	struct ik_journal *journal; /* NULL: none is open */
	struct ik_writer_queued *first, **end;
	struct {
		char id[IK_UUID_TEXT];
		size_t length; /* that the journal has */
	} replies[IK_WRITER_REPLIES];
	size_t reply_count;

	char *name; /* of the journal, also when it is closed; NULL: there was none */

	/* The owner's: */
	struct ik_store *owner;
	size_t events, stored; /* handed over so far; in the database */
	bool changed;          /* the journal has what nobody was asked to store */
	bool leaving;          /* forget it when all is stored */
	bool resting;          /* end the journal when all is stored; the next event begins another */
	bool spared;           /* its journal is in the spare directory */
	bool forked;           /* the session is another one, which is to be told */
	char stored_as[IK_UUID_TEXT];
	struct ik_writer_take *takes; /* requests to store it that are out, oldest first */
};

/* Where journals are written. */
struct ik_writer_place {
	const char *directory;
	const char *process; /* UUID of this process */
};

struct ik_session_writer *ik_session_writer_new(const char *id, const char *directory);
/* What waits is forgotten. Takes NULL, returns NULL. */
struct ik_session_writer *ik_session_writer_free(struct ik_session_writer *writer);

/* Each returns IK_OK, or why the journal does not take it; an event waits then. */
enum ik_status ik_session_writer_append(struct ik_session_writer *writer,
	const struct ik_writer_place *place, struct ik_message *message, struct ik_error *error);
enum ik_status ik_session_writer_put_part(struct ik_session_writer *writer,
	const struct ik_writer_place *place, const char *blob, size_t part, const char *bytes,
	size_t length, struct ik_error *error);
enum ik_status ik_session_writer_keep_reply(struct ik_session_writer *writer,
	const struct ik_writer_place *place, const struct ik_message *message, struct ik_error *error);
void ik_session_writer_drop_replies(struct ik_session_writer *writer);
/* Write what waits. */
enum ik_status ik_session_writer_flush(struct ik_session_writer *writer,
	const struct ik_writer_place *place, struct ik_error *error);

/* Say in the journal that nothing follows, if it is open; the next record begins another one. */
void ik_session_writer_end(struct ik_session_writer *writer);

#endif
