#include "agent/session/hooked.h"

#include <stdlib.h>
#include <string.h>

#include "conversation/attachment.h"
#include "json/write.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* After this time it is shown which hook is waited for. */
#define SHOWN_MS 300

/* A call that hooks were asked about. */
struct hooked_call {
	struct hooked_call *next;
	struct ik_hooked *hooked;
	int call;
	char *id;
	struct ik_hook_work *before, *after; /* NULL: no hooks; after: not yet, too */
};

/* A message that waits for hooks. */
struct hooked_message {
	struct hooked_message *next;
	struct ik_message *message;
};

struct ik_hooked {
	struct ik_hooked_options options;
	const char *source; /* the session begins, and hooks are to know; or NULL */
	struct hooked_call *calls;
	struct hooked_message *messages;
	struct ik_hook_work *starting, *asking; /* about the first of them */
	struct ik_hook_work *stopping;
	struct ik_timer *patience;
	bool shown; /* which hook is waited for */
};

/* ---- what they say ---- */

/* Return a call for hooks about this session. */
static struct ik_hook_call call_of(const struct ik_hooked *hooked, enum ik_hook_event event,
	const char *subject)
{
	const struct ik_hooked_options *options = &hooked->options;

	return (struct ik_hook_call){
		.event = event,
		.subject = subject,
		.session = options->record->id,
		.directory = options->record->directory,
		.mode = options->policy ? ik_mode_name(ik_policy_mode(options->policy)) : NULL,
		.model = options->model(options->arg),
	};
}

/* Return the first work that has not ended. */
static const struct ik_hook_work *running(const struct ik_hooked *hooked)
{
	const struct ik_hook_work *const works[] = { hooked->starting, hooked->asking,
		hooked->stopping };

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (works[i] && !ik_hook_outcome(works[i]))
			return works[i];
	for (const struct hooked_call *call = hooked->calls; call; call = call->next) {
		if (call->before && !ik_hook_outcome(call->before))
			return call->before;
		if (call->after && !ik_hook_outcome(call->after))
			return call->after;
	}
	return NULL;
}

static void show(void *arg)
{
	struct ik_hooked *hooked = arg;
	const struct ik_hook_work *work = running(hooked);
	char *text = work ? ik_format(_("Hook %s"), ik_hook_running(work)) : NULL;

	if (text) {
		hooked->shown = true;
		ik_session_record_emit_text(hooked->options.record, IK_EVENT_WAITING, text);
	}
	free(text);
}

/* Start hooks that something waits for. */
static struct ik_hook_work *start(struct ik_hooked *hooked, const struct ik_hook_call *call,
	ik_hook_done *done, void *arg)
{
	struct ik_hook_work *work = ik_hook_start(hooked->options.runner, call, done, arg);

	if (!work)
		return NULL;
	if (!hooked->patience)
		hooked->patience = ik_timer_new(hooked->options.record->loop, show, hooked);
	if (!ik_timer_running(hooked->patience))
		ik_timer_start(hooked->patience, SHOWN_MS);
	return work;
}

/* Nothing is waited for any more. */
static void end_wait(struct ik_hooked *hooked)
{
	if (running(hooked))
		return;
	if (hooked->patience)
		ik_timer_stop(hooked->patience);
	if (hooked->shown)
		ik_session_record_emit_text(hooked->options.record, IK_EVENT_WAITING, "");
	hooked->shown = false;
}

/* Show what hooks have to say to the user. Return false if the session was closed meanwhile, and
 * with it the work. */
static bool tell_user(struct ik_hooked *hooked, const struct ik_hook_work *work)
{
	const struct ik_hook_outcome *outcome = ik_hook_outcome(work);
	struct ik_session_record *record = hooked->options.record;
	char *sentence;

	end_wait(hooked);
	for (size_t i = 0; !record->closing && i < outcome->message_count; i++)
		ik_session_record_add_notice(record, outcome->messages[i]);
	if (!record->closing && outcome->end) {
		sentence = ik_format(_("Hook %s ended the turn: %s"), outcome->by, outcome->reason);
		ik_session_record_add_notice(record, sentence);
		free(sentence);
	}
	return !record->closing;
}

/* Let a call go on, and end the turn if hooks want that. */
static void rule(struct ik_hooked *hooked, int call, bool end)
{
	hooked->options.post(hooked->options.arg,
		&(struct ik_input){ .kind = IK_INPUT_RULING, .call = call });
	if (end)
		hooked->options.post(hooked->options.arg, &(struct ik_input){ .kind = IK_INPUT_CANCEL });
}

