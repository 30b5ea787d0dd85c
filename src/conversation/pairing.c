#include "conversation/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

/* Assign the result at index to the first waiting call that has its id. */
static void answer(const struct ik_conversation *conversation, size_t index, size_t *pairs,
	size_t *waiting, size_t *count)
{
	const char *id = ik_conversation_at(conversation, index)->call_id;

	for (size_t at = 0; at < *count; at++) {
		size_t call = waiting[at];

		if (strcmp(ik_conversation_at(conversation, call)->call_id, id) != 0)
			continue;
		pairs[index] = call;
		pairs[call] = index;
		memmove(waiting + at, waiting + at + 1, (*count - at - 1) * sizeof(*waiting));
		--*count;
		return;
	}
}

size_t *ik_pairing_new(const struct ik_conversation *conversation, size_t first)
{
	size_t count = ik_conversation_count(conversation), waiting_count = 0;
	size_t *pairs = ik_alloc_array(NULL, count + 1, sizeof(*pairs));
	size_t *waiting = NULL; /* calls without a result so far, oldest first; usually only a few */

	for (size_t index = 0; index < count; index++) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		pairs[index] = IK_UNPAIRED;
		if (index < first || !message->call_id)
			continue;
		if (message->kind == IK_KIND_TOOL_CALL) {
			waiting = ik_alloc_more(waiting, waiting_count, sizeof(*waiting));
			waiting[waiting_count++] = index;
		} else {
			answer(conversation, index, pairs, waiting, &waiting_count);
		}
	}
	free(waiting);
	return pairs;
}

void ik_pairing_lost_envelope(struct ik_buf *out)
{
	/* The model reads this, so it is not translated, like every envelope. */
	ik_buf_puts(out,
		"{\"tool_success\":false,"
		"\"error\":\"The program ended before this call had a result\","
		"\"error_code\":\"TOOL_CANCELLED\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}");
}

size_t ik_pairing_complete(struct ik_conversation *conversation)
{
	size_t count = ik_conversation_count(conversation);
	size_t *pairs = ik_pairing_new(conversation, 0);
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_KIB(4));
	ik_pairing_lost_envelope(&envelope);
	for (size_t index = 0; index < count; index++) {
		const struct ik_message *call = ik_conversation_at(conversation, index);

		if (call->kind != IK_KIND_TOOL_CALL || !call->call_id || pairs[index] != IK_UNPAIRED)
			continue;
		char *name = ik_message_tool_name(call);
		struct ik_message *result = ik_message_tool_result(call->call_id, name ? name : "",
			envelope.data, envelope.length, false, 0, NULL);

		ik_conversation_append(conversation, result);
		ik_message_unref(result);
		free(name);
	}
	ik_buf_done(&envelope);
	free(pairs);
	return ik_conversation_count(conversation) - count;
}
