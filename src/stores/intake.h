/*
 * intake: journals copied into a database, each event once.
 *
 * The position in a journal up to which everything is stored is kept in the database, and changes
 * in the same transaction as the events, so a kill at any instant neither loses nor doubles one, and
 * several store programs may take in the same journal. A journal is removed when its writer has
 * closed it or died and all of it is stored.
 *
 * If another process has continued the session since the writer last knew of it, the writer's
 * further events become a fork.
 *
 * May include: util, json, conversation, journal.
 */
#ifndef IK_STORES_INTAKE_H
#define IK_STORES_INTAKE_H

#include "conversation/message.h"
#include "journal/journal_reader.h"

/* How far a journal is stored. */
struct ik_journal_position {
	int64_t place;                /* all before this byte; -1: the file is gone, stored whole */
	int64_t sequence;             /* number of the newest event that the writer knew */
	char stored_as[IK_UUID_TEXT]; /* the session, or the fork that late events became */
	int64_t damaged;              /* lines that were passed over in this call; not stored */
};

/* What a database does for it; each function is called within begin and end. */
struct ik_intake_ops {
	enum ik_status (*begin)(void *store, struct ik_error *error);
	/* Commit if status is IK_OK, else roll back; returns what became of it. */
	enum ik_status (*end)(void *store, enum ik_status status, struct ik_error *error);

	/* The position of a journal; *ret_found is false, and it stays as it is, for a new one. */
	enum ik_status (*read_position)(void *store, const char *name,
		struct ik_journal_position *position, bool *ret_found, struct ik_error *error);
	enum ik_status (*write_position)(void *store, const char *name,
		const struct ik_journal_position *position, struct ik_error *error);
	/* Called without a transaction: the journal is gone. */
	enum ik_status (*forget_position)(void *store, const char *name, struct ik_error *error);

	/*
	 * Store events, in order, after the newest one of position->stored_as, which is begun with what
	 * head says if it is new; leave out those whose ids are stored. If that session has events
	 * that come after position->sequence and are not among them, the events go to a fork of it. Sets
	 * stored_as, and sequence to the number of the newest of them.
	 */
	enum ik_status (*add_events)(void *store, const struct ik_journal_head *head,
		struct ik_message *const *messages, size_t count, struct ik_journal_position *position,
		struct ik_error *error);

	/* Tell the user. */
	void (*notice)(void *store, const char *text);

	/* Store a part of a large text, unless it is there. */
	enum ik_status (*add_part)(void *store, const char *blob, int64_t part, const char *bytes,
		size_t length, struct ik_error *error);
};

/* Take in what is new in DIRECTORY/NAME. IK_INVALID: its first line is damaged; it was put aside
 * under its name with IK_JOURNAL_DAMAGED. */
enum ik_status ik_intake_journal(const struct ik_intake_ops *ops, void *store,
	const char *directory, const char *name, struct ik_journal_position *ret_position,
	struct ik_error *error) IK_MUST_USE;

/* Take in all journals of a directory whose writers are gone: those that live have a store program
 * of their own. Goes on after one that fails; the error is the first one's. */
enum ik_status ik_intake_all(const struct ik_intake_ops *ops, void *store, const char *directory,
	struct ik_error *error) IK_MUST_USE;

#endif
