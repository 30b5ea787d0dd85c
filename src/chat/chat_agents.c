#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* ---- parts of stored outputs ---- */

/* Number of parts in the cache: the two texts of a call with the ends of their last characters,
 * and the previous page. */
#define REMEMBERED 6
/* How long a failure is cached. */
#define FAILURE_MS 2000

/* A part of a stored output. */
struct blob {
	struct ik_agent *agent;
	int64_t wanted; /* a counter's value at the last use; 0 if free */
	char id[IK_UUID_TEXT];
	size_t part;
	struct ik_store_read *read; /* NULL once answered */
	enum ik_status status;
	struct ik_error error;
	int64_t answered_ms;
	struct ik_buf bytes;
};

struct ik_chat_blobs {
	int64_t count;
	struct blob places[REMEMBERED];
};

static void forget_blob(struct blob *blob)
{
	if (blob->wanted == 0)
		return;
	blob->wanted = 0;
	blob->read = ik_store_read_close(blob->read);
	ik_buf_done(&blob->bytes);
}

void ik_chat_forget_blobs(struct ik_agent *agent)
{
	for (int i = 0; agent->blobs && i < REMEMBERED; i++)
		forget_blob(&agent->blobs->places[i]);
	free(agent->blobs);
	agent->blobs = NULL;
}

/* Cache a part that was read. The redrawn inspector requests it again. */
static void on_part(void *arg, const struct ik_store_answer *answer)
{
	struct blob *blob = arg;

	blob->read = NULL;
	blob->status = answer->status;
	blob->error = answer->error;
	blob->answered_ms = ik_clock_ms();
	ik_buf_append(&blob->bytes, answer->bytes, answer->length);
	ik_screen_blob_arrived(blob->agent->screen);
}

/* Return the slot of a part, or else the least recently used one. Failures expire. */
static struct blob *find_blob(struct ik_chat_blobs *blobs, const char *id, size_t part)
{
	struct blob *oldest = &blobs->places[0];

	for (int i = 0; i < REMEMBERED; i++) {
		struct blob *blob = &blobs->places[i];

		if (blob->wanted > 0 && blob->part == part && ik_text_equal(blob->id, id)) {
			if (!blob->read && blob->status != IK_OK &&
				ik_clock_ms() - blob->answered_ms > FAILURE_MS)
				forget_blob(blob);
			return blob;
		}
		if (blob->wanted < oldest->wanted)
			oldest = blob;
	}
	forget_blob(oldest);
	return oldest;
}

/* Read a part of a stored output, for an agent's inspector (an ik_blob_reader). */
static enum ik_status read_blob(void *arg, const char *id, size_t part, struct ik_buf *out,
	struct ik_error *error)
{
	struct ik_agent *agent = arg;
	struct blob *blob;

	if (!agent->blobs)
		agent->blobs = ik_alloc(sizeof(*agent->blobs));
	blob = find_blob(agent->blobs, id, part);
	if (blob->wanted == 0) {
		*blob = (struct blob){ .agent = agent, .part = part };
		memcpy(blob->id, id, strnlen(id, sizeof(blob->id) - 1));
		ik_buf_init(&blob->bytes, IK_LIMIT_PART);
		blob->read = ik_store_read_part(agent->chat->core.store, id, part, on_part, blob);
	}
	blob->wanted = ++agent->blobs->count;
	if (blob->read)
		return ik_error_set(error, IK_UNAVAILABLE, "%s", "");
	if (blob->status == IK_OK)
		ik_buf_append(out, blob->bytes.data, blob->bytes.length);
	else
		*error = blob->error;
	return blob->status;
}

/* ---- life ---- */

/* Append the commands of a group for the help (an ik_help_commands). */
static void put_commands(void *arg, enum ik_group group, struct ik_buf *out)
{
	const struct ik_chat *chat = arg;

	ik_action_list(ik_actions_rows(chat->actions), group, out);
}

static struct ik_screen *make_screen(struct ik_agent *agent, int rows, int columns)
{
	const struct ik_setup *setup = agent->chat->setup;
	const struct ik_model *model = agent->chat->core_started ? ik_core_model(&agent->chat->core)
															 : setup->model;
	bool linear = agent->linear;
	char *history = ik_places_file(&setup->places, "history");

