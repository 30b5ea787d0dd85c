/*
 * session_writer: writes this process's records of one session to journals.
 *
 * The first record creates a journal.  Records that the disk refuses go to a journal on another
 * disk, or wait in memory, in order.  Each event gets its number at once: the one after the newest
 * known event.
 *
 * Inside src/store only.  Owns the journal and the queue.  May include: util, conversation,
 * journal.
 */
#ifndef IK_STORE_SESSION_WRITER_H
#define IK_STORE_SESSION_WRITER_H

#include "conversation/message.h"
#include "journal/journal.h"
#include "util/bytes.h"

/* Limit on partial replies at the same time: the thoughts and texts of one answer. */
#define IK_WRITER_REPLIES 16

/* A record that isn't in a journal yet, or only in part. */
struct ik_writer_queued {
	struct ik_writer_queued *next;
	struct ik_message *message; /* NULL for a large text */
	char id[IK_UUID_TEXT];      /* of the large text */
	struct ik_bytes *bytes;
	size_t part; /* next part to journal */
};

/* A partial reply. */
struct ik_writer_reply {
	char id[IK_UUID_TEXT];
	size_t length; /* bytes in the journal */
};

/* Members may be read by the store. */
struct ik_session_writer {
	const struct ik_store_place *place;
	char id[IK_UUID_TEXT];
	char parent[IK_UUID_TEXT]; /* "" if it isn't a fork */
	char *directory;
	int64_t created_ms, forked_at;
	int64_t last;               /* number of the newest event */
	int64_t journaled;          /* number of the newest event in a journal */
	struct ik_journal *journal; /* NULL if none is open */
	bool spared;                /* the journal is in the spare directory */
	char *name;                 /* of the newest journal; NULL if there was none */
	struct ik_writer_queued *first, **end;
	struct ik_writer_reply replies[IK_WRITER_REPLIES];
	size_t reply_count;

	/* Used by the store: */
	struct ik_session_writer *next;
	bool due;     /* the program has been asked for this journal, and has not answered */
	bool leaving; /* free it once all is stored */
	bool resting; /* end the journal once all is stored; the next event starts a new one */
};

/* place is borrowed. */
struct ik_session_writer *ik_session_writer_new(const struct ik_store_place *place, const char *id,
	const char *directory);
/* Forget what is queued. Accepts NULL, returns NULL. */
struct ik_session_writer *ik_session_writer_free(struct ik_session_writer *writer);

/* Queue a large text; the next flush starts writing it. Takes a reference. */
void ik_session_writer_add_text(struct ik_session_writer *writer, const char *id,
	struct ik_bytes *bytes);

/* Each returns IK_OK, or why no journal accepts the record; an event then stays queued. */
enum ik_status ik_session_writer_append(struct ik_session_writer *writer,
	struct ik_message *message, struct ik_error *error);
enum ik_status ik_session_writer_put_part(struct ik_session_writer *writer, const char *blob,
	size_t part, const char *bytes, size_t length, struct ik_error *error);
enum ik_status ik_session_writer_keep_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error);
void ik_session_writer_drop_replies(struct ik_session_writer *writer);
/* Write the queue: all of it, or only the next part of large texts. */
enum ik_status ik_session_writer_flush(struct ik_session_writer *writer, bool all,
	struct ik_error *error);

/* End the journal, if one is open; the next record starts a new one. */
void ik_session_writer_end(struct ik_session_writer *writer);

#endif
