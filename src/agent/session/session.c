#include "agent/session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/output.h"
#include "agent/session/compaction.h"
#include "agent/session/hooked.h"
#include "agent/session/record.h"
#include "agent/session/runs.h"
#include "agent/session/undo_recorder.h"
#include "agent/turn/turn.h"
#include "conversation/prompt.h"
#include "guard/sandbox.h"
#include "tool/command_line.h"
#include "tool/display.h"
#include "undo/undo_journal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Limit on what a crash can lose of the visible reply, in milliseconds. */
#define KEEP_MS 500

/* Warn the user when the model's context window is this full, unless ikigai compacts by itself. */
#define WARN_PERCENT 80

/* The tool that runs commands, and what the model is told of the tools that are commands. */
#define SHELL_TOOL "bash"
#define NAMES_WORDS \
	"\n\nWhat bash runs can call these tools as commands: NAME --option VALUE. NAME --help lists " \
	"the " \
	"options, --json - reads all arguments as one JSON object from standard input, and " \
	"`ikigai-tool NAME` calls one whose name another program has.\n\n"

/* An input that arrived while the turn's effects were carried out. */
struct ik_inbox_item {
	struct ik_inbox_item *next;
	struct ik_input input;
	struct ik_buf text;
};

struct ik_session {
	struct ik_session_options options; /* directory and prompts are not used */
	char *instructions;                /* of the project; or NULL */
	char *system_prompt;               /* complete */
	struct ik_model *model;            /* NULL: none chosen yet */
	struct ik_registry *registry;

	struct ik_turn *turn;
	struct ik_inbox_item *inbox, **inbox_end;
	bool stepping;
	struct ik_exchange *exchange; /* the turn's request, or NULL */
	struct ik_exchange_memory memory;
	const struct ik_model *stand_in_told; /* the stand-in that everybody knows of, or NULL */
	int request;                          /* of the turn, */
	bool forbid_calls;                    /* which may call nothing */
	bool heard;                           /* a part of its reply has come */
	bool too_long;                        /* the provider has refused it for want of room */
	bool no_summary;                      /* the model makes none in this turn */

	struct ik_session_record *record;
	struct ik_timer *keeping; /* fires when the next part of the reply is journaled */
	bool reply_kept;          /* a part of the reply was journaled */
	int64_t context_tokens;   /* of the last round; 0: unknown */
	bool context_warned;
	struct ik_stored *stored;
	struct ik_undo_recorder *recorder;
	struct ik_runs *runs;
	struct ik_hooked *hooked;
	bool end_told;                    /* to hooks */
	struct ik_compaction *compaction; /* NULL: no summary is being made */
};

static void post(void *arg, const struct ik_input *input);
static void tell_model(struct ik_session *session);

/* ---- requests ---- */

/* Return the model that answers: the chosen one, or what stands in for it until the turn ends. NULL:
 * none is chosen. */
static struct ik_model *answering(const struct ik_session *session)
{
	struct ik_model *model = session->model, *stand_in = session->memory.stand_in;

	/* Another one may have been chosen while the request failed. */
	while (stand_in && model && model != stand_in && model->older != stand_in)
		model = model->fallback;
	return model && stand_in ? stand_in : session->model;
}

/* Return the schema of the last reply, or no value. */
static struct ik_json_span output_schema(const struct ik_session *session)
{
	const char *schema = session->options.output_schema;

	return (struct ik_json_span){ schema, schema ? strlen(schema) : 0 };
}

static bool read_output(const void *arg, const char *text, size_t length, struct ik_buf *out,
	struct ik_error *error)
{
	const struct ik_session *session = arg;

	return ik_output_read(output_schema(session), answering(session), text, length, out, error) ==
		IK_OK;
}

/* Fill in what is sent with every request. */
static struct ik_model *on_request(void *arg, struct ik_request *request)
{
	struct ik_session *session = arg;

	/* A request, also one for a summary, may have fallen back. */
	if (session->stand_in_told != session->memory.stand_in)
		tell_model(session);
	request->system_prompt = session->system_prompt;
	request->conversation = session->record->conversation;
	/* A fork begins with the same messages. */
	if (ik_conversation_count(request->conversation) > 0)
		request->cache_key = ik_conversation_at(request->conversation, 0)->id;
	request->output_schema = output_schema(session);
	request->value_only = session->options.output_schema;
	request->tools = ik_session_tools(session, &request->tool_count);
	return answering(session);
}

static bool make_room(struct ik_session *session, int rounds);

/* Pass an input of the turn's request to the turn. */
static void on_input(void *arg, const struct ik_input *input)
{
	struct ik_session *session = arg;

	if (input->kind == IK_INPUT_STREAM_END || input->kind == IK_INPUT_STREAM_FAILED)
		session->exchange = ik_exchange_close(session->exchange);
	session->heard = session->heard ||
		(input->kind == IK_INPUT_DELTA && input->delta->kind != IK_DELTA_USAGE &&
			input->delta->kind != IK_DELTA_STOP);
	session->too_long = input->kind == IK_INPUT_STREAM_FAILED && input->code == IK_CODE_CONTEXT;
	/* A summary of what has just been summarised would not be shorter. */
	if (session->too_long && !session->heard && make_room(session, 1))
		return;
	post(session, input);
}

static struct ik_exchange_options exchange_options(struct ik_session *session)
{
	const struct ik_session_options *options = &session->options;

	return (struct ik_exchange_options){
		.loop = options->loop,
		.http = options->http,
		.store = options->store,
		.retry = options->retry,
		.idle_timeout_ms = options->idle_timeout_ms,
		.memory = &session->memory,
		.unattended = options->asking != IK_ASKING_USER,
	};
}

