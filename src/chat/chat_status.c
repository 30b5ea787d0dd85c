/* The line of the user's own command in the status bar: when it is made anew. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "core/status_line.h"
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

/* Append the state of the chat. */
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

void ik_chat_status_update(struct ik_chat *chat)
{
	struct ik_chat_status *status = chat->status_line;
	struct ik_status_bar *bar = ik_screen_bar(chat->screen);

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
