/*
 * written: which files the calls that name theirs write, over all sessions of the program, while
 * calls run of which only the whole work tree tells what they changed.
 *
 * What differs after such a call may be another agent's doing; /undo in the one must not take
 * back the other's work.  Shared by the sessions that were made with it.  While nobody watches
 * it keeps only what calls are at.  May include: util.
 */
#ifndef IK_AGENT_SESSION_WRITTEN_H
#define IK_AGENT_SESSION_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

struct ik_written;

struct ik_written *ik_written_new(void);
/* Takes NULL, returns NULL. */
struct ik_written *ik_written_free(struct ik_written *written);

/* Watch from here on; where that is, for ik_written_by_another(). */
size_t ik_written_watch(struct ik_written *written);
void ik_written_watch_no_more(struct ik_written *written);

/* A call of the session (owner: whatever tells sessions apart) is about to write this file; it is
 * over. Each begin has its end. */
void ik_written_begin(struct ik_written *written, const void *owner, const char *path);
void ik_written_end(struct ik_written *written, const void *owner, const char *path);

/* Was it written since by another session than this one, or is it at that, since whenever? */
bool ik_written_by_another(const struct ik_written *written, size_t since, const void *owner,
	const char *path);

#endif