static void send_request(struct ik_session *session)
{
	static const struct ik_exchange_events events = { on_request, on_input };
	struct ik_exchange_options options = exchange_options(session);

	options.number = session->request;
	options.forbid_calls = session->forbid_calls;
	session->heard = false;
	session->exchange = ik_exchange_start(&options, &events, session);
}

/* ---- calls ---- */

static char *why_asked(const struct ik_verdict *verdict)
{
	if (verdict->reason == IK_REASON_RULE)
		return ik_format(_("Rule %zu of your policy asks before such a call."), verdict->number);
	return ik_strdup(_("In the mode \"ask\" you are asked before a tool may change anything."));
}

/* Judge a call by the policy and by what hooks want (NULL: nothing). */
static enum ik_turn_verdict apply_policy(struct ik_session *session,
	const struct ik_judged_call *call, const struct ik_verdict *verdict,
	const struct ik_hook_outcome *hooks, char **ret_text)
{
	enum ik_decision decision = ik_hook_decide(verdict->decision, hooks);
	enum ik_asking asking = session->options.asking;

	/* Switching from "ask" to "auto" passes through "read-only": keep a question that is open, so
	 * that the user can answer it. */
	if (call->is_asking && verdict->decision == IK_DECISION_DENY &&
		verdict->reason == IK_REASON_MODE)
		return IK_TURN_ASK;
	if (decision == IK_DECISION_ALLOW ||
		(decision == IK_DECISION_ASK && asking == IK_ASKING_ALLOWED))
		return IK_TURN_ALLOW;
	if (decision == IK_DECISION_ASK && asking == IK_ASKING_USER) {
		*ret_text = hooks && hooks->decision == IK_HOOK_ASK
			? ik_format(_("Hook %s asks before this call. %s"), hooks->by, hooks->reason)
			: why_asked(verdict);
		return IK_TURN_ASK;
	}
	*ret_text = ik_hook_refusal(session->options.policy, call->name, verdict, hooks);
	return IK_TURN_DENY;
}

static enum ik_turn_verdict judge(void *arg, const struct ik_judged_call *call, char **ret_text)
{
	struct ik_session *session = arg;
	const struct ik_tool *tool = ik_registry_find(session->registry, call->name);
	enum ik_turn_verdict result = IK_TURN_WAIT;
	const struct ik_hook_outcome *hooks;
	struct ik_verdict verdict = { .decision = IK_DECISION_ALLOW };
	struct ik_json_span arguments, value;
	struct ik_buf text;

	/* A missing tool fails as not found, whatever the rules say. */
	if (!tool)
		return IK_TURN_ALLOW;
	/* Judge the arguments that the tool gets. */
	ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(session, call->name, call->arguments.text, call->arguments.length,
		&text);
	if (ik_json_check(text.data, text.length, &value, NULL) != IK_OK)
		value = (struct ik_json_span){ NULL, 0 };
	if (ik_hooked_rule(session->hooked, call, value,
			(struct ik_json_span){ tool->parameters, tool->parameters_length }, &hooks)) {
		arguments = ik_hooked_arguments(session->hooked, call->id,
			(struct ik_json_span){ text.data, text.length });
		if (session->options.policy)
			verdict = ik_policy_judge(session->options.policy, call->name, ik_tool_reads_only(tool),
				arguments.text, arguments.length);
		result = apply_policy(session, call, &verdict, hooks, ret_text);
	}
	ik_buf_done(&text);
	return result;
}

/* Run a call with the arguments that the tool gets. */
static void run_call(struct ik_session *session, const struct ik_effect *effect)
{
	struct ik_buf text;

	ik_buf_init(&text, IK_LIMIT_ARGUMENTS);
	ik_session_put_arguments(session, effect->event.name, effect->event.text,
		effect->event.text_length, &text);
	ik_runs_start(session->runs, effect,
		ik_hooked_arguments(session->hooked, effect->event.id,
			(struct ik_json_span){ text.data, text.length }));
	ik_buf_done(&text);
}

/* Emit an event about a call with the arguments that hooks have given it. */
static void emit_call(struct ik_session *session, const struct ik_event *event)
{
	struct ik_json_span arguments = ik_hooked_arguments(session->hooked, event->id,
		(struct ik_json_span){ event->text, event->text_length });
	struct ik_event changed = *event;

	changed.text = arguments.text;
	changed.text_length = arguments.length;
	ik_session_record_emit(session->record, &changed);
}

/* Pass the result of a call to the turn, with what hooks tell the model. */
static void on_call_done(void *arg, const struct ik_input *input)
{
	struct ik_session *session = arg;
	struct ik_input with = *input;
	struct ik_buf context, envelope;

	ik_buf_init(&context, IK_LIMIT_USER_TEXT);
	ik_buf_init(&envelope, IK_LIMIT_ENVELOPE);
	ik_hooked_put_context(session->hooked, input->call, &context);
	if (context.length > 0) {
		ik_buf_append(&envelope, input->text, input->text_length);
		ik_envelope_add(&envelope, "hook", context.data);
		with.text = envelope.data;
		with.text_length = envelope.length;
	}
	post(session, &with);
	ik_buf_done(&context);
	ik_buf_done(&envelope);
}

/* Pass on what hooks have ruled, or what else they have for the turn. */
static void post_ruling(void *arg, const struct ik_input *input)
{
	struct ik_session *session = arg;
	/* The sink may have closed the session. */
	bool ruling = input->kind == IK_INPUT_RULING && session->runs;

	if (!ruling || !ik_runs_rule(session->runs, input->call))
		post(session, input);
}

static bool may_end(void *arg, bool again)
{
	struct ik_session *session = arg;

	return !ik_hooked_stops(session->hooked, again);
}

