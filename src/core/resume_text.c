#include "core/resume_text.h"

#include "conversation/conversation.h"
#include "util/limits.h"
#include "util/shell_word.h"

bool ik_resume_is_possible(const struct ik_session *session, bool all_stored)
{
	const struct ik_conversation *conversation = ik_session_conversation(session);
	size_t i;

	for (i = 0; i < ik_conversation_count(conversation); i++) {
		const struct ik_message *message = ik_conversation_at(conversation, i);

		if (message->kind != IK_KIND_NOTICE && (all_stored || message->sequence > 0))
			return true;
	}
	return false;
}

char *ik_resume_command(const struct ik_options *options, const char *id)
{
	struct ik_buf out;

	ik_buf_init(&out, IK_LIMIT_USER_TEXT);
	ik_shell_word_put(&out, options->program);
	ik_options_put(options, &out);
	ik_buf_printf(&out, " --resume=%s", id);
	return ik_buf_take(&out, NULL);
}
