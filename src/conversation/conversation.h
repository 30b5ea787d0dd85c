/*
 * conversation: the messages of one session, in order.
 *
 * Owns references to its messages.  May include: util, json, conversation.
 */
#ifndef IK_CONVERSATION_CONVERSATION_H
#define IK_CONVERSATION_CONVERSATION_H

#include "conversation/message.h"

struct ik_conversation;

struct ik_conversation *ik_conversation_new(void);
struct ik_conversation *ik_conversation_free(struct ik_conversation *conversation);

/* Takes a reference of its own. */
void ik_conversation_append(struct ik_conversation *conversation, struct ik_message *message);

/* Put count older messages before all that is there, in their order. */
void ik_conversation_prepend(struct ik_conversation *conversation,
	struct ik_message *const *messages, size_t count);

size_t ik_conversation_count(const struct ik_conversation *conversation);
struct ik_message *ik_conversation_at(const struct ik_conversation *conversation, size_t index);

/* The newest message with a summary of what came before it, and its index; NULL, and
 * *ret_index as it was, where there is none. */
struct ik_message *ik_conversation_summary(const struct ik_conversation *conversation,
	size_t *ret_index);

/* The newest system prompt that is stored; NULL: none is. */
struct ik_message *ik_conversation_prompt(const struct ik_conversation *conversation);

/* What stands for the index of a result or a call that is not there (pairing.h). Where an id
 * comes twice, the first call has the first result. */
#define IK_UNPAIRED SIZE_MAX

/*
 * Append the envelope of a call whose result never came, for a request that
 * must not be refused for want of it.
 */
void ik_conversation_lost_envelope(struct ik_buf *out);

/*
 * Make what was loaded acceptable to every provider: each call without a
 * result gets one (appended, collected in ret_added as new messages that the
 * caller stores and unrefs) whose envelope says that the program ended before
 * it came. Results must be placed behind their calls by whoever serializes:
 * requests are built by call id, not by position. Returns how many were added.
 */
size_t ik_conversation_mend(struct ik_conversation *conversation, struct ik_message ***ret_added);

#endif
