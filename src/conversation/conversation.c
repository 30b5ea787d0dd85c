#include "conversation/conversation.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct ik_conversation {
	struct ik_message **messages;
	size_t count;               /* number of messages; the array has room for the next power of
	                               two */
	struct ik_message *summary; /* the newest summary, or NULL */
	size_t summary_index;
};

struct ik_conversation *ik_conversation_new(void)
{
	return ik_alloc(sizeof(struct ik_conversation));
}

struct ik_conversation *ik_conversation_free(struct ik_conversation *conversation)
{
	if (!conversation)
		return NULL;
	for (size_t index = 0; index < conversation->count; index++)
		ik_message_unref(ik_conversation_at(conversation, index));
	free(conversation->messages);
	free(conversation);
	return NULL;
}

/* Remember message, at index, if it is the newest summary, so that requests need not search for
 * it. */
static void note(struct ik_conversation *conversation, struct ik_message *message, size_t index)
{
	if (!message->summarises || (conversation->summary && conversation->summary_index > index))
		return;
	conversation->summary = message;
	conversation->summary_index = index;
}

void ik_conversation_append(struct ik_conversation *conversation, struct ik_message *message)
{
	conversation->messages = ik_alloc_more(conversation->messages, conversation->count,
		sizeof(*conversation->messages));
	conversation->messages[conversation->count++] = ik_message_ref(message);
	note(conversation, message, conversation->count - 1);
}

void ik_conversation_prepend(struct ik_conversation *conversation,
	struct ik_message *const *messages, size_t count)
{
	size_t capacity = 1;

	while (capacity < conversation->count + count)
		capacity *= 2;
	conversation->messages = ik_alloc_array(conversation->messages, capacity,
		sizeof(*conversation->messages));
	memmove(conversation->messages + count, conversation->messages,
		conversation->count * sizeof(*conversation->messages));
	conversation->count += count;
	conversation->summary_index += count;
	for (size_t index = 0; index < count; index++) {
		conversation->messages[index] = ik_message_ref(messages[index]);
		note(conversation, messages[index], index);
	}
}

struct ik_conversation *ik_conversation_copy(const struct ik_conversation *conversation,
	int64_t sequence)
{
	struct ik_conversation *copy = ik_conversation_new();

	for (size_t index = 0; index < conversation->count; index++) {
		struct ik_message *message = ik_conversation_at(conversation, index);

		if (message->sequence > 0 && message->sequence <= sequence)
			ik_conversation_append(copy, message);
	}
	return copy;
}

size_t ik_conversation_count(const struct ik_conversation *conversation)
{
	return conversation->count;
}

struct ik_message *ik_conversation_at(const struct ik_conversation *conversation, size_t index)
{
	return conversation->messages[index];
}

struct ik_message **ik_conversation_messages(const struct ik_conversation *conversation)
{
	return conversation->messages;
}

struct ik_message *ik_conversation_summary(const struct ik_conversation *conversation,
	size_t *ret_index)
{
	if (conversation->summary)
		*ret_index = conversation->summary_index;
	return conversation->summary;
}

struct ik_message *ik_conversation_prompt(const struct ik_conversation *conversation)
{
	size_t index = conversation->count;

	while (index > 0 && conversation->messages[index - 1]->kind != IK_KIND_SYSTEM)
		index--;
	return index > 0 ? conversation->messages[index - 1] : NULL;
}
