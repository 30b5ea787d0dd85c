/*
 * session_writer: what this process adds to one session, by way of journals.
 *
 * A journal is begun with the first record.  What the disk does not take goes to a journal on
 * another one, or waits in memory, in its order, and at last goes to a file for the user.  Each event
 * has its number at once: that after the newest one that is known.
 *
 * Inside src/store only.  Owns the journal and what waits.  May include: util, conversation,
 * journal.
 */
#ifndef IK_STORE_SESSION_WRITER_H
#define IK_STORE_SESSION_WRITER_H

#include "conversation/message.h"
#include "journal/journal.h"
#include "util/bytes.h"

/* Replies that arrive at the same time: thoughts and texts of one answer. */
#define IK_WRITER_REPLIES 16

/* Where journals are written. */
struct ik_writer_place {
	char *journals, *spare; /* directories; NULL: there is no second one */
	char process[IK_UUID_TEXT];
};

/* What is not in a journal yet, or not all of it. */
struct ik_writer_queued {
	struct ik_writer_queued *next;
	struct ik_message *message; /* NULL: it is a large text */
	char id[IK_UUID_TEXT];      /* of that */
	struct ik_bytes *bytes;
	size_t part; /* that is to be journaled next */
};

/* Members may be read. */
struct ik_session_writer {
	const struct ik_writer_place *place;
	char id[IK_UUID_TEXT];
	char parent[IK_UUID_TEXT]; /* "": it is no fork */
	char *directory;
	int64_t created_ms, forked_at;
	int64_t last;               /* number of the newest event */
	int64_t journaled;          /* of the newest that a journal has */
	struct ik_journal *journal; /* NULL: none is open */
	bool spared;                /* that is in the spare directory */
	char *name;                 /* of the newest journal; NULL: there was none */
	struct ik_writer_queued *first, **end;
	struct {
		char id[IK_UUID_TEXT];
		size_t length; /* that the journal has */
	} replies[IK_WRITER_REPLIES];
	size_t reply_count;

	/* The owner's: */
	struct ik_session_writer *next;
	bool leaving; /* forget it when all is stored */
	bool resting; /* end the journal when all is stored; the next event begins another */
	bool forked;  /* the session is another one, which is to be told */
	char stored_as[IK_UUID_TEXT];
};

/* place is borrowed. */
struct ik_session_writer *ik_session_writer_new(const struct ik_writer_place *place, const char *id,
	const char *directory);
/* What waits is forgotten. Takes NULL, returns NULL. */
struct ik_session_writer *ik_session_writer_free(struct ik_session_writer *writer);

/* Hand over a large text, which the next flush begins to write. Takes a reference. */
void ik_session_writer_add_text(struct ik_session_writer *writer, const char *id,
	struct ik_bytes *bytes);

/* Each returns IK_OK, or why no journal takes it; an event waits then. */
enum ik_status ik_session_writer_append(struct ik_session_writer *writer,
	struct ik_message *message, struct ik_error *error);
enum ik_status ik_session_writer_put_part(struct ik_session_writer *writer, const char *blob,
	size_t part, const char *bytes, size_t length, struct ik_error *error);
enum ik_status ik_session_writer_keep_reply(struct ik_session_writer *writer,
	const struct ik_message *message, struct ik_error *error);
void ik_session_writer_drop_replies(struct ik_session_writer *writer);
/* Write what waits: all, or of large texts only the next part. */
enum ik_status ik_session_writer_flush(struct ik_session_writer *writer, bool all,
	struct ik_error *error);

/* Say in the journal that nothing follows, if it is open; the next record begins another one. */
void ik_session_writer_end(struct ik_session_writer *writer);

/*
 * Write the events that wait in these writers, with their large texts, as JSON Lines to a new file in
 * the temporary directory, and count the events as journaled.  Every tool can write there, so that the
 * file waits for the user: `ikigai session import` reads it.  A text of another event cannot be
 * imported.  Return its path, new memory, with how much was written; NULL with *error: it cannot be
 * written.
 */
char *ik_session_writers_export(struct ik_session_writer *first, size_t *ret_written,
	struct ik_error *error);

#endif
