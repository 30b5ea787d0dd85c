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
 * Events get the numbers that follow the session's newest one.
 *
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_INTAKE_H
#define IK_STORES_INTAKE_H

#include "stores/database.h"

/* take {writer, session}: take in the journals of this writer, and all whose writers are gone: those
 * that live have a store program of their own. Goes on after one that fails. Sends a line for each
 * journal of the writer; the last one has the newest number of the session. */
void ik_answer_take(struct ik_database *database);

/* May a take have something to store? */
bool ik_intake_is_due(struct ik_database *database);

/* sync {session}: have on disk what was written to the journals of a session. IK_NOT_FOUND: it has
 * none. */
void ik_answer_sync(struct ik_database *database);

/* What the journals of a session have that the database has not taken yet: of this writer (NULL: of
 * none), and of those that are gone. */
struct ik_unstored {
	struct ik_message **messages; /* oldest first, with the numbers that they will have */
	size_t count;
	size_t left; /* so many of them are of others */
};

struct ik_unstored ik_unstored_read(struct ik_database *database, const char *session,
	const char *writer);
void ik_unstored_done(struct ik_unstored *unstored);

#endif
