#include "agent/session/compaction.h"

#include <stdlib.h>
#include <string.h>

#include "agent/reply.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

struct ik_compaction {
	struct ik_compaction_options options;
	struct ik_price price;         /* of the model */
	char *line;                    /* the command */
	char *words;                   /* guidance for the summary */
	struct ik_conversation *asked; /* the conversation to send */
	size_t first;                  /* index of the first message that is summarised */
	size_t left_out;               /* number of messages that were left out before it */
	struct ik_buf text;
	struct ik_usage usage;
	bool has_usage;
	struct ik_exchange *exchange;
};

/* End the compaction with message, whose reference is released. */
static void finish(struct ik_compaction *compaction, struct ik_message *message, bool failed)
{
	const struct ik_usage usage = compaction->usage;
	const struct ik_compaction_result result = {
		.failed = failed,
		.message = message,
		.usage = compaction->has_usage ? &usage : NULL,
	};

	compaction->options.done(compaction->options.arg, &result);
	ik_message_unref(message);
}

/* Fail without changing anything; sentence says why. */
static void fail(struct ik_compaction *compaction, const char *sentence, size_t length)
{
	char *output = ik_format(_("%.*s\nThe conversation was not summarised; nothing is changed."),
		(int)length, sentence);
	struct ik_message *message = ik_message_command(compaction->line, output);

	free(output);
	finish(compaction, message, true);
}

/* Report the complete summary. */
static void succeed(struct ik_compaction *compaction)
{
	struct ik_message *message;
	struct ik_buf output;

	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&output,
		_("From now on the model gets this summary in place of what was said "
		  "before; all of it stays here and in the session."));
	if (compaction->left_out > 0)
		ik_buf_printf(&output,
			ngettext(" The oldest %zu message had no room in the model's "
					 "context and is not in it.",
				" The oldest %zu messages had no room in the model's "
				"context and are not in it.",
				compaction->left_out),
			compaction->left_out);
	ik_buf_puts(&output, "\n\n");
	ik_buf_append(&output, compaction->text.data, compaction->text.length);
	message = ik_message_summary(compaction->line, output.data, output.length,
		compaction->text.data, compaction->text.length);
	ik_buf_done(&output);
	if (message->summarises) {
		finish(compaction, message, false);
	} else {
		const char *sentence = _("The summary is larger than ikigai takes.");

		ik_message_unref(message);
		fail(compaction, sentence, strlen(sentence));
	}
}

/* ---- the request ---- */

/* Is message sent to a model? Results are sent with their calls and don't count. */
static bool counts(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER || message->kind == IK_KIND_ASSISTANT ||
		message->kind == IK_KIND_TOOL_CALL;
}

static struct ik_model *on_request(void *arg, struct ik_request *request)
{
	struct ik_compaction *compaction = arg;
	struct ik_model *model = compaction->options.request(compaction->options.arg, request);

	if (model)
		compaction->price = model->facts.price;
	request->conversation = compaction->asked;
	request->output_schema = (struct ik_json_span){ NULL, 0 };
	ik_buf_clear(&compaction->text);
	compaction->has_usage = false;
	return model;
}

static void on_input(void *arg, const struct ik_input *input);

/* Build the conversation to send: the previous summary, the messages from first on, and the
 * question. */
static void ask(struct ik_compaction *compaction)
{
	static const char question[] =
		"Summarise the conversation so far, for yourself: from now on "
		"you will have your summary in place of it. Keep all that is needed to go on: what the "
		"person wants, and why; what was decided, and what they like or refuse; what was done and "
		"found, with paths, commands, names, numbers and errors exactly as they are; what is "
		"unfinished, and what comes next. Call no tools. Answer with the summary alone, in the "
		"language of the conversation.";
	const struct ik_conversation *said = compaction->options.record->conversation;
	size_t count = ik_conversation_count(said), before, i;
	static const struct ik_exchange_events events = { on_request, on_input };
	struct ik_message *message = ik_conversation_summary(said, &before);
	char *text = ik_format("%s%s%s", question,
		compaction->words[0] ? "\n\nKeep this in mind above all: " : "", compaction->words);

	ik_conversation_free(compaction->asked);
	compaction->asked = ik_conversation_new();
	if (message)
		ik_conversation_append(compaction->asked, message);
	for (i = compaction->first; i < count; i++)
		ik_conversation_append(compaction->asked, ik_conversation_at(said, i));
	message = ik_message_automatic(text);
	ik_conversation_append(compaction->asked, message);
	ik_message_unref(message);
	free(text);
	compaction->exchange = ik_exchange_start(&compaction->options.exchange, &events, compaction);
}

/* Leave out the older half of a conversation that is too long for the model, up to a user message.
 * Return false if there is no such message. */
