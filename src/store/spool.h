/*
 * spool: events on their way to a server, safe on this machine until they are there.
 *
 * Every event goes to a file of this process before it is sent, in the lines of rescue.h, and
 * the file is emptied when all are stored: what is in it survives the death of the program
 * (after a loss of power the last lines may be missing, as with SQLite's synchronous NORMAL).
 * The file is locked while its process lives; the next process with the same database takes
 * in those that are not.  Its name tells which database it is for.
 *
 * Owns the file.  May include: util, store/backend.h.
 */
#ifndef IK_STORE_SPOOL_H
#define IK_STORE_SPOOL_H

#include "store/backend.h"

struct ik_spool;

/* A spool in directory, made with its first event; database: how it is named, without its
 * password. */
struct ik_spool *ik_spool_new(const char *directory, const char *database);
/* An empty file is removed. */
struct ik_spool *ik_spool_free(struct ik_spool *spool);

/* Keep an event. On failure it is not in the file, and nothing else has changed. */
enum ik_status ik_spool_add(struct ik_spool *spool, const struct ik_record *record,
	struct ik_error *error) IK_MUST_USE;
/* Its session became a fork. */
void ik_spool_add_fork(struct ik_spool *spool, const struct ik_store_session *session);
/* The same in the file of an earlier process. */
void ik_file_add_fork(const char *path, const struct ik_store_session *session);

/* All of it is stored. */
void ik_spool_clear(struct ik_spool *spool);

/* Does it hold every event that was added since it was empty? Then where is it? */
const char *ik_spool_path(const struct ik_spool *spool);

/* The files for this database, as ik_rescue_find(). */
char **ik_spool_find(const struct ik_spool *spool);

#endif
