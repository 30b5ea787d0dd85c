/*
 * lease: who may write to a session on a server: a row with a holder, until a time on the server's
 * clock.
 *
 * The holder renews its lease; whoever wants the session asks for it in the same row, where the
 * others see it when they look.
 *
 * May include: util, json, stores.
 */
#ifndef IK_STORES_POSTGRES_LEASE_H
#define IK_STORES_POSTGRES_LEASE_H

#include "stores/database.h"

/*
 * lease {session, step, lock, process, host, user, pid, place, started, dead}: take the step, then
 * say how things are. Steps: "follow" (only look), "take" (or renew), "ask" (take it, or ask the
 * holder for it), "withdraw", "refuse", "release", "close" (release, and clear up). "dead" is
 * the lock of a holder whose process is known to be dead: its lease ends now.
 */
enum ik_status ik_answer_lease(struct ik_database *database, struct ik_error *error);

/* The client is gone: release what it held. */
void ik_lease_end(struct ik_database *database);

#endif