static const char *model_name(void *arg)
{
	const struct ik_model *model = answering(arg);

	return model ? model->name : NULL;
}

/* ---- the context window ---- */

/* Return the used part of the model's window in percent, or -1 if unknown. */
static int percent_used(const struct ik_session *session)
{
	const struct ik_model *model = answering(session);
	int64_t window = model ? model->facts.context_window : 0;
	int64_t tokens = session->context_tokens;

	if (window <= 0 || tokens <= 0)
		return -1;
	return tokens >= window ? 100 : (int)((double)tokens * 100 / (double)window);
}

/* Is the window so full that the conversation is to be compacted, or is there too little room for a
 * reply? Not after a summary was undone, or could not be had. */
static bool is_full(const struct ik_session *session)
{
	const struct ik_model *model = answering(session);
	int64_t window = model ? model->facts.context_window : 0, reserve;
	int64_t limit = window * session->options.compact_at / 100;

	if (window <= 0 || limit == 0 || session->no_summary)
		return false;
	reserve = model->max_output_tokens > 0 ? model->max_output_tokens : model->facts.max_output;
	if (reserve > window / 2)
		reserve = window / 2;
	if (limit > window - reserve)
		limit = window - reserve;
	return session->context_tokens >= limit &&
		!ik_conversation_is_restored(session->record->conversation);
}

/* Emit how full the model's window is with that many tokens (0: unknown), and warn. */
static void set_context(struct ik_session *session, int64_t tokens)
{
	struct ik_event event = { .kind = IK_EVENT_CONTEXT };
	bool warned = session->context_warned;
	char *sentence;

	session->context_tokens = tokens;
	event.percent = percent_used(session);
	ik_session_record_emit(session->record, &event);
	session->context_warned = event.percent >= WARN_PERCENT && !session->options.compact_at &&
		(warned || !session->record->loading);
	if (warned || !session->context_warned)
		return;
	sentence = ik_format(session->options.asking == IK_ASKING_USER
			? _("%d%% of the context of %s is in use (%lld of %lld tokens). /compact "
				"replaces what was said by a summary, /new begins another conversation.")
			: _("%d%% of the context of %s is in use (%lld of %lld tokens). Without --resume "
				"another conversation begins; in the chat, /compact replaces what was said by a "
				"summary."),
		event.percent, answering(session)->name, (long long)tokens,
		(long long)answering(session)->facts.context_window);
	ik_session_record_add_notice(session->record, sentence);
	free(sentence);
}

/* Update the context after a round with this usage. */
static void measure_context(struct ik_session *session, const struct ik_usage *usage)
{
	/* This counts thinking, which is not sent again, since providers don't report the tokens
	 * without it. */
	set_context(session, usage->input_tokens + usage->output_tokens);
}

/* Is this the usage of a round, not of a summary? */
static bool is_of_round(const struct ik_message *message, struct ik_usage *ret_usage)
{
	int64_t round = 0;

	return ik_usage_read(message, ret_usage) &&
		(!ik_json_integer(ik_json_member(ik_message_data(message), "round"), &round) || round > 0);
}

/* Update the context from the last round of the conversation, if there is one, except those since a
 * summary that was undone, which had less to read. */
static void recall_context(void *arg)
{
	struct ik_session *session = arg;
	const struct ik_conversation *conversation = session->record->conversation;
	size_t index = ik_conversation_count(conversation), undone = 0;
	struct ik_usage usage;

	while (index-- > 0) {
		const struct ik_message *message = ik_conversation_at(conversation, index);

		if (message->restores) {
			undone++;
		} else if (message->summarises && undone == 0) {
			set_context(session, 0);
			return;
		} else if (message->summarises) {
			undone--;
		} else if (undone == 0 && is_of_round(message, &usage)) {
			measure_context(session, &usage);
			return;
		}
	}
}

/* ---- the turn ---- */

/* Let the chosen model answer again, by the format that its server has. */
static void end_fallback(struct ik_session *session)
{
	struct ik_model *stand_in = session->memory.stand_in;

	if (!stand_in || (session->model && stand_in == session->model->older))
		return;
	session->memory.stand_in = ik_model_unref(session->memory.stand_in);
	if (!session->record->closing)
		tell_model(session);
}

/* Store and emit a message. The result of a call is stored with what hooks did to it. */
static void append(struct ik_session *session, const struct ik_event *event)
{
	struct ik_session_record *record = session->record;
	struct ik_event with = *event;

	with.message = ik_message_ref(event->message);
	if (with.message->kind == IK_KIND_TOOL_RESULT)
		with.message = ik_hooked_result(session->hooked, with.message->call_id, with.message);
	ik_session_record_add(record, with.message);
	ik_session_record_add_blobs(record, with.message, with.whole);
	ik_session_record_emit(record, &with);
	ik_message_unref(with.message);
}

static void emit(struct ik_session *session, const struct ik_event *event)
{
	if (event->kind == IK_EVENT_TURN_STARTED) {
		session->no_summary = false;
		ik_undo_recorder_start_turn(session->recorder, session->registry);
	}
	if (event->kind == IK_EVENT_TURN_DONE)
		ik_hooked_end_turn(session->hooked);
	if (event->kind == IK_EVENT_ASKING) {
		ik_hooked_tell(session->hooked, IK_HOOK_NOTIFICATION, "permission_prompt",
			_("A question waits for your answer."));
		emit_call(session, event);
	} else {
		ik_session_record_emit(session->record, event);
	}
	if (event->kind == IK_EVENT_TURN_DONE)
		end_fallback(session);
}