static bool ask_for_less(struct ik_compaction *compaction)
{
	const struct ik_conversation *said = compaction->options.record->conversation;
	size_t count = ik_conversation_count(said), all = 0, before = 0, left = 0, i;

	for (i = compaction->first; i < count; i++) {
		const struct ik_message *message = ik_conversation_at(said, i);

		all += message->content_length + message->data_length;
	}
	for (i = compaction->first; i < count; i++) {
		const struct ik_message *message = ik_conversation_at(said, i);

		if (i > compaction->first && before >= all / 2 && message->kind == IK_KIND_USER) {
			compaction->first = i;
			compaction->left_out += left;
			ask(compaction);
			return true;
		}
		before += message->content_length + message->data_length;
		left += counts(message);
	}
	return false;
}

/* Fail because the request failed. */
static void on_failure(struct ik_compaction *compaction, const struct ik_input *failure)
{
	compaction->exchange = ik_exchange_close(compaction->exchange);
	if (failure->code != IK_CODE_CONTEXT || !ask_for_less(compaction))
		fail(compaction, failure->text, failure->text_length);
}

/* Report that the request failed and is sent again. */
static void on_retry(const struct ik_compaction *compaction, const struct ik_input *failure)
{
	const struct ik_event event = {
		.kind = IK_EVENT_RETRY,
		.code = failure->code,
		.delay_ms = failure->delay_ms,
		.attempt = failure->attempt,
		.attempts = failure->attempts,
		.text = failure->text,
		.text_length = failure->text_length,
	};

	ik_session_record_emit(compaction->options.record, &event);
}

static void on_delta(struct ik_compaction *compaction, const struct ik_delta *delta)
{
	if (delta->kind == IK_DELTA_TEXT)
		ik_buf_append(&compaction->text, delta->text, delta->text_length);
	compaction->has_usage = compaction->has_usage || delta->kind == IK_DELTA_USAGE;
	if (delta->kind == IK_DELTA_USAGE)
		compaction->usage = ik_delta_usage(delta, &compaction->price);
}

/* Process the complete reply. */
static void on_reply(struct ik_compaction *compaction)
{
	const char *sentence = _("The model sent an empty reply.");

	compaction->exchange = ik_exchange_close(compaction->exchange);
	if (compaction->text.length == 0)
		fail(compaction, sentence, strlen(sentence));
	else
		succeed(compaction);
}

static void on_input(void *arg, const struct ik_input *input)
{
	if (input->kind == IK_INPUT_DELTA)
		on_delta(arg, input->delta);
	else if (input->kind == IK_INPUT_RETRY)
		on_retry(arg, input);
	else if (input->kind == IK_INPUT_FALLBACK)
		ik_session_record_add_notice(((struct ik_compaction *)arg)->options.record, input->text);
	else if (input->kind == IK_INPUT_STREAM_FAILED)
		on_failure(arg, input);
	else if (input->kind == IK_INPUT_STREAM_END)
		on_reply(arg);
}

/* ---- from outside ---- */

/* Find the first message since the last summary. Return false if there is none. */
static bool find_first(const struct ik_conversation *said, size_t *ret_first)
{
	size_t first = 0;

	if (ik_conversation_summary(said, &first))
		first++;
	for (size_t i = first; i < ik_conversation_count(said); i++) {
		if (counts(ik_conversation_at(said, i))) {
			*ret_first = first;
			return true;
		}
	}
	return false;
}

struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *line, const char *words)
{
	struct ik_compaction *compaction;
	size_t first;

	if (!find_first(options->record->conversation, &first))
		return NULL;
	compaction = ik_alloc(sizeof(*compaction));
	compaction->options = *options;
	compaction->options.exchange.forbid_calls = true;
	compaction->line = ik_strdup(line);
	compaction->words = ik_strdup(words);
	compaction->first = first;
	ik_buf_init(&compaction->text, IK_LIMIT_REPLY);
	ask(compaction);
	return compaction;
}

void ik_compaction_tell(const struct ik_compaction *compaction)
{
	ik_session_record_emit_text(compaction->options.record, IK_EVENT_WAITING,
		_("Summarising the conversation…"));
}

void ik_compaction_cancel(struct ik_compaction *compaction)
{
	const char *sentence = _("Cancelled.");

	fail(compaction, sentence, strlen(sentence));
}

struct ik_compaction *ik_compaction_close(struct ik_compaction *compaction)
{
	if (!compaction)
		return NULL;
	ik_exchange_close(compaction->exchange);
	free(compaction->line);
	free(compaction->words);
	ik_conversation_free(compaction->asked);
	ik_buf_done(&compaction->text);
	free(compaction);
	return NULL;
}