void ik_hooked_tell(struct ik_hooked *hooked, enum ik_hook_event event, const char *subject,
	const char *text)
{
	struct ik_hook_call call;

	if (!hooked->options.runner)
		return;
	call = call_of(hooked, event, subject);
	call.text = text;
	call.length = text ? strlen(text) : 0;
	(void)ik_hook_start(hooked->options.runner, &call, NULL, NULL);
}

/* ---- calls ---- */

static struct hooked_call *find_call(const struct ik_hooked *hooked, const char *id)
{
	struct hooked_call *call = hooked->calls;

	while (call && !ik_text_equal(call->id, id))
		call = call->next;
	return call;
}

static struct hooked_call *add_call(struct ik_hooked *hooked, const struct ik_judged_call *judged)
{
	struct hooked_call *call = ik_alloc(sizeof(*call));

	call->hooked = hooked;
	call->call = judged->call;
	call->id = ik_strdup(judged->id);
	call->next = hooked->calls;
	hooked->calls = call;
	return call;
}

/* The turn can judge a call, now that hooks have. */
static void on_ruled(void *arg)
{
	struct hooked_call *call = arg;
	struct ik_hooked *hooked = call->hooked;
	bool end = ik_hook_outcome(call->before)->end;

	if (!tell_user(hooked, call->before))
		return;
	rule(hooked, call->call, end);
}

bool ik_hooked_rule(struct ik_hooked *hooked, const struct ik_judged_call *judged,
	struct ik_json_span arguments, struct ik_json_span schema,
	const struct ik_hook_outcome **ret_outcome)
{
	struct hooked_call *call = find_call(hooked, judged->id);
	struct ik_hook_call about;

	*ret_outcome = NULL;
	if (!call && hooked->options.runner && ik_json_span_type(arguments) == IK_JSON_OBJECT) {
		call = add_call(hooked, judged);
		about = call_of(hooked, IK_HOOK_PRE_TOOL_USE, judged->name);
		about.id = judged->id;
		about.input = arguments;
		about.schema = schema;
		call->before = start(hooked, &about, on_ruled, call);
	}
	if (call && call->before)
		*ret_outcome = ik_hook_outcome(call->before);
	return !call || !call->before || *ret_outcome;
}

struct ik_json_span ik_hooked_arguments(const struct ik_hooked *hooked, const char *id,
	struct ik_json_span arguments)
{
	const struct hooked_call *call = find_call(hooked, id);
	const struct ik_hook_outcome *outcome = call && call->before ? ik_hook_outcome(call->before)
																 : NULL;

	if (!outcome || outcome->input.length == 0)
		return arguments;
	return (struct ik_json_span){ outcome->input.data, outcome->input.length };
}

/* The result of a call can go to the turn. */
static void on_after(void *arg)
{
	struct hooked_call *call = arg;
	struct ik_hooked *hooked = call->hooked;
	bool end = ik_hook_outcome(call->after)->end;

	if (!tell_user(hooked, call->after))
		return;
	rule(hooked, call->call, end);
}

bool ik_hooked_ended(struct ik_hooked *hooked, const struct ik_judged_call *judged,
	struct ik_json_span envelope)
{
	struct hooked_call *call = find_call(hooked, judged->id);
	struct ik_hook_call about;

	if (!hooked->options.runner || ik_json_span_type(judged->arguments) != IK_JSON_OBJECT)
		return false;
	call = call ? call : add_call(hooked, judged);
	about = call_of(hooked, IK_HOOK_POST_TOOL_USE, judged->name);
	about.id = judged->id;
	about.input = judged->arguments;
	about.response = envelope;
	call->after = start(hooked, &about, on_after, call);
	return call->after;
}

void ik_hooked_put_context(const struct ik_hooked *hooked, int number, struct ik_buf *out)
{
	const struct hooked_call *call = hooked->calls;

	while (call && call->call != number)
		call = call->next;
	if (call)
		ik_hook_put_context(call->before, call->after, out);
}

struct ik_message *ik_hooked_result(const struct ik_hooked *hooked, const char *id,
	struct ik_message *message)
{
	const struct hooked_call *call = id ? find_call(hooked, id) : NULL;
	const struct ik_hook_work *const works[] = { call ? call->before : NULL,
		call ? call->after : NULL };
	struct ik_buf list;

	ik_buf_init(&list, IK_LIMIT_ARGUMENTS);
	for (size_t i = 0; i < 2; i++) {
		const struct ik_hook_outcome *outcome = works[i] ? ik_hook_outcome(works[i]) : NULL;

		if (outcome && outcome->record.length > 2)
			ik_buf_printf(&list, "%c%.*s", list.length > 0 ? ',' : '[',
				(int)outcome->record.length - 2, outcome->record.data + 1);
	}
	if (list.length > 0) {
		ik_buf_putc(&list, ']');
		message = ik_message_with(message, "hooks", list.data, list.length);
	}
	ik_buf_done(&list);
	return message;
}

