#include "provider/wire/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/limits.h"

/* Return a summary in the form that the model gets. */
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

/* Return, in new memory, for each message whether it was refused: what the user asked and all after
 * it, up to the notice of the refusal; if tools have run, only what came after them. */
static bool *find_refused(const struct ik_conversation *conversation)
{
	size_t count = ik_conversation_count(conversation);
	bool *refused = ik_alloc(count + 1);

	for (size_t end = 0; end < count; end++) {
		size_t index = ik_conversation_at(conversation, end)->refused ? end : 0;

		while (index-- > 0) {
			const struct ik_message *message = ik_conversation_at(conversation, index);

			if (message->call_id || message->refused)
				break;
			refused[index] = true;
			if (ik_message_is_question(message))
				break;
		}
	}
	return refused;
}

void ik_transcript_init(struct ik_transcript *transcript,
	const struct ik_conversation *conversation)
{
	size_t at = 0, asked = ik_conversation_asked(conversation);
	const struct ik_message *summary = ik_conversation_summary(conversation, &at);

	memset(transcript, 0, sizeof(*transcript));
	transcript->conversation = conversation;
	transcript->at = ik_conversation_first(conversation);
	transcript->pairs = ik_pairing_new(conversation, transcript->at);
	transcript->refused = find_refused(conversation);
	if (summary)
		transcript->summary = summary_message(summary);
	if (asked < ik_conversation_count(conversation) && !transcript->refused[asked])
		transcript->asked = ik_conversation_at(conversation, asked);
}

void ik_transcript_done(struct ik_transcript *transcript)
{
	free(transcript->pairs);
	free(transcript->refused);
	ik_message_unref(transcript->summary);
	free(transcript->passage.messages);
	free(transcript->passage.results);
	memset(transcript, 0, sizeof(*transcript));
}

/* Add a message to the current passage; result is the result of a call, or NULL. */
static void add_message(struct ik_transcript *transcript, const struct ik_message *message,
	const struct ik_message *result)
{
	struct ik_passage *passage = &transcript->passage;

	passage->messages = ik_alloc_more(passage->messages, passage->count,
		sizeof(*passage->messages));
	passage->results = ik_alloc_more(passage->results, passage->count, sizeof(*passage->results));
	passage->messages[passage->count] = message;
	passage->results[passage->count++] = result;
}

/* Return the result of the call at transcript->at, or NULL. */
static const struct ik_message *result_of(const struct ik_transcript *transcript)
{
	size_t result = transcript->pairs[transcript->at];

	return result == IK_UNPAIRED ? NULL : ik_conversation_at(transcript->conversation, result);
}

/*
 * Collect what the assistant did in one round, starting at transcript->at. Thinking before a new
 * text belongs to that text and is left for the next passage; thinking with nothing after it is not
 * sent at all.
 */
static void gather_round(struct ik_transcript *transcript)
{
	size_t count = ik_conversation_count(transcript->conversation);
	size_t kept = 0;                /* number of messages up to the last text, call or search, */
	size_t resume = transcript->at; /* and the position of what follows it */
	bool has_text = false;

	for (; transcript->at < count; transcript->at++) {
		const struct ik_message *message = ik_conversation_at(transcript->conversation,
			transcript->at);
		bool is_text = message->kind == IK_KIND_ASSISTANT && message->content_length;

		if (message->kind == IK_KIND_USER || message->kind == IK_KIND_TOOL_RESULT ||
			transcript->refused[transcript->at] || (is_text && has_text))
			break;
		if (message->kind == IK_KIND_THINKING && !message->replays) {
			add_message(transcript, message, NULL);
		} else if (is_text || message->replays ||
			(message->kind == IK_KIND_TOOL_CALL && message->call_id)) {
			has_text = has_text || is_text;
			add_message(transcript, message,
				message->kind == IK_KIND_TOOL_CALL ? result_of(transcript) : NULL);
			kept = transcript->passage.count;
			resume = transcript->at + 1;
		}
	}
	if (kept)
		transcript->at = resume;
	transcript->passage.count = kept;
}

const struct ik_passage *ik_transcript_next(struct ik_transcript *transcript)
{
	struct ik_passage *passage = &transcript->passage;

	passage->count = 0;
	if (!transcript->begun) {
		transcript->begun = true;
		if (transcript->summary)
			add_message(transcript, transcript->summary, NULL);
	} else if (transcript->asked) {
		add_message(transcript, transcript->asked, NULL);
		transcript->asked = NULL;
	}
	while (!passage->count && transcript->at < ik_conversation_count(transcript->conversation)) {
		const struct ik_message *message = ik_conversation_at(transcript->conversation,
			transcript->at);

		if (transcript->refused[transcript->at]) {
			transcript->at++;
			continue;
		}
		switch (message->kind) {
		case IK_KIND_ASSISTANT:
		case IK_KIND_TOOL_CALL:
		case IK_KIND_THINKING:
			gather_round(transcript);
			break;
		case IK_KIND_USER:
			if (message->content_length)
				add_message(transcript, message, NULL);
			transcript->at++;
			break;
		default:
			/* A result is sent after its call; other kinds are not sent at all. The system prompt
			 * is in the request: a stored one was used when the session was restored. */
			transcript->at++;
			break;
		}
	}
	return passage->count ? passage : NULL;
}
