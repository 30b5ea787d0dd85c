/* What the terminal is told besides its cells: a title, that something is at work, and that the user
 * is wanted while another window has focus.  All of it follows from the states of the agents. */
#include "chat/chat.h"

#include <stdlib.h>
#include <string.h>

#include "loop/child.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/path.h"
#include "util/text.h"

#define LONG_MS 10000          /* a turn that took longer has ended unwatched */
#define PROGRAM_MS (60 * 1000) /* limit on the user's program */

static void write_out(struct ik_chat *chat, struct ik_buf *out)
{
	if (ik_buf_status(out) == IK_OK)
		ik_tty_write(chat->tty, out->data, out->length);
	ik_buf_done(out);
}

/* ---- title and progress ---- */

/* Return the state to show for all agents: the one that needs the user most. */
static enum ik_agent_state state_of_all(const struct ik_chat *chat)
{
	enum ik_agent_state found = IK_AGENT_IDLE;

	for (const struct ik_agent *agent = chat->agents; agent; agent = agent->next) {
		enum ik_agent_state state = ik_agent_state(agent);

		if (state == IK_AGENT_ASKING)
			return state;
		if (state == IK_AGENT_WORKING)
			found = state;
	}
	return found;
}

/* Return an agent's title as a new string: its session's, or until it has one that of the
 * directory. */
static char *title_of(const struct ik_agent *agent, const char *mark)
{
	const struct ik_status_bar *bar = ik_screen_bar(agent->screen);
	const char *directory = agent->chat->setup->places.directory;
	const char *slash = strrchr(directory, '/');
	const char *name = slash && slash[1] ? slash + 1 : directory;

	return ik_format("%s%s - ikigai", mark, bar->session ? bar->session : name);
}

/* Set the title if it has changed: some terminals show each change, or ring for it. */
static void show_title(struct ik_chat *chat, enum ik_agent_state state)
{
	char *title = title_of(chat->agent,
		state == IK_AGENT_ASKING        ? "? "
			: state == IK_AGENT_WORKING ? "◐ "
										: "");
	struct ik_buf out;

	if (chat->title && ik_text_equal(chat->title, title)) {
		free(title);
		return;
	}
	free(chat->title);
	chat->title = title;
	ik_buf_init(&out, IK_KIB(4));
	ik_osc_put_title(&out, title, chat->utf8);
	write_out(chat, &out);
}

static void show_progress(struct ik_chat *chat, enum ik_agent_state state)
{
	enum ik_osc_progress progress = state == IK_AGENT_ASKING ? IK_OSC_PAUSED
		: state == IK_AGENT_WORKING                          ? IK_OSC_BUSY
															 : IK_OSC_OFF;
	struct ik_buf out;

	if (progress == chat->progress)
		return;
	chat->progress = progress;
	ik_buf_init(&out, IK_KIB(1));
	ik_osc_put_progress(&out, progress);
	write_out(chat, &out);
}

/* ---- notices ---- */

static void on_program_done(void *arg, const struct ik_child_result *result)
{
	struct ik_chat *chat = arg;

	chat->notifier = ik_child_close(chat->notifier);
}

/* Run the user's program with a title and a text. One at a time: a new one ends the last. */
static void run_program(struct ik_chat *chat, const char *title, const char *body)
{
	static const struct ik_child_events events = { .done = on_program_done };
	char *path = ik_path_expand(chat->setup->config->ui_notify, chat->setup->places.user_home);
	const char *argv[] = { path, title, body, NULL };
	const struct ik_child_spec spec = {
		.path = path,
		.argv = argv,
		.directory = chat->setup->places.directory,
		.timeout_ms = PROGRAM_MS,
		.discard_stderr = true,
	};
	struct ik_error error;

	chat->notifier = ik_child_close(chat->notifier);
	if (ik_child_start(chat->loop, &spec, &events, chat, &chat->notifier, &error) != IK_OK)
		ik_agent_say(chat->agent, IK_EVENT_ERROR, "ui.notify: %s", error.text);
	free(path);
}

/* Tell the user, who looks elsewhere, what has happened. */
static void notify(const struct ik_agent *agent, const char *sentence)
{
	struct ik_chat *chat = agent->chat;
	const char *how = chat->setup->config->ui_notify;
	char *title = title_of(agent, "");
	struct ik_buf out;

	if (ik_text_equal(how, "auto")) {
		ik_buf_init(&out, IK_KIB(4));
		ik_osc_put_notice(&out, &chat->osc, title, sentence, chat->utf8);
		write_out(chat, &out);
	} else if (!ik_text_equal(how, "off")) {
		run_program(chat, title, sentence);
	}
	free(title);
}

/* Notice how an agent's state has changed, and call the user if it has ended or asks. */
static void watch(struct ik_agent *agent)
{
	enum ik_agent_state before = agent->noticed, now = ik_agent_state(agent);
	bool worked = before == IK_AGENT_WORKING || before == IK_AGENT_ASKING;
	int64_t now_ms = ik_clock_ms();

	agent->noticed = now;
	if (now == before)
		return;
	if (now == IK_AGENT_WORKING && !worked)
		agent->busy_ms = now_ms;
	if (!agent->chat->unfocused)
		return;
	if (now == IK_AGENT_ASKING)
		notify(agent, _("A question waits for your answer."));
	else if (worked && now != IK_AGENT_WORKING && now_ms - agent->busy_ms > LONG_MS)
		notify(agent, now == IK_AGENT_FAILED ? _("The turn failed.") : _("The turn has ended."));
}

void ik_chat_notify_update(struct ik_chat *chat)
{
	enum ik_agent_state state = state_of_all(chat);

	for (struct ik_agent *agent = chat->agents; agent; agent = agent->next)
		watch(agent);
	if (chat->modes.title)
		show_title(chat, state);
	if (chat->modes.progress)
		show_progress(chat, state);
}

void ik_chat_notify_again(struct ik_chat *chat)
{
	free(chat->title);
	chat->title = NULL;
	chat->progress = IK_OSC_OFF;
	chat->unfocused = false;
}

void ik_chat_notify_done(struct ik_chat *chat)
{
	chat->notifier = ik_child_close(chat->notifier);
	free(chat->title);
}
