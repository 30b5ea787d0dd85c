#include "chat/chat.h"

#include <signal.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

void ik_chat_refresh(struct ik_chat *chat, const char *line)
{
	if (line) {
		free(chat->refresh_line);
		chat->refresh_line = ik_strdup(line);
		chat->refresh_agent = chat->agent->number;
	}
	ik_screen_set_scan(chat->screen, IK_SCAN_IN_PROGRESS, 0, 0);
	if (line || chat->refresh_key)
		ik_screen_flash(chat->screen, _("Refreshing tools…"));
	ik_discovery_rescan(chat->core.discovery);
}

/* Run the action that a key asks for, if any. */
static void run(struct ik_chat *chat, struct ik_invocation invocation)
{
	const struct ik_action_row *row = ik_action_of_key(chat->actions, invocation.action);

	if (!invocation.text)
		invocation.text = "";
	if (row)
		row->run(chat, &invocation);
}

static void on_key(void *arg, const struct ik_key *key)
{
	struct ik_chat *chat = arg;
	struct ik_invocation invocation;

	/* Ignore what was typed after the command that ends the program. */
	if (chat->ending)
		return;
	if (key->code == IK_KEY_REPORT) {
		ik_chat_terminal_report(chat, key->text, key->text_length);
		return;
	}
	if (key->code == IK_KEY_MOUSE)
		(void)ik_screen_tick(chat->screen, ik_clock_ms()); /* two clicks are counted */
	invocation = ik_screen_key(chat->screen, key);
	ik_chat_draft_changed(chat);
	run(chat, invocation);
}

/* Wait for the rest of a sequence, but only for a while. */
static void arm_escape(struct ik_chat *chat)
{
	int wait = ik_input_wait_ms(chat->input);

	if (wait >= 0)
		ik_timer_start(chat->escape_timer, wait);
	else
		ik_timer_stop(chat->escape_timer);
}

void ik_chat_escape_timeout(void *arg)
{
	struct ik_chat *chat = arg;

	ik_input_timeout(chat->input, on_key, chat);
	arm_escape(chat);
	ik_chat_draw_now(chat);
}

static void on_input(void *arg, const char *bytes, size_t length)
{
	struct ik_chat *chat = arg;

	ik_input_feed(chat->input, bytes, length, on_key, chat);
	arm_escape(chat);
	ik_chat_draw_now(chat);
}

static void on_resized(void *arg, int rows, int columns)
{
	struct ik_chat *chat = arg;

	/* Drawn at the pace of frames: a window that is dragged changes its size
	 * faster than anybody can see. */
	chat->resized = true;
}

static void on_resumed(void *arg)
{
	struct ik_chat *chat = arg;

	ik_agents_continue(chat);
	/* Taking the size draws every cell anew, too. */
	ik_chat_redraw(chat);
	chat->resized = true;
	ik_chat_draw_now(chat);
	ik_chat_terminal_again(chat);
}

static void on_hung_up(void *arg)
{
	ik_chat_end(arg, 128 + SIGHUP);
}

const struct ik_tty_events ik_chat_tty_events = {
	.input = on_input,
	.resized = on_resized,
	.resumed = on_resumed,
	.hung_up = on_hung_up,
};
