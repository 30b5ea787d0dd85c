/* What the chat itself says on the screen. */
#include "chat/chat_private.h"

#include <stdlib.h>
#include <string.h>

#include "tui/edit/keymap.h"

void ik_chat_complain(struct ik_chat *chat, const char *sentence)
{
	struct ik_event event = {
		.kind = IK_EVENT_ERROR,
		.text = sentence,
		.text_length = strlen(sentence),
	};

	ik_screen_apply(chat->screen, &event);
}

/* ---- what is said of agents ---- */

char *ik_agent_key(const struct ik_chat *chat, int number)
{
	struct ik_keymap *keymap = ik_keymap_new_with(chat->setup->config->ui_keys);
	char *key = number <= 9 ? ik_keymap_digit_key(keymap, IK_ACTION_AGENT, number) : NULL;

	if (!key)
		key = ik_keymap_sentence(keymap, "{next-agent}");
	ik_keymap_free(keymap);
	return key;
}