static void perform(void *arg, const struct ik_effect *effect)
{
	struct ik_session *session = arg;
	struct ik_session_record *record = session->record;

	switch (effect->kind) {
	case IK_EFFECT_APPEND:
		append(session, &effect->event);
		if (effect->event.kind == IK_EVENT_USAGE)
			measure_context(session, &effect->event.usage);
		break;
	case IK_EFFECT_EMIT:
		emit(session, &effect->event);
		break;
	case IK_EFFECT_REQUEST:
		session->request = effect->request;
		session->forbid_calls = effect->forbid_calls;
		session->too_long = false;
		/* Two rounds between summaries are the least for which one is worth its tokens. */
		if (!record->closing && !(is_full(session) && make_room(session, 2)))
			send_request(session);
		break;
	case IK_EFFECT_ABORT:
		session->exchange = ik_exchange_close(session->exchange);
		session->compaction = ik_compaction_close(session->compaction);
		break;
	case IK_EFFECT_RUN:
		emit_call(session, &effect->event);
		if (!record->closing)
			run_call(session, effect);
		break;
	case IK_EFFECT_CANCEL_RUNS:
		ik_runs_cancel(session->runs, false);
		break;
	case IK_EFFECT_CLOSE_RUNS:
		ik_runs_drop(session->runs);
		break;
	}
}

/* ---- what has arrived of a reply ---- */

static void keep_part(void *arg, struct ik_message *message)
{
	const struct ik_session_record *record = arg;

	ik_store_keep_reply(record->store, record->id, message);
}

/* Journal the part of the reply that has arrived. */
static void keep_reply(void *arg)
{
	struct ik_session *session = arg;

	if (!ik_turn_has_partial_reply(session->turn) || session->record->read_only)
		return;
	session->reply_kept = true;
	ik_turn_partial_reply(session->turn, keep_part, session->record);
}

/* Start the timer if there is a partial reply, or drop its journal if there is none. */
static void update_kept_reply(struct ik_session *session)
{
	const struct ik_session_record *record = session->record;

	if (ik_turn_has_partial_reply(session->turn)) {
		if (record->stored && !ik_timer_running(session->keeping))
			ik_timer_start(session->keeping, KEEP_MS);
	} else if (session->reply_kept) {
		/* Complete parts are stored as events; the rest was discarded. */
		ik_store_drop_replies(record->store, record->id);
		session->reply_kept = false;
	}
}

/* ---- steps ---- */

static void step(struct ik_session *session, const struct ik_input *input)
{
	assert(!session->stepping);
	session->stepping = true;
	ik_turn_step(session->turn, input);
	session->stepping = false;
	update_kept_reply(session);
}

/* Queue an input; only its text and message are borrowed. */
static void put_into_inbox(struct ik_session *session, const struct ik_input *input)
{
	struct ik_inbox_item *item = ik_alloc(sizeof(*item));

	/* Deltas and tool output come from the loop, which does not run during a step. The end of a
	 * call that was cancelled before its tool started may arrive during one. */
	assert(input->kind != IK_INPUT_DELTA && !input->whole[0] && !input->whole[1]);
	item->input = *input;
	ik_buf_init(&item->text, input->text_length);
	ik_buf_append(&item->text, input->text ? input->text : "", input->text_length);
	item->input.text = item->text.data;
	if (input->message)
		ik_message_ref(input->message);
	*session->inbox_end = item;
	session->inbox_end = &item->next;
}

/* Step the turn with the oldest input of the inbox. */
static void step_from_inbox(struct ik_session *session)
{
	struct ik_inbox_item *item = session->inbox;

	session->inbox = item->next;
	if (!session->inbox)
		session->inbox_end = &session->inbox;
	step(session, &item->input);
	ik_buf_done(&item->text);
	ik_message_unref(item->input.message);
	free(item);
}

/* Free the session (deferred). */
static void release(void *arg)
{
	struct ik_session *session = arg;

	ik_turn_free(session->turn);
	ik_session_record_free(session->record);
	ik_model_unref(session->model);
	ik_model_unref(session->memory.stand_in);
	ik_registry_unref(session->registry);
	free(session->system_prompt);
	free(session->instructions);
	free(session);
}

/* Store what has arrived, then stop. */
static void finish_closing(struct ik_session *session)
{
	static const struct ik_input cancel = { .kind = IK_INPUT_CANCEL };
	static const struct ik_input history = { .kind = IK_INPUT_HISTORY, .ready = true };

	while (session->inbox)
		step_from_inbox(session);
	/* In the chat, queued messages become the draft; in exec, the one message is stored. */
	if (session->options.asking == IK_ASKING_USER)
		step(session, &cancel);
	step(session, &history);
	/* Cancelling may have queued the ends of calls. */
	while (session->inbox || ik_turn_state(session->turn) != IK_TURN_IDLE) {
		if (session->inbox)
			step_from_inbox(session);
		else
			step(session, &cancel);
	}
	ik_stored_stop(session->stored);
	session->compaction = ik_compaction_close(session->compaction);
	session->exchange = ik_exchange_close(session->exchange);
	session->runs = ik_runs_close(session->runs);
	session->hooked = ik_hooked_close(session->hooked);
	session->recorder = ik_undo_recorder_close(session->recorder);
	session->stored = ik_stored_close(session->stored);
	session->keeping = ik_timer_close(session->keeping);
	ik_store_rest(session->record->store, session->record->id);
	ik_loop_defer(session->options.loop, release, session);
}

/* Give the turn an input, at once or after the input whose effects are being carried out. */
static void post(void *arg, const struct ik_input *input)
{
	struct ik_session *session = arg;

	if (session->stepping) {
		put_into_inbox(session, input);
		return;
	}
	if (session->record->closing)
		return;
	step(session, input);
	while (session->inbox && !session->record->closing)
		step_from_inbox(session);
	if (session->record->closing)
		finish_closing(session);
}

