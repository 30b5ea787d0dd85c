#include "core/resume_text.h"

#include "conversation/conversation.h"
#include "util/limits.h"
#include "util/shell_word.h"

bool ik_resume_is_possible(const struct ik_session *session)
{
	const struct ik_conversation *conversation = ik_session_conversation(session);
	size_t i = ik_conversation_count(conversation);

	while (i > 0 && ik_conversation_at(conversation, i - 1)->kind == IK_KIND_NOTICE)
		i--;
	return i > 0;
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
