/*
 * session_copy: what a session that was forked just now has of the one it was made of, in memory.
 *
 * A fork is read from the database. Where that cannot be reached, or has not taken the fork yet,
 * what it has is known all the same: its parent was on the screen.
 *
 * Owns references to messages.  May include: util, conversation, agent/session/session.h.
 */
#ifndef IK_AGENT_SESSION_SESSION_COPY_H
#define IK_AGENT_SESSION_SESSION_COPY_H

#include "agent/session/session.h"

struct ik_session_copy;

/* The stored messages of a session up to sequence. NULL: not all of them are there yet. */
struct ik_session_copy *ik_session_copy_new(const struct ik_session *session, int64_t sequence);
struct ik_session_copy *ik_session_copy_free(struct ik_session_copy *copy);

/* One more that the fork begins with, which was given to the store. Takes NULL for a copy. */
void ik_session_copy_add(struct ik_session_copy *copy, struct ik_message *message);

struct ik_message **ik_session_copy_messages(const struct ik_session_copy *copy, size_t *ret_count);

/* ik_session_restore() of the fork with this whole id; where it cannot be read, it is gone on with
 * as the copy has it (taken over; NULL: there is none), and what is said is stored once it can be. */
void ik_session_restore_fork(struct ik_session *session, const char *id,
	struct ik_session_copy *copy, ik_session_restored *done, void *arg);

#endif
