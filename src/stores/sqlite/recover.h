/*
 * recover: a damaged SQLite file, copied as far as it can be read.
 *
 * Rows are copied from the pages that have them (leaves.h), so that a bad page costs what is on it.
 * Indexes are made anew. The copy is complete, and has its name PATH.new-ready, before
 * the damaged file is put aside as PATH.damaged-TIME: a kill at any instant loses neither.
 *
 * May include: util, json, stores, <sqlite3.h>.
 */
#ifndef IK_STORES_SQLITE_RECOVER_H
#define IK_STORES_SQLITE_RECOVER_H

#include "stores/database.h"

/* What a copy has. */
struct ik_recovered {
	int64_t events, sessions;
	bool whole; /* nothing is lost */
};

/*
 * Copy what can be read of the closed database, put the file aside, and tell the client in a notice.
 * Fails with IK_NOT_FOUND: there is none; IK_UNAVAILABLE: another program is at work on it;
 * IK_INVALID: only_whole was asked for, and something is lost. On failure the file is as it was.
 */
struct ik_recovered ik_sqlite_recover(struct ik_database *database, bool only_whole);

#endif
