/*
 * checkpoint: what SQLite's log holds is taken into the database by another
 * process, so that no disk's fsync stands in the way of the loop.
 *
 * With synchronous = NORMAL an event is written without one; the log is synced
 * when it is taken into the database, and once more by whoever writes to it
 * first after it has begun anew (sqlite.org/wal.html).  It begins anew only
 * where a writer finds all of it taken in and nobody reading it: a program that
 * writes on and on never gives a passive checkpoint such an instant.  So the
 * helper, which is this program started in a mode of its own, takes in most of
 * the log while writing goes on, the rest under the writers' lock if need be,
 * and then writes first itself.  It dies with the program, harmlessly.
 *
 * Where there is no helper, or it fails, the program does it, as SQLite would.
 * Before that it puts large pieces of the index of words together (store/sqlite/merge.h).
 * Owns the helper and its clock.  May include: util, loop, store/sqlite/merge.h,
 * store/sqlite/sqlite_library.h.
 */
#ifndef IK_STORE_SQLITE_CHECKPOINT_H
#define IK_STORE_SQLITE_CHECKPOINT_H

#include "loop/loop.h"
#include "store/sqlite/sqlite_library.h"

/* PROGRAM --checkpoint DATABASE: the helper. */
#define IK_CHECKPOINT_OPTION "--checkpoint"

/* Pages of a log that is to be taken in: rarer than by default, since the pages that every
 * event changes are then written once for many. */
#define IK_CHECKPOINT_PAGES 4000

struct ik_checkpoint;

/* For the database at path. relieved is called, between turns of the loop, when a helper has
 * ended. */
struct ik_checkpoint *ik_checkpoint_new(struct ik_loop *loop, const char *path,
	void (*relieved)(void *arg), void *arg);
struct ik_checkpoint *ik_checkpoint_close(struct ik_checkpoint *checkpoint);

/* The database is about to be closed: a helper is killed, what it has not done is done later.
 * True: there was one, which may hold its locks for another moment. */
bool ik_checkpoint_stop(struct ik_checkpoint *checkpoint);

/* The executable that is the helper; NULL, as at first: there is none. */
void ik_checkpoint_set_program(struct ik_checkpoint *checkpoint, const char *program);

/* The log has so many pages after a commit. True: take it in now, in this process. */
bool ik_checkpoint_grown(struct ik_checkpoint *checkpoint, int pages);

/* The database was opened: a large log, of a program that was killed, is taken in after a while. */
void ik_checkpoint_opened(struct ik_checkpoint *checkpoint);

/* There are pieces of the index of words that take too long to put together here
 * (store/sqlite/merge.h). True: the helper does it; false: there is none that could. */
bool ik_checkpoint_merge(struct ik_checkpoint *checkpoint);
/* Was it asked to, and is at it? */
bool ik_checkpoint_is_merging(const struct ik_checkpoint *checkpoint);

/* Has so much been written while the helper is at work that what can wait should? */
bool ik_checkpoint_is_behind(const struct ik_checkpoint *checkpoint);

/* ---- the helper ---- */

/* Its exit status. */
enum {
	IK_CHECKPOINT_DONE = 0, /* the log begins anew */
	IK_CHECKPOINT_FAILED = 1,
	IK_CHECKPOINT_HELD = 2 /* somebody is reading it, or at it */
};

/* Has the database a log? Without one there is nothing for a helper to do: each of its steps would
 * keep the writers out for as long as the disk takes. */
bool ik_checkpoint_has_log(sqlite3 *database);

/* Put the index of the database at path together, and take its log into it (blocks as long as
 * that takes); the exit status. */
int ik_checkpoint_run(const char *path);

#endif
