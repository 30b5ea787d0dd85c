#include "agent/session/fork_copy.h"

#include <stdlib.h>

#include "util/alloc.h"

struct ik_fork_copy {
	struct ik_message **messages;
	size_t count;
};

struct ik_fork_copy *ik_fork_copy_new(const struct ik_conversation *conversation, int64_t sequence)
{
	size_t count = ik_conversation_count(conversation), i;
	struct ik_fork_copy *copy = ik_alloc(sizeof(*copy));

	copy->messages = ik_alloc_array(NULL, count + 1, sizeof(*copy->messages));
	for (i = 0; i < count; i++) {
		struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->sequence > 0 && message->sequence <= sequence)
			copy->messages[copy->count++] = ik_message_ref(message);
	}
	return copy;
}

struct ik_fork_copy *ik_fork_copy_free(struct ik_fork_copy *copy)
{
	if (!copy)
		return NULL;
	while (copy->count > 0)
		ik_message_unref(copy->messages[--copy->count]);
	free(copy->messages);
	free(copy);
	return NULL;
}

void ik_fork_copy_add(struct ik_fork_copy *copy, struct ik_message *message)
{
	if (!copy)
		return;
	copy->messages = ik_alloc_array(copy->messages, copy->count + 1, sizeof(*copy->messages));
	copy->messages[copy->count++] = ik_message_ref(message);
}

struct ik_message **ik_fork_copy_messages(const struct ik_fork_copy *copy, size_t *ret_count)
{
	*ret_count = copy->count;
	return copy->messages;
}