	const struct ik_screen_options options = {
		.history_path = history,
		.history_bytes = (size_t)setup->config->keep_history_mb * IK_MIB(1),
		.markdown = setup->config->ui_markdown && !linear,
		.inspector = !linear && ik_text_equal(setup->config->ui_inspector, "open"),
		.visual = !linear,
		.vi = ik_text_equal(setup->config->ui_editing, "vi"),
		.hide_thinking = !setup->config->ui_show_thinking,
		.tool_lines = (size_t)setup->config->ui_tool_output,
		.prose_width = (int)setup->config->ui_prose_width,
		.drawer = &agent->chat->drawer,
		.read_blob = read_blob,
		.read_arg = agent,
		.put_form = ik_chat_put_form,
		.form_arg = agent->chat,
		.sessions = &ik_chat_sessions_source,
		.sessions_arg = agent,
		.welcome = &agent->chat->welcome,
		.provider = model->endpoint.provider,
		.model = model->name,
		.commands = put_commands,
		.commands_arg = agent->chat,
		.keys = setup->config->ui_keys,
	};
	struct ik_screen *screen = ik_screen_new(&options);

	ik_screen_resize(screen, rows, columns);
	free(history);
	return screen;
}

/* Return the place of the next agent in the list, and its number: the first gap. */
static struct ik_agent **find_gap(struct ik_chat *chat, int *ret_number)
{
	struct ik_agent **place = &chat->agents;

	for (*ret_number = 1; *place && (*place)->number == *ret_number; ++*ret_number)
		place = &(*place)->next;
	return place;
}

/* Show the models of a provider that are now known. */
static void on_choices(void *arg)
{
	struct ik_agent *agent = arg;

	ik_screen_candidates_changed(agent->screen);
	if (agent == agent->chat->agent) /* otherwise when it is shown */
		ik_chat_pick_again(agent);
}

struct ik_agent *ik_agent_new(struct ik_chat *chat)
{
	struct ik_agent *agent = ik_alloc(sizeof(*agent)), **place;

	agent->chat = chat;
	agent->draft_lock = -1;
	place = find_gap(chat, &agent->number);
	agent->next = *place;
	*place = agent;
	if (chat->plain)
		agent->linear = ik_linear_new(chat->utf8, chat->ansi,
			chat->ansi && chat->osc.marks && chat->setup->config->ui_marks);
	agent->screen = make_screen(agent, chat->cells.rows, chat->cells.columns);
	agent->choices = ik_choices_new(&chat->core, on_choices, agent);
	agent->complete = ik_complete_new(chat->loop, &chat->core, agent->screen, chat->actions,
		agent->choices);
	return agent;
}

static void agent_free(struct ik_agent *agent)
{
	ik_chat_forget_blobs(agent);
	ik_chat_sessions_done(agent);
	ik_chat_forget_questions(agent);
	ik_chat_policy_done(agent);
	ik_chat_forms_done(agent);
	ik_chat_draft_end(agent);
	free(agent->task);
	free(agent->lock_asker);
	free(agent->picking_words);
	agent->complete = ik_complete_free(agent->complete);
	agent->choices = ik_choices_free(agent->choices);
	agent->screen = ik_screen_free(agent->screen);
	agent->linear = ik_linear_free(agent->linear);
	free(agent);
}

struct ik_agent *ik_agent_close(struct ik_agent *agent)
{
	struct ik_chat *chat = agent->chat;
	struct ik_agent **place = &chat->agents, *other;

	if (chat->agent == agent)
		ik_agent_show(agent->parent     ? agent->parent
				: chat->agents != agent ? chat->agents
										: agent->next);
	ik_chat_stop_sending(agent);
	(void)ik_chat_draft_save(chat); /* together with its queued messages */
	agent->session = ik_core_close_session(&chat->core, agent->session);
	while (*place != agent)
		place = &(*place)->next;
	*place = agent->next;
	for (other = chat->agents; other; other = other->next)
		if (other->parent == agent)
			other->parent = agent->parent;
	agent_free(agent);
	ik_chat_pick_again(chat->agent);
	return NULL;
}

void ik_agents_done(struct ik_chat *chat)
{
	chat->agent = NULL;
	while (chat->agents) {
		struct ik_agent *agent = chat->agents;

		chat->agents = agent->next;
		agent_free(agent);
	}
	chat->screen = NULL;
	chat->linear = NULL;
}

/* Update the screen with what it missed while it was not shown. */
static void bring_up_to_date(struct ik_agent *agent)
{
	struct ik_chat *chat = agent->chat;
	struct ik_screen *screen = agent->screen;

	ik_screen_resize(screen, chat->cells.rows, chat->cells.columns);
	if (!chat->core_started)
		return;
	ik_screen_set_store(screen, ik_store_name(chat->core.store));
	if (chat->core.scanned) {
		struct ik_registry *registry = ik_core_registry(&chat->core);
		size_t count = ik_registry_count(registry);

		ik_screen_set_registry(screen, registry);
		ik_screen_set_scan(screen, ik_registry_state(registry), count, count);
		ik_screen_candidates_changed(screen);
	}
	ik_chat_pick_again(agent);
	ik_screen_session_runs(screen, ik_session_id(agent->session));
}

