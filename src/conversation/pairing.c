#include "conversation/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

void ik_pairing_init(struct ik_pairing *pairing, const struct ik_conversation *conversation,
	size_t first)
{
	memset(pairing, 0, sizeof(*pairing));
	pairing->conversation = conversation;
	pairing->first = first;
	pairing->scanned = first;
}

void ik_pairing_done(struct ik_pairing *pairing)
{
	free(pairing->pairs);
	free(pairing->waiting);
	memset(pairing, 0, sizeof(*pairing));
}

/* Remember a call until its result is found. */
static void add_waiting(struct ik_pairing *pairing, size_t index)
{
	pairing->waiting = ik_alloc_more(pairing->waiting, pairing->waiting_count,
		sizeof(*pairing->waiting));
	pairing->waiting[pairing->waiting_count++] = index;
}

/* Assign a result to the first waiting call with its id. */
static void answer(struct ik_pairing *pairing, size_t index, const char *call_id)
{
	for (size_t at = 0; at < pairing->waiting_count; at++) {
		size_t call = pairing->waiting[at];

		if (strcmp(ik_conversation_at(pairing->conversation, call)->call_id, call_id) != 0)
			continue;
		pairing->pairs[index - pairing->first] = call;
		pairing->pairs[call - pairing->first] = index;
		memmove(pairing->waiting + at, pairing->waiting + at + 1,
			(pairing->waiting_count - at - 1) * sizeof(*pairing->waiting));
		pairing->waiting_count--;
		break;
	}
}

/* Scan one more message. */
static void scan(struct ik_pairing *pairing)
{
	size_t index = pairing->scanned++;
	const struct ik_message *message = ik_conversation_at(pairing->conversation, index);

	pairing->pairs = ik_alloc_more(pairing->pairs, index - pairing->first, sizeof(*pairing->pairs));
	pairing->pairs[index - pairing->first] = IK_UNPAIRED;
	if (!message->call_id)
		return;
	if (message->kind == IK_KIND_TOOL_CALL)
		add_waiting(pairing, index);
	else
		answer(pairing, index, message->call_id);
}

size_t ik_pairing_of(struct ik_pairing *pairing, size_t index)
{
	size_t count = ik_conversation_count(pairing->conversation);
	const struct ik_message *message = ik_conversation_at(pairing->conversation, index);
	bool call = message->kind == IK_KIND_TOOL_CALL && message->call_id;

	while (pairing->scanned < count &&
		(pairing->scanned <= index ||
			(call && pairing->pairs[index - pairing->first] == IK_UNPAIRED)))
		scan(pairing);
	return pairing->pairs[index - pairing->first];
}

void ik_pairing_lost_envelope(struct ik_buf *out)
{
	/* For the model, so not translated, like every envelope. */
	ik_buf_puts(out,
		"{\"tool_success\":false,"
		"\"error\":\"The program ended before this call had a result\","
		"\"error_code\":\"TOOL_CANCELLED\",\"exit_code\":null,\"stdout\":\"\",\"stderr\":\"\"}");
}

size_t ik_pairing_complete(struct ik_conversation *conversation, struct ik_message ***ret_added)
{
	size_t count = ik_conversation_count(conversation);
	struct ik_pairing pairing;
	struct ik_message **added = NULL;
	size_t added_count = 0;
	struct ik_buf envelope;

	ik_buf_init(&envelope, IK_KIB(4));
	ik_pairing_lost_envelope(&envelope);
	ik_pairing_init(&pairing, conversation, 0);
	for (size_t index = 0; index < count; index++) {
		const struct ik_message *call = ik_conversation_at(conversation, index);

		if (call->kind != IK_KIND_TOOL_CALL || !call->call_id ||
			ik_pairing_of(&pairing, index) != IK_UNPAIRED)
			continue;
		char *name = ik_message_tool_name(call);
		struct ik_message *result = ik_message_tool_result(call->call_id, name ? name : "",
			envelope.data, envelope.length, false, 0, NULL);
		free(name);
		ik_conversation_append(conversation, result);
		added = ik_alloc_array(added, added_count + 1, sizeof(*added));
		added[added_count++] = result;
	}
	ik_buf_done(&envelope);
	ik_pairing_done(&pairing);
	*ret_added = added;
	return added_count;
}
