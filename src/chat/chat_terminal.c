/* The chat's terminal: its bytes and events, the queries to it (background, for the theme, and
 * keyboard), and its modes. */
#include "chat/chat.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/query.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

/* A terminal that hasn't answered by then probably won't; later answers still count. */
#define ANSWER_MS 2000

/* Update the modes to enter and leave with. */
static void note_modes(struct ik_chat *chat)
{
	/* After a stop it may be another terminal, so its keyboard is queried again. */
	struct ik_term_modes without = chat->modes;

	without.keyboard = false;
	char *enter = ik_term_modes_enter(chat->term, without);
	char *leave = ik_term_modes_leave(chat->term, chat->modes);

	ik_tty_change(chat->tty, enter, leave);
	free(enter);
	free(leave);
}

static void switch_modes(struct ik_chat *chat, struct ik_term_modes modes)
{
	char *change = ik_term_modes_change(chat->term, chat->modes, modes);

	chat->modes = modes;
	note_modes(chat);
	ik_tty_write(chat->tty, change, strlen(change));
	free(change);
}

enum ik_status ik_chat_terminal_enter(struct ik_chat *chat, struct ik_error *error)
{
	char *enter, *leave;
	enum ik_status status;

	if (chat->linear)
		return ik_tty_enter(chat->tty, ik_linear_enter(chat->linear), ik_linear_leave(chat->linear),
			error);
	const struct ik_config *config = chat->setup->config;
	bool answers = ik_term_answers(chat->term);

	chat->modes = (struct ik_term_modes){
		.cursor = answers && ik_text_equal(config->ui_editing, "vi") ? IK_CURSOR_BAR
																	 : IK_CURSOR_USUAL,
		.mouse = answers && config->ui_mouse,
		.focus = answers && !ik_text_equal(config->ui_notify, "off"),
		.title = answers && chat->osc.title && config->ui_title,
		.progress = answers && chat->osc.progress && config->ui_progress,
	};
	enter = ik_term_modes_enter(chat->term, chat->modes);
	leave = ik_term_modes_leave(chat->term, chat->modes);
	status = ik_tty_enter(chat->tty, enter, leave, error);
	free(enter);
	free(leave);
	return status;
}

/* Set up the terminal again after a stop; it may be a different one. */
static void enter_again(struct ik_chat *chat)
{
	ik_chat_notify_again(chat);
	if (!chat->term)
		return;
	chat->modes.keyboard = chat->modes.pictures = chat->sixels = false;
	note_modes(chat);
	ik_chat_terminal_ask(chat);
}

void ik_chat_set_mouse(struct ik_chat *chat, bool on)
{
	struct ik_term_modes modes = chat->modes;

	if (!chat->term || !ik_term_answers(chat->term)) {
		ik_screen_flash(chat->screen, _("There is no mouse in this terminal"));
		return;
	}
	modes.mouse = on;
	switch_modes(chat, modes);
	ik_screen_flash(chat->screen,
		on ? _("Wheel and clicks are ikigai's; with Shift they are the terminal's")
		   : _("Wheel, clicks and selection are the terminal's"));
}

void ik_chat_terminal_unanswered(void *arg)
{
	struct ik_chat *chat = arg;

	ik_timer_stop(chat->answer_timer);
	ik_input_expect(chat->input, false);
	ik_tty_expect(chat->tty, false);
}

void ik_chat_terminal_ask(struct ik_chat *chat)
{
	static const char last[] = IK_KEYBOARD_QUERY IK_FENCE_QUERY;

	if (!chat->term || !ik_term_answers(chat->term))
		return;
	if (ik_chat_pictures_way(chat) != IK_DRAWING_NONE)
		ik_tty_write(chat->tty, IK_NAME_QUERY, sizeof(IK_NAME_QUERY) - 1);
	/* Only a theme that depends on the background needs the query. */
	if (!ik_theme_find(&chat->setup->themes, chat->setup->config->ui_theme) &&
		ik_term_colours(chat->term) != IK_COLOURS_NONE)
		ik_tty_write(chat->tty, IK_BACKGROUND_QUERY, sizeof(IK_BACKGROUND_QUERY) - 1);
	ik_tty_write(chat->tty, last, sizeof(last) - 1);
	ik_input_expect(chat->input, true);
	ik_tty_expect(chat->tty, true);
	ik_timer_start(chat->answer_timer, ANSWER_MS);
}

static void take_report(struct ik_chat *chat, const char *report, size_t length)
{
	struct ik_term_modes modes = chat->modes;

	if (!chat->term)
		return;
	if (ik_background_is_fence(report, length)) {
		chat->sixels = chat->sixels || ik_sixels_are_known(report, length);
		ik_screen_touch(chat->screen);
		ik_chat_terminal_unanswered(chat);
	} else if (ik_keyboard_is_offered(report, length)) {
		modes.keyboard = true;
		switch_modes(chat, modes);
	} else if (ik_placeholders_are_known(report, length)) {
		modes.pictures = true;
		switch_modes(chat, modes);
		ik_screen_touch(chat->screen);
	} else if (ik_background_read(report, length, &chat->light)) {
		ik_screen_touch(chat->screen);
	}
}

/* ---- bytes and events ---- */

/* Run the action that a key requests, if any. */
static void run(struct ik_chat *chat, struct ik_invocation invocation)
{
	const struct ik_action_row *row = ik_action_of_key(ik_actions_table(chat->actions),
		invocation.action);

	if (!invocation.text)
		invocation.text = "";
	if (row)
		row->run(chat, &invocation);
}

/* Let the cursor's shape say vi's mode. */
static void shape_cursor(struct ik_chat *chat)
{
	struct ik_term_modes modes = chat->modes;

	if (!chat->term || !ik_term_answers(chat->term) || chat->ending || chat->program)
		return;
	modes.cursor = ik_screen_cursor(chat->screen);
	if (modes.cursor != chat->modes.cursor)
		switch_modes(chat, modes);
}

static void on_key(void *arg, const struct ik_key *key)
{
	struct ik_chat *chat = arg;
	struct ik_invocation invocation;

	/* Ignore what was typed after the command that quit the program. */
	if (chat->ending)
		return;
	if (key->code == IK_KEY_REPORT) {
		take_report(chat, key->text, key->text_length);
		return;
	}
	if (key->code == IK_KEY_FOCUS_IN || key->code == IK_KEY_FOCUS_OUT) {
		chat->unfocused = key->code == IK_KEY_FOCUS_OUT;
		return;
	}
	(void)ik_screen_tick(chat->screen, ik_clock_ms());
	invocation = ik_screen_key(chat->screen, key);
	ik_chat_draft_changed(chat);
	run(chat, invocation);
	shape_cursor(chat);
}

/* Wait a limited time for the rest of a sequence. */
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

	/* Drawn at the frame rate, since dragging a window resizes it faster than anyone can see. */
	chat->resized = true;
}

static void on_resumed(void *arg)
{
	struct ik_chat *chat = arg;

	ik_agents_pause(chat, false);
	/* Applying the size redraws every cell, too. */
	ik_chat_redraw(chat);
	chat->resized = true;
	ik_chat_draw_now(chat);
	enter_again(chat);
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