void ik_agent_show(struct ik_agent *agent)
{
	struct ik_chat *chat = agent->chat;

	if (chat->agent == agent)
		return;
	if (chat->agent) {
		ik_chat_sessions_stop(chat);
		ik_chat_draft_changed(chat);
		if (agent->linear)
			ik_linear_take_over(agent->linear, chat->agent->linear);
	}
	chat->agent = agent;
	chat->screen = agent->screen;
	chat->linear = agent->linear;
	if (agent->session)
		chat->core.session = agent->session;
	agent->unread = false;
	bring_up_to_date(agent);
	ik_chat_draw_now(chat);
}

/* Return the agent before the shown one, wrapping around. */
static struct ik_agent *agent_before(const struct ik_chat *chat)
{
	struct ik_agent *agent = chat->agents;

	while (agent->next && agent->next != chat->agent)
		agent = agent->next;
	return agent;
}

void ik_agent_show_number(struct ik_chat *chat, int number)
{
	struct ik_agent *agent = number > 0 ? ik_agent_find(chat, number) : chat->agent->next;

	if (number < 0)
		agent = agent_before(chat);
	else if (number == 0 && !agent)
		agent = chat->agents;
	if (agent && agent != chat->agent)
		ik_agent_show(agent);
	else if (number > 0)
		ik_chat_flash(chat, agent ? _("This is agent %d.") : _("There is no agent %d."), number);
	else
		ik_chat_flash(chat, _("There is one agent only: /fork PROMPT begins another."));
}

/* ---- events ---- */

/* Show over the editor of the shown agent what another one needs. */
static void call(const struct ik_agent *agent)
{
	char *key = ik_agent_key(agent->chat, agent->number);
	bool waits = agent->calls || agent->forms;

	if (waits || agent->failed)
		ik_chat_flash(agent->chat,
			waits ? _("Agent %d waits for your answer: %s shows it.")
				  : _("Agent %d has failed: %s shows it."),
			agent->number, key);
	else
		ik_chat_flash(agent->chat, _("Agent %d has ended its turn."), agent->number);
	free(key);
}

/* Update the state of an agent after an event. */
static void note_state(struct ik_agent *agent, const struct ik_event *event)
{
	bool shown = agent == agent->chat->agent;

	switch (event->kind) {
	case IK_EVENT_TURN_STARTED:
		agent->turn_started_ms = ik_clock_ms();
		agent->failed = false;
		break;
	case IK_EVENT_TURN_DONE:
		agent->turn_started_ms = 0;
		agent->failed = event->stop == IK_TURN_STOP_ERROR;
		agent->unread = !shown;
		if (!shown)
			call(agent);
		break;
	case IK_EVENT_ASKING:
	case IK_EVENT_QUESTION:
		if (!shown)
			call(agent);
		break;
	case IK_EVENT_MESSAGE:
		if (event->message->kind != IK_KIND_COMMAND)
			break;
		/* fall through */
	case IK_EVENT_NOTICE:
	case IK_EVENT_ERROR:
		agent->unread = agent->unread || (!shown && !agent->restoring);
		break;
	default:
		break;
	}
}

void ik_agent_event(void *arg, const struct ik_event *event)
{
	struct ik_agent *agent = arg;
	struct ik_chat *chat = agent->chat;

	ik_core_log_event(event);
	ik_screen_apply(agent->screen, event);
	if (event->kind == IK_EVENT_SESSION)
		ik_screen_session_runs(agent->screen, event->text);
	ik_chat_policy_event(agent, event);
	ik_chat_form_event(agent, event);
	ik_chat_children_event(agent, event);
	ik_chat_lock_event(agent, event);
	ik_chat_undo_event(agent, event);
	ik_chat_draft_event(agent, event);
	if (event->kind == IK_EVENT_TEXT || event->kind == IK_EVENT_THINKING ||
		event->kind == IK_EVENT_TOOL_OUTPUT || event->kind == IK_EVENT_CALL_PROGRESS)
		return;
	/* Start the clocks of hidden screens, too. */
	if (agent != chat->agent)
		(void)ik_screen_tick(agent->screen, ik_clock_ms());
	note_state(agent, event);
	ik_chat_pick_again(chat->agent);
}

void ik_agents_store_event(void *arg, const struct ik_event *event)
{
	struct ik_chat *chat = arg;
	struct ik_agent *agent;

	for (agent = chat->agents; agent; agent = agent->next)
		if (event->kind == IK_EVENT_STORE || agent == chat->agent)
			ik_screen_apply(agent->screen, event);
}
