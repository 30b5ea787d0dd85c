#include "agent/session/compaction.h"

#include <stdlib.h>
#include <string.h>

#include "agent/reply.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on the newest rounds that stay verbatim when ikigai compacts, in bytes; and their part of the
 * window, in which about four bytes are a token. */
#define KEEP_BYTES IK_KIB(64)
#define KEEP_PART 10
#define TOKEN_BYTES 4

struct ik_compaction {
	struct ik_compaction_options options;
	struct ik_price price;         /* of the model */
	char *line;                    /* copy of options.line */
	char *words;                   /* guidance for the summary */
	struct ik_conversation *asked; /* the conversation to send */
	size_t first, end;             /* indexes of the messages that are summarised */
	size_t left_out;               /* number of messages that were left out before it */
	struct ik_buf text;
	struct ik_usage usage;
	bool has_usage;
	bool called;  /* the model has called a tool, */
	bool refused; /* or refused to answer */
	struct ik_exchange *exchange;
};

/* ---- its end ---- */

/* Report how the compaction ended. */
static void finish(struct ik_compaction *compaction, struct ik_compaction_result result)
{
	const struct ik_usage usage = compaction->usage;

	result.usage = compaction->has_usage ? &usage : NULL;
	compaction->options.done(compaction->options.arg, &result);
}

/* Fail without changing anything; sentence says why. */
static void fail(struct ik_compaction *compaction, enum ik_error_code code, const char *sentence,
	size_t length)
{
	struct ik_compaction_result result = {
		.failed = true,
		.code = code,
		.text = sentence,
		.length = length,
	};
	char *output;

	if (compaction->line) {
		output = ik_format(_("%.*s\nThe conversation was not summarised; nothing is changed."),
			(int)length, sentence);
		result.message = ik_message_command(compaction->line, output);
		free(output);
	}
	finish(compaction, result);
}

/* Return message (taking over the reference) with the summary. */
static struct ik_message *with_summary(const struct ik_compaction *compaction,
	struct ik_message *message)
{
	const struct ik_conversation *said = compaction->options.record->conversation;
	bool all = compaction->end == ik_conversation_count(said);

	return ik_message_summary(message, all ? NULL : ik_conversation_at(said, compaction->end)->id,
		compaction->text.data, compaction->text.length);
}

/* Return the command with its output: the part of the summary that the model wrote. */
static struct ik_message *make_command(const struct ik_compaction *compaction, size_t written)
{
	struct ik_message *message = ik_message_new(IK_KIND_COMMAND, compaction->line,
		strlen(compaction->line), NULL, 0);
	struct ik_buf output;

	ik_buf_init(&output, IK_LIMIT_ENVELOPE);
	ik_buf_puts(&output,
		_("From now on the model gets this summary in place of what was said "
		  "before; all of it stays here and in the session. /undo compact undoes it."));
	if (compaction->left_out > 0)
		ik_buf_printf(&output,
			ngettext(" The oldest %zu message had no room in the model's "
					 "context and is not in it.",
				" The oldest %zu messages had no room in the model's "
				"context and are not in it.",
				compaction->left_out),
			compaction->left_out);
	ik_buf_puts(&output, "\n\n");
	ik_buf_append(&output, compaction->text.data, written);
	message = ik_message_with_text(message, "output", output.data, output.length);
	ik_buf_done(&output);
	return with_summary(compaction, message);
}

/* Return the length of a request if summary (NULL: none) were the newest message; 0: unknown. */
static size_t request_length(const struct ik_model *model, struct ik_request request,
	struct ik_message *summary)
{
	const struct ik_conversation *said = request.conversation;
	struct ik_conversation *conversation = ik_conversation_new();
	struct ik_buf body;
	size_t length = 0;

