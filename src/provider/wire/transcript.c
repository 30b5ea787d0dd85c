#include "provider/wire/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

/* Return the summary as the model gets it. */
static struct ik_message *summary_message(const struct ik_message *command)
{
	static const char lead[] = "This is a summary of what was said and done before:\n\n";
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_REQUEST);
	ik_buf_puts(&text, lead);
	ik_json_string(ik_json_member(ik_message_data(command), "summary"), &text);
	struct ik_message *message = ik_message_new(IK_KIND_USER, text.data, text.length, NULL, 0);
	ik_buf_done(&text);
	return message;
}

void ik_transcript_init(struct ik_transcript *transcript,
	const struct ik_conversation *conversation)
{
	size_t at = 0;
	const struct ik_message *command = ik_conversation_summary(conversation, &at);

	memset(transcript, 0, sizeof(*transcript));
	transcript->conversation = conversation;
	transcript->at = command ? at + 1 : 0;
	ik_pairing_init(&transcript->pairing, conversation, transcript->at);
	if (!command)
		return;
	transcript->summary = summary_message(command);
	transcript->summary_due = true;
}

void ik_transcript_done(struct ik_transcript *transcript)
{
	ik_pairing_done(&transcript->pairing);
	ik_message_unref(transcript->summary);
	free(transcript->messages);
	free(transcript->calls);
	free(transcript->call_indexes);
	memset(transcript, 0, sizeof(*transcript));
}

/* Add a message to the current passage. */
static void add_message(struct ik_transcript *transcript, const struct ik_message *message)
{
	if (transcript->message_count == transcript->message_capacity) {
		transcript->message_capacity = transcript->message_capacity * 2 + 8;
		transcript->messages = ik_alloc_array(transcript->messages, transcript->message_capacity,
			sizeof(*transcript->messages));
	}
	transcript->messages[transcript->message_count++] = message;
}

/* Remember a call, whose result is due after this passage. */
static void add_call(struct ik_transcript *transcript, const struct ik_message *call, size_t index)
{
	if (transcript->call_count == transcript->call_capacity) {
		transcript->call_capacity = transcript->call_capacity * 2 + 8;
		transcript->calls = ik_alloc_array(transcript->calls, transcript->call_capacity,
			sizeof(*transcript->calls));
		transcript->call_indexes = ik_alloc_array(transcript->call_indexes,
			transcript->call_capacity, sizeof(*transcript->call_indexes));
	}
	transcript->calls[transcript->call_count] = call;
	transcript->call_indexes[transcript->call_count++] = index;
}

/*
 * Collect what the assistant did in one round, starting at transcript->at. Thinking that is
 * followed by a new text belongs to that text and is left for the next passage. Return false if
 * there is nothing to send.
 */
static bool gather_round(struct ik_transcript *transcript)
{
	size_t count = ik_conversation_count(transcript->conversation);
	size_t kept = 0;                /* messages up to the last text or call */
	size_t resume = transcript->at; /* after it */
	bool has_text = false;

	for (; transcript->at < count; transcript->at++) {
		const struct ik_message *message = ik_conversation_at(transcript->conversation,
			transcript->at);

		if (message->kind == IK_KIND_USER || message->kind == IK_KIND_TOOL_RESULT)
			break;
		if (message->kind == IK_KIND_ASSISTANT && message->content_length) {
			if (has_text)
				break;
			has_text = true;
		} else if (message->kind == IK_KIND_TOOL_CALL && message->call_id) {
			add_call(transcript, message, transcript->at);
		} else if (message->kind == IK_KIND_THINKING) {
			add_message(transcript, message);
			continue;
		} else {
			continue;
		}
		add_message(transcript, message);
		kept = transcript->message_count;
		resume = transcript->at + 1;
	}
	if (!kept)
		return false;
	transcript->message_count = kept;
	transcript->at = resume;
	return true;
}

/* Collect the results of the previous passage's calls. */
static void gather_results(struct ik_transcript *transcript)
{
	for (size_t index = 0; index < transcript->call_count; index++) {
		size_t result = ik_pairing_of(&transcript->pairing, transcript->call_indexes[index]);

		add_message(transcript,
			result == IK_UNPAIRED ? NULL : ik_conversation_at(transcript->conversation, result));
	}
}

/* Prepare the next passage; false at the end. */
static bool next_kind(struct ik_transcript *transcript, enum ik_passage_kind *ret_kind)
{
	if (transcript->results_due) {
		transcript->results_due = false;
		gather_results(transcript);
		*ret_kind = IK_PASSAGE_RESULTS;
		return true;
	}
	transcript->call_count = 0;
	if (transcript->summary_due) {
		transcript->summary_due = false;
		add_message(transcript, transcript->summary);
		*ret_kind = IK_PASSAGE_USER;
		return true;
	}
	while (transcript->at < ik_conversation_count(transcript->conversation)) {
		const struct ik_message *message = ik_conversation_at(transcript->conversation,
			transcript->at);

		switch (message->kind) {
		case IK_KIND_USER:
			transcript->at++;
			if (!message->content_length)
				break;
			add_message(transcript, message);
			*ret_kind = IK_PASSAGE_USER;
			return true;
		case IK_KIND_ASSISTANT:
		case IK_KIND_TOOL_CALL:
		case IK_KIND_THINKING:
			if (gather_round(transcript)) {
				transcript->results_due = transcript->call_count > 0;
				*ret_kind = IK_PASSAGE_ASSISTANT;
				return true;
			}
			transcript->message_count = 0;
			break;
		default:
			/* A result is sent after its call; the rest is not sent at all. The system prompt is
			 * that of the request: a stored one was taken over when the session was restored. */
			transcript->at++;
			break;
		}
	}
	return false;
}

bool ik_transcript_next(struct ik_transcript *transcript, struct ik_passage *ret_passage)
{
	enum ik_passage_kind kind;

	transcript->message_count = 0;
	if (!next_kind(transcript, &kind))
		return false;
	ret_passage->kind = kind;
	ret_passage->messages = transcript->messages;
	ret_passage->count = transcript->message_count;
	ret_passage->calls = kind == IK_PASSAGE_RESULTS ? transcript->calls : NULL;
	return true;
}
