/*
 * tables: the tables of a PostgreSQL database, as steps from one form to the next.
 *
 * May include: stores/database.h.
 */
#ifndef IK_STORES_POSTGRES_TABLES_H
#define IK_STORES_POSTGRES_TABLES_H

#include "stores/database.h"

/* Of several programs that come first one makes the tables; any number of ours will do. */
#define IK_POSTGRES_LOCK "7308327837116294983"

extern const struct ik_database_form ik_postgres_form;

#endif
