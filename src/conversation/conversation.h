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
/* Return a copy that contains the stored messages up to and including sequence. */
struct ik_conversation *ik_conversation_copy(const struct ik_conversation *conversation,
	int64_t sequence);

/* Append message, taking a reference to it. */
void ik_conversation_append(struct ik_conversation *conversation, struct ik_message *message);

/* Insert count older messages before all others, keeping their order. */
void ik_conversation_prepend(struct ik_conversation *conversation,
	struct ik_message *const *messages, size_t count);

size_t ik_conversation_count(const struct ik_conversation *conversation);
struct ik_message *ik_conversation_at(const struct ik_conversation *conversation, size_t index);
/* Return the array of all messages, valid until another one is added. */
struct ik_message **ik_conversation_messages(const struct ik_conversation *conversation);

/* Return the newest message that summarises what came before it, and its index, except summaries
 * that no longer replace anything; NULL if there is no summary (*ret_index is then unchanged). */
struct ik_message *ik_conversation_summary(const struct ik_conversation *conversation,
	size_t *ret_index);

/* Return the index of the first message that the model gets verbatim: all without a summary, else
 * those that it does not replace. */
size_t ik_conversation_first(const struct ik_conversation *conversation);

/* Return the index of what the user asked, if the newest summary replaces it before it was answered
 * to the end: the model gets it with the summary, since the turn continues. Else return the number of
 * messages. */
size_t ik_conversation_asked(const struct ik_conversation *conversation);

/* Append to a summary of what was said before the message at index end what must not be lost. */
typedef void ik_summary_keeper(void *arg, const struct ik_conversation *conversation, size_t end,
	struct ik_buf *out);

/* Was the last thing that happened to a summary that it was undone? */
bool ik_conversation_is_restored(const struct ik_conversation *conversation);

/* Return the newest stored system prompt; NULL if there is none. */
struct ik_message *ik_conversation_prompt(const struct ik_conversation *conversation);

#endif
