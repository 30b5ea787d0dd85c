/*
 * blob_spool: large texts on their way to a server, safe on this machine until they are there.
 *
 * One file of a process has all that wait: for each a line of JSON with its id and its length,
 * then its bytes. It is locked while the process lives; the next one with the same database
 * takes in those that are not, as far as they were written.
 *
 * Owns the file.  May include: util, json, store.
 */
#ifndef IK_STORE_BLOB_SPOOL_H
#define IK_STORE_BLOB_SPOOL_H

#include "store/spool.h"

#include <stddef.h>
#include <sys/types.h>

/* The file of this process: made with the first text. */
struct ik_blob_spool {
	struct ik_spool *spool; /* where; borrowed; NULL: texts wait in memory */
	char *path;             /* NULL: there is no file yet */
	int fd;
	off_t length, start; /* start: of the text that is being written */
	bool broken;         /* it cannot be written */
};

/* Begin a text, then add its bytes in pieces; false: it cannot be kept (the log says why). */
bool ik_blob_spool_begin(struct ik_blob_spool *spool, const char *id, size_t length);
bool ik_blob_spool_add(struct ik_blob_spool *spool, const char *bytes, size_t length);
/* The one that is being written is not needed any more. */
void ik_blob_spool_abandon(struct ik_blob_spool *spool);
/* None is needed any more. */
void ik_blob_spool_clear(struct ik_blob_spool *spool);
/* Let it go; a file with something in it stays. */
void ik_blob_spool_done(struct ik_blob_spool *spool);

/* The tail of its files' names, and how many texts, or beginnings of them, one has. */
#define IK_BLOB_SPOOL_TAIL ".blobs"
size_t ik_blob_spool_count(const char *path);

/* A file of an earlier process: removed when the last reference goes, unless it is to stay. */
struct ik_blob_file {
	int references, fd;
	bool stays;
	char *path;
};
struct ik_blob_file *ik_blob_file_unref(struct ik_blob_file *file);

/* Take in files of earlier processes: take is called for each text that has bytes there, with a
 * reference of its own. */
void ik_blob_spool_take(struct ik_spool *spool,
	void (*take)(void *arg, struct ik_blob_file *file, const char *id, off_t offset, size_t length),
	void *arg);

#endif
