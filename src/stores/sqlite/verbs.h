/*
 * verbs: what only SQLite answers: backup, check.
 *
 * May include: util, json, stores.
 */
#ifndef IK_STORES_SQLITE_VERBS_H
#define IK_STORES_SQLITE_VERBS_H

#include "stores/database.h"

/* backup {file}: write the whole database, as it is now, to a new file. */
enum ik_status ik_answer_backup(struct ik_database *database, struct ik_error *error);
/* check: is the file whole? IK_INVALID: it is damaged. */
enum ik_status ik_answer_check(struct ik_database *database, struct ik_error *error);

#endif
