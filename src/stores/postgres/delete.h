/*
 * delete: sessions deleted from a server, as in SQLite (stores/sqlite/delete.h).
 *
 * May include: util, stores.
 */
#ifndef IK_STORES_POSTGRES_DELETE_H
#define IK_STORES_POSTGRES_DELETE_H

#include "util/err.h"

/* delete {session}; its store is a struct ik_server. */
enum ik_status ik_pg_answer_delete(void *store, struct ik_error *error);

#endif
