#include "agent/session/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/session_private.h"
#include "conversation/prompt.h"
#include "guard/sandbox.h"
#include "undo/undo_journal.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

/* Where the options do not say. */
#define RETRY_MAX 4
#define RETRY_BASE_MS 500
#define RETRY_CAP_MS 20000

/* ---- the turn is fed ---- */

void ik_session_emit(struct ik_session *session, const struct ik_event *event)
{
	if (!session->closing)
		session->options.sink(session->options.sink_arg, event);
}

/* Step the turn and do what it wants. */
static void take(struct ik_session *session, const struct ik_input *input)
{
	const struct ik_effect *effects;
	size_t count, i;

	assert(!session->stepping);
	session->stepping = true;
	count = ik_turn_step(session->turn, input, &effects);
	for (i = 0; i < count; i++)
		ik_session_perform(session, &effects[i]);
	ik_turn_forget_effects(session->turn);
	session->stepping = false;
	ik_session_watch_reply(session);
}

/* Keep an input for later; only its text and data are borrowed from others. */
static void put_into_inbox(struct ik_session *session, const struct ik_input *input)
{
	struct ik_inbox_item *item = ik_alloc(sizeof(*item));

	/* Deltas and envelopes come from the loop, which does not turn in a step. */
	assert(input->kind != IK_INPUT_DELTA && input->kind != IK_INPUT_TOOL_DONE);
	item->input = *input;
	ik_buf_init(&item->text, input->text_length);
	ik_buf_append(&item->text, input->text ? input->text : "", input->text_length);
	item->input.text = item->text.data;
	ik_buf_init(&item->data, input->data_length);
	ik_buf_append(&item->data, input->data ? input->data : "", input->data_length);
	item->input.data = item->data.data;
	*session->inbox_end = item;
	session->inbox_end = &item->next;
}

/* Take the oldest input out of the inbox, and forget it. */
static void take_from_inbox(struct ik_session *session)
{
	struct ik_inbox_item *item = session->inbox;

	session->inbox = item->next;
	if (!session->inbox)
		session->inbox_end = &session->inbox;
	take(session, &item->input);
	ik_buf_done(&item->text);
	ik_buf_done(&item->data);
	free(item);
}

/* Deferred: everything is silent; let the memory go. */
static void release(void *arg)
{
	struct ik_session *session = arg;

	ik_turn_free(session->turn);
	ik_conversation_free(session->conversation);
	ik_model_unref(session->model);
	ik_registry_unref(session->registry);
	free(session->directory);
	free(session->prompt);
	free(session->system_prompt);
	free(session->instructions);
	free(session);
}

/* Store what is under way, then fall silent. */
static void finish_closing(struct ik_session *session)
{
	static const struct ik_input cancel = { .kind = IK_INPUT_CANCEL };
	static const struct ik_input history = { .kind = IK_INPUT_HISTORY, .ready = true };

	while (session->inbox)
		take_from_inbox(session);
	/* A user has what still waits back as a draft; the one message of exec is stored. */
	if (session->options.asking == IK_ASKING_PERSON)
		take(session, &cancel);
	take(session, &history);
	while (ik_turn_state(session->turn) != IK_TURN_IDLE)
		take(session, &cancel);
	ik_session_stop_loading(session);
	ik_session_unlock(session);
	ik_compaction_drop(session);
	session->exchange = ik_exchange_close(session->exchange);
	ik_session_close_runs(session);
	ik_session_end_own_runs(session);
	ik_session_end_shells(session);
	ik_session_undo_close(session);
	session->retry = ik_timer_close(session->retry);
	ik_session_begun_done(session);
	ik_loop_defer(session->options.loop, release, session);
}

void ik_session_post(struct ik_session *session, const struct ik_input *input)
{
	if (session->stepping) {
		put_into_inbox(session, input);
		return;
	}
	if (session->closing)
		return;
	take(session, input);
	while (session->inbox && !session->closing)
		take_from_inbox(session);
	if (session->closing)
		finish_closing(session);
}

static void rescue_message(void *arg, struct ik_message *message)
{
	const struct ik_session *session = arg;

	ik_store_rescue_event(session->options.store, session->id, session->directory, message);
}

