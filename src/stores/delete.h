/*
 * delete: sessions deleted with their events, their words in the index, and their large texts.
 *
 * What a fork shares with the session stays until the fork is deleted, too; until then the session
 * is hidden. A deletion that was killed is finished by the next one.
 *
 * May include: util, stores.
 */
#ifndef IK_STORES_DELETE_H
#define IK_STORES_DELETE_H

#include "stores/database.h"

/* delete {session}. IK_NOT_FOUND: there is no session with this whole id. */
enum ik_status ik_answer_delete(struct ik_database *database, struct ik_error *error);

#endif
