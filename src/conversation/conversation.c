#include "conversation/conversation.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct ik_conversation {
	struct ik_message **messages;
	size_t count;               /* number of messages; the array has room for the next power of
	                               two */
	struct ik_message *summary; /* the newest summary that was not undone, or NULL */
	size_t summary_index;
	size_t undone; /* while there is none: number of older summaries, not here yet, that were */
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

/* Search the messages before end for the newest summary, unless it is known. Each message that undoes
 * one refers to the newest before it that was not undone. */
static void find_summary(struct ik_conversation *conversation, size_t end)
{
	while (end-- > 0 && !conversation->summary) {
		struct ik_message *message = conversation->messages[end];

		if (message->restores) {
			conversation->undone++;
		} else if (message->summarises && conversation->undone > 0) {
			conversation->undone--;
		} else if (message->summarises) {
			conversation->summary = message;
			conversation->summary_index = end;
		}
	}
}

void ik_conversation_append(struct ik_conversation *conversation, struct ik_message *message)
{
	conversation->messages = ik_alloc_more(conversation->messages, conversation->count,
		sizeof(*conversation->messages));
	conversation->messages[conversation->count++] = ik_message_ref(message);
	if (message->summarises || message->restores) {
		conversation->summary = NULL;
		conversation->undone = 0;
		find_summary(conversation, conversation->count);
	}
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
	for (size_t index = 0; index < count; index++)
		conversation->messages[index] = ik_message_ref(messages[index]);
	find_summary(conversation, count);
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

size_t ik_conversation_first(const struct ik_conversation *conversation)
{
	size_t end = conversation->summary_index, index = end;
	struct ik_json_span from;

	if (!conversation->summary)
		return 0;
	from = ik_json_member(ik_message_data(conversation->summary), "from");
	while (from.text && index-- > 0) {
		if (ik_json_string_is(from, conversation->messages[index]->id))
			return index;
	}
	return end + 1;
}

/* Does what was said before end end with a whole reply? */
static bool is_answered(const struct ik_conversation *conversation, size_t end)
{
	while (end-- > 0) {
		const struct ik_message *message = conversation->messages[end];

		if (message->kind == IK_KIND_ASSISTANT)
			return !ik_json_member(ik_message_data(message), "interrupted").text;
		if (message->kind == IK_KIND_USER || message->kind == IK_KIND_TOOL_CALL ||
			message->kind == IK_KIND_TOOL_RESULT)
			break;
	}
	return false;
}

size_t ik_conversation_asked(const struct ik_conversation *conversation)
{
	size_t none = conversation->count, index = conversation->summary_index;

	if (!conversation->summary ||
		(conversation->summary->kind == IK_KIND_COMMAND && is_answered(conversation, index)))
		return none;
	while (index-- > 0) {
		const struct ik_message *message = conversation->messages[index];

		if (ik_message_is_question(message))
			return index < ik_conversation_first(conversation) ? index : none;
	}
	return none;
}

bool ik_conversation_is_restored(const struct ik_conversation *conversation)
{
	size_t index = conversation->count;

	while (index > 0 && !conversation->messages[index - 1]->summarises &&
		!conversation->messages[index - 1]->restores)
		index--;
	return index > 0 && conversation->messages[index - 1]->restores;
}

struct ik_message *ik_conversation_prompt(const struct ik_conversation *conversation)
{
	size_t index = conversation->count;

	while (index > 0 && conversation->messages[index - 1]->kind != IK_KIND_SYSTEM)
		index--;
	return index > 0 ? conversation->messages[index - 1] : NULL;
}
