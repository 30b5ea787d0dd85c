#include "agent/session/session_private.h"

#include <stdlib.h>
#include <string.h>

#include "agent/reply.h"
#include "agent/turn/retry.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* A summary that is being made. */
struct ik_compaction {
	char *line;                    /* the command */
	char *words;                   /* what to keep in mind */
	struct ik_conversation *asked; /* what the model is asked with */
	size_t first;                  /* of the conversation, that is summarised */
	size_t left_out;               /* messages before it that had no room */
	struct ik_buf text;
	struct ik_usage usage;
	bool has_usage;
	int attempts;  /* tries of this request after the first */
	bool retrying; /* no request is out: it waits for the next try */
};

static struct ik_compaction *compaction_free(struct ik_compaction *compaction)
{
	free(compaction->line);
	free(compaction->words);
	ik_conversation_free(compaction->asked);
	ik_buf_done(&compaction->text);
	free(compaction);
	return NULL;
}

/* Show that a summary is made; "" that it is over. */
static void tell_waiting(struct ik_session *session, const char *text)
{
	struct ik_event event = {
		.kind = IK_EVENT_WAITING,
		.text = text,
		.text_length = strlen(text),
	};

	ik_session_emit(session, &event);
}

void ik_compaction_tell(struct ik_session *session)
{
	if (session->compaction && !session->compaction->retrying)
		tell_waiting(session, _("Summarising the conversation…"));
}

/* Keep what the request took; it says nothing about later ones. */
static void keep_usage(struct ik_session *session, const struct ik_compaction *compaction)
{
	struct ik_event event = { .kind = IK_EVENT_USAGE, .usage = compaction->usage };

	if (!compaction->has_usage)
		return;
	event.message = ik_usage_message(&event.usage, 0);
	ik_session_keep(session, event.message);
	ik_session_emit(session, &event);
	ik_message_unref(event.message);
}

/* It is over: answer the command with message (taken over), and go on with what waits, unless it
 * failed: what was typed meanwhile is not to meet the same failure. */
static void finish(struct ik_session *session, struct ik_message *message, bool failed)
{
	struct ik_compaction *compaction = session->compaction;
	struct ik_event event = { .kind = IK_EVENT_MESSAGE, .message = message };

	session->compaction = NULL;
	ik_timer_stop(session->retry);
	session->exchange = ik_exchange_close(session->exchange);
	tell_waiting(session, "");
	keep_usage(session, compaction);
	ik_session_keep(session, message);
	ik_session_emit(session, &event);
	if (message->summarises) {
		session->context_tokens = 0;
		ik_session_tell_context(session);
	}
	ik_message_unref(message);
	compaction_free(compaction);
	if (failed)
		ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_CANCEL });
	if (session->closing)
		return; /* by one who was told of it */
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = true });
}

/* Nothing is changed; sentence says why. */
static void fail(struct ik_session *session, const char *sentence, size_t length)
{
	const char *line = session->compaction->line;
	char *output = ik_format(_("%.*s\nThe conversation was not summarised; nothing is changed."),
		(int)length, sentence);
	struct ik_message *message = ik_message_command(line, strlen(line), output, strlen(output));

	free(output);
	finish(session, message, true);
}

/* The summary is there. */
static void succeed(struct ik_session *session)
{
	struct ik_compaction *compaction = session->compaction;
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
	if (message) {
		finish(session, message, false);
	} else {
		const char *sentence = _("The summary is larger than ikigai takes.");

		fail(session, sentence, strlen(sentence));
	}
}

/* ---- the request ---- */

/* Is it something that a model gets, but for results, which come with their calls? */
static bool counts(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER || message->kind == IK_KIND_ASSISTANT ||
		message->kind == IK_KIND_TOOL_CALL;
}

static void send(struct ik_session *session)
{
	ik_buf_clear(&session->compaction->text);
	session->compaction->has_usage = session->compaction->retrying = false;
	ik_exchange_start(session, IK_SUMMARY_REQUEST, true);
}

/* It failed: wait, if that may help, and send it once more. False: it is over. */
static bool wait_for_next(struct ik_session *session, const struct ik_input *failure)
{
	struct ik_compaction *compaction = session->compaction;
	struct ik_event event = {
		.kind = IK_EVENT_RETRY,
		.code = failure->code,
		.text = failure->text,
		.text_length = failure->text_length,
	};

	event.number = compaction->text.length > 0
		? -1
		: ik_retry_wait(&session->turn_options, compaction->attempts + 1, failure);
	if (event.number < 0)
		return false;
	compaction->attempts++;
	compaction->retrying = true;
	session->exchange = ik_exchange_close(session->exchange);
	ik_timer_start(session->retry, event.number);
	ik_session_emit(session, &event);
	return true;
}

void ik_compaction_try_again(struct ik_session *session)
{
	send(session);
	ik_compaction_tell(session);
}

/* Put together what the model is asked with: the summary before, what came after it
 * (from first on), the question. */
