/* Messages that wait to be sent, back in the editor. */
#include "chat/chat_private.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

void ik_chat_take_back(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;
	size_t length, index = 0;
	const char *text;
	char *copy;

	while (ik_session_queued(session, index, &length))
		index++;
	if (index == 0)
		return;
	text = ik_session_queued(session, index - 1, &length);
	copy = ik_strndup(text, length);
	ik_session_unqueue(session);
	ik_screen_set_draft(chat->screen, copy, length);
	free(copy);
	/* What went with it goes with what is sent in its place. */
	chat->agent->shared_command[0] = '\0';
}

void ik_chat_take_queue_back(struct ik_chat *chat)
{
	struct ik_session *session = chat->core.session;
	struct ik_buf text;
	size_t length;
	const char *queued;

	ik_buf_init(&text, IK_LIMIT_USER_TEXT);
	for (size_t i = 0; (queued = ik_session_queued(session, i, &length)); i++) {
		if (i > 0)
			ik_buf_putc(&text, '\n');
		ik_buf_append(&text, queued, length);
	}
	while (ik_session_queued(session, 0, &length))
		ik_session_unqueue(session);
	queued = ik_screen_draft(chat->screen, &length);
	if (text.length > 0 && length > 0)
		ik_buf_putc(&text, '\n');
	ik_buf_append(&text, queued, length);
	if (text.length > length && ik_buf_status(&text) == IK_OK)
		ik_screen_set_draft(chat->screen, text.data, text.length);
	ik_buf_done(&text);
}
