/*
 * verbs: what only SQLite answers: backup, check, facts, recover.
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

/* facts: form and size of the file, and what is in it. */
enum ik_status ik_answer_facts(struct ik_database *database, struct ik_error *error);
/* recover: copy what can be read of the file, and put it aside; the database is closed. The last line
 * has events, sessions, and whole: nothing is lost. */
enum ik_status ik_answer_recover(struct ik_database *database, struct ik_error *error);
/* The same; only_whole: IK_INVALID, and nothing has changed, if anything is lost. */
enum ik_status ik_sqlite_repair(struct ik_database *database, bool only_whole,
	struct ik_error *error);

#endif
