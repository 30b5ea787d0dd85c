/*
 * add: what the intake of journals stores on a server.
 *
 * May include: util, conversation, stores.
 */
#ifndef IK_STORES_POSTGRES_ADD_H
#define IK_STORES_POSTGRES_ADD_H

#include "stores/intake.h"

/* Their store is a struct ik_server. */
extern const struct ik_intake_ops ik_postgres_intake;

#endif