void ik_session_end_now(struct ik_session *session)
{
	const struct ik_session_record *record = session->record;
	struct ik_message *message = ik_turn_pending(session->turn);

	/* A followed session stores nothing; for one that is being restored it is not yet known where
	 * the message belongs. */
	if (record->read_only || record->undecided)
		return;
	/* Notices alone do not make a session. */
	if (message && message->sequence == 0 && (message->kind != IK_KIND_NOTICE || record->stored)) {
		ik_store_begin(record->store, record->id, record->directory);
		ik_store_append(record->store, record->id, message);
	}
	keep_reply(session);
}

/* ---- what the parts of the session report ---- */

/* Emit id and model as IK_EVENT_SESSION, if there is a model. */
static void emit_model(void *arg)
{
	struct ik_session *session = arg;
	struct ik_event event = {
		.kind = IK_EVENT_SESSION,
		.text = session->record->id,
		.text_length = strlen(session->record->id),
	};

	if (!session->model)
		return;
	event.name = answering(session)->endpoint.provider;
	event.detail = answering(session)->name;
	ik_session_record_emit(session->record, &event);
}

/* Tell everybody which model answers from now on. */
static void tell_model(struct ik_session *session)
{
	const struct ik_model *model = answering(session);

	session->stand_in_told = session->memory.stand_in;
	ik_turn_set_model(session->turn, model->name, &model->facts.price);
	emit_model(session);
	set_context(session, session->context_tokens);
}

/* Tell the turn whether the history is loaded, so that it may begin. */
static void post_history(void *arg, bool ready)
{
	post(arg, &(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = ready });
}

static bool is_busy(void *arg)
{
	return ik_session_busy(arg);
}

static void on_prompt(void *arg)
{
	ik_session_sandbox_changed(arg);
}

/* Store and emit the usage of a summary's request; it does not predict the usage of later
 * rounds. */
static void add_usage(struct ik_session *session, const struct ik_usage *usage)
{
	struct ik_event event = { .kind = IK_EVENT_USAGE, .usage = *usage };

	event.message = ik_usage_message(&event.usage, 0,
		session->model ? answering(session)->name : NULL);
	ik_session_record_add(session->record, event.message);
	ik_session_record_emit(session->record, &event);
	ik_message_unref(event.message);
}

/* Close the compaction, and with it the text of result, and store its usage, then message (taken over;
 * NULL: none). */
static void end_compaction(struct ik_session *session, const struct ik_compaction_result *result,
	struct ik_message *message)
{
	const struct ik_usage *usage = result->usage;
	bool failed = result->failed;

	session->compaction = ik_compaction_close(session->compaction);
	ik_session_record_emit_text(session->record, IK_EVENT_WAITING, "");
	if (usage)
		add_usage(session, usage);
	if (message)
		ik_session_record_add_message(session->record, message);
	ik_message_unref(message);
	/* The sink may have closed the session. */
	if (failed || session->record->closing)
		return;
	ik_hooked_begins(session->hooked, "compact");
	set_context(session, 0);
}

/* Answer the command. Then send the queued messages, or hold them if the summary failed, since they
 * would fail in the same way. */
static void on_compacted(void *arg, const struct ik_compaction_result *result)
{
	struct ik_session *session = arg;
	bool failed = result->failed;

	end_compaction(session, result, result->message);
	if (failed)
		post(session, &(struct ik_input){ .kind = IK_INPUT_CANCEL });
	if (ik_turn_state(session->turn) == IK_TURN_IDLE)
		end_fallback(session);
	post(session,
		&(struct ik_input){ .kind = IK_INPUT_HISTORY, .ready = true, .success = !failed });
}

/* ---- making room ---- */

/* Send the turn's request, unless the sink has closed the session or cancelled the turn meanwhile. */
static void send_after_room(struct ik_session *session, int request)
{
	if (!session->record->closing && session->request == request &&
		ik_turn_state(session->turn) == IK_TURN_STREAMING && !session->exchange)
		send_request(session);
}

/* Continue without a summary, since there is some room left. */
static void go_on_without(struct ik_session *session, const struct ik_compaction_result *result)
{
	char *sentence = ik_format(_("%.*s The conversation was not summarised; the turn goes on."),
		(int)result->length, result->text);
	int request = session->request;

	session->no_summary = true;
	end_compaction(session, result, ik_message_notice(sentence, NULL));
	free(sentence);
	send_after_room(session, request);
}

/* Fail the turn's request as the summary failed. */
static void fail_without(struct ik_session *session, const struct ik_compaction_result *result)
{
	char *sentence = ik_strndup(result->text, result->length);
	const struct ik_input failure = {
		.kind = IK_INPUT_STREAM_FAILED,
		.request = session->request,
		.code = result->code,
		.text = sentence,
		.text_length = result->length,
	};

	end_compaction(session, result, NULL);
	post(session, &failure);
	free(sentence);
}

/* Continue with the turn's request. */
static void on_room_made(void *arg, const struct ik_compaction_result *result)
{
	struct ik_session *session = arg;
	int request = session->request;

	if (result->failed && result->code == IK_CODE_BAD_RESPONSE && !session->too_long) {
		go_on_without(session, result);
		return;
	}
	if (result->failed) {
		fail_without(session, result);
		return;
	}
	end_compaction(session, result, result->message);
	send_after_room(session, request);
}

static struct ik_compaction_options compaction_options(struct ik_session *session)
{
	return (struct ik_compaction_options){
		.record = session->record,
		.exchange = exchange_options(session),
		.request = on_request,
		.keeper = session->options.keeper,
		.keeper_arg = session->options.keeper_arg,
		.done = on_compacted,
		.arg = session,
	};
}

