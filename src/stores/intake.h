/*
 * intake: journals copied into a database, each event once.
 *
 * The position in a journal up to which everything is stored is kept in the database, and changes
 * in the same transaction as the events, so a kill at any instant neither loses nor doubles one, and
 * several store programs may take in the same journal. A journal is removed when its writer has
 * closed it or died and all of it is stored.
 *
 * If another process has continued the session since the writer last knew of it, the writer's
 * further events become a fork.
 *
 * May include: util, json, conversation, journal, stores.
 */
#ifndef IK_STORES_INTAKE_H
#define IK_STORES_INTAKE_H

#include "stores/add.h"

/* Take in what is new in DIRECTORY/NAME. IK_INVALID: its first line is damaged; it was put aside
 * under its name with IK_JOURNAL_DAMAGED. */
enum ik_status ik_intake_journal(struct ik_database *database, const char *directory,
	const char *name, struct ik_journal_position *ret_position, struct ik_error *error) IK_MUST_USE;

/* Take in all journals of a directory whose writers are gone: those that live have a store program
 * of their own. Goes on after one that fails; the error is the first one's. */
enum ik_status ik_intake_all(struct ik_database *database, const char *directory,
	struct ik_error *error) IK_MUST_USE;

#endif
