#include "conversation/fork_link.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

static const char *const members[] = {
	[IK_FORK_CHILD] = "child",
	[IK_FORK_PARENT] = "parent",
};

struct ik_message *ik_fork_link_command(const char *line, const char *output,
	enum ik_fork_link link, const char *session)
{
	return ik_message_with_text(ik_message_command(line, output), members[link], session,
		strlen(session));
}

bool ik_fork_link_session(const struct ik_message *message, enum ik_fork_link link,
	char ret_session[IK_UUID_TEXT])
{
	char *id = message->kind != IK_KIND_COMMAND
		? NULL
		: ik_json_string_new(ik_json_member(ik_message_data(message), members[link]), NULL);
	bool found = id && strlen(id) == IK_UUID_TEXT - 1;

	if (found)
		memcpy(ret_session, id, IK_UUID_TEXT);
	free(id);
	return found;
}

bool ik_fork_finished(struct ik_message *const *messages, size_t count)
{
	char parent[IK_UUID_TEXT];
	bool cut;

	while (count > 0) {
		const struct ik_message *message = messages[--count];

		if (ik_fork_link_session(message, IK_FORK_PARENT, parent))
			return false;
		if (message->kind == IK_KIND_ASSISTANT)
			return !(ik_json_bool(ik_json_member(ik_message_data(message), "interrupted"), &cut) &&
				cut);
		if (message->kind == IK_KIND_USER || message->kind == IK_KIND_TOOL_CALL ||
			message->kind == IK_KIND_TOOL_RESULT)
			return false;
	}
	return false;
}