/* ---- messages ---- */

static void ask_about_message(struct ik_hooked *hooked);

/* Return message (taking over the reference) with what hooks tell the model, as an attachment. */
static struct ik_message *with_context(struct ik_message *message, const struct ik_buf *context)
{
	struct ik_json_span list = ik_json_member(ik_message_data(message), "attached");
	struct ik_message *with;
	struct ik_buf text, data;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT * 2);
	ik_buf_init(&data, IK_LIMIT_USER_TEXT);
	ik_buf_append(&text, message->content, message->content_length);
	ik_buf_printf(&text, "\n\n%s", context->data);
	ik_json_printf(&data, "{'typed':%zu,'attached':[", ik_message_typed(message));
	for (struct ik_json_walk walk = ik_json_walk(list); ik_json_next(&walk);)
		ik_json_put_raw(&data, walk.value);
	ik_json_printf(&data, "{'name':'hook','bytes':%zu}]}", context->length);
	with = ik_message_new(message->kind, text.data, text.length, data.data, data.length);
	for (size_t i = 0; i < ik_json_count(list); i++)
		ik_message_set_contents(with, i, ik_message_contents(message, i));
	ik_buf_done(&text);
	ik_buf_done(&data);
	ik_message_unref(message);
	return with;
}

/* Add what hooks tell the model, if they were asked. Return false if they refuse the message. */
static bool take_outcome(struct ik_hook_work *work, struct ik_buf *context, char **ret_sentence)
{
	const struct ik_hook_outcome *outcome = work ? ik_hook_outcome(work) : NULL;

	if (!outcome)
		return true;
	if (outcome->context.length > 0)
		ik_buf_printf(context, "%s%s", context->length > 0 ? "\n" : "", outcome->context.data);
	if (outcome->cancelled)
		*ret_sentence = ik_strdup(_("The message was not sent: you stopped its hooks."));
	else if (outcome->decision == IK_HOOK_DENY)
		*ret_sentence = ik_format(_("The message was not sent. Hook %s: %s"), outcome->by,
			outcome->reason[0] ? outcome->reason : "-");
	return !*ret_sentence;
}

/* Send or refuse the first message, and ask about the next one. */
static void finish_message(struct ik_hooked *hooked)
{
	struct hooked_message *first = hooked->messages;
	struct ik_input input = { .kind = IK_INPUT_USER };
	char *sentence = NULL;
	struct ik_buf context;

	ik_buf_init(&context, IK_LIMIT_USER_TEXT);
	if (take_outcome(hooked->starting, &context, &sentence))
		(void)take_outcome(hooked->asking, &context, &sentence);
	hooked->starting = ik_hook_close(hooked->starting);
	hooked->asking = ik_hook_close(hooked->asking);
	hooked->messages = first->next;
	input.message = context.length > 0 ? with_context(first->message, &context) : first->message;
	free(first);
	if (sentence) {
		input.kind = IK_INPUT_REFUSED;
		input.text = sentence;
		input.text_length = strlen(sentence);
	}
	hooked->options.post(hooked->options.arg, &input);
	ik_buf_done(&context);
	free(sentence);
	ik_message_unref(input.message);
	if (hooked->messages && !hooked->options.record->closing)
		ask_about_message(hooked);
}

static void on_prompt(void *arg)
{
	struct ik_hooked *hooked = arg;

	if (tell_user(hooked, hooked->asking))
		finish_message(hooked);
}

/* Ask what hooks say of the message itself. */
static void ask_about_prompt(struct ik_hooked *hooked)
{
	const struct ik_message *message = hooked->messages->message;
	struct ik_hook_call call = call_of(hooked, IK_HOOK_USER_PROMPT, "");

	call.text = message->content;
	call.length = ik_message_typed(message);
	hooked->asking = start(hooked, &call, on_prompt, hooked);
	if (!hooked->asking)
		finish_message(hooked);
}

static void on_started(void *arg)
{
	struct ik_hooked *hooked = arg;

	if (!tell_user(hooked, hooked->starting))
		return;
	if (ik_hook_outcome(hooked->starting)->cancelled)
		finish_message(hooked);
	else
		ask_about_prompt(hooked);
}

/* Ask about the first message; before that, tell hooks that the session begins. */
static void ask_about_message(struct ik_hooked *hooked)
{
	struct ik_hook_call call;

	if (hooked->source) {
		call = call_of(hooked, IK_HOOK_SESSION_START, hooked->source);
		hooked->source = NULL;
		hooked->starting = start(hooked, &call, on_started, hooked);
	}
	if (!hooked->starting)
		ask_about_prompt(hooked);
}