/* Compact the conversation, then send the turn's request. Return false if that can't help
 * (ik_compaction_can_help()) or is not wanted. */
static bool make_room(struct ik_session *session, int rounds)
{
	const struct ik_model *model = answering(session);
	struct ik_compaction_options options = compaction_options(session);

	if (!model || !session->options.compact_at || session->record->closing ||
		!ik_compaction_can_help(session->record->conversation, ik_compaction_keep(model), rounds))
		return false;
	options.done = on_room_made;
	options.keep = ik_compaction_keep(model);
	options.tokens = is_full(session) ? session->context_tokens : 0;
	options.percent = percent_used(session);
	ik_hooked_tell(session->hooked, IK_HOOK_PRE_COMPACT, "auto", NULL);
	session->compaction = ik_compaction_start(&options, "");
	ik_compaction_tell(session->compaction);
	return true;
}

/* ---- beginning and end ---- */

bool ik_session_names(const struct ik_session *session, const struct ik_tool *tool)
{
	return session->options.tool_names && session->options.commands_root &&
		tool->state == IK_TOOL_OK && !ik_text_equal(tool->name, SHELL_TOOL) &&
		ik_registry_find(session->registry, SHELL_TOOL);
}

/* Append what the model is told of the tools that it knows by name, if there are any. */
static void put_names(const struct ik_session *session, struct ik_buf *out)
{
	size_t before = out->length;

	for (size_t i = 0; i < ik_registry_count(session->registry); i++) {
		const struct ik_tool *tool = ik_registry_at(session->registry, i);

		if (!ik_session_names(session, tool))
			continue;
		if (out->length == before)
			ik_buf_puts(out, NAMES_WORDS);
		ik_command_line_put_name(tool, out);
	}
}

/* Return the system prompt, which is the same in every round. */
static char *make_prompt(const struct ik_session *session)
{
	const struct ik_session_options *options = &session->options;
	struct ik_buf prompt;

	ik_buf_init(&prompt, IK_LIMIT_REQUEST);
	ik_buf_puts(&prompt, session->record->prompt);
	if (!options->no_tools)
		ik_buf_printf(&prompt, "\n\n%s", ik_envelope_paragraph());
	if (!options->no_tools && options->run.sandbox)
		ik_sandbox_put_words(options->run.sandbox, &prompt);
	if (!options->no_tools)
		put_names(session, &prompt);
	ik_buf_printf(&prompt, "\n\nThe working directory is %s.", session->record->directory);
	if (session->instructions)
		ik_buf_printf(&prompt, "\n\n%s", session->instructions);
	if (options->output_schema)
		ik_output_put_instruction(options->output_schema, &prompt);
	return ik_buf_take(&prompt, NULL);
}

void ik_session_sandbox_changed(struct ik_session *session)
{
	free(session->system_prompt);
	session->system_prompt = make_prompt(session);
}

void ik_session_set_instructions(struct ik_session *session, const char *instructions)
{
	char *copy = instructions ? ik_strdup(instructions) : NULL;

	free(session->instructions);
	session->instructions = copy;
	ik_session_sandbox_changed(session);
}

const char *ik_session_system_prompt(const struct ik_session *session)
{
	return session->system_prompt;
}

/* Does the tool called name declare itself read-only? */
static bool is_read_only(const void *arg, const char *name)
{
	const struct ik_session *session = arg;
	const struct ik_tool *tool = ik_registry_find(session->registry, name);

	return tool && tool->read_only;
}

/* Return what a call of the tool called name does. */
static char *call_line(const void *arg, const char *name, const char *arguments, size_t length)
{
	const struct ik_session *session = arg;
	const struct ik_tool *tool = ik_registry_find(session->registry, name);

	return ik_display_line(tool ? tool->display : NULL, name, arguments, length);
}

static struct ik_turn *make_turn(struct ik_session *session)
{
	const struct ik_session_options *options = &session->options;

	return ik_turn_new(&(struct ik_turn_options){
		.concurrency = options->concurrency,
		.is_read_only = is_read_only,
		.call_line = call_line,
		.judge = judge,
		.may_end = may_end,
		.read_output = options->output_schema ? read_output : NULL,
		.perform = perform,
		.arg = session,
		.max_tool_turns = options->max_tool_turns,
		.ask_repeated = options->asking == IK_ASKING_USER,
	});
}

static struct ik_session_record *make_record(const struct ik_session_options *options)
{
	return ik_session_record_new(&(struct ik_session_record){
		.loop = options->loop,
		.store = options->store,
		.sink = options->sink,
		.sink_arg = options->sink_arg,
		.directory = (char *)options->directory,
		.prompt = (char *)(options->system_prompt ? options->system_prompt : ik_built_in_prompt()),
	});
}

/* Create the objects that run calls and record their changes. */
static void make_runs(struct ik_session *session)
{
	const struct ik_session_options *options = &session->options;
	struct ik_session_record *record = session->record;
	const struct ik_undo_recorder_options undo = {
		.record = record,
		.root = options->undo_directory,
		.kept_days = options->undo_days,
		.database = options->undo_spared,
		.writes = options->file_writes,
		.sandbox = options->run.sandbox,
	};
	struct ik_runs_options runs = {
		.record = record,
		.hooked = session->hooked,
		.slots = options->slots,
		.run = options->run,
		.preparer = options->preparer,
		.preparer_arg = options->preparer_arg,
		.commands_root = options->commands_root,
		.commands_program = options->commands_program,
		.judge = judge,
		.done = on_call_done,
		.arg = session,
	};

	session->recorder = ik_undo_recorder_new(&undo);
	runs.recorder = session->recorder;
	runs.run.directory = record->directory;
	session->runs = ik_runs_new(&runs);
	ik_runs_set_registry(session->runs, session->registry, false);
}

