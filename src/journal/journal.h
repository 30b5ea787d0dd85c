/*
 * journal: every event of a session as a line in a file, before anything else happens with it.
 *
 * A process writes one journal for each session that it adds to. Records are appended with one
 * write(2) each, so a kill at any instant leaves whole records and at most one torn line at the
 * end. A store program copies them into its database, remembers how far it has come, and removes
 * the file once its writer has closed it or died and all of it is stored (ikigai-store(7)).
 *
 * The file is DIRECTORY/SESSION.UUID, mode 0600, locked (flock) while its writer lives. The first
 * line names the session; each further one is a record:
 *     {"journal":1,"session":UUID,"writer":UUID,"directory":"...","created_ms":N,"after":N}
 *     {"event":{...}}                              an event (journal/event_line.h)
 *     {"begin":{...}}  {"more":UUID,"text":"..."}  a reply that is still arriving, and its growth
 *     {"drop":UUID}                                that reply is not wanted any more
 *     {"blob":UUID,"part":N,"base64":"..."}        a part of a large text
 *     {"closed":true}                              the writer is done
 * "after" is the number of the newest event of the session that the writer knew, 0 for a new
 * session. A fork's first line has "parent" and "forked_at", too.
 *
 * Owns the file while it is written.  May include: util, json, conversation.
 */
#ifndef IK_JOURNAL_JOURNAL_H
#define IK_JOURNAL_JOURNAL_H

#include "conversation/message.h"

#define IK_JOURNAL_VERSION 1
/* Added to the name of one whose first line is damaged. */
#define IK_JOURNAL_DAMAGED ".damaged"

struct ik_journal;

/* What the first line says; strings are borrowed. */
struct ik_journal_session {
	const char *id;
	const char *directory; /* "" where it is not known */
	int64_t created_ms;
	int64_t after;      /* number of the newest event that is known */
	const char *parent; /* the session that it is a fork of; NULL: none */
	int64_t forked_at;  /* number of the last event that it shares with its parent */
};

/* Begin a journal in a directory that exists; writer is the UUID of this process. */
enum ik_status ik_journal_new(const char *directory, const char *writer,
	const struct ik_journal_session *session, struct ik_journal **ret_journal,
	struct ik_error *error) IK_MUST_USE;

/*
 * Append one record. IK_OK: it is in the file, and survives the death of this process. On failure
 * the file is as it was (IK_IO: disk full or gone; the error names the file), and the same record
 * may be tried again.
 */
enum ik_status ik_journal_add_event(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error) IK_MUST_USE;
/* A reply that is still arriving, with what there is of it; then its growth. The event that
 * completes it has the same id. If the writer dies first, the store keeps what has arrived. */
enum ik_status ik_journal_begin_reply(struct ik_journal *journal, const struct ik_message *message,
	struct ik_error *error) IK_MUST_USE;
enum ik_status ik_journal_grow_reply(struct ik_journal *journal, const char *id, const char *text,
	size_t length, struct ik_error *error) IK_MUST_USE;
/* No event will complete it. */
enum ik_status ik_journal_drop_reply(struct ik_journal *journal, const char *id,
	struct ik_error *error) IK_MUST_USE;
/* Part number part (from 0) of a large text that an event names. */
enum ik_status ik_journal_add_part(struct ik_journal *journal, const char *blob, int64_t part,
	const char *bytes, size_t length, struct ik_error *error) IK_MUST_USE;

/* IK_NOT_FOUND: somebody has removed the file, and what is written to it is lost. */
enum ik_status ik_journal_check(const struct ik_journal *journal, struct ik_error *error);

/* The name of the file within its directory, and how many bytes it has. */
const char *ik_journal_name(const struct ik_journal *journal);
int64_t ik_journal_size(const struct ik_journal *journal);

/* Say that nothing follows, and let the file go; one without records is removed. Takes NULL,
 * returns NULL. */
struct ik_journal *ik_journal_close(struct ik_journal *journal);

#endif
