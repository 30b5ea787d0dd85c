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
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_INTAKE_H
#define IK_STORES_INTAKE_H

#include "stores/add.h"

/* take {writer, session}: take in the journals of this writer, and all whose writers are gone: those
 * that live have a store program of their own. Goes on after one that fails. Sends a line for each
 * journal of the writer; the last one has the newest number of the session. */
enum ik_status ik_answer_take(struct ik_database *database, struct ik_error *error);

/* May a take have something to store? */
bool ik_intake_is_due(struct ik_database *database);

/* sync {session}: have on disk what was written to the journals of a session. IK_NOT_FOUND: it has
 * none. */
enum ik_status ik_answer_sync(struct ik_database *database, struct ik_error *error);

/* What the journals of a session have that the database has not taken yet: of this writer (NULL: of
 * none), and of those that are gone. */
struct ik_unstored {
	struct ik_message **messages; /* oldest first, with the numbers that they will have */
	size_t count;
	size_t left; /* so many of them are of others */
};

enum ik_status ik_unstored_read(struct ik_database *database, const char *session,
	const char *writer, struct ik_unstored *ret_unstored, struct ik_error *error) IK_MUST_USE;
void ik_unstored_done(struct ik_unstored *unstored);

#endif