void ik_session_rescue(const struct ik_session *session)
{
	/* Of one that is read along nothing is stored; of one that is being looked for it is not
	 * known yet where it would belong. */
	if (session->following || session->restoring)
		return;
	/* All of it goes where this was only the beginning. */
	if (session->begun)
		ik_begun_clear(session->begun);
	ik_turn_rescue(session->turn, rescue_message, (void *)session);
}

/* ---- beginning and end ---- */

/* The time for another try has come. */
static void retry_due(void *arg)
{
	struct ik_session *session = arg;

	if (session->compaction)
		ik_compaction_try_again(session);
	else
		ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_RETRY_DUE });
}

/* All that is always said to a model, the same in every round. */
static char *make_prompt(const struct ik_session *session)
{
	const struct ik_sandbox *sandbox = session->options.run.sandbox;
	const char *instructions = session->instructions;
	bool tools = !session->options.no_tools;
	struct ik_buf bounds;
	char *prompt;

	ik_buf_init(&bounds, IK_LIMIT_ARGUMENTS);
	if (tools && sandbox)
		ik_sandbox_put_words(sandbox, &bounds);
	prompt = ik_format("%s%s%s%s%s\n\nThe working directory is %s.%s%s", session->prompt,
		tools ? "\n\n" : "", tools ? ik_envelope_paragraph() : "", bounds.length > 0 ? " " : "",
		bounds.data, session->directory, instructions ? "\n\n" : "",
		instructions ? instructions : "");
	ik_buf_done(&bounds);
	return prompt;
}

void ik_session_set_prompt(struct ik_session *session, const char *prompt)
{
	char *copy = ik_strdup(prompt);

	free(session->prompt);
	session->prompt = copy;
	ik_session_sandbox_changed(session);
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

/* Does the tool of that name say that it changes nothing? */
static bool is_read_only(const void *arg, const char *name)
{
	const struct ik_session *session = arg;
	const struct ik_tool *tool = ik_registry_find(session->registry, name);

	return tool && tool->read_only;
}

struct ik_session *ik_session_new(const struct ik_session_options *options)
{
	struct ik_session *session = ik_alloc(sizeof(*session));
	bool retry_given = options->retry_base_ms > 0;
	struct ik_turn_options turn = {
		.concurrency = options->concurrency,
		.is_read_only = is_read_only,
		.tools = session,
		.max_tool_turns = options->max_tool_turns,
		.ask_repeated = options->asking == IK_ASKING_PERSON,
		.retry_max = retry_given ? options->retry_max : RETRY_MAX,
		.retry_base_ms = retry_given ? options->retry_base_ms : RETRY_BASE_MS,
		.retry_cap_ms = retry_given ? options->retry_cap_ms : RETRY_CAP_MS,
	};

	session->options = *options;
	session->directory = ik_strdup(options->directory);
	session->prompt_unstored = true;
	ik_session_set_prompt(session,
		options->system_prompt ? options->system_prompt : ik_built_in_prompt());
	ik_session_set_instructions(session, options->instructions);
	session->options.directory = session->directory;
	session->options.system_prompt = session->options.instructions = NULL;
	session->options.run.directory = session->directory;
	session->inbox_end = &session->inbox;
	session->conversation = ik_conversation_new();
	session->turn_options = turn;
	session->turn = ik_turn_new(&turn);
	session->registry = ik_registry_new();
	session->retry = ik_timer_new(options->loop, retry_due, session);
	ik_uuid_new(session->id);
	return session;
}

struct ik_session *ik_session_close(struct ik_session *session)
{
	if (!session || session->closing)
		return NULL;
	session->closing = true;
	if (!session->stepping)
		finish_closing(session);
	return NULL;
}

/* ---- from outside ---- */

void ik_session_tell_model(struct ik_session *session)
{
	struct ik_event event = {
		.kind = IK_EVENT_SESSION,
		.text = session->id,
		.text_length = strlen(session->id),
	};

	if (!session->model)
		return;
	event.name = session->model->spec.endpoint.provider;
	event.detail = session->model->spec.name;
	ik_session_emit(session, &event);
}

void ik_session_forked(struct ik_session *session, const char *id)
{
	if (session->options.undo_directory)
		ik_undo_fork(session->options.undo_directory, session->id, id);
	memcpy(session->id, id, strnlen(id, sizeof(session->id) - 1));
	if (session->lock)
		ik_session_lock(session);
	ik_session_tell_model(session);
}

void ik_session_set_model(struct ik_session *session, const struct ik_model_spec *spec)
{
	struct ik_model *model = ik_model_new(spec);

	model->spec.endpoint.unattended = session->options.asking != IK_ASKING_PERSON;
	ik_model_unref(session->model);
	session->model = model;
	ik_turn_set_price(session->turn, &spec->price);
	ik_session_tell_model(session);
	ik_session_tell_context(session);
}

void ik_session_set_registry(struct ik_session *session, struct ik_registry *registry, bool ready)
{
	ik_registry_ref(registry);
	ik_registry_unref(session->registry);
	session->registry = registry;
	session->tools_ready = ready;
	if (ready && !session->worktree)
		ik_session_undo_turn(session);
	if (ready)
		ik_session_start_waiting(session);
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_TOOLS, .ready = ready });
}

