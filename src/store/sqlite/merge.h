/*
 * merge: how the pieces of SQLite's index of words are put together.
 *
 * FTS5 writes a piece (a segment) with each transaction, and puts some of one size together into
 * one of the next, as it is asked to ('merge'), a few pages at a time.  Of one word it writes
 * all at once, though: where pieces are large, and the word stands nearly everywhere, that takes
 * longer than the loop can be away.  Such pieces are left to the helper (store/sqlite/checkpoint.h).
 *
 * Which comes next is read from the record of all segments (number 10 of the table search_data,
 * as fts5_index.c of SQLite describes it).  May include: util, store/sqlite/sqlite_library.h.
 */
#ifndef IK_STORE_SQLITE_MERGE_H
#define IK_STORE_SQLITE_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "store/sqlite/sqlite_library.h"

/* Pages of pieces that are put together while nobody waits long: the commonest word has some
 * dozens of them. */
#define IK_MERGE_LARGE 4000

#define IK_MERGE_RECORD "SELECT block FROM search_data WHERE id = 10"
/* Do some of it. */
#define IK_MERGE_STEP "INSERT INTO search(search, rank) VALUES('merge', 8)"

/* Pages of the pieces that FTS5 puts together next; 0: of none, or the record is not understood. */
int64_t ik_merge_next(const void *record, size_t length);

/* Put together all that there is, with pauses for other writers; where that cannot be done, as
 * much as can. Blocks. */
void ik_merge_all(sqlite3 *database);

#endif
