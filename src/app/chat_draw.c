#include "app/chat_private.h"

#include "util/clock.h"
#include "util/limits.h"

/* At most 60 frames a second while a reply streams. */
#define FRAME_US 16667

/* Draw the screen and hand the frame's bytes to the terminal. */
static void draw_frame(struct ik_chat *chat)
{
	int row, column;

	ik_screen_draw(chat->screen, &chat->cells, &row, &column);
	ik_buf_clear(&chat->frame);
	ik_term_frame(chat->term, &chat->cells, row, column, &chat->frame);
	if (ik_buf_status(&chat->frame) != IK_OK) {
		/* A frame that does not fit is drawn anew, whole. */
		ik_term_invalidate(chat->term);
		return;
	}
	if (chat->frame.length > 0)
		ik_tty_write(chat->tty, chat->frame.data, chat->frame.length);
	chat->last_frame_us = ik_clock_us();
	chat->urgent = false;
}

/* Ask for the time when the screen shows any. */
static void arm_tick(struct ik_chat *chat)
{
	int64_t next = ik_screen_tick(chat->screen, ik_clock_ms());

	if (next < 0)
		ik_timer_stop(chat->tick_timer);
	else if (!ik_timer_running(chat->tick_timer))
		ik_timer_start(chat->tick_timer, next);
}

void ik_chat_draw(void *arg)
{
	struct ik_chat *chat = arg;
	int64_t wait;

	if (chat->tty == NULL || chat->screen == NULL)
		return;
	arm_tick(chat);
	if (!ik_screen_dirty(chat->screen) || ik_tty_busy(chat->tty))
		return;
	wait = chat->last_frame_us + FRAME_US - ik_clock_us();
	if (!chat->urgent && wait > 0) {
		if (!ik_timer_running(chat->frame_timer))
			ik_timer_start(chat->frame_timer, wait / 1000 + 1);
		return;
	}
	ik_timer_stop(chat->frame_timer);
	draw_frame(chat);
}

void ik_chat_draw_now(struct ik_chat *chat)
{
	chat->urgent = true;
}
