/*
 * journal: the file that records every event of a session before anything else happens with it.
 *
 * A process writes one journal for each session that it adds to. Records are appended with one
 * write(2) each, so a kill at any instant leaves whole records and at most one torn line at the
 * end. A store program copies the records into its database and remembers its position. It removes
 * the file when everything is stored and the writer has closed the file or died (ikigai-store(7)).
 *
 * The file is DIRECTORY/SESSION.UUID, mode 0600, locked (flock) while its writer lives. The first
 * line names the session; each further one is a record:
 *     {"journal":1,"session":UUID,"writer":UUID,"directory":"...","created_ms":N,"after":N}
 *     {"event":{...}}                              an event (journal/event_line.h)
 *     {"begin":{...}}  {"more":UUID,"text":"..."}  a partial reply, and a further piece of it
 *     {"drop":UUID}                                the partial reply is discarded
 *     {"blob":UUID,"part":N,"base64":"..."}        a part of a large text
 *     {"closed":true}                              the writer is done
 * "after" is the sequence of the newest event of the session that the writer knew, 0 for a new
 * session. A fork's first line also has "parent" and "forked_at", that of a journal that could not be
 * locked "unlocked":true.
 *
 * Owns the file while writing it. May include: util, json, conversation.
 */
#ifndef IK_JOURNAL_JOURNAL_H
#define IK_JOURNAL_JOURNAL_H

#include "conversation/message.h"

#define IK_JOURNAL_VERSION 1
/* Suffix for the name of a journal whose first line is damaged. */
#define IK_JOURNAL_DAMAGED ".damaged"

struct ik_journal;

/* The contents of the first line; strings are borrowed. */
struct ik_journal_session {
	const char *id;
	const char *directory; /* "" if unknown */
	int64_t created_ms;
	int64_t after;      /* sequence of the newest known event */
	const char *parent; /* the session that it was forked from, or NULL */
	int64_t forked_at;  /* sequence of the last event shared with the parent */
};

/* Create a journal in an existing directory. writer is the UUID of this process. */
enum ik_status ik_journal_new(const char *directory, const char *writer,
	const struct ik_journal_session *session, struct ik_journal **ret_journal,
	struct ik_error *error) IK_MUST_USE;

/*
 * Append one record. IK_OK: it is in the file, and survives the death of this process. On failure
 * the file is unchanged (IK_IO: disk full or gone; the error names the file), and the caller may
 * try the same record again.
 */
enum ik_status ik_journal_add_event(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error) IK_MUST_USE;
/* Record a partial reply, with its text so far; then each further piece. The event that completes
 * it has the same id. If the writer dies first, the store keeps what has arrived. */
enum ik_status ik_journal_begin_reply(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error) IK_MUST_USE;
enum ik_status ik_journal_grow_reply(struct ik_journal *journal, const char *id, const char *text,
	size_t length, struct ik_error *error) IK_MUST_USE;
/* Discard a partial reply that no event will complete. */
enum ik_status ik_journal_drop_reply(struct ik_journal *journal, const char *id,
	struct ik_error *error) IK_MUST_USE;
/* Append part number part (from 0) of a large text that an event names. */
enum ik_status ik_journal_add_part(struct ik_journal *journal, const char *blob, int64_t part,
	const char *bytes, size_t length, struct ik_error *error) IK_MUST_USE;

/* Check that the file still exists. IK_NOT_FOUND: it was removed, and further records would be
 * lost. */
enum ik_status ik_journal_check(const struct ik_journal *journal, struct ik_error *error);

/* Return the file's name within its directory, and its size in bytes. */
const char *ik_journal_name(const struct ik_journal *journal);
int64_t ik_journal_size(const struct ik_journal *journal);

/* Mark the journal as complete and close it; remove it if it has no records. Accepts NULL, returns
 * NULL. */
struct ik_journal *ik_journal_close(struct ik_journal *journal);

#endif