void ik_session_submit(struct ik_session *session, const char *text, size_t length)
{
	ik_session_submit_with(session, text, length, NULL, 0);
}

void ik_session_submit_with(struct ik_session *session, const char *text, size_t length,
	const char *data, size_t data_length)
{
	struct ik_input input = {
		.kind = IK_INPUT_USER,
		.text = text,
		.text_length = length,
		.data = data,
		.data_length = data_length,
	};

	if (length == 0)
		return;
	ik_session_post(session, &input);
	ik_compaction_tell(session);
}

const char *ik_session_queued(const struct ik_session *session, size_t index, size_t *ret_length)
{
	return ik_turn_queued_at(session->turn, index, ret_length);
}

void ik_session_take_back(struct ik_session *session)
{
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_TAKE_BACK });
}

void ik_session_await_model(struct ik_session *session)
{
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_MODEL, .ready = false });
}

void ik_session_know_model(struct ik_session *session, bool switched)
{
	ik_session_post(session,
		&(struct ik_input){
			.kind = IK_INPUT_MODEL,
			.ready = true,
			.success = switched,
		});
}

void ik_session_release(struct ik_session *session)
{
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_RELEASE });
}

void ik_session_cancel(struct ik_session *session)
{
	ik_compaction_cancel(session);
	ik_session_cancel_runs(session, true);
	ik_session_cancel_shells(session);
	ik_session_post(session, &(struct ik_input){ .kind = IK_INPUT_CANCEL });
}

bool ik_session_loading(const struct ik_session *session)
{
	return session->loading;
}

bool ik_session_busy(const struct ik_session *session)
{
	return session->compaction || session->runs || session->shells || session->inbox ||
		(ik_turn_queued(session->turn) > 0 && !ik_turn_holds(session->turn)) ||
		ik_turn_state(session->turn) != IK_TURN_IDLE;
}

const char *ik_session_id(const struct ik_session *session)
{
	return session->id;
}

const struct ik_conversation *ik_session_conversation(const struct ik_session *session)
{
	return session->conversation;
}

/* Tell of a message as an event of that kind, in no round. */
static void tell_message(struct ik_session *session, enum ik_event_kind kind,
	struct ik_message *message)
{
	struct ik_event event = {
		.kind = kind,
		.message = message,
		.text = message->content,
		.text_length = message->content_length,
	};

	ik_session_emit(session, &event);
}

void ik_session_add_command(struct ik_session *session, const char *line, const char *output)
{
	struct ik_message *message = ik_message_command(line, strlen(line), output, strlen(output));

	ik_session_add_message(session, message);
	ik_message_unref(message);
}

void ik_session_add_message(struct ik_session *session, struct ik_message *command)
{
	ik_session_keep(session, command);
	tell_message(session, IK_EVENT_MESSAGE, command);
}

void ik_session_add_notice(struct ik_session *session, const char *sentence)
{
	struct ik_message *message = ik_message_new(IK_KIND_NOTICE, sentence, strlen(sentence), NULL,
		0);

	ik_session_keep(session, message);
	tell_message(session, IK_EVENT_NOTICE, message);
	ik_message_unref(message);
}
