/*
 * file_writes: which files calls are writing or have written, across all sessions of the program.
 *
 * For a call that may change anything, /undo compares the work tree before and after: what another
 * session's call wrote meanwhile must not be undone with it. Shared by the sessions created with
 * it. May include: util.
 */
#ifndef IK_AGENT_SESSION_FILE_WRITES_H
#define IK_AGENT_SESSION_FILE_WRITES_H

#include <stdbool.h>
#include <stddef.h>

struct ik_file_writes;

struct ik_file_writes *ik_file_writes_new(void);
/* Takes NULL. Returns NULL. */
struct ik_file_writes *ik_file_writes_free(struct ik_file_writes *writes);

/* Return the current point in time, for ik_file_writes_by_other(). */
size_t ik_file_writes_now(const struct ik_file_writes *writes);

/* Record that a call of a session is about to write path, or has ended. owner is any pointer that
 * identifies the session. Each begin needs its end. */
void ik_file_writes_begin(struct ik_file_writes *writes, const void *owner, const char *path);
void ik_file_writes_end(struct ik_file_writes *writes, const void *owner, const char *path);

/* Has a session other than owner's written path since then, or is it writing it now? */
bool ik_file_writes_by_other(const struct ik_file_writes *writes, size_t since, const void *owner,
	const char *path);

#endif
