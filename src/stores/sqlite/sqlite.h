/*
 * sqlite: an SQLite file as the database of a store program.
 *
 * Owns the handle and a prepared statement.  May include: util, stores, <sqlite3.h>.
 */
#ifndef IK_STORES_SQLITE_SQLITE_H
#define IK_STORES_SQLITE_SQLITE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "stores/database.h"

struct ik_sqlite {
	struct ik_database base;
	sqlite3 *db;
	bool changing; /* between begin and end of a transaction */
	dev_t device;  /* of the file that is open: another one may have its name now */
	ino_t inode;   /* 0: none was open yet, or it is known why it was replaced */
	sqlite3_stmt *change;    /* the last one: the same one again needs no preparation */
	const char *change_text; /* a literal, told by its address */
};

/* Fail as SQLite did last. */
void ik_sqlite_explain(struct ik_sqlite *sqlite);

/* Has another file, or none, the name of the one that is, or was, open? */
bool ik_sqlite_is_lost(const struct ik_sqlite *sqlite);

/* Lock the replacing of files in the directory of one, until the descriptor is closed; -1: it cannot be
 * had now. A file recovered by a program that was killed is complete as PATH.new-ready. */
int ik_sqlite_lock_directory(const char *path);

/* Have a handle trust nothing that a file brings along. */
void ik_sqlite_protect(sqlite3 *db);

#endif