bool ik_hooked_submit(struct ik_hooked *hooked, struct ik_message *message)
{
	struct hooked_message *waiting, **end = &hooked->messages;

	if (!hooked->options.runner)
		return false;
	waiting = ik_alloc(sizeof(*waiting));
	waiting->message = ik_message_ref(message);
	while (*end)
		end = &(*end)->next;
	*end = waiting;
	if (hooked->messages == waiting)
		ask_about_message(hooked);
	return true;
}

void ik_hooked_begins(struct ik_hooked *hooked, const char *source)
{
	hooked->source = source;
}

/* ---- the end of a turn ---- */

static void on_stop(void *arg)
{
	struct ik_hooked *hooked = arg;
	const struct ik_hook_outcome *outcome = ik_hook_outcome(hooked->stopping);
	struct ik_input input = { .kind = IK_INPUT_RULING };
	char *notice = NULL, *reason = NULL;

	if (!tell_user(hooked, hooked->stopping))
		return;
	if (outcome->decision == IK_HOOK_DENY && !outcome->end && !outcome->cancelled) {
		notice = ik_format(_("Hook %s lets the model go on: %s"), outcome->by, outcome->reason);
		/* The model reads this, so it is not translated. */
		reason = ik_format("<hook name=\"%s\">\n%s\n</hook>", outcome->by,
			outcome->reason[0] ? outcome->reason : "The work is not done yet.");
		ik_session_record_add_notice(hooked->options.record, notice);
		input.text = reason;
		input.text_length = strlen(reason);
	}
	hooked->stopping = ik_hook_close(hooked->stopping);
	hooked->options.post(hooked->options.arg, &input);
	free(notice);
	free(reason);
}

bool ik_hooked_stops(struct ik_hooked *hooked, bool again)
{
	struct ik_hook_call call;

	if (!hooked->options.runner)
		return false;
	call = call_of(hooked, IK_HOOK_STOP, "");
	call.again = again;
	hooked->stopping = start(hooked, &call, on_stop, hooked);
	return hooked->stopping;
}

/* ---- all of them ---- */

bool ik_hooked_is_busy(const struct ik_hooked *hooked)
{
	return hooked->messages;
}

void ik_hooked_cancel(struct ik_hooked *hooked)
{
	struct ik_hook_work *const works[] = { hooked->starting, hooked->asking, hooked->stopping };

	for (struct hooked_call *call = hooked->calls; call; call = call->next) {
		if (call->before && !ik_hook_outcome(call->before))
			call->before = ik_hook_close(call->before); /* the turn fails the call */
		if (call->after)
			ik_hook_cancel(call->after);
	}
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (works[i])
			ik_hook_cancel(works[i]);
	end_wait(hooked);
}

/* Forget the call at a place in the list. */
static void forget(struct hooked_call **at)
{
	struct hooked_call *call = *at;

	*at = call->next;
	ik_hook_close(call->before);
	ik_hook_close(call->after);
	free(call->id);
	free(call);
}

struct ik_message *ik_hooked_forget(struct ik_hooked *hooked, const char *id,
	struct ik_message *message)
{
	struct hooked_call **at = &hooked->calls;

	message = ik_hooked_result(hooked, id, message);
	while (*at && !ik_text_equal((*at)->id, id))
		at = &(*at)->next;
	if (*at)
		forget(at);
	return message;
}

/* Forget the calls of the turn; all: also those that processes made, which end by themselves. */
static void forget_calls(struct ik_hooked *hooked, bool all)
{
	struct hooked_call **at = &hooked->calls;

	while (*at) {
		if (all || (*at)->call > 0)
			forget(at);
		else
			at = &(*at)->next;
	}
}

void ik_hooked_end_turn(struct ik_hooked *hooked)
{
	forget_calls(hooked, false);
	hooked->stopping = ik_hook_close(hooked->stopping);
	end_wait(hooked);
}

struct ik_hooked *ik_hooked_new(const struct ik_hooked_options *options)
{
	struct ik_hooked *hooked = ik_alloc(sizeof(*hooked));

	hooked->options = *options;
	hooked->source = "startup";
	return hooked;
}

struct ik_hooked *ik_hooked_close(struct ik_hooked *hooked)
{
	if (!hooked)
		return NULL;
	ik_hooked_end_turn(hooked);
	forget_calls(hooked, true);
	hooked->starting = ik_hook_close(hooked->starting);
	hooked->asking = ik_hook_close(hooked->asking);
	hooked->patience = ik_timer_close(hooked->patience);
	while (hooked->messages) {
		struct hooked_message *first = hooked->messages;

		hooked->messages = first->next;
		ik_message_unref(first->message);
		free(first);
	}
	ik_loop_defer(hooked->options.record->loop, free, hooked);
	return NULL;
}