struct ik_session *ik_session_new(const struct ik_session_options *options)
{
	static const struct ik_stored_events events = {
		.is_busy = is_busy,
		.identified = emit_model,
		.prompt = on_prompt,
		.read = recall_context,
		.turns = post_history,
	};
	struct ik_session *session = ik_alloc(sizeof(*session));

	session->options = *options;
	session->inbox_end = &session->inbox;
	session->registry = ik_registry_new();
	session->record = make_record(options);
	session->options.directory = session->options.system_prompt = NULL;
	session->options.instructions = NULL;
	ik_session_set_instructions(session, options->instructions);
	session->turn = make_turn(session);
	session->keeping = ik_timer_new(options->loop, keep_reply, session);
	session->stored = ik_stored_new(session->record, session->turn, &events, session);
	session->hooked = ik_hooked_new(&(struct ik_hooked_options){
		.record = session->record,
		.runner = options->hooks,
		.policy = options->policy,
		.model = model_name,
		.post = post_ruling,
		.arg = session,
	});
	if (options->began)
		ik_hooked_begins(session->hooked, options->began);
	make_runs(session);
	return session;
}

void ik_session_tell_end(struct ik_session *session, const char *reason)
{
	if (!session->end_told && session->record->stored)
		ik_hooked_tell(session->hooked, IK_HOOK_SESSION_END, reason, NULL);
	session->end_told = true;
}

struct ik_session *ik_session_close(struct ik_session *session)
{
	if (!session || session->record->closing)
		return NULL;
	ik_session_tell_end(session, "other");
	session->record->closing = true;
	if (!session->stepping)
		finish_closing(session);
	return NULL;
}

/* ---- from outside ---- */

void ik_session_forked(struct ik_session *session, const char *id)
{
	if (session->options.undo_directory)
		ik_undo_fork(session->options.undo_directory, session->record->id, id);
	ik_store_rest(session->record->store, session->record->id);
	ik_session_record_set_id(session->record, id);
	ik_stored_forked(session->stored);
	emit_model(session);
}

void ik_session_set_model(struct ik_session *session, struct ik_model *model)
{
	ik_model_ref(model);
	ik_model_unref(session->model);
	session->model = model;
	session->memory.stand_in = ik_model_unref(session->memory.stand_in);
	session->memory.refused.thoughts = session->memory.refused.schema = false;
	tell_model(session);
}

struct ik_model *ik_session_model(const struct ik_session *session)
{
	return session->model;
}

void ik_session_set_registry(struct ik_session *session, struct ik_registry *registry, bool ready)
{
	ik_registry_ref(registry);
	ik_registry_unref(session->registry);
	session->registry = registry;
	if (session->options.tool_names)
		ik_session_sandbox_changed(session);
	if (ready)
		ik_undo_recorder_prepare(session->recorder, registry);
	ik_runs_set_registry(session->runs, registry, ready);
	post(session, &(struct ik_input){ .kind = IK_INPUT_TOOLS, .ready = ready });
}

void ik_session_submit(struct ik_session *session, struct ik_message *message)
{
	if (!ik_hooked_submit(session->hooked, message))
		post(session, &(struct ik_input){ .kind = IK_INPUT_USER, .message = message });
	if (session->compaction)
		ik_compaction_tell(session->compaction);
}

const char *ik_session_queued(const struct ik_session *session, size_t index, size_t *ret_length)
{
	return ik_turn_queued_at(session->turn, index, ret_length);
}

void ik_session_unqueue(struct ik_session *session)
{
	post(session, &(struct ik_input){ .kind = IK_INPUT_UNQUEUE });
}

void ik_session_await_model(struct ik_session *session)
{
	post(session, &(struct ik_input){ .kind = IK_INPUT_MODEL, .ready = false });
}

void ik_session_know_model(struct ik_session *session, bool switched)
{
	post(session,
		&(struct ik_input){
			.kind = IK_INPUT_MODEL,
			.ready = true,
			.success = switched,
		});
}

void ik_session_go_on(struct ik_session *session)
{
	post(session, &(struct ik_input){ .kind = IK_INPUT_RELEASE });
}

void ik_session_cancel(struct ik_session *session)
{
	if (session->compaction && ik_turn_state(session->turn) == IK_TURN_IDLE)
		ik_compaction_cancel(session->compaction);
	/* The sink may have closed the session. */
	if (session->runs)
		ik_runs_cancel(session->runs, true);
	if (session->hooked)
		ik_hooked_cancel(session->hooked);
	post(session, &(struct ik_input){ .kind = IK_INPUT_CANCEL });
}

bool ik_session_loading(const struct ik_session *session)
{
	return session->record->loading;
}

bool ik_session_busy(const struct ik_session *session)
{
	return session->compaction || !ik_runs_is_empty(session->runs) || session->inbox ||
		ik_hooked_is_busy(session->hooked) || ik_turn_has_queued(session->turn) ||
		ik_turn_state(session->turn) != IK_TURN_IDLE;
}

const char *ik_session_id(const struct ik_session *session)
{
	return session->record->id;
}

const struct ik_conversation *ik_session_conversation(const struct ik_session *session)
{
	return session->record->conversation;
}

void ik_session_add_command(struct ik_session *session, const char *line, const char *output)
{
	ik_session_record_add_command(session->record, line, output);
}

void ik_session_add_message(struct ik_session *session, struct ik_message *command)
{
	ik_session_record_add_message(session->record, command);
}

