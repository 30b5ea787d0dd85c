/*
 * spool: events on their way to a server, safe on this machine until they are there.
 *
 * Every event goes to a file of this process before it is sent, in the lines of rescue.h, and
 * the file is emptied when all are stored: what is in it survives the death of the program
 * (after a loss of power the last lines may be missing, as with SQLite's synchronous NORMAL).
 * The file is locked while its process lives; the next process with the same database takes
 * in those that are not.  Its name tells which database it is for.
 *
 * What an embedded database does not take now is kept in the same way, in a file where rescue.h
 * looks for it, which is gone when all is stored (store_kept.c).  So is what has arrived of a
 * reply, in either case (begun.c).
 *
 * Owns the file.  May include: util, store/backend.h.
 */
#ifndef IK_STORE_SPOOL_H
#define IK_STORE_SPOOL_H

#include "store/backend.h"
#include "store/rescue.h"

struct ik_spool;

/* A spool in directory, made with its first event, for the database at uri; writer: this process
 * as a holder of locks. Which database that is (ik_postgres_name()) is found out with the first
 * event, so that start-up does not pay for it. */
struct ik_spool *ik_spool_new(const char *directory, const char *uri, const char *writer);
/* One for what an embedded database does not take, in a place of rescue.h; rescue is borrowed. */
struct ik_spool *ik_spool_embedded(const struct ik_rescue *rescue, int place);
/* One more for the same database, of what is not whole yet. */
struct ik_spool *ik_spool_begun(const struct ik_spool *spool);
/* An empty file is removed. */
struct ik_spool *ik_spool_free(struct ik_spool *spool);

/* Keep an event. On failure it is not in the file, and nothing else has changed. */
enum ik_status ik_spool_add(struct ik_spool *spool, const struct ik_record *record,
	struct ik_error *error) IK_MUST_USE;
/* More of the content of the event that was kept last; fails likewise. */
enum ik_status ik_spool_add_more(struct ik_spool *spool, const char *id, const char *text,
	size_t length, struct ik_error *error) IK_MUST_USE;
/* Its session became a fork. */
void ik_spool_add_fork(struct ik_spool *spool, const struct ik_store_session *session);
/* The same in the file of an earlier process. */
void ik_file_add_fork(const char *path, const struct ik_store_session *session);

/* All of it is stored. */
void ik_spool_clear(struct ik_spool *spool);

/* Where it is, if it holds every event that was to be added since it was empty; an embedded
 * database's: if it has any. */
const char *ik_spool_path(const struct ik_spool *spool);

/* The files for this database whose names end so, as ik_rescue_find(). */
char **ik_spool_find(struct ik_spool *spool, const char *tail);
/* A path for a new one, in a directory that is there; in new memory. */
enum ik_status ik_spool_make_place(struct ik_spool *spool, const char *tail, char **ret_path,
	struct ik_error *error) IK_MUST_USE;

/* What waits in a directory; that of living processes is among it, but for what is not whole. */
struct ik_spooled {
	size_t ours;                  /* events for the database at uri */
	size_t outputs;               /* large texts (blob_spool.h) for it */
	size_t others, other_outputs; /* and for others: */
	char *database;               /* one of these, as ik_postgres_name(); NULL: there is none */
};
struct ik_spooled ik_spool_look(const char *directory, const char *uri);
void ik_spooled_done(struct ik_spooled *spooled);

#endif
