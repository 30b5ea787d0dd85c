/* The status bar, which is updated before each frame, with the line of the user's own command, if that
 * has something new to say. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "commands/sandbox_command.h"
#include "core/status_line.h"
#include "loop/children.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/text.h"

/* The shortest time between two runs. */
#define PAUSE_MS 300

struct ik_chat_status {
	struct ik_chat *chat;
	struct ik_status_line *running; /* NULL: it does not run */
	struct ik_timer *pause;
	struct ik_buf seen; /* what it got last */
	char *line;         /* what it printed last; NULL: nothing yet */
	bool failed;
};

static void on_pause_over(void *arg)
{
	(void)arg; /* the loop draws after each turn, and looks then */
}

static void on_line(void *arg, const char *line, const char *problem)
{
	struct ik_chat_status *status = arg;

	(void)problem; /* ikigai doctor names it */
	status->running = ik_status_line_close(status->running);
	free(status->line);
	status->line = ik_strdup(line ? line : _("ui.status_command failed"));
	status->failed = !line;
	ik_screen_touch(status->chat->screen);
}

static void put_state(struct ik_chat *chat, const char *branch, struct ik_buf *out)
{
	const struct ik_status_bar *bar = ik_screen_bar(chat->screen);
	const struct ik_status_facts facts = {
		.session = ik_session_id(chat->core.session),
		.title = bar->session,
		.directory = chat->setup->places.directory,
		.provider = bar->provider,
		.model = bar->model,
		.mode = ik_mode_name(ik_policy_mode(chat->core.policy)),
		.branch = branch,
		.context = bar->context,
		.columns = chat->cells.columns,
		.usage = bar->usage,
	};

	ik_status_facts_put(&facts, out);
}

/* Run the command if the state has changed, but not too often. */
static void run(struct ik_chat *chat, struct ik_chat_status *status)
{
	const char *command = chat->setup->config->ui_status_command;
	struct ik_buf state, input;
	char *branch;

	if (status->running || ik_timer_running(status->pause))
		return;
	ik_buf_init(&state, IK_MIB(1));
	put_state(chat, NULL, &state);
	if (state.length != status->seen.length ||
		memcmp(state.data, status->seen.data, state.length)) {
		ik_buf_clear(&status->seen);
		ik_buf_append(&status->seen, state.data, state.length);
		branch = ik_project_branch(&chat->setup->places);
		ik_buf_init(&input, IK_MIB(1));
		put_state(chat, branch, &input);
		status->running = ik_status_line_start(chat->loop, command, chat->setup->places.directory,
			(const char *const *)chat->core.environment, &input, on_line, status);
		ik_timer_start(status->pause, PAUSE_MS);
		ik_buf_done(&input);
		free(branch);
	}
	ik_buf_done(&state);
}

static void show_agents(const struct ik_chat *chat, struct ik_status_bar *bar)
{
	bool several = ik_agent_count(chat) > 1;

	bar->agent_count = 0;
	for (const struct ik_agent *agent = chat->agents;
		 agent && several && bar->agent_count < IK_AGENTS_MOST; agent = agent->next) {
		/* Assign members, since bars are compared byte by byte. */
		struct ik_agent_mark *mark = &bar->agents[bar->agent_count++];

		mark->number = agent->number;
		mark->shown = agent == chat->agent;
		mark->state = ik_agent_state(agent);
		mark->started_ms = agent->turn_started_ms;
	}
}

/* Show the mode, or that the session is only followed. */
static void show_mode(const struct ik_chat *chat, struct ik_status_bar *bar)
{
	const struct ik_session *session = chat->agent->session;
	enum ik_mode mode = ik_policy_mode(chat->core.policy);
	bool following = session && ik_session_is_following(session);

	bar->mode_strong = following || mode != IK_MODE_AUTO;
	bar->mode = !following                                ? ik_mode_name(mode)
		: ik_stored_is_asking(ik_session_stored(session)) ? _("asking")
														  : _("reading");
}

static void show_status(struct ik_chat *chat)
{
	struct ik_status_bar *bar = ik_screen_bar(chat->screen);

	show_agents(chat, bar);
	bar->work = chat->work;
	chat->welcome.instructions = chat->setup->instructions;
	if (chat->term)
		bar->mouse_off = ik_term_answers(chat->term) && !chat->modes.mouse;
	if (!chat->core_started)
		return;
	show_mode(chat, bar);
	bar->sandbox = ik_sandbox_mark(chat->setup->sandbox, &bar->sandbox_trouble);
	bar->background = ik_children_orphans(chat->loop);
}

void ik_chat_status_update(struct ik_chat *chat)
{
	struct ik_chat_status *status = chat->status_line;
	struct ik_status_bar *bar = ik_screen_bar(chat->screen);

	show_status(chat);
	if (!chat->setup->config->ui_status_command || !chat->core_started || chat->ending)
		return;
	if (!status) {
		status = chat->status_line = ik_alloc(sizeof(*status));
		status->chat = chat;
		status->pause = ik_timer_new(chat->loop, on_pause_over, status);
		ik_buf_init(&status->seen, IK_MIB(1));
	}
	run(chat, status);
	bar->own = status->line;
	bar->own_failed = status->failed;
}

void ik_chat_status_done(struct ik_chat *chat)
{
	struct ik_chat_status *status = chat->status_line;

	if (!status)
		return;
	ik_status_line_close(status->running);
	ik_timer_close(status->pause);
	ik_buf_done(&status->seen);
	free(status->line);
	free(status);
	chat->status_line = NULL;
}