	for (size_t i = 0; i < ik_conversation_count(said); i++)
		ik_conversation_append(conversation, ik_conversation_at(said, i));
	if (summary)
		ik_conversation_append(conversation, summary);
	request.model = model->name;
	request.facts = &model->facts;
	request.endpoint = &model->endpoint;
	request.conversation = conversation;
	ik_buf_init(&body, IK_LIMIT_REQUEST);
	if (!model->format->answer &&
		ik_request_serialize(model->format, &request, &body, &(struct ik_error){ 0 }) == IK_OK)
		length = body.length;
	ik_buf_done(&body);
	ik_conversation_free(conversation);
	return length;
}

/* Return the notice that tells what a summary was good for. */
static struct ik_message *make_notice(const struct ik_compaction *compaction)
{
	const struct ik_compaction_options *options = &compaction->options;
	struct ik_message *draft = with_summary(compaction, ik_message_notice("", NULL)), *message;
	struct ik_request request = { .model = NULL };
	const struct ik_model *model = options->request(options->arg, &request);
	size_t before = request_length(model, request, NULL);
	double part = before > 0 ? (double)request_length(model, request, draft) / (double)before : 0;
	char *sentence = options->tokens == 0 || before == 0
		? ik_format(_("Compacted, since the conversation was too long for %s. /undo compact "
					  "undoes it."),
			  model->name)
		: ik_format(_("Compacted at %d%%: %lld tokens became about %lld. /undo compact undoes "
					  "it."),
			  options->percent, (long long)options->tokens,
			  (long long)((double)options->tokens * part));

	message = with_summary(compaction, ik_message_notice(sentence, NULL));
	free((void *)request.tools);
	free(sentence);
	ik_message_unref(draft);
	return message;
}

/* Report the complete summary. */
static void succeed(struct ik_compaction *compaction)
{
	const char *sentence = _("The summary is larger than ikigai takes.");
	size_t written = compaction->text.length;

	if (compaction->options.keeper)
		compaction->options.keeper(compaction->options.keeper_arg,
			compaction->options.record->conversation, compaction->end, &compaction->text);
	if (compaction->text.length > IK_LIMIT_ENVELOPE / 2)
		fail(compaction, IK_CODE_BAD_RESPONSE, sentence, strlen(sentence));
	else
		finish(compaction,
			(struct ik_compaction_result){
				.message = compaction->line ? make_command(compaction, written)
											: make_notice(compaction),
			});
}

/* ---- what is summarised ---- */

/* Is message sent to a model? Results are sent with their calls and don't count. */
static bool counts(const struct ik_message *message)
{
	return message->kind == IK_KIND_USER || message->kind == IK_KIND_ASSISTANT ||
		message->kind == IK_KIND_TOOL_CALL;
}

/* Can the conversation be cut before the message at index: is it the user's, or the first of a reply
 * to that or to results? */
static bool may_cut(const struct ik_conversation *said, size_t index)
{
	const struct ik_message *message = ik_conversation_at(said, index);

	if (ik_message_is_question(message))
		return true;
	if (message->kind != IK_KIND_THINKING && message->kind != IK_KIND_ASSISTANT &&
		message->kind != IK_KIND_TOOL_CALL)
		return false;
	while (index-- > 0) {
		message = ik_conversation_at(said, index);
		if (message->kind == IK_KIND_TOOL_RESULT || ik_message_is_question(message))
			return true;
		if (counts(message) || message->kind == IK_KIND_THINKING)
			break;
	}
	return false;
}

/* Return about how many bytes of it are sent. */
static size_t size_of(const struct ik_message *message)
{
	if (message->kind == IK_KIND_TOOL_CALL || message->kind == IK_KIND_TOOL_RESULT)
		return message->data_length;
	return counts(message) || message->kind == IK_KIND_THINKING
		? message->content_length + message->data_length
		: 0;
}

/* Return the index of the first message that is not summarised: the newest rounds that keep bytes
 * have room for, but not all of them, since the model's limit may be unknown; or if nothing follows
 * the user's last message, that. */
