#include "chat/chat.h"

#include <stdlib.h>

#include "commands/appearance.h"
#include "util/clock.h"

/* At most 30 frames a second while a reply streams: more can't be read, and drawing costs more
 * than the text. A key is drawn at once. A frame that is due within FRAME_EARLY_US is drawn now, to
 * save a wakeup. */
#define FRAME_US (IK_CORE_FRAME_MS * 1000)
#define FRAME_EARLY_US 4000

void ik_chat_redraw(struct ik_chat *chat)
{
	if (chat->linear)
		ik_linear_again(chat->linear);
	else
		ik_term_invalidate(chat->term);
}

void ik_chat_size(const struct ik_chat *chat, int *ret_rows, int *ret_columns)
{
	ik_tty_size(chat->tty, ret_rows, ret_columns);
	if (chat->plain)
		ik_linear_size(ret_rows, ret_columns);
}

/* Return the theme of the frame: the selected one while the user chooses, else the configured
 * one. */
static const struct ik_theme *theme_of(const struct ik_chat *chat)
{
	const struct ik_agent *agent = chat->agent;
	const char *name = agent->picking == IK_PICKING_ARGUMENT &&
			agent->picking_row->argument == IK_ARGUMENT_THEME
		? ik_screen_picked(agent->screen)
		: NULL;

	return ik_appearance_theme(&chat->setup->themes, name ? name : chat->setup->config->ui_theme,
		chat->light);
}

/* Draw the screen and pass the frame's bytes to the terminal. */
static void draw_frame(struct ik_chat *chat)
{
	ik_screen_draw(chat->screen, &chat->cells);
	ik_buf_clear(&chat->frame);
	if (chat->linear)
		ik_linear_frame(chat->linear, chat->screen, &chat->cells, &chat->frame);
	else {
		ik_term_set_theme(chat->term, theme_of(chat));
		ik_term_frame(chat->term, &chat->cells, &chat->frame);
	}
	if (ik_buf_status(&chat->frame) != IK_OK) {
		/* If a frame does not fit, the next one redraws everything. */
		ik_chat_redraw(chat);
		return;
	}
	if (chat->frame.length > 0)
		ik_tty_write(chat->tty, chat->frame.data, chat->frame.length);
	chat->last_frame_us = ik_clock_us();
	chat->urgent = false;
}

/* ---- frames ---- */

/* Start the timer for when the screen's displayed time changes. A new call or hint changes that,
 * so this runs in every turn of the loop. */
static void arm_tick(struct ik_chat *chat)
{
	int64_t next = ik_screen_tick(chat->screen, ik_clock_ms());

	if (next < 0)
		ik_timer_stop(chat->tick_timer);
	else
		ik_timer_start(chat->tick_timer, next);
}

/* Apply the terminal's current size, once for a burst of changes. */
static void take_size(struct ik_chat *chat)
{
	int rows, columns;

	chat->resized = false;
	ik_chat_size(chat, &rows, &columns);
	if (chat->term)
		ik_term_resize(chat->term, rows, columns);
	ik_cells_resize(&chat->cells, rows, columns);
	ik_screen_resize(chat->screen, rows, columns);
}

void ik_chat_draw(void *arg)
{
	struct ik_chat *chat = arg;
	int64_t wait;

	if (!chat->tty || !chat->screen)
		return;
	if (chat->program)
		return; /* everything is drawn when the terminal is ours again */
	ik_chat_questions_update(chat);
	ik_chat_status_update(chat);
	ik_chat_notify_update(chat);
	arm_tick(chat);
	if (!ik_screen_dirty(chat->screen) && !chat->resized) {
		chat->urgent = false;
		ik_timer_stop(chat->frame_timer);
		return;
	}
	if (ik_tty_busy(chat->tty)) {
		/* A skipped frame is drawn once the terminal has accepted the last one. */
		ik_timer_stop(chat->frame_timer);
		return;
	}
	wait = chat->last_frame_us + FRAME_US - ik_clock_us();
	if (chat->urgent || wait <= FRAME_EARLY_US) {
		if (chat->resized)
			take_size(chat);
		draw_frame(chat);
		wait = FRAME_US;
	}
	if (!ik_screen_dirty(chat->screen) && !chat->resized)
		ik_timer_stop(chat->frame_timer);
	else if (!ik_timer_running(chat->frame_timer))
		ik_timer_start(chat->frame_timer, wait / 1000 + 1);
}

void ik_chat_draw_now(struct ik_chat *chat)
{
	chat->urgent = true;
}
