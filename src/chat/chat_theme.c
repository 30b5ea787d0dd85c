/* The chat's theme: the one that is wished for, or what the terminal's background
 * calls for, which the terminal is asked for behind the first frame. */
#include "chat/chat_private.h"

#include <stdlib.h>

#include "commands/appearance.h"
#include "tui/term/query.h"

void ik_chat_theme_begin(struct ik_chat *chat)
{
	(void)ik_background_of_variable(getenv("COLORFGBG"), &chat->light);
}

bool ik_chat_theme_asks(const struct ik_chat *chat)
{
	return !ik_theme_find(chat->setup->config->ui_theme) &&
		ik_term_colours(chat->term) != IK_COLOURS_NONE;
}

void ik_chat_theme_answer(struct ik_chat *chat, const char *report, size_t length)
{
	if (ik_background_read(report, length, &chat->light))
		ik_chat_theme_apply(chat);
}

void ik_chat_theme_apply(struct ik_chat *chat)
{
	if (chat->term)
		ik_term_set_theme(chat->term, ik_appearance_theme(chat->setup->config, chat->light));
	ik_screen_touch(chat->screen);
}