static size_t find_end(const struct ik_conversation *said, size_t first, size_t keep)
{
	size_t end = ik_conversation_count(said), i, size = 0, all = 0;
	bool any = false; /* something would be kept */

	for (i = first; i < end; i++)
		all += size_of(ik_conversation_at(said, i));
	if (keep > all / 4 * 3)
		keep = all / 4 * 3 + 1; /* not 0, which would keep nothing */
	while (keep > 0 && i-- > first) {
		const struct ik_message *message = ik_conversation_at(said, i);

		size += size_of(message);
		if (size > keep && (any || !ik_message_is_question(message)))
			break;
		any = any || counts(message);
		if (may_cut(said, i))
			end = i;
	}
	return end;
}

/* Find what is summarised. Return false if there is nothing. */
static bool find_part(const struct ik_conversation *said, size_t keep, size_t *ret_first,
	size_t *ret_end)
{
	size_t first = ik_conversation_first(said), end = find_end(said, first, keep);

	for (size_t i = first; i < end; i++) {
		if (counts(ik_conversation_at(said, i))) {
			*ret_first = first;
			*ret_end = end;
			return true;
		}
	}
	return false;
}

bool ik_compaction_can_help(const struct ik_conversation *said, size_t keep, int rounds)
{
	size_t first, end, i = ik_conversation_count(said), summary = 0;

	if (!find_part(said, keep, &first, &end))
		return false;
	if (!ik_conversation_summary(said, &summary))
		return true;
	while (--i > summary && rounds > 0) {
		if (ik_message_is_question(ik_conversation_at(said, i)))
			return true;
		rounds -= may_cut(said, i);
	}
	return rounds == 0;
}

/* ---- the request ---- */

static struct ik_model *on_request(void *arg, struct ik_request *request)
{
	struct ik_compaction *compaction = arg;
	struct ik_model *model = compaction->options.request(compaction->options.arg, request);

	if (model)
		compaction->price = model->facts.price;
	request->conversation = compaction->asked;
	request->output_schema = (struct ik_json_span){ NULL, 0 };
	ik_buf_clear(&compaction->text);
	compaction->has_usage = compaction->called = compaction->refused = false;
	return model;
}

static void on_input(void *arg, const struct ik_input *input);

/* Send the conversation, as in any other request, so that the provider finds it in its cache, up to
 * end, and the question; or where the beginning is left out, the previous summary in place of it. */
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
	static const struct ik_exchange_events events = { on_request, on_input };
	size_t i = compaction->left_out > 0 ? compaction->first : 0, before;
	struct ik_message *summary = ik_conversation_summary(said, &before), *message;
	char *text = ik_format("%s%s%s", question,
		compaction->words[0] ? "\n\nKeep this in mind above all: " : "", compaction->words);

	ik_conversation_free(compaction->asked);
	compaction->asked = ik_conversation_new();
	if (compaction->left_out > 0 && summary)
		ik_conversation_append(compaction->asked, summary);
	for (; i < compaction->end; i++) {
		message = ik_conversation_at(said, i);
		if (compaction->left_out == 0 || message != summary)
			ik_conversation_append(compaction->asked, message);
	}
	if (compaction->left_out == 0 && summary && before >= compaction->end)
		ik_conversation_append(compaction->asked, summary); /* end is in what it left verbatim */
	message = ik_message_automatic(text);
	ik_conversation_append(compaction->asked, message);
	ik_message_unref(message);
	free(text);
	compaction->exchange = ik_exchange_start(&compaction->options.exchange, &events, compaction);
}

/* Leave out the older half of a conversation that is too long for the model. Return false if it can't
 * be cut. */
