/*
 * fork_copy: the messages of a session that was just forked, in memory.
 *
 * A fork is read from the database.  Where that cannot be reached, or does not have the fork yet,
 * its messages are known all the same: its parent was on the screen.
 *
 * Owns references to messages.  May include: util, conversation.
 */
#ifndef IK_AGENT_SESSION_FORK_COPY_H
#define IK_AGENT_SESSION_FORK_COPY_H

#include "conversation/conversation.h"

struct ik_fork_copy;

/* The stored messages of a conversation up to sequence. */
struct ik_fork_copy *ik_fork_copy_new(const struct ik_conversation *conversation, int64_t sequence);
struct ik_fork_copy *ik_fork_copy_free(struct ik_fork_copy *copy);

/* Add a message that the fork begins with, which was given to the store. Takes NULL for a copy. */
void ik_fork_copy_add(struct ik_fork_copy *copy, struct ik_message *message);

struct ik_message **ik_fork_copy_messages(const struct ik_fork_copy *copy, size_t *ret_count);

#endif
