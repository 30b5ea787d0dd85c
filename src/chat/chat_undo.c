/* Undo, from the inspector, what one call did to files. */
#include "chat/chat_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/undo_command.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

enum { ANSWER_YES, ANSWER_NO };

static void on_answer(struct ik_chat *chat, void *arg, const struct ik_question_answer *answer)
{
	char *line = arg;

	if (answer && answer->value == ANSWER_YES) {
		ik_screen_uncover(chat->screen); /* what became of each file stands there */
		ik_chat_submit(chat, line, strlen(line));
	}
	free(line);
}

/* What calls did is written down: ask now. */
static void ask_now(void *arg)
{
	struct ik_chat *chat = arg;
	char *id = chat->undo_call;

	chat->undo_call = NULL;
	if (id && !chat->ending)
		ik_chat_undo_call(chat, id);
	free(id);
}

void ik_chat_undo_call(struct ik_chat *chat, const char *id)
{
	const struct ik_choice choices[] = {
		{ .key = 't', .label = _("Take it back"), .value = ANSWER_YES },
		{ .key = 'k', .label = _("Keep it"), .value = ANSWER_NO },
	};
	struct ik_question_part part = { .kind = IK_QUESTION_TEXT };
	struct ik_question question = {
		.title = _("Take back what this call did?"),
		.parts = &part,
		.part_count = 1,
		.choices = choices,
		.choice_count = 2,
		.escape = 1,
		.wanted = true,
		.guarded = true,
	};
	struct ik_error error;
	struct ik_buf text;

	if (!chat->core_started || ik_chat_only_reads(chat))
		return;
	if (!ik_session_await_undo(chat->core.session, ask_now, chat)) {
		free(chat->undo_call);
		chat->undo_call = ik_strdup(id);
		return;
	}
	ik_buf_init(&text, IK_MIB(1));
	if (ik_undo_call_look(&chat->core, id, &text, &error) != IK_OK) {
		ik_screen_flash(chat->screen, error.text);
	} else {
		part.text = text.data;
		part.length = text.length;
		(void)ik_chat_ask(chat, &question, on_answer, ik_format("/undo #%s", id));
	}
	ik_buf_done(&text);
}
