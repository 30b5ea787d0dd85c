/* The chat's theme: the one that is wished for, or what the terminal's background
 * calls for, which the terminal is asked for behind the first frame. */
#include "app/chat_private.h"

#include <stdlib.h>

#include "app/appearance.h"
#include "tui/background.h"

/* A terminal that has not answered by then is not going to; what still comes counts
 * all the same. */
#define ANSWER_MS 2000

void ik_chat_theme_begin(struct ik_chat *chat)
{
	(void)ik_background_of_variable(getenv("COLORFGBG"), &chat->light);
}

/* No more answers are under way. */
static void stop_waiting(struct ik_chat *chat)
{
	ik_timer_stop(chat->answer_timer);
	ik_input_expect(chat->input, false);
	ik_tty_expect(chat->tty, false);
}

void ik_chat_theme_ask(struct ik_chat *chat)
{
	if (ik_theme_find(chat->setup->config->ui_theme) != NULL || chat->term == NULL ||
	    !ik_term_answers(chat->term) || ik_appearance_depth() == IK_COLOURS_NONE)
		return;
	ik_tty_write(chat->tty, IK_BACKGROUND_QUERY, sizeof IK_BACKGROUND_QUERY - 1);
	ik_input_expect(chat->input, true);
	ik_tty_expect(chat->tty, true);
	ik_timer_start(chat->answer_timer, ANSWER_MS);
}

void ik_chat_theme_unanswered(void *arg)
{
	stop_waiting(arg);
}

void ik_chat_theme_answer(struct ik_chat *chat, const char *report, size_t length)
{
	if (ik_background_is_fence(report, length))
		stop_waiting(chat);
	else if (ik_background_read(report, length, &chat->light))
		ik_chat_theme_apply(chat);
}

void ik_chat_theme_apply(struct ik_chat *chat)
{
	if (chat->term != NULL)
		ik_term_set_theme(chat->term, ik_appearance_theme(chat->setup->config, chat->light));
	ik_screen_touch(chat->screen);
}
