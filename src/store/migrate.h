/*
 * migrate: a database brought to the form that this program knows.
 *
 * A form has a number; step n leads from n to n + 1.  All steps run in one
 * transaction under the database's write lock, so that of several processes
 * one does it and the others find it done.
 *
 * Pure but for the operations given.  May include: util.
 */
#ifndef IK_STORE_MIGRATE_H
#define IK_STORE_MIGRATE_H

#include "util/err.h"

#include <stddef.h>
#include <stdint.h>

struct ik_migrate_ops {
	const char *begin; /* statement that takes the write lock */
	enum ik_status (*version)(void *database, int64_t *ret_version, struct ik_error *error);
	enum ik_status (*set_version)(void *database, int64_t version, struct ik_error *error);
	enum ik_status (*execute)(void *database, const char *statements, struct ik_error *error);
};

/*
 * Lift database to version count. IK_DENIED with a sentence when it is newer;
 * on any failure it is as it was. name is how the sentence calls it.
 */
enum ik_status ik_migrate(const struct ik_migrate_ops *ops, void *database, const char *name,
	const char *const *steps, size_t count, struct ik_error *error) IK_MUST_USE;

/* IK_DENIED with a sentence when version is newer than count. */
enum ik_status ik_migrate_check(int64_t version, const char *name, size_t count,
	struct ik_error *error) IK_MUST_USE;

/* The steps of a SQLite database. */
extern const char *const ik_sqlite_steps[];
extern const size_t ik_sqlite_step_count;

#endif