void ik_session_add_notice(struct ik_session *session, const char *sentence)
{
	ik_session_record_add_notice(session->record, sentence);
}

void ik_session_add_problem(struct ik_session *session, const char *sentence)
{
	ik_session_record_add_problem(session->record, sentence);
}

struct ik_tool_definition ik_session_tool(const struct ik_tool *tool)
{
	return (struct ik_tool_definition){
		.name = tool->name,
		.description = tool->description,
		.parameters = { tool->parameters, tool->parameters_length },
	};
}

struct ik_tool_definition *ik_session_tools(const struct ik_session *session, size_t *ret_count)
{
	size_t all = session->options.no_tools ? 0 : ik_registry_count(session->registry), count = 0;
	struct ik_tool_definition *tools = ik_alloc((all + 1) * sizeof(*tools));

	for (size_t i = 0; i < all; i++) {
		const struct ik_tool *tool = ik_registry_at(session->registry, i);

		if (tool->state == IK_TOOL_OK && !ik_session_names(session, tool))
			tools[count++] = ik_session_tool(tool);
	}
	*ret_count = count;
	return tools;
}

void ik_session_put_arguments(const struct ik_session *session, const char *name,
	const char *arguments, size_t length, struct ik_buf *out)
{
	const struct ik_tool *tool = ik_registry_find(session->registry, name);
	const struct ik_model *model = answering(session);
	struct ik_json_span text = ik_run_arguments(arguments, length), value;
	struct ik_tool_definition definition;

	if (tool && model && model->format->put_arguments &&
		ik_json_check(text.text, text.length, &value, NULL) == IK_OK) {
		definition = ik_session_tool(tool);
		if (model->format->put_arguments(out, &model->endpoint, &definition, value))
			return;
	}
	ik_buf_append(out, text.text, text.length);
}

void ik_session_answer(struct ik_session *session, const char *id, const char *name, bool allow,
	const char *reason)
{
	struct ik_input input = { .kind = IK_INPUT_ANSWER, .success = allow };
	char *sentence;

	input.call = ik_turn_asking(session->turn, id);
	sentence = ik_format("Tool '%s' was not run: the person denied this call%s%s", name,
		reason[0] != '\0' ? ": " : "", reason);
	input.text = sentence;
	input.text_length = strlen(sentence);
	if (input.call != 0)
		post(session, &input);
	else
		ik_runs_answer(session->runs, id, allow, sentence);
	free(sentence);
}

void ik_session_answer_question(struct ik_session *session, const char *id,
	struct ik_json_span answer)
{
	ik_runs_answer_question(session->runs, id, answer);
}

void ik_session_policy_changed(struct ik_session *session)
{
	ik_runs_judge_again(session->runs);
	post(session, &(struct ik_input){ .kind = IK_INPUT_JUDGE_AGAIN });
}

void ik_session_compact(struct ik_session *session, const char *line, const char *words)
{
	struct ik_compaction_options options = compaction_options(session);

	if (ik_session_busy(session) || session->record->loading) {
		ik_session_record_add_command(session->record, line,
			_("Something is under way: wait for its end, or cancel it."));
		return;
	}
	options.line = line;
	session->compaction = ik_compaction_start(&options, words);
	if (!session->compaction) {
		ik_session_record_add_command(session->record, line,
			_("There is nothing to summarise yet."));
		return;
	}
	ik_hooked_tell(session->hooked, IK_HOOK_PRE_COMPACT, "manual", words);
	/* Queue messages meanwhile, as while a history is loaded. */
	post_history(session, false);
	ik_compaction_tell(session->compaction);
}

void ik_session_undo_compact(struct ik_session *session, const char *line)
{
	struct ik_message *message;
	size_t index;

	if (ik_session_busy(session) || session->record->loading) {
		ik_session_record_add_command(session->record, line,
			_("Something is under way: wait for its end, or cancel it."));
		return;
	}
	if (!ik_conversation_summary(session->record->conversation, &index)) {
		ik_session_record_add_command(session->record, line,
			_("The model gets the whole conversation already."));
		return;
	}
	message = ik_message_command(line,
		_("The model gets again what the last summary had replaced. ikigai compacts it by itself "
		  "only when the model can't take it."));
	message = ik_message_with(message, "summary", "null", 4);
	ik_session_record_add_message(session->record, message);
	ik_message_unref(message);
	recall_context(session);
}

void ik_session_run_tool(struct ik_session *session, const char *name, const char *arguments,
	size_t length)
{
	ik_runs_start_own(session->runs, name, (struct ik_json_span){ arguments, length });
}

void ik_session_run_shell(struct ik_session *session, const char *command)
{
	ik_runs_start_command(session->runs, command);
}

bool ik_session_undo_is_recorded(const struct ik_session *session)
{
	return ik_undo_recorder_is_done(session->recorder);
}

bool ik_session_await_undo(struct ik_session *session, void (*ready)(void *arg), void *arg)
{
	return ik_undo_recorder_wait(session->recorder, ready, arg);
}

/* ---- stored sessions ---- */

struct ik_conversation *ik_session_fork_copy(const struct ik_session *session, int64_t sequence)
{
	if (session->record->loading)
		return NULL;
	return ik_conversation_copy(session->record->conversation, sequence);
}

void ik_session_restore(struct ik_session *session, const struct ik_restoring *restoring)
{
	ik_hooked_begins(session->hooked, "resume");
	ik_stored_restore(session->stored, restoring);
	post_history(session, false);
}

struct ik_stored *ik_session_stored(const struct ik_session *session)
{
	return session->stored;
}

bool ik_session_is_following(const struct ik_session *session)
{
	return session->record->read_only;
}
