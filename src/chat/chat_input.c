#include "chat/chat_private.h"

#include <signal.h>
#include <stdlib.h>

#include "chat/chat_trust.h"
#include "chat/external_editor.h"
#include "chat/pager.h"
#include "loop/child.h"
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
	ik_core_refresh(&chat->core);
}

/* Do what the screen says a key means. */
static void react(struct ik_chat *chat, const struct ik_reaction *reaction)
{
	switch (reaction->kind) {
	case IK_REACT_NONE:
		break;
	case IK_REACT_SUBMIT:
		ik_chat_submit(chat, reaction->text, reaction->length);
		break;
	case IK_REACT_EDITOR:
		ik_external_editor_open(chat);
		break;
	case IK_REACT_TAKE_BACK:
		ik_chat_take_back(chat);
		break;
	case IK_REACT_SEND_QUEUE:
		ik_session_send_held(chat->core.session);
		break;
	case IK_REACT_CANCEL:
		ik_session_cancel(chat->core.session);
		break;
	case IK_REACT_REFRESH:
		ik_chat_trust_again(chat);
		chat->refresh_key = true;
		ik_chat_refresh(chat, NULL);
		break;
	case IK_REACT_COPY:
		ik_chat_copy(chat, reaction->text, reaction->length, reaction->cut);
		break;
	case IK_REACT_RESUME:
		ik_chat_resume(chat, reaction->text);
		break;
	case IK_REACT_DELETE_SESSION:
		ik_chat_delete_session(chat, reaction->text);
		break;
	case IK_REACT_AGENT:
		ik_agent_show_number(chat, reaction->number);
		break;
	case IK_REACT_SUSPEND:
		(void)ik_chat_draft_save(chat);
		ik_agents_pause(chat);
		ik_tty_suspend(chat->tty);
		break;
	case IK_REACT_REDRAW:
		ik_chat_redraw(chat);
		break;
	case IK_REACT_QUIT:
		ik_chat_quit(chat);
		break;
	case IK_REACT_MODE:
		if (chat->core_started)
			ik_chat_set_mode(chat, (ik_policy_mode(chat->core.policy) + 1) % IK_MODE_COUNT);
		break;
	case IK_REACT_TAKE_OVER:
		ik_chat_take_over(chat);
		break;
	case IK_REACT_RERUN:
		ik_chat_rerun(chat, reaction->text, reaction->length);
		break;
	case IK_REACT_REWIND:
		ik_chat_rewind(chat, reaction->text);
		break;
	case IK_REACT_UNDO_CALL:
		ik_chat_undo_call(chat, reaction->text);
		break;
	case IK_REACT_PAGER:
		ik_pager_open(chat, reaction->text, reaction->length);
		break;
	case IK_REACT_SWITCH_TOOL:
		ik_chat_switch_tool(chat, reaction->text);
		break;
	case IK_REACT_MOUSE:
		ik_chat_set_mouse(chat, !chat->modes.mouse);
		break;
	case IK_REACT_ANSWER:
		ik_chat_answered(chat, &reaction->answer);
		break;
	}
}

static void on_key(void *arg, const struct ik_key *key)
{
	struct ik_chat *chat = arg;
	struct ik_reaction reaction;

	/* What was typed behind the word that ends the program came too late. */
	if (chat->ending)
		return;
	if (key->code == IK_KEY_REPORT) {
		ik_chat_terminal_report(chat, key->text, key->text_length);
		return;
	}
	if (key->code == IK_KEY_MOUSE)
		(void)ik_screen_tick(chat->screen, ik_clock_ms()); /* two clicks are counted */
	reaction = ik_screen_key(chat->screen, key);
	ik_chat_draft_changed(chat);
	react(chat, &reaction);
}

/* Wait for the rest of a sequence, but not for ever. */
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

static void on_drained(void *arg)
{
	/* The loop draws before it sleeps: nothing to do but to have woken up. */
	(void)arg;
}

static void on_resized(void *arg, int rows, int columns)
{
	struct ik_chat *chat = arg;

	/* Drawn at the pace of frames: a window that is dragged changes its size
	 * faster than anybody can see. */
	(void)rows;
	(void)columns;
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

/* clang-format off */
const struct ik_tty_events ik_chat_tty_events = {
	on_input, on_drained, on_resized, on_resumed, on_hung_up,
};
/* clang-format on */
