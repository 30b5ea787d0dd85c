/*
 * tables: the tables of a PostgreSQL database, as steps from one form to the next.
 *
 * May include: nothing.
 */
#ifndef IK_STORES_POSTGRES_TABLES_H
#define IK_STORES_POSTGRES_TABLES_H

#include <stddef.h>

/* Steps for ik_migrate(). */
extern const char *const ik_postgres_steps[];
extern const size_t ik_postgres_step_count;

#endif