static void ask(struct ik_session *session)
{
	static const char question[] =
		"Summarise the conversation so far, for yourself: from now on "
		"you will have your summary in place of it. Keep all that is needed to go on: what the "
		"person wants, and why; what was decided, and what they like or refuse; what was done and "
		"found, with paths, commands, names, numbers and errors exactly as they are; what is "
		"unfinished, and what comes next. Call no tools. Answer with the summary alone, in the "
		"language of the conversation.";
	struct ik_compaction *compaction = session->compaction;
	size_t count = ik_conversation_count(session->conversation), before, i;
	struct ik_message *message = ik_conversation_summary(session->conversation, &before);
	char *text = ik_format("%s%s%s", question,
		compaction->words[0] ? "\n\nKeep this in mind above all: " : "", compaction->words);

	ik_conversation_free(compaction->asked);
	compaction->asked = ik_conversation_new();
	if (message)
		ik_conversation_append(compaction->asked, message);
	for (i = compaction->first; i < count; i++)
		ik_conversation_append(compaction->asked, ik_conversation_at(session->conversation, i));
	message = ik_message_automatic(text);
	ik_conversation_append(compaction->asked, message);
	ik_message_unref(message);
	free(text);
	compaction->attempts = 0;
	send(session);
}

/* What was asked is too long for the model: leave out the older half of it, up to a
 * message of the person's. False: that cannot be. */
static bool ask_for_less(struct ik_session *session)
{
	struct ik_compaction *compaction = session->compaction;
	size_t count = ik_conversation_count(session->conversation), all = 0, before = 0, left = 0, i;

	for (i = compaction->first; i < count; i++) {
		const struct ik_message *message = ik_conversation_at(session->conversation, i);

		all += message->content_length + message->data_length;
	}
	for (i = compaction->first; i < count; i++) {
		const struct ik_message *message = ik_conversation_at(session->conversation, i);

		if (i > compaction->first && before >= all / 2 && message->kind == IK_KIND_USER) {
			compaction->first = i;
			compaction->left_out += left;
			ask(session);
			return true;
		}
		before += message->content_length + message->data_length;
		left += counts(message);
	}
	return false;
}

struct ik_conversation *ik_compaction_asked(const struct ik_session *session)
{
	return session->compaction->asked;
}

/* The request failed. */
static void take_failure(struct ik_session *session, const struct ik_input *failure)
{
	if (!(failure->code == IK_CODE_CONTEXT && ask_for_less(session)) &&
		!wait_for_next(session, failure))
		fail(session, failure->text, failure->text_length);
}

static void take_delta(struct ik_session *session, const struct ik_delta *delta, uint32_t random)
{
	struct ik_compaction *compaction = session->compaction;

	switch (delta->kind) {
	case IK_DELTA_TEXT:
		ik_buf_append(&compaction->text, delta->text, delta->text_length);
		break;
	case IK_DELTA_USAGE:
		compaction->has_usage = true;
		compaction->usage = ik_delta_usage(delta, &session->model->spec.price);
		break;
	case IK_DELTA_ERROR:
		session->exchange = ik_exchange_close(session->exchange);
		take_failure(session,
			&(struct ik_input){
				.code = delta->code,
				.text = delta->text,
				.text_length = delta->text_length,
				.retryable = delta->retryable,
				.retry_after_ms = -1,
				.random = random,
			});
		break;
	default:
		break;
	}
}

void ik_compaction_take(struct ik_session *session, const struct ik_input *input)
{
	const char *sentence = _("The model sent an empty reply.");

	if (input->kind == IK_INPUT_DELTA)
		take_delta(session, input->delta, input->random);
	else if (input->kind == IK_INPUT_STREAM_FAILED)
		take_failure(session, input);
	else if (input->kind == IK_INPUT_STREAM_END && session->compaction->text.length == 0)
		fail(session, sentence, strlen(sentence));
	else if (input->kind == IK_INPUT_STREAM_END)
		succeed(session);
}

/* ---- from outside ---- */

void ik_session_compact(struct ik_session *session, const char *line, const char *words)
{
	size_t count = ik_conversation_count(session->conversation), first = 0, found = 0, i;

	if (ik_session_busy(session) || session->loading) {
		ik_session_add_command(session, line,
			_("Something is under way: wait for its end, or cancel it."));
		return;
	}
	if (ik_conversation_summary(session->conversation, &first))
		first++;
	for (i = first; i < count; i++)
		found += counts(ik_conversation_at(session->conversation, i));
	if (found == 0) {
		ik_session_add_command(session, line, _("There is nothing to summarise yet."));
		return;
	}
	session->compaction = ik_alloc(sizeof(*session->compaction));
	session->compaction->line = ik_strdup(line);
	session->compaction->words = ik_strdup(words);
	session->compaction->first = first;
	ik_buf_init(&session->compaction->text, IK_LIMIT_REPLY);
	/* What is typed meanwhile waits as for the history of a session. */
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = false });
	ik_compaction_tell(session);
	ask(session);
}

void ik_compaction_cancel(struct ik_session *session)
{
	const char *sentence = _("Cancelled.");

	if (session->compaction)
		fail(session, sentence, strlen(sentence));
}

void ik_compaction_drop(struct ik_session *session)
{
	if (session->compaction)
		session->compaction = compaction_free(session->compaction);
}
