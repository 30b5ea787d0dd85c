/*
 * add: events stored in a database, each once and in order.
 *
 * Called by intake within a transaction.  May include: util, conversation, journal, stores.
 */
#ifndef IK_STORES_ADD_H
#define IK_STORES_ADD_H

#include "journal/journal_reader.h"
#include "stores/database.h"

/* How far a journal is stored. */
struct ik_journal_position {
	int64_t place;                /* all before this byte; -1: the file is gone, stored whole */
	int64_t sequence;             /* number of the newest event that the writer knew */
	char stored_as[IK_UUID_TEXT]; /* the session, or the fork that late events became */
	int64_t damaged;              /* lines that were passed over in this call; not stored */
};

/*
 * Store events, in order, after the newest one of position->stored_as, which is begun with what
 * head says if it is new; leave out those whose ids are stored. If that session has events that
 * come after position->sequence and are not among them, the events go to a fork of it. Sets
 * stored_as, and sequence to the number of the newest of them.
 */
enum ik_status ik_add_events(struct ik_database *database, const struct ik_journal_head *head,
	struct ik_message *const *messages, size_t count, struct ik_journal_position *position,
	struct ik_error *error) IK_MUST_USE;

#endif
