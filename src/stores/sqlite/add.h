/*
 * add: what the intake of journals stores in SQLite.
 *
 * May include: util, conversation, stores.
 */
#ifndef IK_STORES_SQLITE_ADD_H
#define IK_STORES_SQLITE_ADD_H

#include "stores/intake.h"

/* Their store is a struct ik_database. */
extern const struct ik_intake_ops ik_sqlite_intake;

#endif
