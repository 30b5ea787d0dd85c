/*
 * file_writes: which files calls write and have written, over all sessions of the program.
 *
 * For a call that may change anything, /undo compares the work tree before and after: what another
 * session's call wrote meanwhile must not be undone with it.  Shared by the sessions that were
 * made with it.  May include: util.
 */
#ifndef IK_AGENT_SESSION_FILE_WRITES_H
#define IK_AGENT_SESSION_FILE_WRITES_H

#include <stdbool.h>
#include <stddef.h>

struct ik_file_writes;

struct ik_file_writes *ik_file_writes_new(void);
/* Takes NULL, returns NULL. */
struct ik_file_writes *ik_file_writes_free(struct ik_file_writes *writes);

/* Return the present, for ik_file_writes_by_other(). */
size_t ik_file_writes_now(const struct ik_file_writes *writes);

/* A call of a session (owner: anything that tells sessions apart) is about to write this file; it
 * has ended. Each begin needs its end. */
void ik_file_writes_begin(struct ik_file_writes *writes, const void *owner, const char *path);
void ik_file_writes_end(struct ik_file_writes *writes, const void *owner, const char *path);

/* Has another session than the owner written the file since, or is it writing it? */
bool ik_file_writes_by_other(const struct ik_file_writes *writes, size_t since, const void *owner,
	const char *path);

#endif