static bool ask_for_less(struct ik_compaction *compaction)
{
	const struct ik_conversation *said = compaction->options.record->conversation;
	size_t all = 0, before = 0, left = 0, i;

	for (i = compaction->first; i < compaction->end; i++)
		all += size_of(ik_conversation_at(said, i));
	for (i = compaction->first; i < compaction->end; i++) {
		const struct ik_message *message = ik_conversation_at(said, i);

		if (i > compaction->first && left > 0 && before >= all / 2 && may_cut(said, i)) {
			compaction->first = i;
			compaction->left_out += left;
			ask(compaction);
			return true;
		}
		before += size_of(message);
		left += counts(message);
	}
	return false;
}

static void on_failure(struct ik_compaction *compaction, const struct ik_input *failure)
{
	compaction->exchange = ik_exchange_close(compaction->exchange);
	if (failure->code != IK_CODE_CONTEXT || !ask_for_less(compaction))
		fail(compaction, failure->code, failure->text, failure->text_length);
}

static void on_delta(struct ik_compaction *compaction, const struct ik_delta *delta)
{
	if (delta->kind == IK_DELTA_TEXT)
		ik_buf_append(&compaction->text, delta->text, delta->text_length);
	compaction->called = compaction->called || delta->kind == IK_DELTA_CALL;
	compaction->refused = compaction->refused ||
		(delta->kind == IK_DELTA_STOP && delta->stop == IK_STOP_REFUSED);
	compaction->has_usage = compaction->has_usage || delta->kind == IK_DELTA_USAGE;
	if (delta->kind == IK_DELTA_USAGE)
		compaction->usage = ik_delta_usage(delta, &compaction->price);
}

static void on_reply(struct ik_compaction *compaction)
{
	const char *sentence = compaction->refused
		? _("The provider refused to sum up the conversation.")
		: _("The model sent an empty reply.");
	bool *forbid_calls = &compaction->options.exchange.forbid_calls;

	compaction->exchange = ik_exchange_close(compaction->exchange);
	if (compaction->called && !*forbid_calls) {
		*forbid_calls =
			true; /* not at first, since some providers would then not look in the cache */
		ask(compaction);
	} else if (compaction->refused || compaction->text.length == 0) {
		fail(compaction, IK_CODE_BAD_RESPONSE, sentence, strlen(sentence));
	} else {
		succeed(compaction);
	}
}

static void on_input(void *arg, const struct ik_input *input)
{
	struct ik_compaction *compaction = arg;
	const struct ik_event retry = ik_retry_event(input);

	if (input->kind == IK_INPUT_DELTA)
		on_delta(compaction, input->delta);
	else if (input->kind == IK_INPUT_RETRY)
		ik_session_record_emit(compaction->options.record, &retry);
	else if (input->kind == IK_INPUT_FALLBACK)
		ik_session_record_add_notice(compaction->options.record, input->text);
	else if (input->kind == IK_INPUT_STREAM_FAILED)
		on_failure(compaction, input);
	else if (input->kind == IK_INPUT_STREAM_END)
		on_reply(compaction);
}

/* ---- from outside ---- */

size_t ik_compaction_keep(const struct ik_model *model)
{
	int64_t part = model->facts.context_window / KEEP_PART * TOKEN_BYTES;

	return part > 0 && part < (int64_t)KEEP_BYTES ? (size_t)part : KEEP_BYTES;
}

struct ik_compaction *ik_compaction_start(const struct ik_compaction_options *options,
	const char *words)
{
	struct ik_compaction *compaction;
	size_t first, end;

	if (!find_part(options->record->conversation, options->keep, &first, &end))
		return NULL;
	compaction = ik_alloc(sizeof(*compaction));
	compaction->options = *options;
	compaction->line = options->line ? ik_strdup(options->line) : NULL;
	compaction->words = ik_strdup(words);
	compaction->first = first;
	compaction->end = end;
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

	fail(compaction, IK_CODE_NONE, sentence, strlen(sentence));
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
	/* Deferred, since it may be closed in mid-request by whom the session tells of a fallback. */
	ik_loop_defer(compaction->options.exchange.loop, free, compaction);
	return NULL;
}
