#include "app/commands_session.h"

#include <stdlib.h>
#include <string.h>

#include "store/title.h"
#include "util/alloc.h"
#include "util/limits.h"
#include "util/text.h"

enum ik_command_effect ik_command_sessions(struct ik_core *core, const char *line,
	const char *rest)
{
	(void)core;
	(void)line;
	(void)rest;
	return IK_COMMAND_SESSIONS; /* nothing of it is worth being stored */
}

enum ik_command_effect ik_command_resume(struct ik_core *core, const char *line, const char *rest)
{
	(void)core;
	(void)line;
	return rest[0] != '\0' ? IK_COMMAND_RESUME : IK_COMMAND_SESSIONS;
}

/* What the session is called now; new memory. */
static char *present_title(const struct ik_conversation *conversation)
{
	size_t count = ik_conversation_count(conversation), i;
	char *title = ik_strdup("");

	for (i = 0; i < count; i++) {
		bool named;
		char *other = ik_session_title_of(ik_conversation_at(conversation, i), &named);

		if (other[0] != '\0' && (named || title[0] == '\0')) {
			free(title);
			title = other;
		} else {
			free(other);
		}
	}
	return title;
}

enum ik_command_effect ik_command_title(struct ik_core *core, const char *line, const char *rest)
{
	char *title = rest[0] != '\0' ? ik_session_title(rest, strlen(rest)) :
		present_title(ik_session_conversation(core->session));
	struct ik_buf out;

	ik_buf_init(&out, IK_KIB(16));
	if (title[0] == '\0')
		ik_buf_puts(&out, _("The session has no title yet: /title TEXT gives it one."));
	else
		ik_buf_printf(&out, _("Title: %s"), title);
	free(title);
	ik_command_answer(core, line, &out);
	return IK_COMMAND_NOTHING;
}
