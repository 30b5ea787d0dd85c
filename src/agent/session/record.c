#include "agent/session/record.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/attachment.h"
#include "util/alloc.h"
#include "util/text.h"

struct ik_session_record *ik_session_record_new(const struct ik_session_record *members)
{
	struct ik_session_record *record = ik_alloc(sizeof(*record));

	*record = *members;
	record->directory = ik_strdup(members->directory);
	record->prompt = ik_strdup(members->prompt);
	record->prompt_unstored = true;
	record->conversation = ik_conversation_new();
	ik_uuid_new(record->id);
	return record;
}

struct ik_session_record *ik_session_record_free(struct ik_session_record *record)
{
	if (!record)
		return NULL;
	ik_conversation_free(record->conversation);
	free(record->directory);
	free(record->prompt);
	free(record);
	return NULL;
}

void ik_session_record_set_id(struct ik_session_record *record, const char *id)
{
	size_t length = strnlen(id, sizeof(record->id) - 1);

	memcpy(record->id, id, length);
	record->id[length] = '\0';
}

void ik_session_record_emit(struct ik_session_record *record, const struct ik_event *event)
{
	if (!record->closing)
		record->sink(record->sink_arg, event);
}

void ik_session_record_emit_text(struct ik_session_record *record, enum ik_event_kind kind,
	const char *text)
{
	const struct ik_event event = { .kind = kind, .text = text, .text_length = strlen(text) };

	ik_session_record_emit(record, &event);
}

/* Store the system prompt, unless it is already stored. */
static void store_prompt(struct ik_session_record *record)
{
	struct ik_message *message;

	if (!record->prompt_unstored || record->loading)
		return;
	record->prompt_unstored = false;
	message = ik_message_new(IK_KIND_SYSTEM, record->prompt, strlen(record->prompt), NULL, 0);
	ik_session_record_add(record, message);
	ik_message_unref(message);
}

/* Store a message, then its files, which a crash in between loses: the message says what they
 * were. */
static void store_message(struct ik_session_record *record, struct ik_message *message)
{
	struct ik_attachment attachment;

	ik_store_append(record->store, record->id, message);
	for (size_t i = 0; ik_message_attachment(message, i, &attachment); i++)
		if (attachment.contents)
			ik_store_put_blob(record->store, record->id, attachment.blob, attachment.contents);
}

void ik_session_record_add(struct ik_session_record *record, struct ik_message *message)
{
	bool first;

	if (record->read_only)
		return; /* emitted here, but another process stores it */
	if (message->kind != IK_KIND_NOTICE)
		store_prompt(record);
	first = !record->stored && message->kind != IK_KIND_NOTICE;
	if (first && record->undecided)
		record->to_store = true;
	else if (first)
		ik_session_record_start_storing(record);
	if (record->stored)
		store_message(record, message);
	ik_conversation_append(record->conversation, message);
}

void ik_session_record_add_blobs(struct ik_session_record *record, const struct ik_message *message,
	struct ik_bytes *const whole[2])
{
	struct ik_blob blob;

	for (int i = 0; i < 2 && !record->read_only; i++) {
		if (whole[i] && ik_message_blob(message, i, &blob))
			ik_store_put_blob(record->store, record->id, blob.id, whole[i]);
	}
}

/* Add a message and emit it as an event of this kind. */
static void add_as(struct ik_session_record *record, enum ik_event_kind kind,
	struct ik_message *message)
{
	const struct ik_event event = {
		.kind = kind,
		.message = message,
		.text = message->content,
		.text_length = message->content_length,
	};

	ik_session_record_add(record, message);
	ik_session_record_emit(record, &event);
}

void ik_session_record_add_message(struct ik_session_record *record, struct ik_message *message)
{
	add_as(record, message->kind == IK_KIND_NOTICE ? IK_EVENT_NOTICE : IK_EVENT_MESSAGE, message);
}

void ik_session_record_add_command(struct ik_session_record *record, const char *line,
	const char *output)
{
	struct ik_message *message = ik_message_command(line, output);

	ik_session_record_add_message(record, message);
	ik_message_unref(message);
}

static void add_notice(struct ik_session_record *record, const char *sentence, const char *data)
{
	struct ik_message *message = ik_message_notice(sentence, data);

	add_as(record, IK_EVENT_NOTICE, message);
	ik_message_unref(message);
}

void ik_session_record_add_notice(struct ik_session_record *record, const char *sentence)
{
	add_notice(record, sentence, NULL);
}

void ik_session_record_add_problem(struct ik_session_record *record, const char *sentence)
{
	add_notice(record, sentence, "{\"problem\":true}");
}

void ik_session_record_start_storing(struct ik_session_record *record)
{
	size_t count = ik_conversation_count(record->conversation), i;

	ik_store_begin(record->store, record->id, record->directory);
	record->stored = true;
	if (record->on_stored)
		record->on_stored(record->arg);
	for (i = 0; i < count; i++) {
		struct ik_message *message = ik_conversation_at(record->conversation, i);

		if (message->sequence == 0)
			store_message(record, message);
	}
}

void ik_session_record_decide(struct ik_session_record *record)
{
	record->undecided = false;
	if (record->to_store)
		ik_session_record_start_storing(record);
}
