/*
 * intake: copies journals into a database, each event once.
 *
 * The database keeps the position up to which a journal is stored, and changes it in the same
 * transaction as the events: a kill at any instant neither loses nor duplicates an event, and
 * several store programs may store the same journal. A journal is removed when its writer has
 * closed it or died and all of it is stored.
 *
 * If another process has continued the session since the writer last knew of it, the writer's
 * further events become a fork.
 *
 * Events get the numbers after the session's newest one.
 *
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_INTAKE_H
#define IK_STORES_INTAKE_H

#include "stores/database.h"

/* take {writer, session}: store the journals of this writer, and those of dead writers; other live
 * writers have store programs of their own. Continues after a journal that fails. Sends a line for
 * each of the writer's journals; the last line has the session's newest number. */
void ik_answer_take(struct ik_database *database);

/* Might a take have something to store? */
bool ik_intake_is_due(struct ik_database *database);

/* sync {session}: flush what was written to the journals of a session to disk. IK_NOT_FOUND if it
 * has none. */
void ik_answer_sync(struct ik_database *database);

/* Events of a session that are only in journals: those of this writer (NULL: of none), and those of
 * dead writers. */
struct ik_unstored {
	struct ik_message **messages; /* oldest first, with the numbers they will get */
	size_t count;
	size_t left; /* how many of them are other writers' */
};

struct ik_unstored ik_unstored_read(struct ik_database *database, const char *session,
	const char *writer);
void ik_unstored_done(struct ik_unstored *unstored);

#endif
