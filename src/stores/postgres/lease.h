/*
 * lease: who may write to a session on a server: a row with a holder, until a time on the server's
 * clock.
 *
 * The holder renews its lease; whoever wants the session asks for it in the same row. What one of
 * them changes is told to the others by NOTIFY on the channel "ikigai_SESSION", which the client
 * gets as {"heard":SESSION}, except through a pooler that shares connections.
 *
 * May include: util, json, stores.
 */
#ifndef IK_STORES_POSTGRES_LEASE_H
#define IK_STORES_POSTGRES_LEASE_H

#include "stores/database.h"

/*
 * lease {session, step, lock, process, host, user, pid, place, started, dead}: take the step, then
 * say how things are. Steps: "follow" (only look), "take" (or renew), "ask" (take it, or ask the
 * holder for it), "withdraw", "refuse", "release", "close" (release, and listen no more). "dead" is
 * the lock of a holder whose process is known to be dead: its lease ends now.
 */
enum ik_status ik_answer_lease(struct ik_database *database, struct ik_error *error);

/* The client is gone: release what it held. */
void ik_lease_end(struct ik_database *database);
/* A connection that listens says by itself what happens, also that it is broken: its socket, or -1. */
int ik_lease_watched(const struct ik_database *database);
/* Tell the client of what was heard since the last call. */
void ik_lease_tell_heard(struct ik_database *database);

#endif
