/*
 * tables: the tables of an SQLite database, as steps from one form to the next.
 *
 * May include: stores/database.h.
 */
#ifndef IK_STORES_SQLITE_TABLES_H
#define IK_STORES_SQLITE_TABLES_H

#include "stores/database.h"

/* "ikig": tells our databases from other programs'. */
#define IK_SQLITE_APPLICATION "1768647015"

extern const struct ik_database_form ik_sqlite_form;

#endif
